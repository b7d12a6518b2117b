// Package crashtest kills the program at random under load, starts it again, and
// holds what it had acknowledged against what is there: one process on SQLite, and
// three replicas on a PostgreSQL that crashes too.
//
// make test runs it briefly; `make test-crash N=200` for long.
package crashtest

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/staff"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/internal/testutil/tools"
)

var (
	kills = flag.Int("kills", 4, "how many processes are killed on each engine")
	seed  = flag.Uint64("seed", 1, "of the moments and victims")
)

// asProgram makes this binary the program itself, so that there are processes to
// kill without building another.
const asProgram = "VESTIBULE_SURVIVAL_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		os.Unsetenv(asProgram)
		staff.UseCheapHashes()
		if err := assets.Inherit(); err != nil {
			log.Fatal(err)
		}
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
		defer stop()
		os.Exit(app.Run(ctx, os.Args[1:], os.Stdout, os.Stderr))
	}
	flag.Parse()
	os.Exit(m.Run())
}

func TestProcessKillsOnSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	survive(t, newFleet(t, 1, ""), nil)
}

func TestReplicaKillsOnPostgreSQL(t *testing.T) {
	if os.Getenv(cluster.Env) == "off" {
		t.Skip("PostgreSQL is left out")
	}
	// A cluster of its own, that keeps what it promised and can be crashed.
	c, err := cluster.Start(t.Context(), "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	if errors.Is(err, cluster.ErrMissing) {
		tools.Missing(t, "PostgreSQL is not installed")
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Stop)
	survive(t, newFleet(t, 3, c.URL), c)
}

// load has n of each kind of caller at work until enough is called, which waits for
// what they are at.
func (l *ledger) load(n int) (enough func()) {
	working, cancel := context.WithCancel(l.t.Context())
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { l.submit(working, i) })
		wait.Go(func() { l.apply(working, i) })
	}
	return func() { cancel(); wait.Wait() }
}

// survive kills while there is load, lets the load end in peace, and reconciles.
func survive(t *testing.T, f *fleet, db *cluster.Cluster) {
	f.start()
	l := newLedger(t, f)
	enough := l.load(4)
	chance := rand.New(rand.NewPCG(*seed, 2))
	crashes := 0
	for n := range *kills {
		after := time.NewTimer(time.Duration(100+chance.IntN(900)) * time.Millisecond)
		<-after.C
		f.kill(chance.IntN(len(f.replicas)))
		if db != nil && n%20 == 2 {
			if err := db.Crash(t.Context()); err != nil {
				t.Fatal(err)
			}
			crashes++
		}
	}
	enough()
	lost, doubled := l.reconcile()
	said := fmt.Sprintf("%d kills, %d crashes of the database: %s; lost %d, doubled %d", *kills, crashes, l, len(lost), len(doubled))
	fmt.Println(t.Name()+":", said)
	for _, what := range append(lost, doubled...) {
		t.Error(what)
	}
	if l.acknowledged() < *kills {
		t.Errorf("too little was under way to tell anything: %s", said)
	}
	if t.Failed() {
		t.Logf("the last of the logs:\n%s", f.logs())
	}
}

//go:build linux

// Package crashtest kills the program at random under load, restarts it, and checks that
// nothing it acknowledged is lost or done twice: with one process on SQLite, and with
// three replicas on a PostgreSQL that crashes too.
//
// make test runs it briefly; `make test-crash N=200` runs it longer.
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
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/internal/testutil/tools"
)

var (
	kills = flag.Int("kills", 3, "how many processes are killed on each engine")
	seed  = flag.Uint64("seed", 1, "seed of the times and processes")
)

// asProgram names the variable that makes the test binary run as the program, so that the
// tests need no other binary.
const asProgram = "VESTIBULE_TEST_CRASH_PROGRAM"

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
	testKills(t, newFleet(t, 1, ""), nil)
}

func TestReplicaKillsOnPostgreSQL(t *testing.T) {
	if os.Getenv(cluster.Env) == "off" {
		t.Skip("PostgreSQL is left out")
	}
	// A separate cluster, which the test may crash, with durable commits.
	c, err := cluster.Start(t.Context(), "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	if errors.Is(err, cluster.ErrMissing) {
		tools.Missing(t, "PostgreSQL is not installed")
	}
	testutil.Must(t, err)
	t.Cleanup(c.Stop)
	testKills(t, newFleet(t, 3, c.URL), c)
}

// load starts n callers of each kind. stop ends them and waits for their requests.
func (l *ledger) load(n int) (stop func()) {
	working, cancel := context.WithCancel(l.t.Context())
	var wait sync.WaitGroup
	for i := range n {
		wait.Go(func() { l.submit(working, i) })
		wait.Go(func() { l.apply(working, i) })
	}
	return func() { cancel(); wait.Wait() }
}

// testKills kills processes under load, ends the load, and reconciles.
func testKills(t *testing.T, f *fleet, db *cluster.Cluster) {
	f.start()
	l := newLedger(t, f)
	stopLoad := l.load(4)
	chance := rand.New(rand.NewPCG(*seed, 2))
	crashes := 0
	for n := range *kills {
		after := time.NewTimer(time.Duration(100+chance.IntN(900)) * time.Millisecond)
		<-after.C
		f.awaitCrashedTwice()
		f.kill(chance.IntN(len(f.replicas)))
		if db != nil && n%20 == 2 {
			testutil.Must(t, db.Crash(t.Context()))
			crashes++
		}
	}
	stopLoad()
	lost, doubled := l.reconcile()
	said := fmt.Sprintf("%d kills, %d crashes of the database: %s; lost %d, doubled %d", *kills, crashes, l, len(lost), len(doubled))
	fmt.Println(t.Name()+":", said)
	for _, what := range append(lost, doubled...) {
		t.Error(what)
	}
	if l.acknowledged() < *kills {
		t.Errorf("too little load for a result: %s", said)
	}
	if t.Failed() {
		t.Logf("the last of the logs:\n%s", f.logs())
	}
}

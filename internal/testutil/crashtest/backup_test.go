package crashtest

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/storetest/cluster"
)

// TestRestoredOnSQLite and its sister make a backup under load, the way that
// docs/how-to/operations.md says, go on, lose everything, and begin again from the backup:
// what was acknowledged before it is there, opens and goes on, and no webhook that was
// acknowledged is sent again. The backup reveals no personal data.
func TestRestoredOnSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := newFleet(t, 1, "")
	to := t.TempDir()
	restored(t, f, func() []byte {
		var all []byte
		for _, party := range []string{"portal", "provider"} {
			from, into := filepath.Join(f.dir, "a", party+".db"), filepath.Join(to, party+".db")
			if tool, err := exec.LookPath("sqlite3"); err == nil {
				run(t, tool, from, ".timeout 10000", ".backup "+into)
			} else if _, err := f.open(party).SQL.ExecContext(t.Context(), `VACUUM INTO '`+into+`'`); err != nil {
				t.Fatal(err) // what the tool does, by the driver: one transaction's view of the file
			}
			for _, file := range []string{into, from, from + "-wal"} {
				raw, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, raw...)
			}
		}
		credentials, _ := filepath.Glob(filepath.Join(f.dir, "a", "*credentials.json"))
		for _, file := range credentials {
			raw, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.Base(file)), raw, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}, func() {
		a := filepath.Join(f.dir, "a")
		if err := os.RemoveAll(a); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(to, a); err != nil {
			t.Fatal(err)
		}
	})
}

func TestRestoredOnPostgreSQL(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	address := storetest.URL(t)
	dump := filepath.Join(t.TempDir(), "vestibule.dump")
	tool := func(name string) string {
		path, err := cluster.Tool(name)
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	f := newFleet(t, 2, address)
	restored(t, f, func() []byte {
		run(t, tool("pg_dump"), "-Fc", "-n", "portal", "-n", "provider", "-f", dump, address)
		return run(t, tool("pg_restore"), "-f", "-", dump)
	}, func() {
		again := storetest.URL(t)
		run(t, tool("pg_restore"), "--no-owner", "-d", again, dump)
		f.moveTo(again)
	})
}

// restored is the story of both. backup returns what can be read in it, and replicas
// begin on what back leaves.
func restored(t *testing.T, f *fleet, backup func() []byte, back func()) {
	f.start()
	l := newLedger(t, f)
	enough := l.load(2)
	insistUntil(t, func() bool {
		var so int
		l.note(func() { so = min(len(l.landed), len(l.submissions), len(l.shared)) })
		return so >= 2 && len(attempts(f)) >= 2
	})
	promised := newLedger(t, f)
	l.note(func() {
		promised.submissions, promised.submitter, promised.shared = maps.Clone(l.submissions), maps.Clone(l.submitter), maps.Clone(l.shared)
		promised.withdrawn, promised.applications, promised.landed = maps.Clone(l.withdrawn), maps.Clone(l.applications), maps.Clone(l.landed)
	})
	readable := backup()
	made := l.acknowledged
	var before int
	l.note(func() { before = made() })
	insistUntil(t, func() bool { var now int; l.note(func() { now = made() }); return now >= before+6 })
	enough()
	// What was shared, withdrawn or ended while the backup was made may be in it.
	maps.DeleteFunc(promised.shared, func(relay, _ string) bool { return l.withdrawn[relay] != promised.withdrawn[relay] })

	for _, r := range f.replicas {
		r.stop()
	}
	for _, publicToken := range promised.submissions {
		if !says(readable, publicToken) {
			t.Errorf("the search does not find %s, which is there", publicToken)
		}
	}
	for _, personal := range []string{firstName, lastName, email, payer, landlord} {
		if says(readable, personal) {
			t.Errorf("%q is in the backup", personal)
		}
		if strings.Contains(f.logs(), personal) {
			t.Errorf("%q is in the log", personal)
		}
	}
	back()
	sent := attempts(f)
	if len(sent) == 0 {
		t.Fatal("no webhook was acknowledged before the backup")
	}
	other := f.replicas[0]
	right := slices.Clone(other.args)
	for i, a := range other.args {
		if strings.HasPrefix(a, "--master-key-file=") {
			wrong := filepath.Join(f.dir, "wrong.key")
			if err := os.WriteFile(wrong, []byte(strings.Repeat("07", 32)), 0o600); err != nil {
				t.Fatal(err)
			}
			other.args[i] = "--master-key-file=" + wrong
		}
	}
	if other.start() == nil {
		t.Error("the restored database is served with another master key")
		other.stop()
	}
	if !strings.Contains(other.log.String(), "not the one this database was sealed with") {
		t.Error("the log does not say that the master key is another")
	}
	other.args = right
	f.start()
	lost, doubled := promised.reconcile()
	// The backup includes a little more than was promised before it; and events that were
	// sent after it are sent again.
	doubled = slices.DeleteFunc(doubled, func(s string) bool {
		return strings.Contains(s, "applications are there") || strings.Contains(s, "told twice")
	})
	t.Logf("restored: %s of %s; %d acknowledged webhooks; lost %d, doubled %d", promised, l, len(sent), len(lost), len(doubled))
	for _, what := range append(lost, doubled...) {
		t.Error(what)
	}
	now := attempts(f)
	for id, n := range sent {
		if now[id] != n {
			t.Errorf("event %s was acknowledged after %s, and is sent again: %s", id, n, now[id])
		}
	}
	// And it goes on as it should.
	after := newLedger(t, f)
	enough = after.load(1)
	insistUntil(t, func() bool {
		var n int
		after.note(func() { n = len(after.landed) + len(after.submissions) })
		return n >= 4 || t.Failed()
	})
	enough()
	if t.Failed() {
		t.Logf("the last of the logs:\n%s", f.logs())
	}
}

// says reports whether text stands in what was read, as it is or in the hexadecimal that
// a dump has bytes in.
func says(read []byte, text string) bool {
	return bytes.Contains(read, []byte(text)) || bytes.Contains(read, []byte(hex.EncodeToString([]byte(text))))
}

// insistUntil waits for ok, which the load brings about.
func insistUntil(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(patience)
	for tick := time.NewTicker(50 * time.Millisecond); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("the load does not go on")
		}
	}
}

// attempts are the events that were acknowledged, with the deliveries and attempts that
// there were of each.
func attempts(f *fleet) map[string]string {
	f.t.Helper()
	db := f.open(store.Provider)
	defer db.Close()
	rows, err := db.SQL.QueryContext(f.t.Context(), `SELECT e.id, count(*), sum(d.attempts), max(d.updated_at)
		FROM events e JOIN deliveries d ON d.event_id = e.id
		GROUP BY e.id HAVING max(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END) = 1`)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var id string
		var deliveries, tries, at int64
		if err := rows.Scan(&id, &deliveries, &tries, &at); err != nil {
			f.t.Fatal(err)
		}
		out[id] = fmt.Sprintf("%d deliveries of %d attempts, the last at %d", deliveries, tries, at)
	}
	return out
}

// run returns what the tool writes.
func run(t *testing.T, tool string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", filepath.Base(tool), err, out)
	}
	return out
}

// stop kills the process for good.
func (r *replica) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

// moveTo has the replicas begin on another database.
func (f *fleet) moveTo(address string) {
	if _, err := url.Parse(address); err != nil {
		f.t.Fatal(err)
	}
	f.databaseURL = address
	for _, r := range f.replicas {
		for i, a := range r.args {
			if strings.HasPrefix(a, "--database-url=") {
				r.args[i] = "--database-url=" + address
			}
		}
	}
}

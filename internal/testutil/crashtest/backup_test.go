//go:build linux

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
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/internal/testutil/tools"
)

// TestRestoreOnSQLite makes a backup under load, as docs/how-to/operations.md describes,
// deletes the database and restores the backup. Everything acknowledged before the backup
// must be there and work, and no acknowledged webhook may be sent again. The backup must
// not reveal personal data.
func TestRestoreOnSQLite(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	f := newFleet(t, 1, "")
	to := t.TempDir()
	testRestore(t, f, func() []byte {
		var all []byte
		for _, party := range []string{"portal", "provider"} {
			from, into := filepath.Join(f.dir, "a", party+".db"), filepath.Join(to, party+".db")
			if tool, err := exec.LookPath("sqlite3"); err == nil {
				run(t, tool, from, ".timeout 10000", ".backup "+into)
			} else if _, err := f.open(party).SQL.ExecContext(t.Context(), `VACUUM INTO '`+into+`'`); err != nil {
				t.Fatal(err) // without the tool, the driver makes the same copy
			}
			for _, file := range []string{into, from, from + "-wal"} {
				raw := testutil.ReadFile(t, file)
				all = append(all, raw...)
			}
		}
		credentials, _ := filepath.Glob(filepath.Join(f.dir, "a", "*credentials.json"))
		for _, file := range credentials {
			raw, err := os.ReadFile(file)
			if err == nil {
				err = os.WriteFile(filepath.Join(to, filepath.Base(file)), raw, 0o600)
			}
			testutil.Must(t, err)
		}
		return all
	}, func() {
		a := filepath.Join(f.dir, "a")
		testutil.Must(t, os.RemoveAll(a))
		testutil.Must(t, os.Rename(to, a))
	})
}

func TestRestoreOnPostgreSQL(t *testing.T) {
	tools.FullOnly(t)
	address := storetest.URL(t)
	dump := filepath.Join(t.TempDir(), "vestibule.dump")
	tool := func(name string) string {
		path, err := cluster.Tool(name)
		testutil.Must(t, err)
		return path
	}
	f := newFleet(t, 2, address)
	testRestore(t, f, func() []byte {
		run(t, tool("pg_dump"), "-Fc", "-n", "portal", "-n", "provider", "-f", dump, address)
		return run(t, tool("pg_restore"), "-f", "-", dump)
	}, func() {
		again := storetest.URL(t)
		run(t, tool("pg_restore"), "--no-owner", "-d", again, dump)
		f.moveTo(again)
	})
}

// testRestore runs both tests. backup returns the backup's content as it can be read, and
// restore replaces the database by the backup.
func testRestore(t *testing.T, f *fleet, backup func() []byte, restore func()) {
	f.start()
	l := newLedger(t, f)
	stopLoad := l.load(2)
	waitUntil(t, func() bool {
		var n int
		l.locked(func() { n = min(len(l.returned), len(l.submissions), len(l.shared)) })
		return n >= 2 && len(deliveredEvents(f)) >= 2
	})
	saved := l.copy()
	readable := backup()
	var before int
	l.locked(func() { before = l.acknowledged() })
	waitUntil(t, func() bool { var now int; l.locked(func() { now = l.acknowledged() }); return now >= before+6 })
	stopLoad()
	// A share that was withdrawn while the backup was made may be in it in either state.
	maps.DeleteFunc(saved.shared, func(relay, _ string) bool { return l.withdrawn[relay] != saved.withdrawn[relay] })
	for _, r := range f.replicas {
		r.stop()
	}
	t.Run("no personal data in the backup or the log", func(t *testing.T) { saved.checkEncrypted(t, readable) })
	restore()
	sent := deliveredEvents(f)
	if len(sent) == 0 {
		t.Fatal("no webhook was acknowledged before the backup")
	}
	t.Run("another master key", f.refuseAnotherKey)
	f.start()
	t.Run("everything is there once", func(t *testing.T) {
		lost, doubled := saved.reconcile()
		// The backup includes a little more than was acknowledged before it, and events sent
		// after it are sent again.
		doubled = slices.DeleteFunc(doubled, func(s string) bool {
			return strings.Contains(s, "applications are there") || strings.Contains(s, "notified twice")
		})
		t.Logf("restored: %s of %s; %d acknowledged webhooks; lost %d, doubled %d", saved, l, len(sent), len(lost), len(doubled))
		for _, what := range append(lost, doubled...) {
			t.Error(what)
		}
		now := deliveredEvents(f)
		for id, n := range sent {
			if now[id] != n {
				t.Errorf("event %s was acknowledged after %s, and is sent again: %s", id, n, now[id])
			}
		}
	})
	t.Run("new work is accepted", func(t *testing.T) {
		after := newLedger(t, f)
		stopLoad := after.load(1)
		waitUntil(t, func() bool {
			var n int
			after.locked(func() { n = len(after.returned) + len(after.submissions) })
			return n >= 4 || t.Failed()
		})
		stopLoad()
	})
	if t.Failed() {
		t.Logf("the last of the logs:\n%s", f.logs())
	}
}

// copy returns a ledger of what is acknowledged now.
func (l *ledger) copy() *ledger {
	saved := newLedger(l.t, l.f)
	l.locked(func() {
		saved.submissions, saved.submitter, saved.shared = maps.Clone(l.submissions), maps.Clone(l.submitter), maps.Clone(l.shared)
		saved.withdrawn, saved.applications, saved.returned = maps.Clone(l.withdrawn), maps.Clone(l.applications), maps.Clone(l.returned)
	})
	return saved
}

// checkEncrypted checks that a backup has no personal data in plain text. That it finds public tokens shows that its search works.
func (l *ledger) checkEncrypted(t *testing.T, readable []byte) {
	for _, publicToken := range l.submissions {
		if !contains(readable, publicToken) {
			t.Errorf("the search does not find %s, which is there", publicToken)
		}
	}
	for _, personal := range []string{firstName, lastName, email, payer, landlord} {
		if contains(readable, personal) {
			t.Errorf("%q is in the backup", personal)
		}
		if strings.Contains(l.f.logs(), personal) {
			t.Errorf("%q is in the log", personal)
		}
	}
}

// refuseAnotherKey starts a replica with a master key that did not encrypt the database.
func (f *fleet) refuseAnotherKey(t *testing.T) {
	wrong := filepath.Join(f.dir, "wrong.key")
	testutil.Must(t, os.WriteFile(wrong, []byte(strings.Repeat("07", 32)), 0o600))
	other := f.replicas[0]
	right := other.args
	defer func() { other.args = right }()
	other.args = slices.Clone(right)
	for i, a := range right {
		if strings.HasPrefix(a, "--master-key-file=") {
			other.args[i] = "--master-key-file=" + wrong
		}
	}
	if other.start() == nil {
		t.Error("the restored database is served with another master key")
		other.stop()
	}
	if !strings.Contains(other.log.String(), "not the one that encrypted this database") {
		t.Error("the log does not say that the master key is another")
	}
}

// contains reports whether data contains text, in plain or in hexadecimal, as a dump
// writes bytes.
func contains(data []byte, text string) bool {
	return bytes.Contains(data, []byte(text)) || bytes.Contains(data, []byte(hex.EncodeToString([]byte(text))))
}

// waitUntil waits until the load has made ok true.
func waitUntil(t *testing.T, ok func() bool) {
	t.Helper()
	deadline := time.Now().Add(retryTime)
	for tick := time.NewTicker(50 * time.Millisecond); !ok(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatal("the load makes no progress")
		}
	}
}

// deliveredEvents returns the acknowledged events by ID, with a text on their deliveries
// and attempts.
func deliveredEvents(f *fleet) map[string]string {
	f.t.Helper()
	db := f.open(store.Provider)
	defer db.Close()
	out := map[string]string{}
	_, err := store.QueryAll(f.t.Context(), db.SQL, func(row store.Row) (struct{}, error) {
		var id string
		var deliveries, attempts, at int64
		err := row.Scan(&id, &deliveries, &attempts, &at)
		out[id] = fmt.Sprintf("%d deliveries of %d attempts, the last at %d", deliveries, attempts, at)
		return struct{}{}, err
	}, `SELECT e.id, count(*), sum(d.attempts), max(d.updated_at)
		FROM events e JOIN deliveries d ON d.event_id = e.id
		GROUP BY e.id HAVING max(CASE WHEN d.state = 'delivered' THEN 1 ELSE 0 END) = 1`)
	testutil.Must(f.t, err)
	return out
}

// run returns the tool's output.
func run(t *testing.T, tool string, args ...string) []byte {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), tool, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", filepath.Base(tool), err, out)
	}
	return out
}

// stop kills the process.
func (r *replica) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cmd.Process.Kill()
	r.cmd.Wait()
}

// moveTo makes replicas that are started later use another database.
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

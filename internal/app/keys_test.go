package app_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/testutil"
)

// TestKeysRotateWhileServing rotates the signing keys beside a running program: earlier
// tokens stay valid, and the key set publishes the new key before it signs. Then it
// rotates the master key, and the former one decrypts nothing.
func TestKeysRotateWhileServing(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		rotate := func(args ...string) string {
			t.Helper()
			code, out, log := run(t, append([]string{"keys", "rotate", "--data-dir=" + w.dir, "--database-url=" + w.databaseURL}, args...)...)
			if code != 0 {
				t.Fatalf("keys rotate ends with %d: %s", code, log)
			}
			return out
		}
		published := func() (kids []string) {
			var set struct{ Keys []struct{ Kid string } }
			testutil.Must(t, json.Unmarshal(good(t, 200, ask(t, "GET", w.Provider+"/connect/jwkset", "")).Body, &set))
			for _, k := range set.Keys {
				kids = append(kids, k.Kid)
			}
			return kids
		}
		id, grant := w.application(t, "embedded")
		cookie := w.enter(t, id, grant)
		bearer := w.bearer(t, w.Credentials.Account)
		before := published()
		rotate()
		after := published()
		if len(before) != 1 || len(after) != 2 || after[0] != before[0] {
			t.Errorf("the key set was %q and is %q", before, after)
		}
		good(t, 200, ask(t, "GET", w.Portal+"/applications/"+id, "", "Cookie", cookie))
		if got := do(t, ask(t, "GET", w.Provider+"/connect/status", "", "Authorization", bearer, "X-External-Id", "none")); got.Status != 404 {
			t.Errorf("the access token from before: %d %s", got.Status, got.Body)
		}
		w.bearer(t, w.Credentials.Account)

		newer := filepath.Join(t.TempDir(), "newer.key")
		testutil.Must(t, os.WriteFile(newer, []byte(hex.EncodeToString(bytes.Repeat([]byte{9}, 32))), 0o600))
		older := filepath.Join(w.dir, "master.key")
		said := rotate("--master-key-file="+newer, "--old-master-key-file="+older)
		for _, party := range []string{"portal", "provider"} {
			if !strings.Contains(said, party+": ") || strings.Contains(said, party+": 0 data keys") {
				t.Errorf("%s: nothing was sealed anew:\n%s", party, said)
			}
		}
		for _, party := range []string{store.Portal, store.Provider} {
			db, err := store.Open(t.Context(), store.Config{URL: w.databaseURL, Dir: w.dir, Party: party, MasterKey: bytes.Repeat([]byte{9}, 32)})
			if err != nil {
				t.Fatalf("%s with the new master key alone: %v", party, err)
			}
			db.Close()
		}
		if code, _, _ := run(t, "keys", "rotate", "--data-dir="+w.dir, "--database-url="+w.databaseURL); code == 0 {
			t.Error("the master key from before still opens the databases")
		}
	})
}

func TestRotateRequiresKeys(t *testing.T) {
	if code, _, log := run(t, "keys", "rotate", "--data-dir="+t.TempDir()); code != 1 || !strings.Contains(log, "no database") {
		t.Errorf("exit code %d: %s", code, log)
	}
}

package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vestibule/internal/store"
	"vestibule/internal/store/storetest"
)

// What is erased is in no file of the database any more: not where it stood, not
// where it stood before its page was parted or its row grew, and not in the log.
func TestWhatIsErasedIsInNoFile(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.Context(), store.Config{Dir: dir, Party: store.Portal, MasterKey: storetest.MasterKey})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	do := func(run func(context.Context, func(context.Context, *sql.Tx) error) error, query string, args ...any) {
		t.Helper()
		if err := run(t.Context(), func(ctx context.Context, tx *sql.Tx) error {
			_, err := tx.ExecContext(ctx, query, args...)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	const n = 150
	word := func(i int) string { return fmt.Sprintf("canary-%04d", i) }
	for i := range n {
		id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", i*7919%100000)
		do(db.Tx, `INSERT INTO review_index (application_id, data_key, product, mode, external_id, external_key, public_token, state, outcome, attempt,
			decision, has_report, named, created_at, updated_at) VALUES ($1, 'k', 'cashflow', 'embedded', $2, $3, '', 'started', '', 0, '', FALSE, TRUE, $4, $4)`,
			id, word(i)+strings.Repeat("x", i%40), []byte(word(i)), int64(i))
	}
	for i := range n {
		do(db.Tx, `UPDATE review_index SET external_id = external_id || ' and much longer than before', state = 'ready' WHERE created_at = $1`, int64(i))
	}
	stays := func(i int) bool { return i >= n*2/3 && i%3 == 0 } // whole pages become free
	for i := range n {
		if stays(i) {
			continue
		}
		do(db.Erase, `DELETE FROM review_index WHERE created_at = $1`, int64(i))
	}
	var all []byte
	for _, name := range []string{"portal.db", "portal.db-wal"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, raw...)
	}
	for i := range n {
		if found := bytes.Contains(all, []byte(word(i))); found != stays(i) {
			t.Errorf("%s is in the files: %v", word(i), found)
		}
	}
}

package store_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"vestibule/internal/store"
)

// TestDatabaseOpensInAnyFolder opens databases in folders whose names have characters
// with a meaning in URLs.
func TestDatabaseOpensInAnyFolder(t *testing.T) {
	for _, name := range []string{"a#1", "b?c=1", "d%23", "e f"} {
		dir := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		db, err := store.Open(context.Background(), store.Config{Dir: dir, Party: store.Portal, MasterKey: make([]byte, 32)})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if err := db.Close(); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(filepath.Join(dir, "portal.db")); err != nil || info.Size() == 0 {
			t.Errorf("%s has no database: %v", name, err)
		}
	}
}

package store_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/store"
)

// takes finds what would take from a running older replica what it reads or writes.
var takes = regexp.MustCompile(`(?i)\b(DROP\s+(TABLE|COLUMN)|RENAME|ALTER\s+COLUMN|SET\s+NOT\s+NULL)\b|ADD\s+COLUMN[^;]*NOT\s+NULL`)

// TestMigrationsLeaveWhatAnOlderReplicaNeeds keeps migrations such that they can run
// while replicas of the version before still serve: they add, and a column that is
// added has a default or may be NULL.
func TestMigrationsLeaveWhatAnOlderReplicaNeeds(t *testing.T) {
	// These came before the first release: no replica of before them is out there.
	before := []string{"portal/00090_desk.sql", "provider/00220_consumer_accounts.sql", "provider/00280_report_data.sql"}
	for _, party := range []string{store.Portal, store.Provider} {
		files, err := fs.Glob(store.Migrations(party), "*.sql")
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d migrations, %v", party, len(files), err)
		}
		for _, name := range files {
			raw, err := fs.ReadFile(store.Migrations(party), name)
			if err != nil {
				t.Fatal(err)
			}
			for statement := range strings.SplitSeq(string(raw), ";") {
				bad := takes.FindString(statement)
				if bad == "" || strings.Contains(strings.ToUpper(statement), "ADD COLUMN") && strings.Contains(strings.ToUpper(statement), "DEFAULT") {
					continue
				}
				if !slices.Contains(before, party+"/"+name) {
					t.Errorf("%s/%s: %.60q takes from older replicas what they use", party, name, strings.TrimSpace(bad))
				}
			}
		}
	}
}

package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"vestibule/internal/testutil/storetest"
)

// TestPostgres walks both ways with all state in PostgreSQL.
func TestPostgres(t *testing.T) {
	t.Parallel()
	s := alone(t, "--database-url="+storetest.URL(t))
	v := visit(t)
	for _, mode := range []string{"embedded", "redirect"} {
		a := s.begin(t, mode)
		v.follow(t, a.ConnectURL)
		if mode == "embedded" {
			walk(t, v.widget, "default")
		} else {
			walkAndReturn(t, v, "default")
		}
		state(t, v, "ready")
		if v.URL() != s.statusURL(a) {
			t.Errorf("the browser ended at %s", v.URL())
		}
	}
	s.signIn(t, v)
	v.open(t, s.Portal+"/review")
	click(t, v.page("table tbody .list-link").First())
	click(t, v.page(link(en("review.application.print"))))
	see(t, v.page("article.report"))
	if n := s.fetches(); n != 2 {
		t.Errorf("%d reports were fetched for two applications", n)
	}
	if files, err := filepath.Glob(filepath.Join(s.dir, "*.db*")); err != nil || len(files) > 0 {
		t.Errorf("the data folder has %v", files)
	}
	if _, err := os.Stat(filepath.Join(s.dir, "sandbox-credentials.json")); err != nil {
		t.Error(err)
	}
}

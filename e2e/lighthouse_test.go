package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var lighthouse = flag.Bool("lighthouse", false, "let Lighthouse look at the applicant's pages (make lighthouse fetches it)")

// TestLighthouse runs Lighthouse on the applicant's pages as on a phone with a slow
// network. All scores must be full except performance: its median of three runs is logged
// with the machine's load and fails nothing.
func TestLighthouse(t *testing.T) {
	if !*lighthouse {
		t.Skip("make lighthouse runs it")
	}
	s := start(t)
	for _, page := range []struct{ name, path string }{{"landing", "/"}, {"apply", "/apply/cashflow"}, {"connect", ""}, {"status", ""}} {
		t.Run(page.name, func(t *testing.T) {
			var fast []int
			var seen looked
			for range 3 {
				// A new application each time, whose widget was not opened before.
				v := visit(t, noScript)
				s.apply(t, v, "embedded", "")
				url := s.Portal + page.path
				if page.name == "connect" || page.name == "status" {
					url += "/applications/" + v.id(t)
				}
				if page.name == "connect" {
					url += "/connect"
				}
				seen = lookAt(t, url, "vestibule="+s.cookie(t, v))
				for id, c := range seen.Categories {
					if id == "performance" {
						fast = append(fast, int(c.Score*100+0.5))
					} else if c.Score < 1 {
						t.Errorf("%s is %.0f of 100: %s", id, c.Score*100, strings.Join(seen.short(id), "; "))
					}
				}
			}
			slices.Sort(fast)
			said := ""
			for _, id := range []string{"first-contentful-paint", "largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift"} {
				said += fmt.Sprintf(", %s %s", id, seen.Audits[id].DisplayValue)
			}
			load, _ := os.ReadFile("/proc/loadavg")
			fmt.Printf("%-8s performance %d of %v, wanted >= 98%s; load %.5s\n", page.name, fast[1], fast, said, load)
		})
	}
}

// looked is what Lighthouse says of a page.
type looked struct {
	Categories map[string]struct {
		Score     float64
		AuditRefs []struct {
			ID     string
			Weight float64
		}
	}
	Audits map[string]struct {
		Title, DisplayValue string
		Score               *float64
	}
}

// short are the audits that a category is short of.
func (l looked) short(category string) (out []string) {
	for _, ref := range l.Categories[category].AuditRefs {
		if a := l.Audits[ref.ID]; ref.Weight > 0 && a.Score != nil && *a.Score < 1 {
			out = append(out, ref.ID+": "+a.Title)
		}
	}
	return out
}

func lookAt(t *testing.T, url, cookie string) (out looked) {
	t.Helper()
	headers, err := json.Marshal(map[string]string{"Cookie": cookie})
	must(t, err)
	chromium, err := exec.LookPath("chromium")
	must(t, err)
	look := func() ([]byte, error) {
		cmd := exec.Command("node", "../.cache/npm/lighthouse/node_modules/lighthouse/cli/index.js",
			url, "--quiet", "--no-enable-error-reporting",
			"--output=json", "--extra-headers="+string(headers), "--chrome-flags=--headless=new --no-sandbox --disable-gpu")
		cmd.Env = append(os.Environ(), "CHROME_PATH="+chromium)
		return cmd.Output()
	}
	raw, err := look()
	for try := 1; err != nil && try < 3; try++ { // a browser on a loaded machine loses its trace at times
		raw, err = look()
	}
	must(t, err)
	must(t, json.Unmarshal(raw, &out))
	if len(out.Categories) != 4 {
		t.Fatalf("Lighthouse has %d categories", len(out.Categories))
	}
	return out
}

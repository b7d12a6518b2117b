//go:build linux

package e2e

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vestibule/internal/testutil"
)

var lighthouse = flag.Bool("lighthouse", false, "let Lighthouse look at pages of both parties (make lighthouse fetches it)")

// desktopIndex is the benchmark index of the desktop computers for which Lighthouse slows a
// page down four times to simulate a phone: the middle of the range in its documentation
// (docs/throttling.md).
const desktopIndex = 1750

const plainPage = `<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>Plain</title>
<meta name="description" content="A page with one sentence"><link rel="icon" href="data:,"><main><h1>One sentence</h1></main>`

// TestLighthouse runs Lighthouse on the applicant's pages as on a phone with a slow
// network, and on pages of staff as on a desktop. The phone is slower than this machine by
// Lighthouse's default of four, or by less where the machine is slower than a desktop: its
// benchmark index, the median of three, tells. All scores must be full except performance:
// its median of three runs is logged with the machine's load and fails nothing. A page
// without style, script and font shows which score this machine allows.
func TestLighthouse(t *testing.T) {
	if !*lighthouse {
		t.Skip("make lighthouse runs it")
	}
	s := alone(t)
	var indexes []float64
	for range 3 {
		indexes = append(indexes, lookAt(t, s.Portal+"/", "").Environment.BenchmarkIndex)
	}
	slices.Sort(indexes)
	index := indexes[1]
	slower := min(4, max(1, 4*index/desktopIndex))
	fmt.Printf("benchmark index %.0f: a phone is %.1f times slower\n", index, slower)
	plain := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, err := w.Write([]byte(plainPage))
		must(t, err)
	}))
	defer plain.Close()
	phone := fmt.Sprintf("--throttling.cpuSlowdownMultiplier=%.2f", slower)
	measure(t, "page without style", comparison, func() looked { return lookAt(t, plain.URL, "", phone) })
	for _, page := range []struct{ name, path string }{{"landing", "/"}, {"apply", "/apply/cashflow"}, {"connect", ""}, {"status", ""}} {
		t.Run(page.name, func(t *testing.T) {
			measure(t, page.name, "wanted 100", func() looked {
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
				return lookAt(t, url, "vestibule="+s.cookie(t, v), phone)
			})
		})
	}

	v := visit(t, noScript)
	first := s.submit(t, v, "default", "", nil)
	s.await(t, first.ID, "ready")
	v.open(t, s.Portal+"/review")
	s.signInToReview(t, v, s.Credentials.Reviewer.Password)
	at(t, v, s.Portal+"/review")
	v.open(t, s.Provider+"/dashboard")
	s.signInToDashboard(t, v, s.Credentials.Dashboard.Password)
	at(t, v, s.Provider+"/dashboard")
	for _, url := range []string{s.Portal + "/review", s.Portal + "/review/applications/" + first.ID, s.Portal + "/review/overview",
		s.Provider + "/dashboard", s.Provider + "/dashboard/reports", s.Provider + "/dashboard/deliveries"} {
		name := strings.TrimSuffix(url[strings.Index(url, "://")+3:], first.ID)
		name = name[strings.Index(name, "/"):]
		t.Run(name, func(t *testing.T) {
			cookies, err := v.Context.Cookies(url)
			must(t, err)
			var all []string
			for _, c := range cookies {
				all = append(all, c.Name+"="+c.Value)
			}
			measure(t, name, "wanted >= 98", func() looked { return lookAt(t, url, strings.Join(all, "; "), "--preset=desktop") })
		})
	}
}

const comparison = "for comparison"

// measure takes three looks at a page. Nothing fails a page for comparison.
func measure(t *testing.T, name, wanted string, look func() looked) {
	t.Helper()
	var fast []int
	var seen looked
	for range 3 {
		seen = look()
		for id, c := range seen.Categories {
			if id == "performance" {
				fast = append(fast, int(c.Score*100+0.5))
			} else if c.Score < 1 && wanted != comparison {
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
	fmt.Printf("%-24s performance %d of %v, %s%s; load %.5s\n", name, fast[1], fast, wanted, said, load)
}

// startBrowser starts a browser with an empty profile, and returns the port of its DevTools
// and a function that ends it.
func startBrowser(t *testing.T, chromium string) (port string, end func()) {
	t.Helper()
	cmd := exec.Command(chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run",
		"--remote-debugging-port=0", "--user-data-dir="+t.TempDir(), "about:blank")
	lines, err := cmd.StderrPipe()
	must(t, err)
	cmd.SysProcAttr = ownGroup()
	must(t, cmd.Start())
	end = func() {
		must(t, killGroup(cmd.Process.Pid))
		_ = cmd.Wait() // says that it was killed
	}
	for scan := bufio.NewScanner(lines); scan.Scan(); {
		if m := devToolsPort.FindStringSubmatch(scan.Text()); m != nil {
			return m[1], end
		}
	}
	end()
	t.Fatal("the browser printed no port")
	return "", nil
}

var devToolsPort = regexp.MustCompile(`^DevTools listening on ws://[^/]+:(\d+)/`)

// looked is what Lighthouse says of a page.
type looked struct {
	Environment struct{ BenchmarkIndex float64 }
	Categories  map[string]struct {
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

func lookAt(t *testing.T, url, cookie string, options ...string) (out looked) {
	t.Helper()
	headers := testutil.JSON(t, map[string]string{"Cookie": cookie})
	// The shell has no interface of its own, which would run beside the page.
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		chromium, err = exec.LookPath("chromium")
	}
	must(t, err)
	look := func() ([]byte, error) {
		port, end := startBrowser(t, chromium)
		defer end()
		// Lighthouse must not take a processor from the page that it measures.
		return exec.Command("nice", append([]string{"-n", "19", "node", "../.cache/npm/lighthouse/node_modules/lighthouse/cli/index.js",
			url, "--quiet", "--no-enable-error-reporting", "--port=" + port,
			"--output=json", "--extra-headers=" + string(headers)}, options...)...).Output()
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

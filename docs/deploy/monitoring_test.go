package deploy_test

import (
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/app"
	"vestibule/internal/staff"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/assets"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/program"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/tools"
)

// dashboard is what the test reads of a Grafana dashboard.
type dashboard struct {
	Title, UID    string
	SchemaVersion int
	Templating    struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
	Panels []struct {
		ID          int
		Type, Title string
		GridPos     struct{ H, W, X, Y int }
		Datasource  struct{ Type, UID string }
		FieldConfig struct{ Defaults, Overrides any }
		Options     map[string]any
		Targets     []struct{ RefID, Expr, LegendFormat string }
	}
	Time struct{ From, To string }
}

// TestMonitoring checks that each metric of the rules and of the dashboard is one that a program gives
// after it has made reports, and that panels do not overlap.
func TestMonitoring(t *testing.T) {
	if testing.Short() {
		t.Skip("starts the whole program")
	}
	assets.Need(t)
	staff.UseCheapHashes()
	dir, log := storetest.DataDir(t), &logtest.Buffer{}
	p := program.Start(t, app.Run, log, "serve", "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0", "--admin-addr=127.0.0.1:0",
		"--sandbox-control-addr=127.0.0.1:0", "--data-dir="+dir)
	if exit := app.Run(t.Context(), []string{"seed", "--count=8", "--data-dir=" + dir, "--portal-url=" + p.Portal,
		"--provider-url=" + p.Provider, "--sandbox-control-addr=" + strings.TrimPrefix(p.Control, "http://")}, io.Discard, log); exit != 0 {
		t.Fatalf("seed: exit code %d\n%s", exit, log)
	}
	resp, err := http.Get(p.Admin + "/metrics")
	testutil.Must(t, err)
	defer resp.Body.Close()
	live, err := io.ReadAll(resp.Body)
	testutil.Must(t, err)
	m := metrics{live: string(live), source: string(testutil.ReadFile(t, "../../internal/telemetry/telemetry.go"))}
	var d dashboard
	testutil.Must(t, json.Unmarshal(testutil.ReadFile(t, "grafana-dashboard.json"), &d))
	t.Run("dashboard", func(t *testing.T) { d.check(t, m) })
	t.Run("rules", func(t *testing.T) {
		if names := m.check(t, "prometheus-rules.yaml", string(testutil.ReadFile(t, "prometheus-rules.yaml"))); names < 12 {
			t.Errorf("the rules have %d names", names)
		}
	})
	t.Run("evaluated", func(t *testing.T) { evaluate(t, d, p.Admin) })
}

// metrics are the series of a program, and the code that names them.
type metrics struct{ live, source string }

// check reports the names in a text of which no program gives a series, and returns how many names there are.
func (m metrics) check(t *testing.T, where, text string) int {
	names := regexp.MustCompile(`\b(?:vestibule|process|go)_[a-z_]+`).FindAllString(text, -1)
	for _, name := range names {
		exists := strings.Contains(m.live, "\n"+name+"{") || strings.Contains(m.live, "\n"+name+" ")
		// A program that runs well has no series of these two.
		if name == "vestibule_jobs_oldest_due_seconds" || name == "vestibule_returns_refused_total" {
			exists = strings.Contains(m.source, `"`+name+`"`)
		}
		if !exists {
			t.Errorf("%s: no program gives %s", where, name)
		}
	}
	return len(names)
}

// check reports panels that lie over each other, are incomplete, or have queries of unknown series.
func (d dashboard) check(t *testing.T, m metrics) {
	expressions, taken, ids := 0, map[[2]int]string{}, map[int]bool{}
	for _, panel := range d.Panels {
		g := panel.GridPos
		for x := g.X; x < g.X+g.W; x++ {
			for y := g.Y; y < g.Y+g.H; y++ {
				if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
					t.Errorf("%s lies over %q, or outside", panel.Title, other)
				}
				taken[[2]int{x, y}] = panel.Title
			}
		}
		if ids[panel.ID] || panel.ID == 0 || panel.Title == "" ||
			panel.Type != "row" && (panel.Datasource.UID != "${datasource}" || len(panel.Targets) == 0) {
			t.Errorf("the panel %d %q is incomplete", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		if panel.Type != "row" && (panel.Type != "timeseries" || panel.Datasource.Type != "prometheus" || panel.FieldConfig.Defaults == nil ||
			panel.FieldConfig.Overrides == nil || panel.Options["legend"] == nil || g.H == 0 || g.W == 0) {
			t.Errorf("the panel %q lacks what Grafana needs: %+v", panel.Title, panel)
		}
		refs := map[string]bool{}
		for _, target := range panel.Targets {
			if refs[target.RefID] || target.RefID == "" || target.LegendFormat == "" {
				t.Errorf("%s: a target has the refId %q and the legend %q", panel.Title, target.RefID, target.LegendFormat)
			}
			refs[target.RefID] = true
			expressions++
			if m.check(t, panel.Title, target.Expr) == 0 || strings.Count(target.Expr, "(") != strings.Count(target.Expr, ")") {
				t.Errorf("%s: %s", panel.Title, target.Expr)
			}
		}
	}
	if expressions < 15 || d.Time.From == "" || d.Time.To == "" || d.UID != "vestibule" ||
		d.SchemaVersion < 30 || len(d.Templating.List) != 2 {
		t.Errorf("%d expressions in %+v", expressions, d)
	}
}

// evaluate has Prometheus scrape a program, and evaluates each expression of the dashboard. A program that runs well
// has refused no return.
func evaluate(t *testing.T, d dashboard, admin string) {
	tools.FullOnly(t)
	prometheus, err := exec.LookPath("prometheus")
	if err != nil {
		prometheus, err = exec.LookPath("../../.cache/prometheus/usr/bin/prometheus")
	}
	if err != nil {
		tools.Missing(t, "prometheus is not installed")
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	testutil.Must(t, err)
	address, dir := free.Addr().String(), t.TempDir()
	free.Close()
	config := "global: {scrape_interval: 500ms}\nscrape_configs:\n- {job_name: vestibule, static_configs: [{targets: ['" +
		strings.TrimPrefix(admin, "http://") + "']}]}\n"
	testutil.Must(t, os.WriteFile(dir+"/prometheus.yaml", []byte(config), 0o600))
	log := &logtest.Buffer{}
	cmd := exec.CommandContext(t.Context(), prometheus, "--config.file="+dir+"/prometheus.yaml", "--storage.tsdb.path="+dir+"/data",
		"--web.listen-address="+address)
	cmd.Stdout, cmd.Stderr = log, log
	testutil.Must(t, cmd.Start())
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}()
	label := regexp.MustCompile(`\{\{(\w+)\}\}`)
	again, deadline := time.NewTicker(200*time.Millisecond), time.After(time.Minute)
	defer again.Stop()
	for _, panel := range d.Panels {
		for _, target := range panel.Targets {
			expr := strings.NewReplacer("$__rate_interval", "1m", "$party", ".*").Replace(target.Expr)
			for {
				series, err := query(address, expr)
				for _, s := range series {
					for _, name := range label.FindAllStringSubmatch(target.LegendFormat, -1) {
						if s[name[1]] == "" {
							t.Errorf("%s: a series of %s has no label %s: %v", panel.Title, expr, name[1], s)
						}
					}
				}
				if len(series) > 0 || err == nil && strings.Contains(expr, "returns_refused") {
					break
				}
				select {
				case <-again.C:
					continue
				case <-deadline:
					t.Fatalf("%s: %s has no value: %v\n%s", panel.Title, expr, err, log)
				}
			}
		}
	}
}

// query asks Prometheus for the series of an expression, as their labels.
func query(address, expr string) (series []map[string]string, err error) {
	resp, err := http.Get("http://" + address + "/api/v1/query?query=" + url.QueryEscape(expr))
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var out struct {
		Error string
		Data  struct {
			Result []struct{ Metric map[string]string }
		}
	}
	if err := json.NewDecoder(resp.Body).Decode(&out); err != nil || out.Error != "" {
		return nil, errors.Join(err, errors.New(out.Error))
	}
	for _, r := range out.Data.Result {
		series = append(series, r.Metric)
	}
	return series, nil
}

// TestPrometheusRules has Prometheus' own checker read the rules, try them, and read each expression of the
// dashboard as a rule.
func TestPrometheusRules(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		promtool, err = exec.LookPath("../../.cache/prometheus/usr/bin/promtool")
	}
	if err != nil {
		tools.Missing(t, "promtool is not installed")
	}
	check := func(args ...string) {
		t.Helper()
		if out, err := exec.Command(promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %v: %v\n%s", args, err, out)
		}
	}
	check("check", "rules", "prometheus-rules.yaml")
	check("test", "rules", "prometheus-rules.test.yaml")
	raw := testutil.ReadFile(t, "grafana-dashboard.json")
	var d dashboard
	testutil.Must(t, json.Unmarshal(raw, &d))
	type rule struct {
		Record string `json:"record"`
		Expr   string `json:"expr"`
	}
	var rules []rule
	for _, panel := range d.Panels {
		for _, target := range panel.Targets {
			expr := strings.NewReplacer("$__rate_interval", "5m", "$party", ".*").Replace(target.Expr)
			rules = append(rules, rule{"panel:" + strings.Repeat("a", len(rules)+1), expr})
		}
	}
	file := t.TempDir() + "/rules.yaml"
	text, err := json.Marshal(map[string]any{"groups": []any{map[string]any{"name": "dashboard", "rules": rules}}})
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	testutil.Must(t, err)
	check("check", "rules", file)
}

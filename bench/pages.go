package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/testutil/program"
	"vestibule/templates/portal"
	"vestibule/templates/ui"
)

// pagesFigures measures the cost of a page: to render, to send, and the memory of the idle
// program.
func pagesFigures(ctx context.Context) ([]figure, error) {
	rendered, err := renderFigure(ctx)
	if err != nil {
		return nil, err
	}
	served, err := serveFigures(ctx)
	if err != nil {
		return nil, err
	}
	return append([]figure{rendered}, served...), nil
}

//go:embed apply.gohtml
var applyTemplate string

// applyPages returns functions that render the apply page by templ and by html/template. Both
// compute their values each time, as a handler does. It fails if the pages differ.
func applyPages(ctx context.Context) (ours, peer func(io.Writer) error, err error) {
	tmpl, err := template.New("pages").Parse(applyTemplate)
	if err != nil {
		return nil, nil, err
	}
	ours = func(w io.Writer) error { return portal.ApplyPage(applyView()).Render(ctx, w) }
	peer = func(w io.Writer) error { return tmpl.ExecuteTemplate(w, "apply", applyPeer()) }
	var a, b bytes.Buffer
	if err := errors.Join(ours(&a), peer(&b)); err != nil {
		return nil, nil, err
	}
	x, y := plain(a.String()), plain(b.String())
	at := 0
	for at < len(x) && at < len(y) && x[at] == y[at] {
		at++
	}
	if x != y {
		return nil, nil, fmt.Errorf("the two pages differ at %d:\n%.160s\n%.160s", at, x[max(0, at-60):], y[max(0, at-60):])
	}
	return ours, peer, nil
}

// renderFigure renders the apply page alternately by templ and html/template.
func renderFigure(ctx context.Context) (figure, error) {
	const rounds, each = 21, 400
	ours, peer, err := applyPages(ctx)
	if err != nil {
		return figure{}, err
	}
	var page bytes.Buffer
	times := [2][]float64{}
	for round := range rounds + 1 {
		for turn := range 2 {
			who := (round + turn) % 2
			render := [](func(io.Writer) error){ours, peer}[who]
			began := time.Now()
			for range each {
				page.Reset()
				if err := render(&page); err != nil {
					return figure{}, err
				}
			}
			if round > 0 {
				times[who] = append(times[who], float64(time.Since(began).Nanoseconds())/each)
			}
		}
	}
	return compared("apply page, templ / html/template", times[0], times[1], "≤ 0.33"), nil
}

var between = regexp.MustCompile(`\s*(<[^>]*>)\s*`)

// plain returns a page without differences that readers do not see: space around tags, and
// escapes of characters.
func plain(page string) string {
	return html.UnescapeString(between.ReplaceAllString(page, "$1"))
}

type assetNames struct{}

func (assetNames) URL(name string) string { return "/assets/" + name }

const (
	applyPath  = "/apply/cashflow"
	applyToday = "2026-11-21"
)

func applyView() portal.Apply {
	here := &url.URL{Path: applyPath}
	return portal.Apply{
		Base:    portal.Base{Lang: i18n.English, Assets: assetNames{}, Sandbox: true, Languages: ui.Languages(i18n.English, here)},
		Product: contract.Cashflow, Action: "/applications", Today: applyToday,
	}
}

// Limits of bytes sent after brotli, and of the memory of the program.
const (
	pageLimit   = 25 << 10
	loaderLimit = 5 << 10
	kitLimit    = 4 << 10
	memoryLimit = 60 << 20
)

// serveFigures builds and starts the program, and measures what a browser loads
// before the apply page is complete, and the memory of the idle program.
func serveFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	first, err := startServer(ctx, bin, dir)
	if err != nil {
		return nil, err
	}
	first.stop()
	var starts, memory []float64
	var page, loader, kit int
	for range 5 {
		p, err := startServer(ctx, bin, dir)
		if err != nil {
			return nil, err
		}
		starts = append(starts, p.started.Seconds())
		if page == 0 {
			if page, err = p.weigh(ctx, applyPath); err == nil {
				loader, err = p.compressed(ctx, p.Provider+"/widget/v1/widget.js")
			}
			if err == nil {
				kit, err = p.compressed(ctx, p.Portal+"/embed/v1/embed.js")
			}
		}
		rss := 0.0
		if err == nil {
			rss, err = p.memory()
		}
		memory = append(memory, rss)
		p.stop()
		if err != nil {
			return nil, err
		}
	}
	p, err := startServer(ctx, bin, dir)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	handler, err := p.applyFigure(ctx)
	if err != nil {
		return nil, err
	}
	streams, err := p.streamsFigure(ctx)
	if err != nil {
		return nil, err
	}
	slow, err := p.paintFigures(ctx)
	if err != nil {
		return nil, err
	}
	return append(slow, handler, streams,
		against("bytes until the apply page is complete", "B", []float64{float64(page)}, pageLimit, "≤ 1.00"),
		against("the provider's widget loader", "B", []float64{float64(loader)}, loaderLimit, "≤ 1.00"),
		against("the portal's embed kit", "B", []float64{float64(kit)}, kitLimit, "≤ 1.00"),
		against("resident memory of serve, idle", "B", memory, memoryLimit, "≤ 1.00"),
		against("seconds until ready, once built", "s", starts, 1, "≤ 1.00")), nil
}

// against makes a figure of measurements beside a limit.
func against(name, unit string, ours []float64, limit float64, wanted string) figure {
	show := func(v float64) string {
		if unit == "B" && v >= 1<<20 {
			return fmt.Sprintf("%.1f MiB", v/(1<<20))
		}
		if unit == "B" {
			return fmt.Sprintf("%.1f KiB", v/(1<<10))
		}
		return fmt.Sprintf("%.2f %s", v, unit)
	}
	return figure{name: name, wanted: wanted, ours: show(quantile(ours, 0.5)), peer: show(limit),
		ratio: quantile(ours, 0.5) / limit, low: quantile(ours, 0) / limit, high: quantile(ours, 1) / limit}
}

// server is a running program.
type server struct {
	program.Listeners
	cmd     *exec.Cmd
	started time.Duration
}

// startServer starts the program on free ports, with more arguments or none, and waits
// until it is ready.
func startServer(ctx context.Context, bin, dir string, more ...string) (*server, error) {
	cmd := exec.CommandContext(ctx, bin, append(more, "--portal-addr=localhost:0", "--provider-addr=127.0.0.1:0",
		"--data-dir="+filepath.Join(dir, "data"), "--log-level=error")...)
	cmd.Stderr = os.Stderr
	began := time.Now()
	l, err := program.StartProcess(cmd)
	return &server{Listeners: l, cmd: cmd, started: time.Since(began)}, err
}

func (p *server) stop() {
	p.cmd.Process.Signal(os.Interrupt)
	p.cmd.Wait()
}

// memory returns the resident set size two seconds after the program has served a few
// pages.
func (p *server) memory() (float64, error) {
	time.Sleep(2 * time.Second)
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(raw)) {
		var kb float64
		if n, _ := fmt.Sscanf(line, "VmRSS: %f kB", &kb); n == 1 {
			return kb * 1024, nil
		}
	}
	return 0, fmt.Errorf("no VmRSS")
}

var loads = regexp.MustCompile(`(?:href|src)="(/assets/[^"]+)"`)

// weigh returns the bytes sent to a browser that accepts brotli, for a page with the style
// sheets and scripts that it names. The page is not compressed. Images and the WASM
// module, which is loaded after the page is complete, do not count.
func (p *server) weigh(ctx context.Context, path string) (int, error) {
	page, err := p.get(ctx, p.Portal+path, "")
	if err != nil {
		return 0, err
	}
	total := len(page)
	for _, m := range loads.FindAllSubmatch(page, -1) {
		name := string(m[1])
		if !strings.HasSuffix(name, ".css") && !strings.HasSuffix(name, ".js") {
			continue
		}
		n, err := p.compressed(ctx, p.Portal+name)
		if err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// compressed returns the bytes sent for a file to a browser that accepts brotli.
func (p *server) compressed(ctx context.Context, url string) (int, error) {
	raw, err := p.get(ctx, url, "br")
	return len(raw), err
}

func (p *server) get(ctx context.Context, url, encoding string) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Accept-Encoding", encoding)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != 200 || resp.Header.Get("Content-Encoding") != encoding {
		return nil, fmt.Errorf("%s: %s, encoding %q", url, resp.Status, resp.Header.Get("Content-Encoding"))
	}
	return io.ReadAll(resp.Body)
}

// Values of the html/template page.
type (
	peerField struct {
		ID, Name, Label, Hint, Error, Type, Value, Autocomplete, InputMode, Width, Prefix string
		MaxLength                                                                         int
		Optional, Unmarked                                                                bool
	}
	peerPart struct{ Name, Label, Value, Length string }
	peerDate struct {
		ID, Label, Hint, Error string
		Optional, Unmarked     bool
		Parts                  []peerPart
	}
	peerOption struct {
		Value, Label string
		Chosen       bool
	}
	peerQuestion struct {
		ID, Name, Label, Hint, Error, Prompt, Autocomplete string
		Optional, Unmarked                                 bool
		Options                                            []peerOption
	}
	peerLanguage struct {
		URL, Lang, Name string
		Current         bool
	}
	peerPage struct {
		Lang, Title, Description, Icon, WASM, Exec, Worker, Skip, Home, Brand, Heading, Intro string
		Font, Action, Product, Today, Mode, Continue, Small                                   string
		Styles, Scripts, Steps                                                                []string
		Languages                                                                             []peerLanguage
		Applicant                                                                             struct {
			Names []peerField
			Email peerField
			Date  peerDate
		}
		Address struct {
			Summary           string
			Open              bool
			Street, City, ZIP peerField
			State             peerQuestion
		}
		More struct {
			Summary                 string
			Open                    bool
			Phone, Income, Employer peerField
		}
	}
)

//go:embed states.json
var statesJSON []byte

var peerStates = func() (out [][2]string) {
	if err := json.Unmarshal(statesJSON, &out); err != nil {
		panic(err)
	}
	return out
}()

func applyPeer() peerPage {
	assets := assetNames{}
	required := func(name, label, autocomplete, mode string) peerField {
		return peerField{ID: name, Name: name, Label: label, Autocomplete: autocomplete, InputMode: mode}
	}
	optional := func(name, label, autocomplete, mode, width, hint string) peerField {
		f := required(name, label, autocomplete, mode)
		f.Optional, f.Unmarked, f.Width, f.Hint = true, true, width, hint
		return f
	}
	email := required("email", "Email", "email", "email")
	email.Type = "email"
	income := optional("statedAnnualIncome", "Yearly income before taxes", "off", "numeric", "medium", "In whole dollars.")
	income.Prefix = "$"
	p := peerPage{Lang: "en", Title: "Apply with a cashflow report · Vestibule",
		Font: assets.URL("inter.woff2"), Icon: assets.URL("icon.svg"), WASM: assets.URL("vestibule.wasm"),
		Exec: assets.URL("wasm_exec.js"), Worker: assets.URL("warm.js"), Skip: "Skip to the content", Home: "/",
		Brand: "Vestibule", Heading: "Apply with a cashflow report",
		Intro:  "Tell us who you are. Next, you sign in at your bank. We never see your password.",
		Action: "/applications", Product: "cashflow", Today: applyToday, Mode: "embedded",
		Continue: "Continue", Small: "Sandbox: no real bank, no real data.",
		Styles: []string{assets.URL("portal.css")}, Scripts: []string{assets.URL("module.js"), assets.URL("offline.js")},
		Steps:     []string{"Your details", "Verification", "Report"},
		Languages: []peerLanguage{{applyPath + "?lang=en", "en", "English", true}, {applyPath + "?lang=es", "es", "Español", false}},
	}
	p.Description = p.Intro
	p.Applicant.Names = []peerField{
		required("firstName", "First name", "given-name", ""), required("lastName", "Last name", "family-name", "")}
	p.Applicant.Email = email
	p.Applicant.Date = peerDate{ID: "dob", Label: "Date of birth or address", Optional: true, Unmarked: true,
		Hint:  "One of the two is enough: we use it to check that the data is yours.",
		Parts: []peerPart{{"month", "Month", "", "2"}, {"day", "Day", "", "2"}, {"year", "Year", "", "4"}}}
	p.Address.Summary = "Enter your address"
	p.Address.Street = optional("address", "Street and number", "street-address", "", "", "")
	p.Address.City = optional("city", "City", "address-level2", "", "", "")
	p.Address.ZIP = optional("zip", "ZIP code", "postal-code", "", "short", "12345 or 12345-6789")
	p.Address.State = peerQuestion{ID: "state", Name: "state", Label: "State or territory",
		Prompt: "Choose", Autocomplete: "address-level1", Optional: true, Unmarked: true}
	for _, s := range peerStates {
		p.Address.State.Options = append(p.Address.State.Options, peerOption{Value: s[0], Label: s[1]})
	}
	p.More.Summary = "Add phone, income and employer (optional)"
	p.More.Phone, p.More.Income = optional("phone", "Phone", "tel", "tel", "medium", ""), income
	p.More.Employer = optional("statedEmployerName", "Employer", "organization", "", "", "")
	return p
}

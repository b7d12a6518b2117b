package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"vestibule/bench/fleet"
	"vestibule/internal/testutil/program"
)

// bankApart is the institution of the provider's configuration that the program with the
// mock banks serves.
const bankApart = "acorn-cove-apart"

// oauthFigures measures whole cashflow visits on the hosted page of the built program, from
// the first page to the page that says that the report exists: at a bank with its own
// pages, over OAuth and FDX, beside one with a form. They take turns. The bank with pages is
// the mock FDX server of another process: the figures are the processor time of the
// provider alone, and of both processes.
func oauthFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	p, bank, err := startWithBank(ctx, bin, dir)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	defer bank.stop()
	made, err := program.ReadCredentials(filepath.Join(dir, "data"))
	if err != nil {
		return nil, err
	}
	used := func() (provider, both float64, err error) { // ns
		own, _, err := fleet.Used(p.cmd.Process.Pid)
		its, _, err2 := fleet.Used(bank.cmd.Process.Pid)
		return float64(own), float64(own + its), errors.Join(err, err2)
	}
	const rounds, each = 9, 6
	banks := []string{bankApart, "meridian-quay-bank"}
	var provider, both [2][]float64 // ns a visit, of each round
	for round := range rounds + 1 {
		for turn := range banks {
			which := (round + turn) % len(banks)
			provider0, both0, err := used()
			if err != nil {
				return nil, err
			}
			for range each {
				v := &bankVisit{ctx: ctx, base: p.Provider}
				if err := v.walk(made, banks[which]); err != nil {
					return nil, fmt.Errorf("%s: %w", banks[which], err)
				}
			}
			provider1, both1, err := used()
			if err != nil {
				return nil, err
			}
			if round > 0 { // the first one warms up
				provider[which] = append(provider[which], (provider1-provider0)/each)
				both[which] = append(both[which], (both1-both0)/each)
			}
		}
	}
	cost := func(name, wanted string, oauth []float64) figure {
		f := rates(oauth, func(i int) float64 { return oauth[i] / provider[1][i] })
		f.name, f.wanted = name, wanted
		f.ours, f.peer = fmt.Sprintf("%.0f ms", quantile(oauth, 0.5)/1e6), fmt.Sprintf("form bank %.0f ms", quantile(provider[1], 0.5)/1e6)
		return f
	}
	return []figure{cost("visit at an OAuth bank, processor time", "≤ 1.50", provider[0]),
		cost("the same with that of the mock bank", "reported", both[0])}, nil
}

// startWithBank starts a provider and, in a second process, the mock bank of its
// configuration.
func startWithBank(ctx context.Context, bin, dir string) (p, bank *server, err error) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, err
	}
	free.Close()
	issuer := "http://" + free.Addr().String() + "/acorn-cove-savings-bank"
	institutions, secret, clients := filepath.Join(dir, "banks.yaml"), filepath.Join(dir, "secret"), filepath.Join(dir, "clients.yaml")
	err = errors.Join(os.WriteFile(secret, []byte("example-secret"), 0o600),
		os.WriteFile(institutions, fmt.Appendf(nil, `- {id: %s, name: Acorn Cove Savings Bank, place: Online, issuer: %q, fdx_base_url: %q,
   fdx_version: "6", client_id: bench, client_authentication: client_secret_basic, client_secret_file: secret, loopback: true,
   scopes: [openid, offline_access, "fdx:accountbasic:read", "fdx:accountdetailed:read", "fdx:transactions:read",
     "fdx:customercontact:read", "fdx:customerpersonal:read", "fdx:paymentsupport:read"]}
`, bankApart, issuer, issuer+"/fdx/v6"), 0o600))
	if err != nil {
		return nil, nil, err
	}
	if p, err = startServer(ctx, bin, dir, "serve", "--institutions="+institutions); err != nil {
		return nil, nil, err
	}
	err = os.WriteFile(clients, fmt.Appendf(nil, `- {id: bench, name: Bench, client_authentication: client_secret_basic,
   client_secret_file: secret, redirect_uris: [%q]}
`, p.Provider+"/oauth/callback"), 0o600)
	if err == nil {
		bank, err = startServer(ctx, bin, filepath.Join(dir, "bank"), "serve", "--sandbox-bank-addr="+free.Addr().String(),
			"--sandbox-bank-clients="+clients)
	}
	if err != nil {
		p.stop()
	}
	return p, bank, err
}

// pollInterval is how often the last page is asked for; the hosted page asks less often.
const pollInterval = 200 * time.Millisecond

// bankVisit is a hosted visit in a browser without script.
type bankVisit struct {
	ctx    context.Context
	base   string
	client http.Client
	page   string   // the last one
	at     *url.URL // its address
}

func (v *bankVisit) walk(made program.Credentials, bank string) error {
	v.client.Jar, _ = cookiejar.New(nil) // it returns no error
	body, err := json.Marshal(map[string]any{"env": "sandbox", "productId": made.Products["cashflow"], "publicId": made.PublicID,
		"prefill": map[string]string{"firstName": "Ada", "lastName": "Lovelace", "email": "ada@example.org", "dob": "1990-12-10"}})
	if err != nil {
		return err
	}
	if err := v.send("POST", v.base+"/widget/v1/visits", "application/json", string(body)); err != nil {
		return err
	}
	var visit struct{ Handle string }
	if err := json.Unmarshal([]byte(v.page), &visit); err != nil || visit.Handle == "" {
		return fmt.Errorf("no visit: %s", v.page)
	}
	path := v.base + "/visit/" + visit.Handle
	steps := []url.Values{{"action": {"consent"}}, {"action": {"bank"}, "bank": {bank}}}
	for _, form := range steps {
		if err := v.post(path, form); err != nil {
			return err
		}
	}
	if strings.Contains(v.page, `data-step="authorize"`) {
		err = v.authorize(path)
	} else {
		err = v.signIn(path)
	}
	for err == nil && !strings.Contains(v.page, `data-step="end"`) {
		time.Sleep(pollInterval)
		err = v.send("GET", path, "", "")
	}
	return err
}

// signIn completes the steps at a bank with a form.
func (v *bankVisit) signIn(path string) error {
	for _, form := range []url.Values{{"action": {"sign-in"}, "username": {"default"}, "password": {"x"}},
		{"action": {"code"}, "code": {"123456"}}} {
		if err := v.post(path, form); err != nil {
			return err
		}
	}
	return v.post(path, v.checked(url.Values{"action": {"accounts"}}))
}

var (
	bankAddress = regexp.MustCompile(`content="0;url=([^"]+)"`)
	checkbox    = regexp.MustCompile(`<input[^>]*type="checkbox"[^>]*>`)
	attribute   = regexp.MustCompile(`(name|value)="([^"]*)"`)
)

// authorize completes the steps on a bank's own pages.
func (v *bankVisit) authorize(path string) error {
	if err := v.post(path+"/authorize", url.Values{}); err != nil {
		return err
	}
	found := bankAddress.FindStringSubmatch(v.page)
	if found == nil {
		return fmt.Errorf("no address of the bank: %.200s", v.page)
	}
	if err := v.send("GET", html.UnescapeString(found[1]), "", ""); err != nil {
		return err
	}
	for _, form := range []url.Values{{"action": {"sign-in"}, "username": {"default"}, "password": {"x"}},
		{"action": {"code"}, "code": {"123456"}}, {"action": {"accounts"}}, {"action": {"consent"}}} {
		if err := v.post(v.at.String(), v.checked(form)); err != nil {
			return err
		}
	}
	return v.post(path, url.Values{"action": {"finish"}})
}

// checked adds every checkbox of the page to a form.
func (v *bankVisit) checked(form url.Values) url.Values {
	for _, input := range checkbox.FindAllString(v.page, -1) {
		var name, value string
		for _, a := range attribute.FindAllStringSubmatch(input, -1) {
			if a[1] == "name" {
				name = a[2]
			} else {
				value = html.UnescapeString(a[2])
			}
		}
		form.Add(name, value)
	}
	return form
}

func (v *bankVisit) post(address string, form url.Values) error {
	return v.send("POST", address, "application/x-www-form-urlencoded", form.Encode())
}

// send sends a request, follows redirects, and keeps the page.
func (v *bankVisit) send(method, address, kind, body string) error {
	ctx, cancel := context.WithTimeout(v.ctx, 20*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(body))
	if err != nil {
		return err
	}
	if kind != "" {
		req.Header.Set("Content-Type", kind)
	}
	answer, err := v.client.Do(req)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	raw, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode >= 400 {
		return fmt.Errorf("%s %s: %d %.300s", method, req.URL.Path, answer.StatusCode, raw)
	}
	v.page, v.at = string(raw), answer.Request.URL
	return nil
}

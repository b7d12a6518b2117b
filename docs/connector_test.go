package docs_test

import (
	"bufio"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/report"
	"vestibule/internal/webhook"
)

// exampleConnector runs the example and returns a client of it.
func exampleConnector(t *testing.T, redirectURI string) (remote.Program, *remote.Connector) {
	t.Helper()
	dir := t.TempDir()
	bin, secretFile := filepath.Join(dir, "connector"), filepath.Join(dir, "secret")
	if out, err := exec.Command("go", "build", "-o", bin, "./examples/connector").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	run := exec.Command(bin, "-addr", "127.0.0.1:0", "-secret-file", secretFile, "-redirect-uri", redirectURI)
	log, err := run.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	line, err := bufio.NewReader(log).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	text, err := os.ReadFile(secretFile)
	if err != nil {
		t.Fatal(err)
	}
	p := remote.Program{ID: "example", URL: address, Loopback: true}
	if p.Secret, err = webhook.ParseSecret(strings.TrimSpace(string(text))); err != nil {
		t.Fatal(err)
	}
	if p.Institutions, err = remote.List(t.Context(), p, remote.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := remote.New([]remote.Program{p}, remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return p, c
}

func TestExampleConnectorFollowsTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	const redirectURI = "http://127.0.0.1:1/oauth/callback"
	p, c := exampleConnector(t, redirectURI)
	for _, check := range remote.Conformance(t.Context(), p, redirectURI, true, remote.Options{}) {
		if !check.OK {
			t.Errorf("%s: %s", check.Name, check.Detail)
		}
	}
	_, err := c.Authorize(t.Context(), "example-payroll", sources.AuthorizeRequest{RedirectURI: "https://elsewhere.example/", State: "s"})
	if sources.ReasonOf(err) != sources.Misused || err == nil {
		t.Errorf("another redirect URI: %v", err)
	}

	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	// signIn answers the page of an authorization, and returns what the browser brings back.
	signIn := func(form url.Values) (sources.Authorization, url.Values) {
		t.Helper()
		begun, err := c.Authorize(t.Context(), "example-payroll", sources.AuthorizeRequest{RedirectURI: redirectURI,
			State: "a state that is long enough", Language: "en"})
		if err != nil {
			t.Fatal(err)
		}
		resp, err := client.PostForm(begun.URL, form)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		to, err := resp.Location()
		if err != nil || !strings.HasPrefix(to.String(), redirectURI+"?") || to.Query().Get("state") != "a state that is long enough" {
			t.Fatalf("the sign-in leads to %v, %v", to, err)
		}
		if again, err := client.PostForm(begun.URL, form); err != nil || again.StatusCode != http.StatusNotFound {
			t.Errorf("a second answer: %v, %v", again, err)
		}
		return begun, to.Query()
	}

	begun, query := signIn(url.Values{"answer": {"refuse"}})
	if _, err := c.Complete(t.Context(), "example-payroll", begun.Pending, query); sources.ReasonOf(err) != sources.Denied {
		t.Errorf("refused: %v", err)
	}
	other, _ := signIn(url.Values{"answer": {"allow"}, "person": {"Ana Reyes"}})
	from, to := day("2025-11-01"), day("2026-10-31")
	for person, want := range map[string]struct {
		payments  int
		frequency string
	}{"Ana Reyes": {24, report.PaySemiMonthly}, "Sam Okafor": {8, ""}} {
		begun, query := signIn(url.Values{"answer": {"allow"}, "person": {person}})
		if _, err := c.Complete(t.Context(), "example-payroll", other.Pending, query); sources.ReasonOf(err) != sources.Abandoned {
			t.Errorf("the code of another authorization: %v", err)
		}
		grant, err := c.Complete(t.Context(), "example-payroll", begun.Pending, query)
		if err != nil || time.Until(grant.Until) < 24*time.Hour {
			t.Fatalf("%+v, %v", grant, err)
		}
		if _, err := c.Complete(t.Context(), "example-payroll", begun.Pending, query); sources.ReasonOf(err) != sources.Abandoned {
			t.Errorf("a code served twice: %v", err)
		}
		got, err := c.Fetch(t.Context(), "example-payroll", grant, from, to)
		if err != nil {
			t.Fatal(err)
		}
		job := got.Payroll.Jobs[0]
		if got.Payroll.Owner.FullName() != person || len(job.Statements) != want.payments || job.Frequency != want.frequency {
			t.Errorf("%s: %d payments %q: %+v", person, len(job.Statements), job.Frequency, got.Payroll)
		}
		if gross, _, ok := job.Year(to); !ok || person == "Ana Reyes" && gross != 58_800_00 {
			t.Errorf("%s earns %s a year", person, gross)
		}
		renewed, err := c.Renew(t.Context(), "example-payroll", grant)
		if err != nil || renewed.Access == grant.Access || renewed.Refresh == grant.Refresh || !renewed.Until.Equal(grant.Until) {
			t.Errorf("renewed %+v, %v", renewed, err)
		}
		for name, g := range map[string]sources.Grant{"a used refresh": grant, "an unknown one": {Refresh: "x"}, "none": {}} {
			if _, err := c.Renew(t.Context(), "example-payroll", g); sources.ReasonOf(err) != sources.Ended {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := c.Fetch(t.Context(), "example-payroll", grant, from, to); sources.ReasonOf(err) != sources.Ended {
			t.Errorf("the access before the renewal: %v", err)
		}
		grant = renewed
		if _, err := c.Fetch(t.Context(), "example-payroll", grant, from, to); err != nil {
			t.Errorf("renewed access: %v", err)
		}
		if err := c.Revoke(t.Context(), "example-payroll", grant); err != nil {
			t.Error(err)
		}
		if _, err := c.Fetch(t.Context(), "example-payroll", grant, from, to); sources.ReasonOf(err) != sources.Ended {
			t.Errorf("after the revocation: %v", err)
		}
	}

	begun, query = signIn(url.Values{"answer": {"allow"}, "person": {"Kai Moreno"}})
	grant, err := c.Complete(t.Context(), "example-payroll", begun.Pending, query)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Fetch(t.Context(), "example-payroll", grant, from, to); sources.ReasonOf(err) != sources.Challenged {
		t.Errorf("a person who must confirm again: %v", err)
	}

	file, quote, err := c.File(t.Context(), "MEX_CDC", sources.FileRequest{Reference: "0c9b8a14-5a53-4a0e-8f6d-1f0f5d3f2a77", AsOf: to,
		Person: &passport.Consumer{First: "Ana", Last: "Reyes"}})
	if err != nil || !file.Found || len(file.Tradelines) != 1 || quote == nil || quote.Currency != file.Currency {
		t.Errorf("%+v, %+v, %v", file, quote, err)
	}
}

func day(s string) report.Date {
	t, _ := time.Parse(time.DateOnly, s)
	return report.Date{Time: t}
}

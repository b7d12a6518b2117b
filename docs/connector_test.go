package docs_test

import (
	"bufio"
	"net/http"
	"net/url"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/passport"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/report"
	"vestibule/internal/testutil"
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
	testutil.Must(t, err)
	testutil.Must(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
	})
	line, err := bufio.NewReader(log).ReadString('\n')
	testutil.Must(t, err)
	address := regexp.MustCompile(`http://[0-9.:]+`).FindString(line)
	text := testutil.ReadFile(t, secretFile)
	p := remote.Program{ID: "example", URL: address, Loopback: true}
	if p.Secret, err = webhook.ParseSecret(strings.TrimSpace(string(text))); err != nil {
		t.Fatal(err)
	}
	if p.Institutions, err = remote.List(t.Context(), p, remote.Options{}); err != nil {
		t.Fatal(err)
	}
	c, err := remote.New([]remote.Program{p}, remote.Options{})
	testutil.Must(t, err)
	return p, c
}

func TestExampleConnectorFollowsTheProtocol(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	p, c := exampleConnector(t, redirectURI)
	payroll := examplePayroll{c, day("2025-11-01"), day("2026-10-31")}
	t.Run("conformance", func(t *testing.T) {
		for _, check := range remote.Conformance(t.Context(), p, redirectURI, true, remote.Options{}) {
			if !check.OK {
				t.Errorf("%s: %s", check.Name, check.Detail)
			}
		}
	})
	t.Run("another redirect URI", func(t *testing.T) {
		_, err := c.Authorize(t.Context(), payrollID, sources.AuthorizeRequest{RedirectURI: "https://elsewhere.example/", State: "s"})
		if sources.ReasonOf(err) != sources.Misused || err == nil {
			t.Error(err)
		}
	})
	t.Run("refused", func(t *testing.T) {
		begun, query := payroll.signIn(t, url.Values{"answer": {"refuse"}})
		_, err := c.Complete(t.Context(), payrollID, begun.Pending, query)
		isReason(t, "refused", err, sources.Denied)
	})
	t.Run("Ana Reyes", func(t *testing.T) {
		job := payroll.testGrant(t, "Ana Reyes")
		gross, _, ok := job.Year(payroll.to)
		if !ok || gross != 58_800_00 || len(job.Statements) != 24 || job.Frequency != report.PaySemiMonthly {
			t.Errorf("%s a year in %d payments %q", gross, len(job.Statements), job.Frequency)
		}
	})
	t.Run("Sam Okafor", func(t *testing.T) {
		job := payroll.testGrant(t, "Sam Okafor")
		if _, _, ok := job.Year(payroll.to); !ok || len(job.Statements) != 8 || job.Frequency != "" {
			t.Errorf("%d payments %q", len(job.Statements), job.Frequency)
		}
	})
	t.Run("a person who must confirm again", func(t *testing.T) {
		begun, query := payroll.signIn(t, url.Values{"answer": {"allow"}, "person": {"Kai Moreno"}})
		grant, err := c.Complete(t.Context(), payrollID, begun.Pending, query)
		testutil.Must(t, err)
		payroll.isRefused(t, "fetching", grant, sources.Challenged)
	})
	t.Run("file of a supplier", func(t *testing.T) {
		file, quote, err := c.File(t.Context(), "MEX_CDC", sources.FileRequest{Reference: "0c9b8a14-5a53-4a0e-8f6d-1f0f5d3f2a77",
			AsOf: payroll.to, Person: &passport.Consumer{First: "Ana", Last: "Reyes"}})
		if err != nil || !file.Found || len(file.Tradelines) != 1 || quote == nil || quote.Currency != file.Currency {
			t.Errorf("%+v, %+v, %v", file, quote, err)
		}
	})
}

const redirectURI, payrollID = "http://127.0.0.1:1/oauth/callback", "example-payroll"

// examplePayroll is the payroll provider of the example, and the period of requests.
type examplePayroll struct {
	*remote.Connector
	from, to report.Date
}

func isReason(t *testing.T, what string, err error, want sources.Reason) {
	t.Helper()
	if got := sources.ReasonOf(err); got != want {
		t.Errorf("%s: %v, want %v", what, err, want)
	}
}

// isRefused checks that a grant gives no data.
func (c examplePayroll) isRefused(t *testing.T, what string, g sources.Grant, want sources.Reason) {
	t.Helper()
	_, err := c.Fetch(t.Context(), payrollID, g, c.from, c.to)
	isReason(t, what, err, want)
}

// signIn answers the page of an authorization, and returns what the browser brings back.
func (c examplePayroll) signIn(t *testing.T, form url.Values) (sources.Authorization, url.Values) {
	t.Helper()
	const state = "a state that is long enough"
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	begun, err := c.Authorize(t.Context(), payrollID, sources.AuthorizeRequest{RedirectURI: redirectURI, State: state, Language: "en"})
	testutil.Must(t, err)
	resp, err := client.PostForm(begun.URL, form)
	testutil.Must(t, err)
	resp.Body.Close()
	to, err := resp.Location()
	if err != nil || !strings.HasPrefix(to.String(), redirectURI+"?") || to.Query().Get("state") != state {
		t.Fatalf("the sign-in leads to %v, %v", to, err)
	}
	if again, err := client.PostForm(begun.URL, form); err != nil || again.StatusCode != http.StatusNotFound {
		t.Errorf("a second answer: %v, %v", again, err)
	}
	return begun, to.Query()
}

// testGrant gets, renews and revokes access to a person's payroll, and returns the job.
func (c examplePayroll) testGrant(t *testing.T, person string) income.Job {
	ctx := t.Context()
	other, _ := c.signIn(t, url.Values{"answer": {"allow"}, "person": {"Ana Reyes"}})
	begun, query := c.signIn(t, url.Values{"answer": {"allow"}, "person": {person}})
	_, err := c.Complete(ctx, payrollID, other.Pending, query)
	isReason(t, "the code of another authorization", err, sources.Abandoned)
	grant, err := c.Complete(ctx, payrollID, begun.Pending, query)
	if err != nil || time.Until(grant.Until) < 24*time.Hour {
		t.Fatalf("%+v, %v", grant, err)
	}
	_, err = c.Complete(ctx, payrollID, begun.Pending, query)
	isReason(t, "a code served twice", err, sources.Abandoned)
	got, err := c.Fetch(ctx, payrollID, grant, c.from, c.to)
	testutil.Must(t, err)
	if got.Payroll.Owner.FullName() != person {
		t.Errorf("%+v", got.Payroll)
	}
	renewed, err := c.Renew(ctx, payrollID, grant)
	if err != nil || renewed.Access == grant.Access || renewed.Refresh == grant.Refresh || !renewed.Until.Equal(grant.Until) {
		t.Errorf("renewed %+v, %v", renewed, err)
	}
	for name, g := range map[string]sources.Grant{"a used refresh": grant, "an unknown one": {Refresh: "x"}, "none": {}} {
		_, err := c.Renew(ctx, payrollID, g)
		isReason(t, name, err, sources.Ended)
	}
	c.isRefused(t, "the access before the renewal", grant, sources.Ended)
	if _, err := c.Fetch(ctx, payrollID, renewed, c.from, c.to); err != nil {
		t.Errorf("renewed access: %v", err)
	}
	if err := c.Revoke(ctx, payrollID, renewed); err != nil {
		t.Error(err)
	}
	c.isRefused(t, "after the revocation", renewed, sources.Ended)
	return got.Payroll.Jobs[0]
}

func day(s string) report.Date {
	t, _ := time.Parse(time.DateOnly, s)
	return report.Date{Time: t}
}

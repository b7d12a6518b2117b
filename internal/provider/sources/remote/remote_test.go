package remote

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
	"vestibule/internal/webhook"
)

// fake is a connector with one answer for each path.
type fake struct {
	*httptest.Server
	answers map[string]func(w http.ResponseWriter, body map[string]any)
	ids     []string // webhook-id of each request
	slept   []time.Duration
	secret  string
}

func newFake(t *testing.T) (*fake, *Connector) {
	t.Helper()
	f := &fake{answers: map[string]func(http.ResponseWriter, map[string]any){}, secret: webhook.NewSecret()}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.ids = append(f.ids, r.Header.Get(webhook.HeaderID))
		raw, _ := io.ReadAll(r.Body)
		var body map[string]any
		if err := json.Unmarshal(raw, &body); err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		if answer := f.answers[r.URL.Path]; answer != nil {
			answer(w, body)
			return
		}
		w.WriteHeader(http.StatusTeapot)
	}))
	t.Cleanup(f.Close)
	c, err := New([]Program{f.program(t)}, Options{Sleep: func(_ context.Context, d time.Duration) error {
		f.slept = append(f.slept, d)
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return f, c
}

func (f *fake) program(t *testing.T) Program {
	secret, err := webhook.ParseSecret(f.secret)
	if err != nil {
		t.Fatal(err)
	}
	return Program{ID: "acme", URL: f.URL + "/v1/", Secret: secret, Loopback: true, Institutions: []Institution{
		{ID: "paywright", Kind: sources.Payroll, Name: "Paywright", Place: "Payroll company", Type: "PAYROLL_COMPANY"},
		{ID: "MEX_CDC", Kind: sources.Supplier}}}
}

func (f *fake) answer(path, body string) {
	f.answers["/v1"+path] = func(w http.ResponseWriter, _ map[string]any) { _, _ = io.WriteString(w, body) }
}

func day(s string) report.Date {
	t, _ := time.Parse(time.DateOnly, s)
	return report.Date{Time: t}
}

const payrollAnswer = `{"owner":{"firstName":"Ana","lastName":"Reyes","emails":["ana@example.com"]},"jobs":[{"recordId":"1",
	"employer":"Harbor Freight Lines","address":{"city":"Tacoma","state":"WA"},"type":"fulltime","status":"active","hired":"2021-03-01",
	"rate":63719.5,"ratePer":"SALARY","frequency":"BIWEEKLY","deposits":[{"institution":"Bank","mask":"4410"}],"future":1,"statements":[
	{"payDate":"2026-05-01","start":"2026-04-15","end":"2026-04-30","gross":2450.75,"grossYtd":2450.75,"net":1891.2,"netYtd":1891.20},
	{"payDate":"2026-05-15","start":"2026-05-01","end":"2026-05-14","hours":8000,"gross":2450.75,"grossYtd":4901.5,"net":1e3,"netYtd":2891.2},
	{"payDate":"2026-06-15","start":"2026-06-01","end":"2026-06-14","gross":1,"grossYtd":1,"net":1,"netYtd":1}]}]}`

// TestAuthorizeSendsADocumentedLanguage: a catalog may have further languages, and
// connectors know two.
func TestAuthorizeSendsADocumentedLanguage(t *testing.T) {
	f, c := newFake(t)
	for language, want := range map[string]string{"en": "en", "es": "es", "fr": "en", "": "en"} {
		f.answers["/v1/authorizations"] = func(w http.ResponseWriter, body map[string]any) {
			if body["language"] != want {
				t.Errorf("%q is sent as %v, want %s", language, body["language"], want)
			}
			_, _ = io.WriteString(w, `{"url":"`+f.URL+`/sign-in/7","authorization":"secret 7"}`)
		}
		if _, err := c.Authorize(t.Context(), "paywright", sources.AuthorizeRequest{RedirectURI: "https://v.example/oauth/callback",
			State: "a state of some length", Language: language}); err != nil {
			t.Error(err)
		}
	}
}

func TestPayroll(t *testing.T) {
	f, c := newFake(t)
	f.answers["/v1/authorizations"] = func(w http.ResponseWriter, body map[string]any) {
		if body["operation"] != "authorize" || body["institution"] != "paywright" || body["state"] != "a state of some length" ||
			body["language"] != "es" {
			t.Errorf("authorize %v", body)
		}
		_, _ = io.WriteString(w, `{"url":"`+f.URL+`/sign-in/7","authorization":"secret 7"}`)
	}
	begun, err := c.Authorize(t.Context(), "paywright", sources.AuthorizeRequest{RedirectURI: "https://v.example/oauth/callback",
		State: "a state of some length", Language: "es"})
	if err != nil || begun.URL != f.URL+"/sign-in/7" {
		t.Fatalf("%+v, %v", begun, err)
	}
	f.answers["/v1/authorizations/complete"] = func(w http.ResponseWriter, body map[string]any) {
		if body["operation"] != "complete" || body["authorization"] != "secret 7" || body["code"] != "c0de" {
			t.Errorf("complete %v", body)
		}
		_, _ = io.WriteString(w, `{"access":"acc","expiresAt":"2026-06-14T12:00:00Z"}`)
	}
	grant, err := c.Complete(t.Context(), "paywright", begun.Pending, url.Values{"code": {"c0de"}, "state": {"a state of some length"}})
	if err != nil || grant.Access != "acc" || !grant.Until.Equal(time.Date(2026, 6, 14, 12, 0, 0, 0, time.UTC)) {
		t.Fatalf("%+v, %v", grant, err)
	}
	f.answers["/v1/payroll"] = func(w http.ResponseWriter, body map[string]any) {
		if body["operation"] != "payroll" || body["access"] != "acc" || body["from"] != "2025-06-01" || body["to"] != "2026-05-31" {
			t.Errorf("payroll %v", body)
		}
		_, _ = io.WriteString(w, payrollAnswer)
	}
	got, err := c.Fetch(t.Context(), "paywright", grant, day("2025-06-01"), day("2026-05-31"))
	if err != nil || got.Payroll == nil {
		t.Fatal(err)
	}
	p := got.Payroll
	if p.Provider != "Paywright" || p.Type != "PAYROLL_COMPANY" || p.Owner.LastName != "Reyes" || len(p.Jobs) != 1 {
		t.Fatalf("%+v", p)
	}
	j := p.Jobs[0]
	if j.Employer != "Harbor Freight Lines" || j.Rate != 63_719_50 || j.Address.State != "WA" || j.Hired.String() != "2021-03-01" ||
		len(j.Statements) != 2 || j.Statements[0].PayDate.String() != "2026-05-15" || j.Statements[0].Net != 1_000_00 ||
		j.Statements[0].Hours != 8000 || j.Statements[1].Gross != 2_450_75 {
		t.Errorf("%+v", j)
	}
	f.answers["/v1/revocations"] = func(w http.ResponseWriter, body map[string]any) {
		if body["operation"] != "revoke" || body["access"] != "acc" {
			t.Errorf("revoke %v", body)
		}
		w.WriteHeader(http.StatusNoContent)
	}
	if err := c.Revoke(t.Context(), "paywright", grant); err != nil {
		t.Error(err)
	}
	f.fails("/revocations", http.StatusConflict, "ENDED")
	if err := c.Revoke(t.Context(), "paywright", grant); err != nil {
		t.Errorf("revoking ended access: %v", err)
	}
}

// TestRenewal renews access of connectors that give what renews it.
func TestRenewal(t *testing.T) {
	f, c := newFake(t)
	pending := []byte(`{"authorization":"7"}`)
	f.answer("/authorizations/complete", `{"access":"a1","accessExpiresAt":"2026-06-01T13:00:00Z","refresh":"r1",
		"expiresAt":"2026-06-14T12:00:00Z"}`)
	until := time.Date(2026, 6, 14, 12, 0, 0, 0, time.UTC)
	got, err := c.Complete(t.Context(), "paywright", pending, url.Values{"code": {"c"}})
	first := sources.Grant{Access: "a1", Refresh: "r1", Expires: time.Date(2026, 6, 1, 13, 0, 0, 0, time.UTC), Until: until}
	if err != nil || got != first {
		t.Fatalf("Complete = %+v, %v, want %+v", got, err, first)
	}
	for answer, want := range map[string]sources.Grant{
		`{"access":"a2","accessExpiresAt":"2026-06-01T14:00:00Z","refresh":"r2"}`: {Access: "a2", Refresh: "r2",
			Expires: time.Date(2026, 6, 1, 14, 0, 0, 0, time.UTC), Until: until},
		`{"access":"a2"}`: {Access: "a2", Refresh: "r1", Until: until},
		`{"access":"a2","expiresAt":"2026-06-02T00:00:00Z"}`: {Access: "a2", Refresh: "r1",
			Until: time.Date(2026, 6, 2, 0, 0, 0, 0, time.UTC)},
	} {
		f.answers["/v1/authorizations/renew"] = func(w http.ResponseWriter, body map[string]any) {
			if body["operation"] != "renew" || body["institution"] != "paywright" || body["refresh"] != "r1" || body["access"] != nil {
				t.Errorf("renew %v", body)
			}
			_, _ = io.WriteString(w, answer)
		}
		if got, err := c.Renew(t.Context(), "paywright", first); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", answer, got, err, want)
		}
	}
	for _, failure := range []struct {
		status int
		code   string
		want   sources.Reason
	}{{409, "ENDED", sources.Ended}, {409, "EXPIRED", sources.Ended}, {409, "DENIED", sources.Ended}, {409, "ABANDONED", sources.Ended},
		{503, "UNRESPONSIVE", sources.Unresponsive}, {401, "INVALID_SIGNATURE", sources.Misused}, {200, "", sources.Rejected}} {
		f.fails("/authorizations/renew", failure.status, failure.code)
		sent := len(f.ids)
		if got, err := c.Renew(t.Context(), "paywright", first); err == nil || sources.ReasonOf(err) != failure.want || got != (sources.Grant{}) {
			t.Errorf("%d %s: %+v, %v, want %s", failure.status, failure.code, got, err, failure.want)
		}
		if len(f.ids) != sent+1 {
			t.Errorf("%d %s: %d requests", failure.status, failure.code, len(f.ids)-sent)
		}
	}
	sent := len(f.ids)
	if _, err := c.Renew(t.Context(), "paywright", sources.Grant{Access: "a1"}); sources.ReasonOf(err) != sources.Ended || len(f.ids) != sent {
		t.Errorf("without a refresh: %v", err)
	}
	f.fails("/payroll", http.StatusConflict, "EXPIRED") // the caller renews the access
	_, err = c.Fetch(t.Context(), "paywright", first, day("2025-06-01"), day("2026-05-31"))
	if sources.ReasonOf(err) != sources.Unauthorized {
		t.Errorf("expired access: %v", err)
	}
	f.answers["/v1/revocations"] = func(w http.ResponseWriter, body map[string]any) {
		if body["access"] != "a1" || body["refresh"] != "r1" {
			t.Errorf("revoke %v", body)
		}
		w.WriteHeader(http.StatusConflict)
		_, _ = io.WriteString(w, `{"error":"EXPIRED"}`)
	}
	if err := c.Revoke(t.Context(), "paywright", first); err != nil {
		t.Error(err)
	}
}

// TestConformanceOfRenewal checks the renewal of connectors that offer it.
func TestConformanceOfRenewal(t *testing.T) {
	for name, c := range map[string]struct {
		renewal string
		status  int
		code    string
		want    string // verdict; empty: not checked
	}{
		"not offered":      {`false`, 404, "", ""},
		"offered":          {`true`, 409, "ENDED", "true"},
		"missing":          {`true`, 404, "", "false"},
		"everything works": {`true`, 200, "", "false"},
	} {
		f, _ := newFake(t)
		f.answer("/institutions", `{"institutions":[{"id":"paywright","kind":"payroll","name":"P","type":"PAYROLL_COMPANY",
			"renewal":`+c.renewal+`}]}`)
		f.fails("/authorizations/renew", c.status, c.code)
		if c.status == 200 {
			f.answer("/authorizations/renew", `{"access":"a"}`)
		}
		got := ""
		for _, check := range Conformance(t.Context(), f.program(t), "https://v.example/oauth/callback", false,
			Options{Sleep: func(context.Context, time.Duration) error { return nil }}) {
			if check.Name == CheckRenewal {
				got = strconv.FormatBool(check.OK)
			}
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestConformanceOfUnknownAccess checks that only access that exists can be confirmed or
// renewed.
func TestConformanceOfUnknownAccess(t *testing.T) {
	for code, want := range map[string]bool{"ENDED": true, "CONFIRMATION_REQUIRED": false, "EXPIRED": false} {
		f, _ := newFake(t)
		f.answer("/institutions", `{"institutions":[{"id":"paywright","kind":"payroll","name":"P","type":"PAYROLL_COMPANY"}]}`)
		f.fails("/authorizations/complete", http.StatusConflict, "ABANDONED")
		f.fails("/revocations", http.StatusConflict, "ENDED")
		f.fails("/payroll", http.StatusConflict, code)
		unknown := f.answers["/v1/payroll"]
		f.answers["/v1/payroll"] = func(w http.ResponseWriter, body map[string]any) {
			if body["institution"] != "paywright" {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"INVALID_REQUEST"}`)
				return
			}
			unknown(w, body)
		}
		checks := Conformance(t.Context(), f.program(t), "https://v.example/oauth/callback", false,
			Options{Sleep: func(context.Context, time.Duration) error { return nil }})
		i := slices.IndexFunc(checks, func(c sources.Check) bool { return c.Name == CheckErrors })
		if i < 0 || checks[i].OK != want || !want && !strings.Contains(checks[i].Detail, code) {
			t.Errorf("unknown access is answered with %s: %+v", code, checks)
		}
	}
}

func (f *fake) fails(path string, status int, code string) {
	f.answers["/v1"+path] = func(w http.ResponseWriter, _ map[string]any) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, `{"error":"`+code+`","message":"because of ana@example.com"}`)
	}
}

func TestFailuresOfPayroll(t *testing.T) {
	for name, c := range map[string]struct {
		set  func(f *fake)
		want sources.Reason
	}{
		"ended":        {func(f *fake) { f.fails("/payroll", 409, "ENDED") }, sources.Ended},
		"confirm":      {func(f *fake) { f.fails("/payroll", 409, "CONFIRMATION_REQUIRED") }, sources.Challenged},
		"unsupported":  {func(f *fake) { f.fails("/payroll", 422, "UNSUPPORTED") }, sources.Unsupported},
		"unresponsive": {func(f *fake) { f.fails("/payroll", 503, "UNRESPONSIVE") }, sources.Unresponsive},
		"signature":    {func(f *fake) { f.fails("/payroll", 401, "INVALID_SIGNATURE") }, sources.Misused},
		"unknown code": {func(f *fake) { f.fails("/payroll", 400, "OOPS") }, sources.Misused},
		"no JSON":      {func(f *fake) { f.answer("/payroll", `<html>`) }, sources.Rejected},
		"empty":        {func(f *fake) { f.answer("/payroll", ``) }, sources.Rejected},
		"no jobs":      {func(f *fake) { f.answer("/payroll", `{}`) }, sources.Rejected},
		"huge amount":  {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "2450.75", "1e400", 1)) }, sources.Rejected},
		"wrong type":   {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "2450.75", `"2450.75"`, 1)) }, sources.Rejected},
		"other type":   {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "fulltime", "full", 1)) }, sources.Rejected},
		"no such day":  {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "2026-05-15", "2026-02-30", 1)) }, sources.Rejected},
		"line break":   {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "Harbor", `Harbor\n`, 1)) }, sources.Rejected},
		"markup":       {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "Harbor", "<b>Harbor", 1)) }, sources.Rejected},
		"negative":     {func(f *fake) { f.answer("/payroll", strings.Replace(payrollAnswer, "63719.5", "-1", 1)) }, sources.Rejected},
		"nested":       {func(f *fake) { f.answer("/payroll", `{"jobs":[],"more":`+strings.Repeat("[", 20_000)) }, sources.Rejected},
		"compressed": {func(f *fake) {
			f.answers["/v1/payroll"] = func(w http.ResponseWriter, _ map[string]any) {
				w.Header().Set("Content-Encoding", "gzip")
				z := gzip.NewWriter(w)
				defer z.Close()
				// 64 MB, of which little is sent: the client closes the connection.
				io.Copy(z, io.MultiReader(strings.NewReader(`{"jobs":[],"more":"`), bytes.NewReader(bytes.Repeat([]byte("x"), 64<<20))))
			}
		}, sources.Rejected},
		"period ends before it begins": {func(f *fake) {
			f.answer("/payroll", strings.Replace(payrollAnswer, `"start":"2026-05-01"`, `"start":"2026-05-30"`, 1))
		}, sources.Rejected},
		"two jobs of one id": {func(f *fake) {
			f.answer("/payroll", `{"jobs":[{"recordId":"1","employer":"A","statements":[]},{"recordId":"1","employer":"B","statements":[]}]}`)
		}, sources.Rejected},
		"too many jobs": {func(f *fake) {
			job := `{"recordId":"1","employer":"A","statements":[]}`
			f.answer("/payroll", `{"jobs":[`+strings.Repeat(job+",", 30)+job+`]}`)
		}, sources.Rejected},
		"too large": {func(f *fake) {
			f.answer("/payroll", `{"jobs":[],"more":"`+strings.Repeat("x", maxAnswer)+`"}`)
		}, sources.Rejected},
		"redirect": {func(f *fake) {
			f.answers["/v1/payroll"] = func(w http.ResponseWriter, _ map[string]any) {
				w.Header().Set("Location", "https://elsewhere.example/")
				w.WriteHeader(http.StatusTemporaryRedirect)
			}
		}, sources.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			f, connector := newFake(t)
			c.set(f)
			got, err := connector.Fetch(t.Context(), "paywright", sources.Grant{Access: "a"}, day("2025-06-01"), day("2026-05-31"))
			if err == nil || got.Payroll != nil || sources.ReasonOf(err) != c.want {
				t.Fatalf("%v, %v", got.Payroll, err)
			}
			if text := err.Error(); strings.Contains(text, "ana@") || strings.Contains(text, "Harbor") {
				t.Errorf("the error quotes the answer: %s", text)
			}
		})
	}
}

// TestPrivateAddresses checks that no connection is made to this machine or a private
// network, unless loopback is configured.
func TestPrivateAddresses(t *testing.T) {
	f, _ := newFake(t)
	config := f.program(t)
	_, port, _ := net.SplitHostPort(strings.TrimPrefix(f.URL, "http://"))
	config.URL, config.Loopback = "https://localhost:"+port, false
	c, err := New([]Program{config}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = c.Fetch(t.Context(), "paywright", sources.Grant{Access: "a"}, day("2025-06-01"), day("2026-05-31"))
	if sources.ReasonOf(err) != sources.Rejected || !strings.Contains(err.Error(), rest.ErrAddress.Error()) || len(f.ids) > 0 {
		t.Errorf("%v after %d requests", err, len(f.ids))
	}
}

func TestRequestsAreSignedAndRepeatedUnderOneID(t *testing.T) {
	f, c := newFake(t)
	secret, _ := webhook.ParseSecret(f.secret)
	f.Server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		f.ids = append(f.ids, r.Header.Get(webhook.HeaderID))
		unix, _ := strconv.ParseInt(r.Header.Get(webhook.HeaderTimestamp), 10, 64)
		want := http.Header{}
		if err := webhook.Sign(want, []webhook.Secret{secret}, f.ids[0], time.Unix(unix, 0), body); err != nil {
			t.Error(err)
		}
		if r.Header.Get(webhook.HeaderSignature) != want.Get(webhook.HeaderSignature) || time.Since(time.Unix(unix, 0)).Abs() > time.Minute {
			t.Errorf("headers %v", r.Header)
		}
		if len(f.ids) < 3 {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		_, _ = io.WriteString(w, `{"found":false}`)
	})
	file, quote, err := c.File(t.Context(), "MEX_CDC", sources.FileRequest{Reference: "0c9b8a14-5a53-4a0e-8f6d-1f0f5d3f2a77",
		AsOf: day("2026-05-31"), Person: &passport.Consumer{First: "Ana", Last: "Reyes"}})
	if err != nil || file.Found || file.Supplier != "MEX_CDC" || quote != nil {
		t.Fatalf("%+v, %v", file, err)
	}
	if len(f.ids) != 3 || f.ids[0] != f.ids[1] || f.ids[1] != f.ids[2] || len(f.slept) != 2 || f.slept[0] != 7*time.Second {
		t.Errorf("ids %v, pauses %v", f.ids, f.slept)
	}
}

func TestFiles(t *testing.T) {
	f, c := newFake(t)
	ask := func() (passport.File, *passport.Quote, error) {
		return c.File(t.Context(), "MEX_CDC", sources.FileRequest{Reference: "r", AsOf: day("2026-05-31"),
			Person: &passport.Consumer{First: "Ana", Last: "Reyes", Born: day("1990-02-03")}})
	}
	const id = "b1f3a8de-7f43-4e55-8d0e-9a1f6f9d2a10"
	line := `{"id":"` + id + `","type":"CREDIT_CARD","opened":"2019-04-02","limit":40000,"balance":5210.5,
		"marks":[{"month":"2026-04-01","days":31}]}`
	f.answer("/files", `{"found":true,"recordId":"`+id+`","currency":"MXN","person":{"firstName":"Ana","dateOfBirth":"1990-02-03"},
		"scores":[{"name":"Score","value":690,"minimum":300,"maximum":850}],"tradelines":[`+line+`],
		"quote":{"currency":"MXN","rate":0.054,"day":"2026-05-30","source":"Example"}}`)
	file, quote, err := ask()
	if err != nil || !file.Found || file.Supplier != "MEX_CDC" || file.Person.First != "Ana" || *file.Tradelines[0].Balance != 5_210_50 ||
		file.Tradelines[0].Marks[0].Days != 31 || quote == nil || quote.Rate.String() != "0.054000000" {
		t.Fatalf("%+v, %+v, %v", file, quote, err)
	}
	for name, answer := range map[string]string{
		"two credits of one id": `{"found":true,"currency":"MXN","tradelines":[` + line + `,` + line + `]}`,
		"no currency":           `{"found":true,"tradelines":[` + line + `]}`,
		"no UUID":               `{"found":true,"recordId":"7"}`,
		"no rate":               `{"found":true,"quote":{"currency":"MXN","rate":0,"day":"2026-05-30","source":"Example"}}`,
	} {
		f.answer("/files", answer)
		if file, _, err := ask(); sources.ReasonOf(err) != sources.Rejected || file.Found {
			t.Errorf("%s: %+v, %v", name, file, err)
		}
	}
	sent := len(f.ids)
	if file, _, err := c.File(t.Context(), "MEX_CDC", sources.FileRequest{Reference: "r"}); err != nil || file.Found || len(f.ids) != sent {
		t.Errorf("without a name: %+v, %v", file, err)
	}
}

func TestAuthorizationsEndByTheCallback(t *testing.T) {
	f, c := newFake(t)
	pending := []byte(`{"authorization":"7"}`)
	for query, want := range map[string]sources.Reason{
		"error=access_denied": sources.Denied, "error=server_error": sources.Abandoned, "": sources.Rejected, "code=": sources.Rejected,
		"code=a&code=b": sources.Rejected,
	} {
		values, _ := url.ParseQuery(query)
		if _, err := c.Complete(t.Context(), "paywright", pending, values); sources.ReasonOf(err) != want || err == nil {
			t.Errorf("%q: %v", query, err)
		}
	}
	if len(f.ids) != 0 {
		t.Error("a callback without a code made a request")
	}
	f.fails("/authorizations/complete", http.StatusServiceUnavailable, "UNRESPONSIVE")
	if _, err := c.Complete(t.Context(), "paywright", pending, url.Values{"code": {"c"}}); sources.ReasonOf(err) != sources.Unresponsive {
		t.Error(err)
	}
	if len(f.ids) != 1 {
		t.Errorf("a code was sent %d times", len(f.ids))
	}
	for _, page := range []string{"https://elsewhere.example/", "http://10.0.0.1/", "javascript:alert(1)", "http://127.0.0.1:1/"} {
		f.answer("/authorizations", `{"url":"`+page+`","authorization":"7"}`)
		_, err := c.Authorize(t.Context(), "paywright", sources.AuthorizeRequest{State: "s"})
		if sources.ReasonOf(err) != sources.Rejected || err == nil {
			t.Errorf("%s: %v", page, err)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("secret", webhook.NewSecret()+"\n")
	const good = `
- id: acme
  url: https://connector.acme.example/v1
  secret_file: secret
  pages: [link.acme.example]
  institutions:
    - {id: paywright, kind: payroll, name: Paywright, place: Payroll company, type: PAYROLL_COMPANY, homepage: [paywright.example]}
    - {id: MEX_CDC, kind: supplier}
`
	list, err := Load(write("good.yaml", good))
	if err != nil || len(list) != 1 {
		t.Fatal(err)
	}
	c, err := New(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	all := c.Institutions()
	if len(all) != 2 || all[0].Name != "Círculo de Crédito Mexico" || all[1].OAuth[1] != "link.acme.example" ||
		all[1].Employer != "PAYROLL_COMPANY" {
		t.Errorf("%+v", all)
	}
	for name, change := range map[string][2]string{
		"unknown key":      {"pages:", "page:"},
		"http":             {"https://connector", "http://connector"},
		"private address":  {"connector.acme.example", "10.1.2.3"},
		"secret":           {"secret_file: secret", "secret_file: good.yaml"},
		"no secret":        {"secret_file: secret", ""},
		"unknown kind":     {"kind: payroll", "kind: bank"},
		"unknown type":     {"PAYROLL_COMPANY", "COMPANY"},
		"unknown supplier": {"MEX_CDC", "MEX_XXX"},
		"twice":            {"id: MEX_CDC, kind: supplier", "id: paywright, kind: payroll, name: B, type: EMPLOYER"},
	} {
		if _, err := Load(write("bad.yaml", strings.Replace(good, change[0], change[1], 1))); err == nil {
			t.Errorf("%s is accepted", name)
		} else if name != "unknown key" && !strings.Contains(err.Error(), "connector acme") {
			t.Errorf("%s: the error names no connector: %v", name, err)
		}
	}
}

func TestExamineNamesWhatIsMissing(t *testing.T) {
	f, _ := newFake(t)
	f.answer("/institutions", `{"institutions":[{"id":"paywright","kind":"payroll","name":"Paywright","type":"PAYROLL_COMPANY"}]}`)
	f.answer("/authorize", `{"error":"INVALID_REQUEST"}`)
	const redirectURI = "https://v.example/oauth/callback"
	checks, err := Examine(t.Context(), []Program{f.program(t)}, redirectURI, Options{Sleep: func(context.Context,
		time.Duration) error {
		return nil
	}})
	if err != nil || len(checks) != 1 {
		t.Fatal(err)
	}
	text := ""
	for _, c := range checks[0] {
		text += c.Name + " " + strconv.FormatBool(c.OK) + " " + c.Detail + "\n"
	}
	for _, want := range []string{"institutions true 1 listed",
		"institutions false the connector does not offer these of the file: MEX_CDC",
		"signature false the connector accepts a request signed with another secret",
		"authorize false for the redirect URI " + redirectURI + ": "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestFaultsOfAnswersSayWhatIsExpected(t *testing.T) {
	for body, want := range map[string]string{
		`<html>`:                "the answer is not a JSON document",
		`[]`:                    "the answer does not fit the schema Institutions: /: must be object",
		`{}`:                    "the answer does not fit the schema Institutions: /: missing institutions",
		`{"institutions":[{}]}`: "the answer does not fit the schema Institutions: /institutions/0: missing id, kind, name",
		`{"institutions":[{"id":"ana@example.com","kind":"payroll","name":"A"}]}`: "the answer does not fit the schema Institutions: " +
			"/institutions/0/id: see pattern",
		`{"institutions":[{"id":"a","kind":"ana@example.com","name":"A"}]}`: "the answer does not fit the schema Institutions: " +
			"/institutions/0/kind: must be one of [payroll supplier]",
	} {
		if err := validate("Institutions", []byte(body)); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %q", body, err, want)
		}
	}
}

func TestStatusesHaveReasons(t *testing.T) {
	for status, want := range map[rest.StatusError]sources.Reason{
		{Code: 500}: sources.Unresponsive, {Code: 429}: sources.Unresponsive, {Code: 404}: sources.Misused, {Code: 302}: sources.Misused,
		{Code: 503, Problem: "DENIED"}: sources.Denied,
	} {
		if got := reasonOf(&status); got != want {
			t.Errorf("%v: %s, want %s", status, got, want)
		}
	}
}

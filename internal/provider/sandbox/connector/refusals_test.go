package connector_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/report"
	"vestibule/internal/webhook"
)

// wants checks the status of an answer, and its error code.
func (a answer) wants(t *testing.T, what string, status int, code string) {
	t.Helper()
	if s, c := a.problem(); s != status || c != code {
		t.Errorf("%s: %d %s, want %d %s", what, a.StatusCode, a.body, status, code)
	}
}

// TestRefusals sends requests that are not signed as they should be, or have wrong members.
func TestRefusals(t *testing.T) {
	s := sqlite(t)
	t.Run("signatures and bodies", func(t *testing.T) { refusedSignatures(t, s) })
	t.Run("members", func(t *testing.T) { refusedMembers(t, s) })
}

func refusedSignatures(t *testing.T, s *server) {
	list := []byte(`{"operation":"institutions"}`)
	signed := func(secret webhook.Secret, at time.Time, sent string) *http.Request {
		r := s.request("/institutions", []byte(sent))
		if err := webhook.Sign(r.Header, []webhook.Secret{secret}, uuid.NewString(), at, list); err != nil {
			t.Fatal(err)
		}
		return r
	}
	changed := func(header, value string) *http.Request {
		r := s.request("/institutions", list)
		r.Header.Set(header, value)
		return r
	}
	large := []byte(`{"operation":"institutions","more":"` + strings.Repeat("x", 64<<10) + `"}`)
	for name, c := range map[string]struct {
		request *http.Request
		status  int
		code    string
	}{
		"good":              {s.request("/institutions", list), 200, ""},
		"unknown member":    {s.request("/institutions", []byte(`{"operation":"institutions","more":[1]}`)), 200, ""},
		"almost stale":      {signed(s.secret, s.clock.Add(-5*time.Minute), string(list)), 200, ""},
		"stale":             {signed(s.secret, s.clock.Add(-5*time.Minute-time.Second), string(list)), 401, "INVALID_SIGNATURE"},
		"from the future":   {signed(s.secret, s.clock.Add(6*time.Minute), string(list)), 401, "INVALID_SIGNATURE"},
		"by the moved time": {signed(s.secret, s.now, string(list)), 401, "INVALID_SIGNATURE"},
		"another secret":    {signed(secret(t), s.clock, string(list)), 401, "INVALID_SIGNATURE"},
		"another body":      {signed(s.secret, s.clock, string(list)+" "), 401, "INVALID_SIGNATURE"},
		"no signature":      {changed(webhook.HeaderSignature, ""), 401, "INVALID_SIGNATURE"},
		"another id":        {changed(webhook.HeaderID, "x"), 401, "INVALID_SIGNATURE"},
		"another path":      {s.request("/revocations", list), 401, "INVALID_SIGNATURE"},
		"no operation":      {s.request("/institutions", []byte(`{}`)), 401, "INVALID_SIGNATURE"},
		"not JSON":          {s.request("/institutions", []byte(`operation`)), 400, "INVALID_REQUEST"},
		"a form":            {changed("Content-Type", "application/x-www-form-urlencoded"), 400, "INVALID_REQUEST"},
		"too large":         {s.request("/institutions", large), 400, "INVALID_REQUEST"},
	} {
		got := s.do(http.DefaultClient, c.request)
		got.wants(t, name, c.status, c.code)
		if got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: the answer may be stored", name)
		}
	}
}

func refusedMembers(t *testing.T, s *server) {
	data := s.access(provider, "default")
	grant := fields{"institution": provider, "authorization": "x", "code": "x"}
	person := fields{"firstName": "Ana", "lastName": "Reyes"}
	file := fields{"institution": "MEX_CDC", "reference": uuid.NewString(), "asOf": "2026-07-14", "person": person}
	dispute := fields{"institution": "MEX_CDC", "reference": uuid.NewString(), "number": "D-2026-7KQ2MX", "kind": "account",
		"about": "The card", "statement": "It was paid off.", "due": "2026-08-14"}
	s.call("dispute", dispute).wants(t, "a dispute", 200, "")
	for operation, wrong := range map[string][]fields{
		"authorize": {begin().with("institution", "first-bank"), begin().with("institution", 7),
			begin().with("institution", "northwind-logistics"), // has its form in the widget
			begin().with("redirectUri", callback+"/"), begin().with("redirectUri", "https://evil.example/oauth/callback"),
			begin().with("redirectUri", nil), begin().with("state", "short"), begin().with("state", strings.Repeat("x", 129)),
			begin().with("language", "fr")},
		"complete": {grant.with("institution", "none"), grant.with("code", nil)},
		"payroll": {data.with("access", nil), data.with("institution", "none"), data.with("from", "2026-07-15"),
			data.with("to", "tomorrow"), data.with("from", nil)},
		"file":    {file.with("institution", "none"), file.with("reference", "x"), file.with("asOf", nil), file.with("person", nil)},
		"dispute": {dispute.with("reference", "x"), dispute.with("statement", "")},
		"revoke":  {{"institution": provider}, {"institution": "none", "access": "x"}},
	} {
		for _, request := range wrong {
			s.call(operation, request).wants(t, fmt.Sprint(operation, " ", request), 400, "INVALID_REQUEST")
		}
	}
	for operation, request := range map[string]fields{"authorize": begin().with("institution", "MEX_CDC"),
		"complete": grant.with("institution", "MEX_CDC"), "payroll": data.with("institution", "MEX_CDC"),
		"file": file.with("institution", provider), "dispute": dispute.with("institution", provider)} {
		s.call(operation, request).wants(t, operation+" of an institution of another kind", 422, "UNSUPPORTED")
	}
	s.call("complete", grant).wants(t, "an unknown authorization", 409, "ABANDONED")
	s.call("payroll", data.with("access", "x")).wants(t, "an unknown access", 409, "ENDED")
	s.call("revoke", fields{"institution": provider, "access": "x"}).wants(t, "revoking an unknown access", 204, "")
}

// TestCodes exchanges codes a second time, with another authorization, and late.
func TestCodes(t *testing.T) {
	s := sqlite(t)
	a, b := s.begin(begin()), s.begin(begin())
	code, second := s.code(a, "default"), s.code(b, "hourly")
	request := func(a authorization, code string) fields {
		return fields{"institution": provider, "authorization": a.Authorization, "code": code}
	}
	refused := func(name string, f fields, want string) {
		t.Helper()
		if status, code := s.call("complete", f).problem(); status != 409 || code != want {
			t.Errorf("%s: %d %s, want %s", name, status, code, want)
		}
	}
	refused("code of another authorization", request(a, second), "ABANDONED")
	refused("another institution", request(a, code).with("institution", other), "ABANDONED")
	refused("before the code", request(s.begin(begin()), code), "ABANDONED")
	var granted struct{ Access string }
	s.want("complete", request(a, code), &granted)
	refused("used code", request(a, code), "ENDED")
	s.want("payroll", fields{"institution": provider, "access": granted.Access, "from": "2026-01-01", "to": "2026-07-14"}, nil)

	var mu sync.Mutex
	var group sync.WaitGroup
	served := 0
	for range 8 {
		group.Go(func() {
			if s.call("complete", request(b, second)).StatusCode == http.StatusOK {
				mu.Lock()
				served++
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if served != 1 {
		t.Errorf("a code served %d times", served)
	}

	late := s.begin(begin())
	code = s.code(late, "default")
	s.now = s.now.Add(time.Minute)
	refused("late", request(late, code), "ABANDONED")

	denied := s.begin(begin())
	c := browser(t)
	s.open(c, denied)
	s.returned(s.post(c, denied.URL, "action", "cancel"))
	refused("denied", request(denied, "x"), "DENIED")
}

// TestFiles requests the files of all suppliers, each twice, which is one inquiry.
func TestFiles(t *testing.T) {
	s := sqlite(t)
	for _, supplier := range report.Suppliers() {
		for _, last := range []string{"Reyes", suppliers.NoFile, suppliers.ThinFile, suppliers.Delinquent, suppliers.Deceased} {
			f := fields{"institution": supplier.Code, "reference": uuid.NewString(), "asOf": "2026-07-14",
				"person": fields{"firstName": "Ana", "lastName": last, "dateOfBirth": "1990-02-03"}}
			first := s.call("file", f)
			if again := s.call("file", f); first.StatusCode != http.StatusOK || string(first.body) != string(again.body) {
				t.Errorf("%s, %s: %d %s, then %s", supplier.Code, last, first.StatusCode, first.body, again.body)
			}
			if found := strings.Contains(string(first.body), `"found":true`); found != (last != suppliers.NoFile) {
				t.Errorf("%s, %s: %s", supplier.Code, last, first.body)
			}
		}
	}
}

package e2e

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"testing"

	"vestibule/docs/openapitest"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// backend is the back end of an onboarding app. It checks each answer against the OpenAPI
// document of the portal's API.
type backend struct {
	site   *site
	key    string
	header http.Header
	client *http.Client
}

func (s *site) backend(t *testing.T) *backend {
	return &backend{s, s.Credentials.PortalAPIKey, http.Header{}, &http.Client{Transport: openapitest.Wrap(t, nil)}}
}

// send makes one request; in is sent as is if it is a string, else as JSON.
func (b *backend) send(t *testing.T, method, path string, in any) (int, http.Header, []byte) {
	t.Helper()
	var body io.Reader
	switch v := in.(type) {
	case nil:
	case string:
		body = bytes.NewReader([]byte(v))
	default:
		raw := testutil.JSON(t, v)
		body = bytes.NewReader(raw)
	}
	req, err := http.NewRequestWithContext(t.Context(), method, b.site.Portal+"/api/v1"+path, body)
	must(t, err)
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if b.key != "" {
		req.Header.Set("Authorization", "Bearer "+b.key)
	}
	for name, values := range b.header {
		req.Header[name] = values
	}
	resp, err := b.client.Do(req)
	must(t, err)
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	must(t, err)
	return resp.StatusCode, resp.Header, raw
}

// ask checks the status and returns the answer's members.
func (b *backend) ask(t *testing.T, method, path string, in any, want int) map[string]any {
	t.Helper()
	status, _, raw := b.send(t, method, path, in)
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil || status != want {
		t.Fatalf("%s %s = %d %s", method, path, status, raw)
	}
	return out
}

func (b *backend) create(t *testing.T, in map[string]any) opened {
	t.Helper()
	out := b.ask(t, "POST", "/applications", in, http.StatusCreated)
	return opened{out["id"].(string), out["connectUrl"].(string)}
}

// TestBackendEmbedded drives an application from an onboarding app's back end, for an
// applicant with the widget in the portal's page.
func TestBackendEmbedded(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	app := s.backend(t)
	page := newReceiver(t)
	a := app.create(t, map[string]any{"product": "cashflow", "mode": "embedded", "prefill": person,
		"externalId": "case-42", "userArgs": "branch 7", "returnUrl": page.url + "/thanks?case=42"})
	got := app.ask(t, "GET", "/applications/"+a.ID, nil, 200)
	if got["state"] != "started" || got["externalId"] != "case-42" || got["outcome"] != nil || got["publicToken"] != nil {
		t.Errorf("a new application is %v", got)
	}
	early := app.ask(t, "GET", "/applications/"+a.ID+"/report", nil, 404)
	if early["error"] != "REPORT_NOT_READY" || early["state"] != "started" {
		t.Errorf("a report that is not there is %v", early)
	}

	v := visit(t)
	v.follow(t, a.ConnectURL)
	at(t, v, s.statusURL(a)+"/connect") // the token is not in the address any more
	walk(t, v.widget, "default")
	state(t, v, "ready")

	// Another browser has no use for the token, and the first one still has.
	other := visit(t)
	if status := other.answer(t, a.ConnectURL); status != 404 {
		t.Errorf("the token is answered %d in a second browser", status)
	}
	title(t, other, en("notice.no_cookie.title"))
	v.follow(t, a.ConnectURL)
	state(t, v, "ready")
	click(t, v.page("a[href='"+page.url+"/thanks?case=42']"))
	title(t, v, "Welcome back")
	if back := page.next(t); back.path != "/thanks" || len(back.query) != 1 || back.query.Get("case") != "42" {
		t.Errorf("the applicant came back to %s with %v", back.path, back.query)
	}

	got = app.ask(t, "GET", "/applications/"+a.ID, nil, 200)
	if got["state"] != "ready" || got["outcome"] != "SUCCESS" || got["status"] != "SUCCESS" {
		t.Errorf("at its end the application is %v", got)
	}
	status, header, raw := app.send(t, "GET", "/applications/"+a.ID+"/report", nil)
	if status != 200 || header.Get("Content-Type") != "application/json" || !bytes.Equal(raw, s.raw(t, got["publicToken"].(string))) {
		t.Errorf("the report is %d with %d bytes, and not the provider's", status, len(raw))
	}
	var report struct {
		Meta struct {
			ExternalID string `json:"external_id"`
			UserArgs   string `json:"user_args"`
		}
	}
	must(t, json.Unmarshal(raw, &report))
	if report.Meta.UserArgs != "branch 7" {
		t.Errorf("the report's meta is %+v", report.Meta)
	}

	// The events, a page at a time, are all of them in their order.
	var kinds []string
	after := "0"
	for range 20 {
		out := app.ask(t, "GET", "/applications/"+a.ID+"/events?limit=2&after="+after, nil, 200)
		for _, e := range out["events"].([]any) {
			kinds = append(kinds, e.(map[string]any)["kind"].(string))
		}
		if out["next"] == nil {
			break
		}
		next := testutil.JSON(t, out["next"])
		after = string(next)
	}
	if all := s.events(t, a.ID); !slices.Equal(kinds, all) || all[0] != "created" ||
		count(all, "hookSuccess") != 1 || count(all, "fetched") != 1 {
		t.Errorf("by pages the events are %q, at once %q", kinds, all)
	}
}

// TestBackendAsksTheApplicant creates an application without the applicant's data:
// the portal asks for it, and the applicant continues by redirect.
func TestBackendAsksTheApplicant(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	app := s.backend(t)
	modes := []string{"redirect", "redirect-form"}
	if !tools.Full() {
		modes = modes[:1]
	}
	for _, mode := range modes {
		a := app.create(t, map[string]any{"product": "cashflow", "mode": mode})
		v := visit(t)
		v.follow(t, a.ConnectURL)
		fillForm(t, v, map[string]string{"firstName": "Zoë", "lastName": "O’Hara-Núñez", "email": "not an address",
			"dob-year": "1992", "dob-month": "2", "dob-day": "29"})
		v.expect("422")
		click(t, v.page(button(en("apply.continue"))))
		see(t, v.page("#email[aria-invalid=true]"))
		v.axe(t)
		fillForm(t, v, map[string]string{"email": "zoe@example.org"})
		click(t, v.page(button(en("apply.continue"))))
		walkAndReturn(t, v, "joint")
		at(t, v, s.statusURL(a))
		state(t, v, "ready")
		if got := app.ask(t, "GET", "/applications/"+a.ID, nil, 200); got["state"] != "ready" || got["mode"] != mode {
			t.Errorf("at its end the application is %v", got)
		}
	}
}

// TestBackendRenewsAToken opens an application again on another device.
func TestBackendRenewsAToken(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	app := s.backend(t)
	a := app.create(t, map[string]any{"product": "cashflow", "mode": "redirect-form", "prefill": person})
	computer, telephone := visit(t, noScript), visit(t, noScript, phone)
	leave(t, computer, a.ConnectURL)
	if status := telephone.answer(t, a.ConnectURL); status != 404 {
		t.Errorf("the token is answered %d on another device", status)
	}
	again := app.ask(t, "POST", "/applications/"+a.ID+"/embed-token", nil, http.StatusCreated)["connectUrl"].(string)
	r := s.complete(t, leave(t, telephone, again), "default", "")
	if status := computer.answer(t, r.back); status != 403 {
		t.Errorf("the other device's return is answered %d here", status)
	}
	telephone.open(t, r.back)
	for _, v := range []*visitor{telephone, computer} {
		v.open(t, s.statusURL(a))
		state(t, v, "ready")
	}
}

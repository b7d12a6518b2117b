package e2e

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"
)

// person is the applicant as a back end sends the data.
var person = map[string]any{"firstName": "Zoë", "lastName": "O’Hara-Núñez", "email": "zoe@example.org", "dob": "1992-02-29"}

// opened is an application that an onboarding app made over the portal's API.
type opened struct{ ID, ConnectURL string }

// begin makes an application that has its applicant's data.
func (s *site) begin(t *testing.T, mode string) opened {
	t.Helper()
	out := s.api(t, "POST", "/applications", map[string]any{"product": "cashflow", "mode": mode, "prefill": person})
	return opened{out["id"].(string), out["connectUrl"].(string)}
}

// arrive opens an application of the mode as v's browser, at the widget or at the
// provider's page. It takes a page less than apply.
func (s *site) arrive(t *testing.T, v *visitor, mode string) {
	t.Helper()
	v.follow(t, s.begin(t, mode).ConnectURL)
}

// statusURL is the address of an application's status page.
func (s *site) statusURL(a opened) string { return s.Portal + "/applications/" + a.ID }

var leaveForm = regexp.MustCompile(`(?s)<form[^>]*data-vestibule="leave".*?name="token" value="([^"]+)"`)

// leave begins a redirect by form as v's browser, without showing the page that leads to
// the provider, and returns the redirect's token.
func leave(t *testing.T, v *visitor, connectURL string) string {
	t.Helper()
	m := leaveForm.FindStringSubmatch(useLink(t, v, connectURL))
	if m == nil {
		t.Fatal("no page leads to the provider")
	}
	return m[1]
}

// useLink returns the page behind an application's link, whose own page posts its token.
func useLink(t *testing.T, v *visitor, connectURL string) string {
	t.Helper()
	text := page(t, v, connectURL)
	u, err := url.Parse(connectURL)
	must(t, err)
	if token := u.Query().Get("grant"); token != "" && strings.Contains(text, `name="grant"`) {
		resp, err := v.Context.Request().Post(strings.Split(connectURL, "?")[0],
			playwright.APIRequestContextPostOptions{Form: map[string]any{"grant": token}})
		must(t, err)
		text, err = resp.Text()
		must(t, err)
	}
	return text
}

// reached is an application whose visit was completed without a browser, with the address
// to which its browser would return.
type reached struct {
	opened
	publicToken string
	back        string // the return address with its token
}

// complete walks the visit of a token as the given user, or to the given end.
func (s *site) complete(t *testing.T, token, username, end string) reached {
	t.Helper()
	in := map[string]any{}
	if username != "" {
		in["username"] = username
	}
	if end != "" {
		in["end"] = end
	}
	out := s.control(t, "POST", "/visits/"+token+"/complete", in)
	back, _ := out["completeUrl"].(string)
	return reached{publicToken: out["publicToken"].(string), back: back}
}

// reach begins a redirect by form as v's browser, and walks its visit.
func (s *site) reach(t *testing.T, v *visitor, username, end string) reached {
	t.Helper()
	a := s.begin(t, "redirect-form")
	r := s.complete(t, leave(t, v, a.ConnectURL), username, end)
	r.opened = a
	return r
}

// fault injects a fault at the provider for a number of requests, or for all with -1.
func (s *site) fault(t *testing.T, match, action string, times int) {
	t.Helper()
	s.control(t, "POST", "/faults", map[string]any{"match": match, "action": action, "times": times})
}

// stateOf is the state that the portal's API returns.
func (s *site) stateOf(t *testing.T, id string) string {
	t.Helper()
	return s.api(t, "GET", "/applications/"+id, nil)["state"].(string)
}

// events are the kinds of an application's timeline.
func (s *site) events(t *testing.T, id string) []string {
	t.Helper()
	var kinds []string
	for _, e := range s.api(t, "GET", "/applications/"+id+"/events", nil)["events"].([]any) {
		kinds = append(kinds, e.(map[string]any)["kind"].(string))
	}
	return kinds
}

func count(all []string, want string) int {
	n := 0
	for _, s := range all {
		if s == want {
			n++
		}
	}
	return n
}

// logged counts the lines of the program's log that have all the fragments.
func (s *site) logged(fragments ...string) int {
	n := 0
lines:
	for line := range strings.Lines(s.Log.String()) {
		for _, f := range fragments {
			if !strings.Contains(line, f) {
				continue lines
			}
		}
		n++
	}
	return n
}

// fetches is how many reports were served to the portal.
func (s *site) fetches() int { return s.logged(`route="GET /connect/cashflow/v2/json"`, "status=200") }

// patience is how long a test waits for one thing before it fails. It is long for
// machines that have much else to do, and for services with faults; no test waits it out.
const patience = 90 * time.Second

// until waits for an effect of background work.
func until(t *testing.T, what string, reached func() bool) {
	t.Helper()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); !reached(); {
		select {
		case <-tick.C:
		case <-t.Context().Done():
			t.Fatalf("waiting until %s: %v", what, t.Context().Err())
		}
		if time.Now().After(end) {
			t.Fatalf("waited in vain until %s", what)
		}
	}
}

// untilTrue waits until an expression is true in a page or frame. Playwright's WaitForFunction evaluates
// it again from within the page, which a content security policy refuses.
func untilTrue(t *testing.T, at interface {
	Evaluate(expression string, arg ...any) (any, error)
}, expression string) {
	t.Helper()
	until(t, expression, func() bool {
		is, err := at.Evaluate(expression)
		return err == nil && is == true
	})
}

// await waits until the application is in the state.
func (s *site) await(t *testing.T, id, want string) {
	t.Helper()
	until(t, "the application is "+want, func() bool { return s.stateOf(t, id) == want })
}

// at waits until the page's address is exactly this one.
func at(t *testing.T, v *visitor, url string) {
	t.Helper()
	awaitAddress(t, v, regexp.MustCompile("^"+regexp.QuoteMeta(url)+"$"))
}

// awaitAddress waits until the page's address matches, and its document is read. Playwright's
// WaitForURL compares the address and then listens for the next one: on a busy machine it misses
// a page that comes in between.
func awaitAddress(t *testing.T, v interface {
	URL() string
	Evaluate(expression string, arg ...any) (any, error)
}, address *regexp.Regexp) {
	t.Helper()
	until(t, fmt.Sprintf("the page's address matches %s", address), func() bool {
		if !address.MatchString(v.URL()) {
			return false
		}
		loading, err := v.Evaluate(`document.readyState === "loading"`)
		return err == nil && loading == false
	})
}

// tab is another tab of the visitor's browser.
func (v *visitor) tab(t *testing.T) *visitor {
	t.Helper()
	page, err := v.Context.NewPage()
	must(t, err)
	return &visitor{Page: page, Context: v.Context}
}

// cookie is the value of the portal's session cookie, and its attributes are
// held to what they must be.
func (s *site) cookie(t *testing.T, v *visitor) string {
	t.Helper()
	all, err := v.Context.Cookies(s.Portal)
	must(t, err)
	for _, c := range all {
		if strings.HasSuffix(c.Name, "vestibule") {
			if !c.HttpOnly || c.SameSite == nil || *c.SameSite != *playwright.SameSiteAttributeLax || c.Path != "/" {
				t.Errorf("the session's cookie is %+v", c)
			}
			return c.Value
		}
	}
	return ""
}

// answer opens an address that is refused, and returns its status.
func (v *visitor) answer(t *testing.T, url string) int {
	t.Helper()
	v.expect("Failed to load resource")
	resp, err := v.Goto(url)
	must(t, err)
	return resp.Status()
}

// sent keeps the requests of the browser whose address has the fragment.
func (v *visitor) sent(fragment string) func() []playwright.Request {
	found := make(chan playwright.Request, 100)
	v.Context.OnRequest(func(r playwright.Request) {
		if strings.Contains(r.URL(), fragment) {
			found <- r
		}
	})
	return func() []playwright.Request {
		var all []playwright.Request
		for {
			select {
			case r := <-found:
				all = append(all, r)
			default:
				return all
			}
		}
	}
}

// heads is a request's headers as the browser sent them, cookies too.
func heads(t *testing.T, r playwright.Request) map[string]string {
	t.Helper()
	all, err := r.AllHeaders()
	must(t, err)
	return all
}

func title(t *testing.T, v *visitor, want string) {
	t.Helper()
	see(t, v.page(fmt.Sprintf("role=heading[level=1][name=%q]", want)))
}

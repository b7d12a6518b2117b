package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/testutil/tools"
)

// callbackReports records the reports of callbacks that the page sends to the portal,
// without the report that the widget was opened.
func callbackReports(t *testing.T, v *visitor) func() []reported {
	sent := v.sent("/callbacks")
	var all []reported
	return func() []reported {
		t.Helper()
		for _, r := range sent() {
			raw, err := r.PostData()
			must(t, err)
			var in reported
			must(t, json.Unmarshal([]byte(raw), &in))
			if in.Type != "onOpen" {
				all = append(all, in)
			}
		}
		return all
	}
}

// refuseFirst answers the first report of a callback with 503, like an unavailable portal.
func refuseFirst(t *testing.T, v *visitor) {
	t.Helper()
	v.expect("503")
	var refused atomic.Bool
	must(t, v.Context.Route("**/applications/*/callbacks", func(r playwright.Route) {
		raw, _ := r.Request().PostData()
		go func() {
			if strings.Contains(raw, `"onOpen"`) || refused.Swap(true) {
				r.Continue()
				return
			}
			r.Fulfill(playwright.RouteFulfillOptions{Status: playwright.Int(http.StatusServiceUnavailable)})
		}()
	}))
}

// id is the application that the visitor's page is about.
func (v *visitor) id(t *testing.T) string {
	t.Helper()
	_, rest, ok := strings.Cut(v.URL(), "/applications/")
	if !ok {
		t.Fatalf("%s is not an application's page", v.URL())
	}
	return rest[:36]
}

// TestCallbacksAreReportedOnce, with their arguments, and are in the timeline once, also if
// the portal did not answer at first.
func TestCallbacksAreReportedOnce(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	for _, c := range []struct {
		name, kind, errorType, phase string
		refuse                       int
		end                          func(t *testing.T, v *visitor)
	}{
		{"success", "hookSuccess", "", "", 0, func(t *testing.T, v *visitor) {
			reach(t, v.widget, "accounts")
			click(t, v.widget(button(en("visit.accounts.submit"))))
		}},
		{"exit, while the portal is away", "hookExit", "", "exited", 1, func(t *testing.T, v *visitor) {
			reach(t, v.widget, "code")
			click(t, v.widget("[data-testid=close]"))
			click(t, v.widget("[data-testid=confirm-close]"))
		}},
		{"error", "hookError", "SUPPLIER_ERROR", "retry", 0, func(t *testing.T, v *visitor) {
			signIn(t, v.widget, "supplier_unresponsive")
			giveUp(t, v.widget)
		}},
		{"error, while the portal is away", "hookError", "SUPPLIER_ERROR", "retry", 1, func(t *testing.T, v *visitor) {
			signIn(t, v.widget, "e_banking_unsupported")
			giveUp(t, v.widget)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			v := visit(t)
			reports := callbackReports(t, v)
			if c.refuse > 0 {
				refuseFirst(t, v)
			}
			s.arrive(t, v, "embedded")
			step(t, v.widget, "consent")
			id := v.id(t)
			c.end(t, v)
			if c.phase != "" {
				see(t, v.page(fmt.Sprintf("[data-phase=%s]", c.phase)))
			} else {
				state(t, v, "ready")
			}
			until(t, "the callback in the timeline", func() bool { return count(s.events(t, id), c.kind) > 0 })
			if got := count(s.events(t, id), c.kind); got != 1 {
				t.Errorf("the timeline has %s %d times", c.kind, got)
			}
			got := reports()
			if len(got) != 1+c.refuse {
				t.Fatalf("reported %+v, want %d", got, 1+c.refuse)
			}
			for _, r := range got {
				if r.EventID == "" || r.EventID != got[0].EventID {
					t.Errorf("event ids %q and %q, want one", r.EventID, got[0].EventID)
				}
				if r.PublicToken == "" || r.Attempt != 1 || r.ErrorType != c.errorType || (r.Status != "") != (c.kind == "hookSuccess") {
					t.Errorf("reported %+v", r)
				}
			}
		})
	}
}

// TestOnAfterAnEnd that was none: both ways on lead to a report.
func TestOnAfterAnEnd(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	t.Run("again here", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		s.arrive(t, v, "embedded")
		click(t, v.widget("[data-testid=close]"))
		click(t, v.widget("[data-testid=confirm-close]"))
		see(t, v.page("[data-phase=exited]"))
		click(t, v.page(button(en("notice.try_again"))))
		walk(t, v.widget, "default")
		state(t, v, "ready")
	})
	t.Run("there instead", func(t *testing.T) {
		t.Parallel()
		v := visit(t)
		s.arrive(t, v, "embedded")
		signIn(t, v.widget, "e_banking_unsupported")
		giveUp(t, v.widget)
		see(t, v.page("[data-phase=retry]"))
		click(t, v.page(button(en("connect.secure_page"))))
		walkAndReturn(t, v, "default")
		state(t, v, "ready")
	})
}

// TestWordsForEveryErrorType, in both languages, with a next step that can help. A null
// type and an unknown one are internal errors.
func TestWordsForEveryErrorType(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	types := contract.WidgetErrors()
	internal := contract.WidgetInternalError.Info()
	for _, unknown := range []contract.WidgetError{"", "NO_SUCH_TYPE"} {
		row := internal
		row.Type = unknown
		types = append(types, row)
	}
	for _, lang := range []i18n.Lang{i18n.English, i18n.Spanish} {
		t.Run(string(lang), func(t *testing.T) {
			t.Parallel()
			h := newHost(t, s)
			v := visit(t)
			var sections []map[string]string
			for i := range types {
				options := h.section(t, map[string]any{"token": "token", "externalId": fmt.Sprint(i)})
				options["script"], options["global"] = h.URL+"/fake.js", "FakeWidget"
				sections = append(sections, options)
			}
			v.open(t, h.modules(t, sections, string(lang)))
			for i, e := range types {
				section := v.page("section").Nth(i)
				must(t, section.And(v.page("[data-phase=open]")).WaitFor())
				// Said twice, it is one event.
				_, err := v.Evaluate(`([i, type]) => {
					const o = window.registered.find((o) => o.externalId === String(i));
					o.onError("7d9f3c1e-0000-4000-8000-000000000000", type || undefined);
					o.onError("7d9f3c1e-0000-4000-8000-000000000000", type || undefined);
				}`, []any{i, string(e.Type)})
				must(t, err)
				phase := "final"
				if e.Retry {
					phase = "retry"
				}
				must(t, section.And(v.page(fmt.Sprintf("[data-phase=%s]", phase))).WaitFor())
				if got, want := read(t, section.Locator("[data-vestibule-words]")), i18n.T(lang, e.Applicant); got != want {
					t.Errorf("%q: the applicant reads %q, want %q", e.Type, got, want)
				}
				until(t, "the report", func() bool { return len(h.of(i)) > 0 })
			}
			for i, e := range types {
				if got := h.of(i); len(got) != 1 || got[0].Type != "onError" || got[0].ErrorType != string(e.Type) {
					t.Errorf("%q: reported %+v, want it once", e.Type, got)
				}
			}
		})
	}
}

// TestBlockedScript of the provider is tried twice; then the page says so and
// leads on by redirect.
func TestBlockedScript(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("Failed to load resource")
	tried := v.sent("/widget/v1/widget.js")
	must(t, v.Context.Route("**/widget/v1/widget.js", func(r playwright.Route) { go r.Abort() }))
	s.arrive(t, v, "embedded")
	see(t, v.page("[data-phase=unavailable]"))
	see(t, v.page(text(en("browser.connect.unavailable"))))
	if n := len(tried()); n != 2 {
		t.Errorf("the script was asked for %d times, want 2", n)
	}
	click(t, v.page(button(en("connect.secure_page"))))
	walkAndReturn(t, v, "default")
	state(t, v, "ready")
}

// TestFailedOnceScript: a script that failed once loads on the second attempt, without a notice.
func TestFailedOnceScript(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := start(t)
	v := visit(t)
	v.expect("Failed to load resource")
	must(t, v.Context.Route("**/widget/v1/widget.js", func(r playwright.Route) { go r.Abort() }, 1))
	s.arrive(t, v, "embedded")
	step(t, v.widget, "consent")
}

// TestProviderAway when the page is asked for: it says so and offers to try
// again, and nothing is lost.
func TestProviderAway(t *testing.T) {
	t.Parallel()
	tools.FullOnly(t)
	s := alone(t)
	v := visit(t)
	v.expect("503")
	s.fault(t, "POST /connect/initialization", "status:503", -1)
	s.arrive(t, v, "embedded")
	see(t, v.page("text="+en("status.started.title")))
	s.control(t, http.MethodDelete, "/faults", nil)
	click(t, v.page(link(en("notice.try_again"))))
	walk(t, v.widget, "default")
	state(t, v, "ready")
}

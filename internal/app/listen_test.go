package app_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	receive "vestibule/docs/examples/webhook"
	"vestibule/internal/app"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/i18ntest"
	"vestibule/internal/testutil/logtest"
	"vestibule/internal/testutil/program"
	"vestibule/internal/webhook"
)

// sandboxFlags name the running program to the commands listen, trigger and seed.
func (w *testServer) sandboxFlags() []string {
	return []string{"--data-dir=" + w.dir, "--portal-url=" + w.Portal, "--provider-url=" + w.Provider,
		"--provider-addr=" + strings.TrimPrefix(w.Provider, "http://")}
}

// command runs a command against the program.
func (w *testServer) command(t *testing.T, args ...string) (exit int, stdout, stderr string) {
	t.Helper()
	return run(t, append(args, w.sandboxFlags()...)...)
}

// listener runs `vestibule listen` for an account until the test ends, and returns its output.
func (w *testServer) listener(t *testing.T, flags ...string) *logtest.Buffer {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	out, errs, ended := &logtest.Buffer{}, &logtest.Buffer{}, make(chan int, 1)
	go func() {
		ended <- app.Run(ctx, append(append([]string{"listen"}, w.sandboxFlags()...), flags...), out, errs)
	}()
	t.Cleanup(func() {
		stop()
		if exit := <-ended; exit != 0 {
			t.Errorf("listen ended with exit code %d: %s", exit, errs)
		}
	})
	w.until(t, func() bool { return strings.Contains(out.String(), "Listening") })
	return out
}

// accountFlags are the flags of an account that is not the generated one.
func accountFlags(a program.Account, product string) []string {
	return []string{"--public-id=" + a.PublicID, "--client-id=" + a.ClientID, "--secret-key=" + a.SecretKey, "--products=cashflow=" + product}
}

// forwarding is a back end and an onboarding app to which `vestibule listen` forwards.
type forwarding struct {
	*testServer
	control               string // flag
	visits                chan webhook.Event
	tests                 chan struct{} // a value for each event of type TEST
	applications          chan applicationEvent
	mine, printed, theirs *logtest.Buffer // outputs of listeners; theirs is another customer's
}

type applicationEvent struct {
	Type        string
	Application struct{ ID, ExternalID, UserArgs string }
}

func (w *testServer) forward(t *testing.T) *forwarding {
	t.Helper()
	secret, err := webhook.ParseSecret(w.Credentials.WebhookSecret)
	testutil.Must(t, err)
	receiver := webhook.Receiver{Secrets: []webhook.Secret{secret}}
	f := &forwarding{testServer: w, control: "--sandbox-control-addr=" + strings.TrimPrefix(w.Control, "http://"),
		visits: make(chan webhook.Event, 100), tests: make(chan struct{}, 10), applications: make(chan applicationEvent, 100)}
	backEnd := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		e, err := receiver.Receive(r)
		if errors.Is(err, webhook.ErrOtherType) { // signed, as are all
			f.tests <- struct{}{}
			return
		}
		if err != nil || r.Header.Get("X-Public-Id") != w.Credentials.PublicID {
			t.Errorf("an event for %q: %v", r.Header.Get("X-Public-Id"), err)
		}
		f.visits <- e
		rw.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(backEnd.Close)
	onboarding := httptest.NewServer(receive.Handler(w.Credentials.EventsSecret, func(_ string, body []byte) error {
		var e applicationEvent
		err := json.Unmarshal(body, &e)
		f.applications <- e
		return err
	}))
	t.Cleanup(onboarding.Close)
	f.mine = w.listener(t, "--forward-to="+backEnd.URL+"/hooks", "--forward-events-to="+onboarding.URL+"/hooks")
	f.printed = w.listener(t)
	f.theirs = w.listener(t, accountFlags(w.Credentials.ThirdParty.Account, w.Credentials.Products["cashflow"])...)
	return f
}

// trigger runs the command trigger with an external id of the event, and returns what it prints.
func (f *forwarding) trigger(t *testing.T, event string) string {
	t.Helper()
	exit, id, errs := f.command(t, "trigger", event, f.control, "--external-id=case-"+event, "--user-args=a-canary")
	if exit != 0 {
		t.Fatalf("trigger %s: exit code %d, %s", event, exit, errs)
	}
	return strings.TrimSpace(id)
}

// receiveEvent returns the next event that arrives.
func receiveEvent[T any](t *testing.T, f *forwarding, events chan T) T {
	t.Helper()
	select {
	case e := <-events:
		return e
	case <-time.After(2 * time.Minute):
		t.Fatalf("no event:\n%s", f.mine)
		panic("unreachable")
	}
}

func TestListenForwardsSignedEvents(t *testing.T) {
	eachEngineInFull(t, func(t *testing.T, w *testServer) {
		f := w.forward(t)
		for _, status := range []string{"SUCCESS", "ERROR", "NOT_AUTHENTICATED", "SUPPLIER_UNRESPONSIVE", "BUREAU_UNRESPONSIVE", "EXPIRED"} {
			t.Run(status, func(t *testing.T) {
				token := f.trigger(t, status)
				if e := receiveEvent(t, f, f.visits); string(e.Status) != status || e.PublicToken != token ||
					e.ExternalID != "case-"+status || e.UserArgs != "a-canary" || e.PublicID != w.Credentials.PublicID {
					t.Errorf("the trigger of %s gives %+v", token, e)
				}
			})
		}
		t.Run("printed once, to its customer only", func(t *testing.T) {
			w.until(t, func() bool {
				return strings.Count(f.printed.String(), `"eventId"`) == 6 && strings.Count(f.mine.String(), "→ 204") == 6
			})
			if exit, _, errs := w.command(t, "trigger", "TEST", f.control); exit != 0 {
				t.Fatalf("trigger TEST: exit code %d, %s", exit, errs)
			}
			receiveEvent(t, f, f.tests)
			if len(f.visits) > 0 || strings.Contains(f.theirs.String(), "evt_") {
				t.Errorf("%d events arrived twice; the other customer's listener says %s", len(f.visits), f.theirs)
			}
		})
		for _, kind := range []string{"application.started", "application.connecting", "application.ready", "application.failed",
			"application.exited"} {
			t.Run(kind, func(t *testing.T) {
				id := f.trigger(t, kind)
				for e := (applicationEvent{}); e.Type != kind; {
					e = receiveEvent(t, f, f.applications)
					if e.Application.ID != id || e.Application.ExternalID != "case-"+kind || e.Application.UserArgs != "a-canary" {
						t.Errorf("the trigger of %s gives %+v", id, e)
					}
				}
			})
		}
		t.Run("an external id again", func(t *testing.T) {
			if exit, _, errs := w.command(t, "trigger", "SUCCESS", f.control, "--external-id=case-SUCCESS"); exit != 1 ||
				!strings.Contains(errs, "externalId: ") {
				t.Errorf("exit code %d, %s", exit, errs)
			}
		})
	})
}

func TestSandboxEventsAreTheCustomersOwn(t *testing.T) {
	w := startServer(t, "")
	events := func(want int, after string, header ...string) (ids []string, last string) {
		t.Helper()
		a := good(t, want, ask(t, "GET", w.Provider+"/connect/sandbox/events"+after, "", header...))
		var body struct {
			Events []struct{ EventID, PublicID, Status string }
			Last   string
		}
		if err := json.Unmarshal(a.Body, &body); want == 200 && err != nil {
			t.Fatal(err)
		}
		for _, e := range body.Events {
			ids = append(ids, e.EventID)
		}
		return ids, body.Last
	}
	auth := []string{"Authorization", basic(w.Credentials.Account)}
	if ids, last := events(200, "", auth...); ids != nil || last != "" {
		t.Errorf("at first: %v, %q", ids, last)
	}
	id := w.returned(t)
	w.state(t, id, "ready")
	ids, last := events(200, "?after=", auth...)
	if len(ids) != 1 || last != ids[0] {
		t.Fatalf("after a report: %v, %q", ids, last)
	}
	if again, newest := events(200, "", auth...); again != nil || newest != last {
		t.Errorf("the newest is %q of %v, want %q", newest, again, last)
	}
	other := []string{"Authorization", basic(w.Credentials.ThirdParty.Account)}
	if got, newest := events(200, "", other...); got != nil || newest != "" {
		t.Errorf("another customer sees %v, %q", got, newest)
	}
	events(400, "?after=%27%20OR%201", auth...)
	events(400, "?after=evt_"+strings.Repeat("a", 80), auth...)
	events(400, "?after=")
	events(403, "?after=", "Authorization", basic(program.Account{ClientID: "client-none", SecretKey: "none"}))
}

func TestSeedFillsTheSandbox(t *testing.T) {
	w := startServer(t, "")
	portal := "--portal-addr=" + strings.TrimPrefix(w.Portal, "http://")
	control := "--sandbox-control-addr=" + strings.TrimPrefix(w.Control, "http://")
	exit, out, errs := w.command(t, "seed", portal, control)
	if exit != 0 || !strings.HasPrefix(out, "40 applications: ") {
		t.Fatalf("exit code %d, %s%s", exit, out, errs)
	}
	w.rested(t)
	var list struct {
		Applications []struct {
			ID, Product, State, Status, Substatus string
			Report                                *struct{ Revision int }
		}
	}
	a := good(t, 200, ask(t, "GET", w.Portal+"/api/v1/applications?limit=100", "", "Authorization", w.key()))
	testutil.Must(t, json.Unmarshal(a.Body, &list))
	kinds, corrected := map[string]int{}, 0
	for _, a := range list.Applications {
		kinds[a.State]++
		kinds[a.Product]++
		kinds[a.Status]++
		kinds[a.Substatus]++
	}
	for _, kind := range []string{"started", "connecting", "ready", "exited", "failed", "cashflow", "income", "SUCCESS", "ERROR",
		"NOT_AUTHENTICATED", "SUPPLIER_UNRESPONSIVE", "NO_RECENT_USABLE_INFORMATION"} {
		if kinds[kind] == 0 {
			t.Errorf("no application is %s: %v", kind, kinds)
		}
	}
	if page := string(good(t, 200, ask(t, "GET", w.Provider+"/dashboard/disputes?state=answered", "",
		w.staff(t, w.Credentials.Dashboard)...)).Body); !strings.Contains(page, "D-20") {
		t.Errorf("no report was corrected:\n%s", page)
	}
	for _, a := range list.Applications { // the portal has what was before a correction, too
		if a.Report == nil || a.Report.Revision == 0 {
			continue
		}
		corrected++
		good(t, 200, ask(t, "GET", w.Portal+"/api/v1/applications/"+a.ID+"/report?revision=0", "", "Authorization", w.key()))
	}
	if corrected == 0 {
		t.Error("no application has a corrected report")
	}
	child := basic(w.Credentials.Child.Account)
	if !strings.Contains(out, "1 report of the child account "+w.Credentials.Child.PublicID) {
		t.Errorf("no report of the child account: %s", out)
	}
	good(t, 200, ask(t, "GET", w.Provider+"/connect/accesstoken", "", "Authorization", child))
	open := string(good(t, 200, ask(t, "GET", w.Provider+"/dashboard/disputes", "", w.staff(t, w.Credentials.Dashboard)...)).Body)
	if n := strings.Count(open, "/dashboard/disputes/D-"); n != 4 || !strings.Contains(open, "North Branch") {
		t.Errorf("%d open disputes, want three and the child's", n)
	}
	if len(list.Applications) != 40 {
		t.Errorf("%d applications", len(list.Applications))
	}

	// The names agree with the sandbox's people, but for a few that are meant to differ.
	reviewer, differ := w.signIn(t), 0
	for _, a := range list.Applications {
		if a.State != "ready" {
			continue
		}
		page := good(t, 200, ask(t, "GET", w.Portal+"/review/applications/"+a.ID, "", "Cookie", reviewer, "Accept-Language", "en"))
		if strings.Contains(string(page.Body), i18ntest.EN("review.person_real.unknown")) {
			differ++
		}
	}
	if differ < 1 || differ > 3 {
		t.Errorf("the names of %d of %d applicants differ", differ, kinds["ready"])
	}
}

// TestSandboxCommandsRefuseProduction by their flag, before they ask any server.
func TestSandboxCommandsRefuseProduction(t *testing.T) {
	for _, command := range []string{"listen", "trigger SUCCESS", "seed"} {
		exit, out, errs := run(t, append(strings.Fields(command), "--environment=production", "--data-dir="+t.TempDir())...)
		if exit != 2 || !strings.Contains(errs, "only in a sandbox") || out != "" {
			t.Errorf("%s: exit code %d, %s%s", command, exit, out, errs)
		}
	}
	for command, says := range map[string]string{
		"listen --forward-to=http://10.0.0.1/x": "no account is configured",
		"seed --count=0":                        "--count: must be from 1 to 1000",
		"trigger PENDING":                       "trigger does not make this event; known are BUREAU_UNRESPONSIVE, ERROR",
		"trigger application.decided":           "trigger does not make this event; known are BUREAU_UNRESPONSIVE, ERROR",
		"trigger application.redy":              `did you mean "application.ready"?`,
		"listen --client-id=a --public-id=a --secret-key=a --products=cashflow=0199d3f4-7b1f-4d62-8e68-1b9f9e1f8d22 " +
			"--provider-url=https://a.example --forward-events-to=https://app.example/": "--forward-events-to needs --portal-api-key",
		"listen --client-id=a --forward-to=https://app.example/": "--client-id needs --provider-url",
	} {
		if exit, _, errs := run(t, append(strings.Fields(command), "--data-dir="+t.TempDir())...); exit != 2 && exit != 1 ||
			!strings.Contains(errs, says) {
			t.Errorf("%s: exit code %d, %s", command, exit, errs)
		}
	}
}

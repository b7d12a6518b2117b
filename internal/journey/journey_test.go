package journey

import (
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"

	"github.com/google/go-cmp/cmp"
)

const t0 = 1_700_000_000

// at returns an application in a state, on its first attempt.
func at(s State) Application {
	a := Application{State: s, Attempt: 1, Since: t0}
	if s == Started {
		a.Attempt = 0
	}
	return a
}

// TestStep checks each row's input in every state. The states that the row names change
// as it says, and the others do not change.
func TestStep(t *testing.T) {
	all := States()
	notReady := []State{Connecting, Returned, Pending, Failed, Exited, Expired}
	in := func(k Kind, s contract.Status) Input {
		return Input{Kind: k, Attempt: 1, EventID: "e", Status: s, At: t0 + 5}
	}
	rows := []struct {
		name  string
		from  []State
		input Input
		to    State
		do    Do // besides Notify
	}{
		{"the connect page opens an attempt", []State{Started}, Input{Kind: Connect, At: t0 + 5}, Connecting, NewAttempt},
		{"onSuccess is asked about", []State{Connecting}, in(CallbackSuccess, contract.StatusSuccess), Returned, AskStatus},
		{"onExit leaves", []State{Connecting, Returned}, in(CallbackExit, ""), Exited, 0},
		{"return SUCCESS with a report", []State{Connecting, Returned, Pending, Exited, Expired},
			in(ReturnSuccess, contract.StatusSuccess), Pending, Fetch},
		{"return SUCCESS while it is made", []State{Connecting, Returned, Exited, Expired},
			in(ReturnSuccess, contract.StatusPending), Pending, AskStatus},
		{"return SUCCESS without a report", []State{Connecting, Returned, Exited, Expired},
			in(ReturnSuccess, contract.StatusNotAuthenticated), Pending, AskStatus},
		{"return EXIT", []State{Connecting, Returned}, in(ReturnExit, ""), Exited, 0},
		{"return ERROR", []State{Connecting, Returned}, in(ReturnError, ""), Failed, 0},
		{"webhook SUCCESS", notReady, in(Webhook, contract.StatusSuccess), Pending, Fetch},
		{"poll SUCCESS", notReady, in(Poll, contract.StatusSuccess), Pending, Fetch},
		{"webhook PENDING", []State{Returned}, in(Webhook, contract.StatusPending), Pending, Wait},
		{"poll PENDING", []State{Returned}, in(Poll, contract.StatusPending), Pending, Wait},
		{"webhook ERROR", notReady, in(Webhook, contract.StatusError), Failed, 0},
		{"poll NOT_AUTHENTICATED", notReady, in(Poll, contract.StatusNotAuthenticated), Failed, 0},
		{"poll BUREAU_UNRESPONSIVE", notReady, in(Poll, contract.StatusBureauUnresponsive), Failed, 0},
		{"webhook SUPPLIER_UNRESPONSIVE", notReady, in(Webhook, contract.StatusSupplierUnresponsive), Failed, 0},
		{"webhook EXPIRED", notReady, in(Webhook, contract.StatusExpired), Expired, 0},
		{"poll EXPIRED", notReady, in(Poll, contract.StatusExpired), Expired, 0},
		{"the report is stored", []State{Pending}, in(Fetched, ""), Ready, 0},
		{"72 hours without proof", []State{Connecting, Returned, Pending}, Input{Kind: Tick, Attempt: 1, At: t0 + Lifetime}, Expired, 0},
		{"a second before", nil, Input{Kind: Tick, Attempt: 1, At: t0 + Lifetime - 1}, "", 0},
		{"start again", []State{Exited, Failed, Expired}, in(Restart, ""), Connecting, NewAttempt},
		{"an unknown kind", nil, in("dance", ""), "", 0},
		{"an unknown status", nil, in(Webhook, "SUCCESSFUL"), "", 0},
		{"an unknown attempt", nil, Input{Kind: Webhook, Attempt: 2, Status: contract.StatusSuccess}, "", 0},
		{"no attempt", nil, Input{Kind: Webhook, Status: contract.StatusSuccess}, "", 0},
	}
	for _, row := range rows {
		for _, s := range all {
			listed := false
			for _, f := range row.from {
				listed = listed || f == s
			}
			from := at(s)
			got, do := from.Step(row.input)
			if !listed {
				if d := cmp.Diff(from, got); d != "" {
					t.Errorf("%s: from %s, which the row does not name, moved (-before +after):\n%s", row.name, s, d)
				}
				if do.Has(Fetch) || do.Has(NewAttempt) || do.Has(Notify) {
					t.Errorf("%s: from %s, which the row does not name: do %b", row.name, s, do)
				}
				continue
			}
			if got.State != row.to {
				t.Errorf("%s: from %s went to %s, want %s", row.name, s, got.State, row.to)
			}
			want := row.do
			if got != from {
				want |= Notify
			}
			if do != want {
				t.Errorf("%s: from %s do %b, want %b", row.name, s, do, want)
			}
		}
	}
}

// TestReportNotFetchedInTime checks that a proven report that is not fetched in time ends
// like one that could not be compiled. The applicant can start again, and the report can
// still arrive.
func TestReportNotFetchedInTime(t *testing.T) {
	pending, _ := at(Returned).Step(Input{Kind: Webhook, Attempt: 1, PublicToken: "p", Status: contract.StatusSuccess, At: t0})
	if early, do := pending.Step(Input{Kind: Tick, Attempt: 1, At: t0 + Lifetime - 1}); early != pending || do != 0 {
		t.Errorf("a second early: %+v, %b", early, do)
	}
	lost, do := pending.Step(Input{Kind: Tick, Attempt: 1, At: t0 + Lifetime})
	if lost.State != Failed || lost.Status != contract.StatusError || do != Notify ||
		lost.Outcome() != contract.OutcomeSuccess || !lost.CanRetry() ||
		Text(lost) != StatusText(contract.StatusError, "") {
		t.Errorf("after 72 hours: %+v, %b", lost, do)
	}
	for _, again := range []Input{{Kind: Tick, Attempt: 1, At: t0 + 2*Lifetime}, {Kind: CallbackSuccess, Attempt: 1},
		{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess},
		{Kind: Webhook, Attempt: 1, PublicToken: "p", Status: contract.StatusError, Substatus: contract.SubMFARequired}} {
		if got, do := lost.Step(again); got != lost || do != 0 {
			t.Errorf("%+v moved it: %+v, %b", again, got, do)
		}
	}
	if got, _ := lost.Step(Input{Kind: Fetched, Attempt: 1, PublicToken: "p"}); got.State != Ready || got.Status != contract.StatusSuccess {
		t.Errorf("the report came after all: %+v", got)
	}
	next, do := lost.Step(Input{Kind: Restart, Attempt: 1, At: t0 + 2*Lifetime})
	if next.State != Connecting || next.Attempt != 2 || next.Succeeded != 0 || !do.Has(NewAttempt) {
		t.Errorf("begun again: %+v, %b", next, do)
	}
	if got, _ := next.Step(Input{Kind: Fetched, Attempt: 1, PublicToken: "p"}); got != next {
		t.Errorf("the former attempt's report moved %+v", got)
	}
}

// TestReopen checks that only a ready application can be reopened, that inputs of closed
// attempts then change nothing, and that a later attempt's report is fetched.
func TestReopen(t *testing.T) {
	for _, s := range States() {
		if next, do := at(s).Step(Input{Kind: Reopen, Attempt: 1, At: t0}); s != Ready && (next != at(s) || do != 0) {
			t.Errorf("%s is opened again: %+v, %b", s, next, do)
		}
	}
	ready := at(Ready)
	ready.Succeeded, ready.PublicToken = 1, "p"
	if next, _ := ready.Step(Input{Kind: Restart, Attempt: 1, At: t0}); next != ready {
		t.Errorf("a restart opened it: %+v", next)
	}
	open, do := ready.Step(Input{Kind: Reopen, Attempt: 1, At: t0})
	want := Application{State: Connecting, Attempt: 2, Closed: 1, Since: t0}
	if open != want || !do.Has(NewAttempt|Notify) || do.Has(Fetch) {
		t.Fatalf("opened again: %+v, %b", open, do)
	}
	for _, kind := range []Kind{Webhook, Poll, ReturnSuccess, ReturnError, CallbackExit, Fetched} {
		if next, do := open.Step(Input{Kind: kind, Attempt: 1, PublicToken: "p", Status: contract.StatusSuccess}); next != open || do != 0 {
			t.Errorf("%s of the former attempt moved it: %+v, %b", kind, next, do)
		}
	}
	exited, _ := open.Step(Input{Kind: CallbackExit, Attempt: 2, EventID: "a"})
	third, _ := exited.Step(Input{Kind: Restart, Attempt: 2, At: t0})
	if third.Attempt != 3 || third.Closed != 1 {
		t.Errorf("begun once more: %+v", third)
	}
	pending, do := third.Step(Input{Kind: Webhook, Attempt: 2, PublicToken: "q", Status: contract.StatusSuccess, At: t0})
	if pending.State != Pending || pending.Succeeded != 2 || !do.Has(Fetch) {
		t.Errorf("the second attempt succeeded after all: %+v, %b", pending, do)
	}
}

// TestCallbackError checks that an error leaves the attempt open, shows the error's text,
// and asks for a fresh token if a new attempt can help.
func TestCallbackError(t *testing.T) {
	for _, info := range append(contract.WidgetErrors(), contract.WidgetErrorInfo{Retry: true}) {
		a, do := at(Connecting).Step(Input{Kind: CallbackError, Attempt: 1, Error: info.Type, At: t0 + 9})
		if a.State != Connecting || a.Since != t0 {
			t.Errorf("onError(%q) = %+v, want connecting since before", info.Type, a)
		}
		if do.Has(FreshToken) != info.Retry || a.CanRetry() != info.Retry {
			t.Errorf("onError(%q): do %b, CanRetry %v, want a fresh token: %v", info.Type, do, a.CanRetry(), info.Retry)
		}
		if got, want := Text(a), info.Type.Info().Applicant; got != want {
			t.Errorf("onError(%q) says %q, want %q", info.Type, got, want)
		}
	}
}

func TestConnectAgain(t *testing.T) {
	a := at(Connecting)
	got, do := a.Step(Input{Kind: Connect, Attempt: 1, At: t0 + 1})
	if got != a || do != FreshToken {
		t.Errorf("the same page again = %+v, %b; want nothing but a fresh token", got, do)
	}
	got, do = a.Step(Input{Kind: Connect, Attempt: 2, At: t0 + 1})
	if got.Attempt != 2 || got.State != Connecting || do != NewAttempt|Notify {
		t.Errorf("another redirect attempt = %+v, %b; want attempt 2", got, do)
	}
}

// TestOlderAttempt checks that only a success of an older attempt counts, and only before
// another attempt has succeeded. Its publicToken is then the one to fetch.
func TestOlderAttempt(t *testing.T) {
	a := Application{State: Failed, Attempt: 2, Since: t0, PublicToken: "two", Status: contract.StatusError}
	for _, in := range []Input{
		{Kind: Webhook, Attempt: 1, PublicToken: "one", Status: contract.StatusError},
		{Kind: Webhook, Attempt: 1, PublicToken: "one", Status: contract.StatusExpired},
		{Kind: Poll, Attempt: 1, Status: contract.StatusPending},
		{Kind: ReturnExit, Attempt: 1},
		{Kind: ReturnError, Attempt: 1, Error: contract.WidgetInternalError},
		{Kind: ReturnSuccess, Attempt: 1, Status: contract.StatusPending},
		{Kind: CallbackExit, Attempt: 1},
		{Kind: CallbackError, Attempt: 1},
		{Kind: CallbackSuccess, Attempt: 1, PublicToken: "forged"},
		{Kind: Restart, Attempt: 1},
	} {
		if got, _ := a.Step(in); got != a {
			t.Errorf("%s of attempt 1 moved attempt 2: %s", in.Kind, cmp.Diff(a, got))
		}
	}
	got, do := a.Step(Input{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess, At: t0 + 1})
	if got.State != Pending || got.Succeeded != 1 || got.PublicToken != "" || !do.Has(Fetch) {
		t.Errorf("a late success of attempt 1 = %+v, %b", got, do)
	}
	again, do := got.Step(Input{Kind: Webhook, Attempt: 2, PublicToken: "two", Status: contract.StatusSuccess})
	if again != got || do != 0 {
		t.Errorf("a success after a success = %+v, %b; want nothing", again, do)
	}
}

// TestHintsProveNothing checks that a browser's publicToken and status never enter the
// application.
func TestHintsProveNothing(t *testing.T) {
	for _, k := range []Kind{CallbackSuccess, CallbackExit, CallbackError} {
		for _, s := range States() {
			got, do := at(s).Step(Input{Kind: k, Attempt: 1, PublicToken: "forged",
				Status: contract.StatusSuccess, Substatus: "forged", At: t0 + 100})
			if got.PublicToken != "" || got.Status != "" || got.Substatus != "" || got.Since != t0 || do.Has(Fetch) {
				t.Errorf("%s in %s was believed: %+v, %b", k, s, got, do)
			}
		}
	}
}

// TestReturnErrorIsKept checks that a webhook before or after a verified redirect callback
// does not replace the callback's error, which says more than a status.
func TestReturnErrorIsKept(t *testing.T) {
	back := Input{Kind: ReturnError, Attempt: 1, Error: contract.WidgetInvalidProduct, At: t0 + 5}
	delivery := Input{Kind: Webhook, Attempt: 1, EventID: "e", PublicToken: "p", Status: contract.StatusError,
		Substatus: contract.SubIncomplete, At: t0 + 6}
	for name, order := range map[string][]Input{"the return first": {back, delivery}, "the webhook first": {delivery, back}} {
		a := at(Connecting)
		var did Do
		for _, in := range order {
			a, did = a.Step(in)
		}
		want := Application{State: Failed, Attempt: 1, Since: order[0].At, PublicToken: "p", Status: contract.StatusError,
			Substatus: contract.SubIncomplete, Error: contract.WidgetInvalidProduct}
		a.Since = want.Since // either time is right
		if d := cmp.Diff(want, a); d != "" || did != Notify || a.CanRetry() || Text(a) != contract.WidgetInvalidProduct.Applicant() {
			t.Errorf("%s: do %b, can retry %v, (-want +got):\n%s", name, did, a.CanRetry(), d)
		}
	}
	a, _ := at(Connecting).Step(back)
	again, _ := a.Step(Input{Kind: Restart, Attempt: 1, At: t0 + 7})
	if again, _ = again.Step(Input{Kind: Poll, Attempt: 2, Status: contract.StatusError, At: t0 + 8}); again.Error != "" {
		t.Errorf("the error of attempt 1 is reported for attempt 2: %+v", again)
	}
	if late, _ := a.Step(Input{Kind: Poll, Attempt: 1, Status: contract.StatusExpired, At: t0 + 8}); late.Error != "" {
		t.Errorf("what ran out of time keeps an error: %+v", late)
	}
	if first, _ := a.Step(Input{Kind: ReturnError, Attempt: 1, Error: contract.WidgetRequestTimeout, At: t0 + 8}); first != a {
		t.Errorf("a second return replaced the first: %+v", first)
	}
}

func TestTextsAreComplete(t *testing.T) {
	both := func(what string, k i18n.Key) {
		en, es := i18n.T(i18n.English, k), i18n.T(i18n.Spanish, k)
		if en == es || !strings.HasSuffix(en, ".") || !strings.HasSuffix(es, ".") {
			t.Errorf("texts for %s = %q, %q", what, en, es)
		}
	}
	for _, s := range States() {
		both(string(s), Text(at(s)))
	}
	seen := map[i18n.Key]contract.Status{}
	for _, s := range append(contract.Statuses(), contract.StatusError) {
		w := StatusText(s, "")
		both(string(s), w)
		if other, dup := seen[w]; dup && other != s {
			t.Errorf("%s and %s have the same words", s, other)
		}
		seen[w] = s
	}
	for _, sub := range []contract.Substatus{contract.SubIncompatibleAccounts, contract.SubNoRecentInformation, contract.SubMFARequired,
		contract.SubIncomplete, contract.SubEBankingNotSupported, contract.SubWidgetSessionExpired, "INVALID_PREFILL_DOB"} {
		w := StatusText(contract.StatusError, sub)
		both(string(sub), w)
		if w == StatusText(contract.StatusError, "") {
			t.Errorf("%s has no message", sub)
		}
	}
	if StatusText(contract.StatusError, "SOMETHING_NEW") != StatusText(contract.StatusError, "") {
		t.Error("an unknown substatus changes the words")
	}
}

func TestCanRetry(t *testing.T) {
	rows := []struct {
		a    Application
		want bool
	}{
		{at(Started), false},
		{at(Connecting), false},
		{at(Pending), false},
		{at(Ready), false},
		{at(Exited), true},
		{at(Expired), true},
		{Application{State: Failed, Status: contract.StatusError}, true},
		{Application{State: Failed, Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired}, true},
		{Application{State: Failed, Status: contract.StatusError, Substatus: "INVALID_PREFILL_EMAIL"}, false},
		{Application{State: Failed, Error: contract.WidgetRequestTimeout}, true},
		{Application{State: Failed, Error: contract.WidgetInvalidProduct}, false},
	}
	for _, r := range rows {
		if got := r.a.CanRetry(); got != r.want {
			t.Errorf("CanRetry(%+v) = %v, want %v", r.a, got, r.want)
		}
	}
}

func TestOutcome(t *testing.T) {
	for _, tc := range []struct {
		a    Application
		want contract.Outcome
	}{
		{at(Started), ""}, {at(Connecting), ""}, {at(Returned), ""}, {at(Expired), ""},
		{at(Pending), contract.OutcomeSuccess}, {at(Ready), contract.OutcomeSuccess}, {at(Exited), contract.OutcomeExit},
		{Application{State: Failed, Status: contract.StatusError}, contract.OutcomeSuccess},
		{Application{State: Failed, Status: contract.StatusNotAuthenticated}, contract.OutcomeError},
		{Application{State: Failed, Status: contract.StatusSupplierUnresponsive}, contract.OutcomeError},
		{Application{State: Failed, Error: contract.WidgetSupplierError}, contract.OutcomeError},
	} {
		if got := tc.a.Outcome(); got != tc.want {
			t.Errorf("outcome of %+v = %q, want %q", tc.a, got, tc.want)
		}
	}
}

// TestTextNamesMostSpecificCause checks that the report's status replaces SUPPLIER_ERROR,
// which a redirect callback has for any failure at the source.
func TestTextNamesMostSpecificCause(t *testing.T) {
	for _, c := range []struct {
		a    Application
		want i18n.Key
	}{
		{Application{State: Failed, Error: contract.WidgetSupplierError}, contract.WidgetSupplierError.Applicant()},
		{Application{State: Failed, Error: contract.WidgetSupplierError, Status: contract.StatusError}, contract.WidgetSupplierError.Applicant()},
		{Application{State: Failed, Error: contract.WidgetSupplierError, Status: contract.StatusNotAuthenticated},
			StatusText(contract.StatusNotAuthenticated, "")},
		{Application{State: Failed, Error: contract.WidgetSupplierError, Status: contract.StatusNotAuthenticated,
			Substatus: contract.SubMFARequired}, StatusText("", contract.SubMFARequired)},
		{Application{State: Failed, Error: contract.WidgetUnknownCustomer, Status: contract.StatusNotAuthenticated},
			contract.WidgetUnknownCustomer.Applicant()},
	} {
		if got := Text(c.a); got != c.want {
			t.Errorf("%+v says %q, want %q", c.a, got, c.want)
		}
	}
	if a := (Application{State: Failed, Error: contract.WidgetSupplierError, Status: contract.StatusNotAuthenticated}); !a.CanRetry() {
		t.Error("no retry after a wrong password")
	}
}

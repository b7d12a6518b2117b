package journey

import (
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/testutil/proptest"

	"pgregory.net/rapid"
)

// caller drops inputs whose key it has seen, as every caller must.
type caller struct {
	app     Application
	seen    map[string]bool
	fetches int
}

func newCaller() *caller { return &caller{app: New(t0), seen: map[string]bool{}} }

func (c *caller) take(in Input) Do {
	if c.seen[in.Key()] {
		return 0
	}
	c.seen[in.Key()] = true
	next, do := c.app.Step(in)
	c.app = next
	if do.Has(Fetch) {
		c.fetches++
	}
	return do
}

func drawInput(t *rapid.T) Input {
	return Input{
		Kind: rapid.SampledFrom([]Kind{Connect, CallbackSuccess, CallbackExit, CallbackError, ReturnSuccess, ReturnExit,
			ReturnError, Webhook, Poll, Fetched, Tick, Restart, Reopen}).Draw(t, "kind"),
		Attempt:     rapid.IntRange(0, 4).Draw(t, "attempt"),
		EventID:     rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "event"),
		PublicToken: rapid.SampledFrom([]string{"", "p", "q"}).Draw(t, "token"),
		Status:      rapid.SampledFrom(append(contract.Statuses(), "", "ODD")).Draw(t, "status"),
		Substatus:   rapid.SampledFrom([]contract.Substatus{"", contract.SubMFARequired}).Draw(t, "substatus"),
		Error:       rapid.SampledFrom([]contract.WidgetError{"", contract.WidgetInvalidToken, contract.WidgetPrefillDOB}).Draw(t, "error"),
		At:          t0 + rapid.Int64Range(0, 2*Lifetime).Draw(t, "at"),
	}
}

// TestProperties checks that, for any inputs in any order, a report is fetched at most
// once and given up only by time, that only Reopen changes a ready application, that
// nothing undoes a success, and that a repeated input changes nothing.
func TestProperties(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		a, fetches, proven := New(t0), 0, false
		for i := range rapid.IntRange(1, 40).Draw(t, "n") {
			in := drawInput(t)
			next, do := a.Step(in)
			if a.State == Failed && a.Succeeded != 0 && do.Has(NewAttempt) {
				fetches, proven = 0, false // a new attempt after a report that could not be fetched
			}
			if do.Has(Fetch) {
				fetches++
				proven = true
				if next.State != Pending || next.Succeeded != in.Attempt {
					t.Fatalf("step %d: fetch asked for in %+v", i, next)
				}
			}
			if a.State == Ready && in.Kind == Reopen && do.Has(NewAttempt) {
				fetches, proven = 0, false // a reviewer asked for more
			} else if a.State == Ready && (next != a || do != 0) {
				t.Fatalf("step %d: %+v moved ready", i, in)
			}
			if in.Attempt <= a.Closed && in.Kind != Connect && in.Kind != Tick && next != a {
				t.Fatalf("step %d: %+v of a closed attempt moved %+v", i, in, a)
			}
			if next.State == Ready && a.State != Ready && in.Kind != Fetched {
				t.Fatalf("step %d: ready by %s", i, in.Kind)
			}
			lost := next.State == Failed && next.Succeeded != 0
			if lost && a.State != Failed && (in.Kind != Tick || a.State != Pending || in.At-a.Since < Lifetime) {
				t.Fatalf("step %d: %+v lost the report of %+v", i, in, a)
			}
			if proven && next.State != Pending && next.State != Ready && !lost {
				t.Fatalf("step %d: a proven success was undone by %+v: %+v", i, in, next)
			}
			if next.Attempt < a.Attempt || next.Attempt > a.Attempt+1 {
				t.Fatalf("step %d: attempt went from %d to %d", i, a.Attempt, next.Attempt)
			}
			if do.Has(NewAttempt) != (next.Attempt == a.Attempt+1) || do.Has(Notify) != (next != a) {
				t.Fatalf("step %d: %+v → %+v asks %b", i, a, next, do)
			}
			// The same input again. A second Connect opens an attempt, but callers drop it by its key.
			if in.Kind != Connect {
				again, do := next.Step(in)
				if again.State != next.State || again.Attempt != next.Attempt || do.Has(Fetch) || do.Has(NewAttempt) {
					t.Fatalf("step %d: %+v said twice: %+v → %+v", i, in, next, again)
				}
			}
			a = next
		}
		if fetches > 1 {
			t.Fatalf("%d fetches", fetches)
		}
	})
}

// TestAnyOrder checks that widget callback, redirect callback, webhook and poll of a
// success, in any order and number, end in pending with one fetch, then in ready. The
// attempt is open, exited or expired before.
func TestAnyOrder(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		c := newCaller()
		c.take(Input{Kind: Connect, At: t0})
		switch rapid.SampledFrom([]string{"open", "left", "late"}).Draw(t, "from") {
		case "left":
			c.take(Input{Kind: CallbackExit, Attempt: 1, EventID: "x", At: t0 + 1})
		case "late":
			c.take(Input{Kind: Tick, Attempt: 1, At: t0 + Lifetime})
		}
		inputs := []Input{
			{Kind: CallbackSuccess, Attempt: 1, EventID: "h", PublicToken: "p", Status: contract.StatusSuccess},
			{Kind: ReturnSuccess, Attempt: 1, PublicToken: "p", Status: contract.StatusSuccess},
			{Kind: ReturnSuccess, Attempt: 1, PublicToken: "p", Status: contract.StatusPending},
			{Kind: Webhook, Attempt: 1, EventID: "w", PublicToken: "p", Status: contract.StatusSuccess},
			{Kind: Webhook, Attempt: 1, EventID: "v", PublicToken: "p", Status: contract.StatusPending},
			{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess},
			{Kind: Poll, Attempt: 1, Status: contract.StatusPending},
		}
		for range rapid.IntRange(1, 20).Draw(t, "n") {
			in := rapid.SampledFrom(inputs).Draw(t, "inputs")
			in.At = t0 + Lifetime + 1
			c.take(in)
		}
		// The server polls until the visit is decided, so that a proof always arrives.
		c.take(Input{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess, At: t0 + Lifetime + 2})
		if c.app.State != Pending || c.app.Succeeded != 1 || c.fetches != 1 {
			t.Fatalf("after the inputs: %+v with %d fetches, want pending with one", c.app, c.fetches)
		}
		c.take(Input{Kind: Fetched, Attempt: 1, PublicToken: "p", At: t0 + Lifetime + 3})
		for range rapid.IntRange(0, 5).Draw(t, "after") {
			c.take(rapid.SampledFrom(inputs).Draw(t, "late inputs"))
		}
		if c.app.State != Ready || c.fetches != 1 || c.app.PublicToken != "p" || c.app.Status != contract.StatusSuccess {
			t.Fatalf("at the end: %+v with %d fetches", c.app, c.fetches)
		}
	})
}

// TestOlderProofs checks that a proof of an older attempt changes nothing, whatever the
// newest attempt's state, unless it is the first success.
func TestOlderProofs(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		a := Application{State: rapid.SampledFrom(States()).Draw(t, "state"), Attempt: 3, Since: t0, PublicToken: "new"}
		if a.State == Ready || rapid.Bool().Draw(t, "succeeded") && a.State == Pending {
			a.Succeeded = rapid.IntRange(1, 3).Draw(t, "which")
		}
		if a.State == Started {
			a.Attempt, a.PublicToken = 0, ""
		}
		in := drawInput(t)
		in.Attempt = rapid.IntRange(1, 2).Draw(t, "older")
		if in.Kind == Tick || in.Kind == Connect || in.Kind == Restart {
			in.Kind = Webhook
		}
		got, do := a.Step(in)
		proof := in.Kind == Webhook || in.Kind == Poll || in.Kind == ReturnSuccess
		counts := proof && in.Status == contract.StatusSuccess && a.Succeeded == 0 && a.State != Started
		if counts {
			if got.State != Pending || got.Succeeded != in.Attempt || got.PublicToken != in.PublicToken || !do.Has(Fetch) {
				t.Fatalf("%+v of an older attempt did not count: %+v, %b", in, got, do)
			}
			return
		}
		if in.Kind == Fetched && a.Succeeded == in.Attempt && a.State == Pending {
			return
		}
		if got != a || do.Has(Fetch) {
			t.Fatalf("%+v of an older attempt moved %+v to %+v", in, a, got)
		}
	})
}

// TestKeys checks that two inputs have the same key exactly if only one of them may be
// applied.
func TestKeys(t *testing.T) {
	same := [][2]Input{
		{{Kind: Webhook, Attempt: 1, EventID: "a", PublicToken: "p", Status: contract.StatusSuccess, At: 1},
			{Kind: Poll, Attempt: 1, PublicToken: "p", Status: contract.StatusSuccess, At: 2}},
		{{Kind: ReturnSuccess, Attempt: 1}, {Kind: ReturnExit, Attempt: 1}},
		{{Kind: CallbackSuccess, Attempt: 1, EventID: "a", At: 1}, {Kind: CallbackSuccess, Attempt: 1, EventID: "a", At: 2}},
		{{Kind: Restart, Attempt: 1, At: 1}, {Kind: Restart, Attempt: 1, At: 2}},
	}
	for _, s := range same {
		if s[0].Key() != s[1].Key() {
			t.Errorf("%+v and %+v have the keys %q and %q, want one", s[0], s[1], s[0].Key(), s[1].Key())
		}
	}
	apart := []Input{
		{Kind: Connect}, {Kind: Connect, Attempt: 1}, {Kind: Restart, Attempt: 1}, {Kind: Fetched, Attempt: 1},
		{Kind: CallbackSuccess, Attempt: 1, EventID: "a"}, {Kind: CallbackSuccess, Attempt: 1, EventID: "b"},
		{Kind: CallbackSuccess, Attempt: 2, EventID: "a"},
		{Kind: CallbackExit, Attempt: 1, EventID: "a"}, {Kind: ReturnExit, Attempt: 1}, {Kind: ReturnExit, Attempt: 2},
		{Kind: Poll, Attempt: 1, Status: contract.StatusPending, At: 1}, {Kind: Poll, Attempt: 1, Status: contract.StatusPending, At: 2},
		{Kind: Webhook, Attempt: 1, Status: contract.StatusPending, EventID: "a"},
		{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess}, {Kind: Poll, Attempt: 2, Status: contract.StatusSuccess},
		{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess, Substatus: contract.SubNoRecentInformation},
		{Kind: Poll, Attempt: 1, Status: contract.StatusSuccess, PublicToken: "p"},
		{Kind: Tick, Attempt: 1, At: 1}, {Kind: Tick, Attempt: 1, At: 2},
	}
	keys := map[string]Input{}
	for _, in := range apart {
		if other, dup := keys[in.Key()]; dup {
			t.Errorf("%+v and %+v share the key %q", in, other, in.Key())
		}
		keys[in.Key()] = in
	}
}

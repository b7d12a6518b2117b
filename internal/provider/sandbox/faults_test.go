package sandbox

import (
	"net/http/httptest"
	"testing"

	"vestibule/internal/provider/sandbox/fdxbank"
)

// TestFaultsOfBanks checks which bank an action bank:FAULT reaches, and that it reaches no
// request itself.
func TestFaultsOfBanks(t *testing.T) {
	for _, c := range []struct {
		fault Fault
		field string
	}{
		{Fault{"* /acorn-cove/*", -1, "bank:repeat"}, ""},
		{Fault{"* /*", -1, "bank:500"}, ""},
		{Fault{"* /*", 1, "bank:500"}, "times"},
		{Fault{"* /*", -1, "bank:nothing"}, "action"},
		{Fault{"* /*", -1, "bank"}, "action"},
	} {
		if field, _ := c.fault.check(); field != c.field {
			t.Errorf("%+v: %q is wrong, want %q", c.fault, field, c.field)
		}
	}
	f := &Faults{}
	f.Add(Fault{"GET /acorn-cove/*", -1, "bank:repeat"})
	for _, c := range []struct {
		institution, username string
		want                  fdxbank.Fault
	}{
		{"acorn-cove", "default", fdxbank.FaultRepeat},
		{"acorn-cove", "fdx_slow", fdxbank.FaultRepeat},
		{"acorn", "default", fdxbank.FaultNone},
		{"acorn-cove-savings", "default", fdxbank.FaultNone},
		{"beech", "fdx_slow", fdxbank.FaultSlow},
	} {
		if got := f.Bank(c.institution, c.username); got != c.want {
			t.Errorf("%s at %s: %q, want %q", c.username, c.institution, got, c.want)
		}
	}
	if action, ok := f.match(httptest.NewRequest("GET", "/acorn-cove/fdx/v6/accounts", nil)); ok {
		t.Errorf("the request meets %s", action)
	}
	f.Add(Fault{"* /*", -1, "bank:500"})
	if got := f.Bank("beech", "fdx_slow"); got != fdxbank.FaultError {
		t.Errorf("every bank: %q", got)
	}
	f.Clear()
	if got := f.Bank("acorn-cove", "default"); got != fdxbank.FaultNone {
		t.Errorf("cleared: %q", got)
	}
}

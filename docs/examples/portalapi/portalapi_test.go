package portalapi

import "testing"

func TestNext(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		a    Application
		want Next
	}{
		{Application{State: "connecting"}, Wait},
		{Application{State: "pending", Status: text("PENDING")}, Wait},
		{Application{State: "ready", Status: text("SUCCESS")}, decide},
		{Application{State: "ready", Status: text("SUCCESS"), Substatus: text("NO_RECENT_USABLE_INFORMATION")}, Review},
		{Application{State: "ready"}, Review},
		{Application{State: "failed", Status: text("NOT_AUTHENTICATED")}, Retry},
		{Application{State: "exited"}, Retry},
		{Application{State: "expired"}, Retry},
	} {
		if got := c.a.next(); got != c.want {
			t.Errorf("%+v: %s, want %s", c.a, got, c.want)
		}
	}
}

package applications

import (
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
)

// TestResumable checks that an application is resumable exactly if it
// allows another attempt that can help.
func TestResumable(t *testing.T) {
	for _, tc := range []struct {
		name string
		j    journey.Application
		want bool
	}{
		{"not opened yet", journey.Application{State: journey.Started}, true},
		{"one that is open", journey.Application{State: journey.Connecting, Attempt: 1}, true},
		{"one that is finished, as the browser says", journey.Application{State: journey.Returned, Attempt: 1}, false},
		{"one whose report is being made", journey.Application{State: journey.Pending, Attempt: 1}, false},
		{"one that has its report", journey.Application{State: journey.Ready, Attempt: 1}, false},
		{"one that was closed", journey.Application{State: journey.Exited, Attempt: 1}, true},
		{"one that ran out of time", journey.Application{State: journey.Expired, Attempt: 1}, true},
		{"one that failed", journey.Application{State: journey.Failed, Attempt: 1, Status: contract.StatusError}, true},
		{"one that would fail again", journey.Application{State: journey.Failed, Attempt: 1, Error: contract.WidgetInvalidProduct}, false},
		{"one with its last attempt behind it", journey.Application{State: journey.Exited, Attempt: maxAttempts}, false},
	} {
		if got := (Application{Journey: tc.j}).Resumable(); got != tc.want {
			t.Errorf("%s: resumable %v, want %v", tc.name, got, tc.want)
		}
	}
}

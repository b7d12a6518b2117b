package outbox

import (
	"testing"
	"time"
)

func TestWaitsBetweenAttempts(t *testing.T) {
	all := time.Duration(0)
	for attempt := 1; attempt < maxAttempts; attempt++ {
		wait := backoff(attempt)
		if wait < 30*time.Second || wait > 6*time.Hour || attempt > 1 && wait < backoff(attempt-1) {
			t.Errorf("after attempt %d: %s", attempt, wait)
		}
		all += wait
	}
	if all < 60*time.Hour || all > 84*time.Hour {
		t.Errorf("all together %s, want about the 72 hours of a link", all)
	}
}

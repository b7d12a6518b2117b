package invites

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
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

func TestEmailText(t *testing.T) {
	subject, text := compose("Harbor\r\nBcc: x", "https://service.example/invite/Jx0cV5Wm2fS8pQ7rN4tB1yK6hD3gL9zA",
		time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC))
	want, err := os.ReadFile(filepath.Join("testdata", "letter.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), "Subject: "+subject+"\n\n"+text); d != "" {
		t.Error(d)
	}
}

package invites

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

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

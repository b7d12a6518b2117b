package invites

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/i18n"
)

// TestEmailText checks the subject and the text for readers of an unknown language, and of
// each language. The HTML has the same texts.
func TestEmailText(t *testing.T) {
	const link = "https://service.example/invite/Jx0cV5Wm2fS8pQ7rN4tB1yK6hD3gL9zA"
	for file, reader := range map[string]i18n.Lang{"letter.txt": "", "letter.en.txt": i18n.English, "letter.es.txt": i18n.Spanish} {
		look, text := compose("Harbor\r\nBcc: x", link, reader, time.Date(2026, 11, 24, 12, 0, 0, 0, time.UTC))
		want, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(string(want), "Subject: "+look.Subject+"\n\n"+text); d != "" {
			t.Errorf("%s: %s", file, d)
		}
		if reader != "" && look.Lang != reader {
			t.Errorf("%s: the HTML's language is %q", file, look.Lang)
		}
		for _, part := range look.Texts {
			if !strings.Contains(text, part.Text) {
				t.Errorf("%s: the text part has no %q", file, part.Text)
			}
		}
	}
}

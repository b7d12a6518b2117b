package docs_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/testutil"
	"vestibule/internal/testutil/tools"
)

// signedResults are tokens around the bounds that the portal keeps.
var signedResults = []struct {
	name      string
	good      bool
	iat, exp  time.Duration // from now
	key, typ  int
	malformed func(token string) string
}{
	{name: "issued now", good: true, exp: 5 * time.Minute},
	{name: "that lives as long as it may", good: true, iat: -time.Second, exp: jose.MaxLifetime - time.Second},
	{name: "from a clock that is a little ahead", good: true, iat: jose.Skew - 10*time.Second, exp: 5 * time.Minute},
	{name: "that ended within the skew", good: true, iat: -5 * time.Minute, exp: -time.Second},
	{name: "that lives too long", iat: -time.Second, exp: jose.MaxLifetime},
	{name: "from the future", iat: jose.Skew + 3*time.Minute, exp: 5 * time.Minute},
	{name: "that ended before the skew", iat: -5 * time.Minute, exp: -jose.Skew - time.Second},
	{name: "issued too long ago", iat: -jose.MaxLifetime - 10*time.Second, exp: -11 * time.Second},
	{name: "that ends before it begins", iat: 0, exp: -time.Second},
	{name: "by another key", exp: 5 * time.Minute, key: 1},
	{name: "of another type", exp: 5 * time.Minute, typ: 1},
	{name: "with another signature", exp: 5 * time.Minute, malformed: func(s string) string {
		i := strings.LastIndex(s, ".") + 1
		other := "A"
		if s[i] == 'A' {
			other = "B"
		}
		return s[:i] + other + s[i+1:]
	}},
	{name: "with a fourth part", exp: 5 * time.Minute, malformed: func(s string) string { return s + ".e30" }},
	{name: "that is too long", exp: 5 * time.Minute, malformed: func(s string) string { return s + strings.Repeat("=", jose.MaxToken) }},
}

// TestSignedResultVerification runs the page's code on tokens around the bounds that
// the portal itself keeps, well on either side of them, and on others.
func TestSignedResultVerification(t *testing.T) {
	if testing.Short() {
		t.Skip("starts Node for each case")
	}
	node := tools.Program(t, "node")
	page, err := os.ReadFile("tutorials/redirect.md")
	testutil.Must(t, err)
	_, rest, _ := strings.Cut(string(page), "<<'JS'\n")
	code, _, ok := strings.Cut(rest, "\nJS\n")
	if !ok {
		t.Fatal("redirect.md has no code")
	}
	var keys [2]*jose.PrivateKey
	for i := range keys {
		if keys[i], err = jose.GenerateKey(); err != nil {
			t.Fatal(err)
		}
	}
	set := testutil.JSON(t, jose.KeySet{keys[0].Public()})
	keys[1].ID = keys[0].ID
	for _, c := range signedResults {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			now := time.Now() // when this case starts: other cases run before it
			signer := jose.Signer{Key: keys[c.key], Type: [...]string{"outcome+jwt", "at+jwt"}[c.typ]}
			token, err := signer.Sign(now.Add(c.iat), now.Add(c.exp), jose.Claims{"aud": "svc-1", "outcome": "SUCCESS"})
			testutil.Must(t, err)
			if c.malformed != nil {
				token = c.malformed(token)
			}
			dir := t.TempDir()
			for name, text := range map[string]string{"verify.mjs": code, "keys.json": string(set), "jwt": token} {
				testutil.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600))
			}
			run := exec.Command(node, "verify.mjs")
			run.Dir = dir
			said, err := run.CombinedOutput()
			switch {
			case c.good && (err != nil || !strings.Contains(string(said), "'SUCCESS'")):
				t.Errorf("%v\n%s", err, said)
			case !c.good && (err == nil || !strings.Contains(string(said), "refused")):
				t.Errorf("%v\n%s", err, said)
			}
		})
	}
}

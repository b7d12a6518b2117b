package dashboard

import (
	"crypto/aes"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/httpx"
)

// bare returns a Service without the packages that it uses.
func bare(t *testing.T, public string) *Service {
	t.Helper()
	u, err := url.Parse(public)
	if err != nil {
		t.Fatal(err)
	}
	block, err := aes.NewCipher([]byte("a key of exactly thirty-two byte"))
	if err != nil {
		t.Fatal(err)
	}
	return &Service{Pages: Pages{public: u, forms: []byte("another key")}, block: block}
}

// TestCrossSiteRequestsAreRejected checks that requests are rejected unless the browser's
// Fetch Metadata and Origin headers say that they come from these pages, even with the
// session's cookie.
func TestCrossSiteRequestsAreRejected(t *testing.T) {
	s := bare(t, "https://service.example")
	const host = "service.example"
	page := []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}
	with := func(more ...string) []string { return append(append([]string{}, page...), more...) }
	for name, tc := range map[string]struct {
		method, host string
		header       []string
		status       int // 0: let in
	}{
		"a link": {"GET", host, page, 0},
		"a link of another site": {"GET", host, []string{"Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 0},
		"a browser that says nothing":        {"GET", host, nil, 0},
		"a form":                             {"POST", host, with("Origin", "null"), 0},
		"a form with its origin":             {"POST", host, with("Origin", "https://service.example"), 0},
		"a form of a browser that says less": {"POST", host, []string{"Origin", "https://service.example"}, 0},
		"in a frame": {"GET", host, []string{"Sec-Fetch-Site", "same-origin",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "iframe"}, 403},
		"read by script of the hosted page": {"GET", host, []string{"Sec-Fetch-Site", "same-origin",
			"Sec-Fetch-Mode", "cors", "Sec-Fetch-Dest", "empty"}, 403},
		"prefetched":                      {"GET", host, with("Sec-Purpose", "prefetch;prerender"), 403},
		"another host":                    {"GET", "evil.example", page, 421},
		"another port":                    {"GET", "service.example:444", page, 421},
		"this machine's name for another": {"GET", "localhost", page, 421},
		"posted by script of the hosted page": {"POST", host, []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode",
			"cors", "Sec-Fetch-Dest", "empty", "Origin", "https://service.example"}, 403},
		"posted in the widget's frame": {"POST", host, []string{"Sec-Fetch-Site", "same-origin", "Sec-Fetch-Mode",
			"navigate", "Sec-Fetch-Dest", "iframe", "Origin", "https://service.example"}, 403},
		"posted by another site": {"POST", host, []string{"Sec-Fetch-Site", "cross-site", "Sec-Fetch-Mode",
			"navigate", "Sec-Fetch-Dest", "document", "Origin", "null"}, 403},
		"posted by a sister of the site": {"POST", host, []string{"Sec-Fetch-Site", "same-site",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		"posted from the address bar": {"POST", host, []string{"Sec-Fetch-Site", "none",
			"Sec-Fetch-Mode", "navigate", "Sec-Fetch-Dest", "document"}, 403},
		"posted from nowhere":                   {"POST", host, nil, 403},
		"posted by another origin":              {"POST", host, []string{"Origin", "https://evil.example"}, 403},
		"posted by the origin without TLS":      {"POST", host, []string{"Origin", "http://service.example"}, 403},
		"posted by an origin that hides itself": {"POST", host, []string{"Origin", "null"}, 403},
		"posted from two origins": {"POST", host,
			[]string{"Origin", "https://service.example", "Origin", "https://evil.example"}, 403},
		"posted from two sites":               {"POST", host, with("Sec-Fetch-Site", "cross-site"), 403},
		"an origin that contradicts the site": {"POST", host, with("Origin", "https://evil.example"), 403},
	} {
		r := httptest.NewRequest(tc.method, "https://service.example/dashboard/webhooks", strings.NewReader(""))
		r.Host, r.Header = tc.host, http.Header{}
		for i := 0; i < len(tc.header); i += 2 {
			r.Header.Add(tc.header[i], tc.header[i+1])
		}
		err, status := s.guard(r), 0
		if err != nil {
			status = httpx.AsError(err).HTTPStatus()
		}
		if status != tc.status {
			t.Errorf("%s: %d (%v), want %d", name, status, err, tc.status)
		}
	}
	local := bare(t, "http://127.0.0.1:8081")
	for host, want := range map[string]bool{"127.0.0.1:8081": true, "localhost:8081": true, "[::1]:8081": true,
		"localhost:8080": false, "rebound.example:8081": false, "10.0.0.1:8081": false} {
		if got := local.ourHost(host); got != want {
			t.Errorf("on this machine, ourHost(%q) = %v, want %v", host, got, want)
		}
	}
}

func TestReferencesHideIDs(t *testing.T) {
	s := bare(t, "https://service.example")
	for range 100 {
		token := uuid.NewString()
		ref := s.Reference(token)
		if ref == token || len(ref) != 36 || s.token(ref) != token || s.Reference(token) != ref {
			t.Fatalf("reference(%s) = %s, which names %s", token, ref, s.token(ref))
		}
	}
	for _, bad := range []string{"", "x", "urn:uuid:" + uuid.NewString(), "{" + uuid.NewString() + "}",
		strings.ReplaceAll(uuid.NewString(), "-", "")} {
		if got := s.token(bad); got != "" {
			t.Errorf("token(%q) = %q", bad, got)
		}
	}
	if got := s.Reference("no token"); got != "" {
		t.Errorf("reference of what is none = %q", got)
	}
}

func TestNonceBelongsToItsSession(t *testing.T) {
	s := bare(t, "https://service.example")
	once := s.once("mine")
	nonce := s.nonce("mine", once)
	if nonce == "" || s.nonce("mine", s.once("mine")) == nonce {
		t.Errorf("nonces are %q and the same", nonce)
	}
	flipped := "A"
	if once[0] == 'A' {
		flipped = "B"
	}
	for name, got := range map[string]string{"another session": s.nonce("yours", once), "flipped": s.nonce("mine", flipped+once[1:]),
		"cut": s.nonce("mine", once[:20]), "empty": s.nonce("mine", ""),
		"longer": s.nonce("mine", once+"AAAA"), "no base-64": s.nonce("mine", "!")} {
		if got != "" {
			t.Errorf("%s: taken for a nonce", name)
		}
	}
}

package svcapi

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestBuiltInProfileHasEachSetting(t *testing.T) {
	p, err := LoadProfile("")
	if err != nil {
		t.Fatal(err)
	}
	for _, product := range []string{"cashflow", "income", "eligibility", "passport"} {
		if p.Addresses[Address(product)] == "" {
			t.Errorf("there is no address of %s", product)
		}
	}
	const base = "https://api.example"
	if got := p.At(base, AddressKeySet); got != base+"/connect/jwkset" {
		t.Errorf("key set at %s", got)
	}
	policy := p.Policy(base)
	for _, origins := range [][]string{policy.Script, policy.Frame, policy.FormAction, p.PageOrigins(base)} {
		if len(origins) != 1 || origins[0] != base {
			t.Errorf("origins %v, want %s alone", origins, base)
		}
	}
}

func TestProfileFaults(t *testing.T) {
	for text, want := range map[string]string{
		"":                                        "",
		"addresses: {keySet: /jwkset}":            "",
		"addresses: {keySet: //evil.example/k}":   "addresses.keySet",
		"addresses: {keySet: /a/../b}":            "addresses.keySet",
		"addresses: {keySet: 'javascript:x'}":     "addresses.keySet",
		"addresses: {keySet: }":                   "", // as if it were not there
		"addresses: {keyset: /jwkset}":            "addresses: the key keyset is unknown",
		"addresses:":                              "addresses: must not be empty",
		"adresses: {}":                            "line 1: the key adresses is unknown",
		"url: ftp://x":                            "url",
		"headers: {environment: ''}":              "",
		"headers: {publicToken: ''}":              "headers.publicToken",
		"headers: {publicToken: Authorization}":   "headers.publicToken",
		"headers: {publicToken: 'A: b'}":          "headers.publicToken",
		"headers: {publicToken: x-external-id}":   "headers: externalId and publicToken have one name",
		"accessTokenEncoding: hex":                "accessTokenEncoding",
		"widgetGlobal: a.b":                       "widgetGlobal",
		"pages: ['https://pages.example/path']":   "pages",
		"pages: ['https://*.example']":            "pages",
		"frames: ['data:']":                       "frames",
		"connects: [https://a.example; x]":        "connects",
		"redirectTokenField: 'a b'":               "redirectTokenField",
		"result: {parameter: 'a&b'}":              "result.parameter",
		"result: {placeholder: '&x'}":             "result.placeholder",
		"result: {encoding: jwe}":                 "result.encoding",
		"result: {types: []}":                     "result.types",
		"result: {algorithms: [HS256]}":           "result.algorithms",
		"result: {algorithms: [none]}":            "result.algorithms",
		"result: {claims: {outcome: status}}":     "result.claims: outcome and status have one name",
		"result: {claims: {outcome: ''}}":         "result.claims.outcome",
		"webhookHeaders: {id: ''}":                "webhookHeaders.id",
		"url: https://a.example/v1/\npages: []\n": "",
	} {
		_, err := ParseProfile([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}

// TestDocumentedProfile parses the example of the guide.
func TestDocumentedProfile(t *testing.T) {
	guide, err := os.ReadFile("../../docs/how-to/another-provider.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(guide), "```yaml\n")
	example, _, _ := strings.Cut(rest, "```")
	p, err := ParseProfile([]byte(example))
	if err != nil || p.Headers[HeaderPublicToken] != "X-REPORT" {
		t.Errorf("%v, %+v", err, p)
	}
	for setting := range strings.SplitSeq("url addresses headers accessTokenEncoding widgetGlobal pages frames connects "+
		"redirectTokenField result webhookHeaders", " ") {
		if !strings.Contains(string(guide), "`"+setting+"`") {
			t.Errorf("the guide does not explain %s", setting)
		}
	}
}

func TestLoadProfileBoundsItsFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "provider.yaml")
	if err := os.WriteFile(file, []byte(strings.Repeat("#", maxProfile+1)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{file: "larger than", file + ".not": "no such file"} {
		if _, err := LoadProfile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestProfileAddressesAreSafe: credentials go to no address that a network can read.
func TestProfileAddressesAreSafe(t *testing.T) {
	p, err := ParseProfile([]byte("addresses: {status: 'http://api.example/status'}"))
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	c := (&service{handler: func(http.ResponseWriter, *http.Request) { asked++ }}).client()
	c.Profile = p
	if err := c.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "addresses.status") || asked != 0 {
		t.Errorf("%v after %d requests", err, asked)
	}
}

func TestResultDecode(t *testing.T) {
	for _, tc := range []struct{ encoding, received, want string }{
		{"jwt", "a.b.c", "a.b.c"},
		{"base64", "YS5iLmM=", "a.b.c"},
		{"base64", "YS5iLmM", "a.b.c"},
		{"base64", "fn5-fj8_", "~~~~??"},
		{"base64", "fn5 fj8/", "~~~~??"},
		{"base64", "a.b.c", ""},
		{"base64", "", ""},
	} {
		if got := (ResultForm{Encoding: tc.encoding}).Decode(tc.received); got != tc.want {
			t.Errorf("%s of %q = %q, want %q", tc.encoding, tc.received, got, tc.want)
		}
	}
}

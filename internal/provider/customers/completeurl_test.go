package customers

import (
	"bufio"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"
)

var registered = []string{"https://app.example/return", "http://localhost:8080/redirect/return?jwt=[token]"}

func TestMatchCompleteURLRejects(t *testing.T) {
	f, err := os.Open("testdata/hostile.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	n := 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if strings.HasPrefix(line, `"`) {
			if line, err = strconv.Unquote(line); err != nil {
				t.Fatal(err)
			}
		}
		n++
		if c, err := MatchCompleteURL(line, registered); err == nil {
			t.Errorf("MatchCompleteURL(%q) = %+v, want an error", line, c)
		}
	}
	if n < 50 {
		t.Errorf("%d lines were read", n)
	}
	if _, err := MatchCompleteURL("https://app.example/return?"+strings.Repeat("a", maxURL), registered); err == nil {
		t.Error("a URL longer than maxURL is accepted")
	}
}

func TestMatchCompleteURLAccepts(t *testing.T) {
	for _, c := range []struct{ name, raw, with, without string }{
		{"the registered URL", "https://app.example/return", "https://app.example/return?jwt=T", "https://app.example/return"},
		{"a path below it", "https://app.example/return/42", "https://app.example/return/42?jwt=T", "https://app.example/return/42"},
		{"a path with a trailing slash", "https://app.example/return/", "https://app.example/return/?jwt=T", "https://app.example/return/"},
		{"the default port", "https://app.example:443/return",
			"https://app.example:443/return?jwt=T", "https://app.example:443/return"},
		{"a host in capitals", "https://APP.example/return", "https://APP.example/return?jwt=T", "https://APP.example/return"},
		{"a query", "https://app.example/return?a=1", "https://app.example/return?a=1&jwt=T", "https://app.example/return?a=1"},
		{"an empty query", "https://app.example/return?", "https://app.example/return?jwt=T", "https://app.example/return"},
		{"the placeholder", "https://app.example/return?jwt=[token]", "https://app.example/return?jwt=T", "https://app.example/return"},
		{"the placeholder in another parameter", "https://app.example/return?a=1&t=[token]&b=2",
			"https://app.example/return?a=1&t=T&b=2", "https://app.example/return?a=1&b=2"},
		{"the encoded placeholder", "https://app.example/return?jwt=%5Btoken%5D",
			"https://app.example/return?jwt=T", "https://app.example/return"},
		{"the encoded placeholder in lower case", "https://app.example/return?jwt=%5btoken%5d",
			"https://app.example/return?jwt=T", "https://app.example/return"},
		{"two placeholders", "https://app.example/return?a=[token]&b=[token]",
			"https://app.example/return?a=T&b=[token]", "https://app.example/return"},
		{"an encoded placeholder before another", "https://app.example/return?a=%5Btoken%5D&b=[token]",
			"https://app.example/return?a=T&b=[token]", "https://app.example/return"},
		{"the placeholder in the path", "https://app.example/return/[token]", "https://app.example/return/T", "https://app.example/return/"},
		{"the placeholder in the path, with a query", "https://app.example/return/[token]?a=1",
			"https://app.example/return/T?a=1", "https://app.example/return/?a=1"},
		{"the encoded placeholder in the path", "https://app.example/return/%5btoken%5d",
			"https://app.example/return/T", "https://app.example/return/"},
		{"the placeholder inside the path",
			"https://app.example/return/[token]/x", "https://app.example/return/T/x", "https://app.example/return/x"},
		{"the placeholder in a part of a segment", "https://app.example/return/t-[token].html?b=2",
			"https://app.example/return/t-T.html?b=2", "https://app.example/return/t-.html?b=2"},
		{"placeholders in path and query", "https://app.example/return/[token]?t=%5Btoken%5D&a=1",
			"https://app.example/return/T?t=%5Btoken%5D&a=1", "https://app.example/return/?a=1"},
		{"a URL in the query", "https://app.example/return?next=https://evil.example/@",
			"https://app.example/return?next=https://evil.example/@&jwt=T", "https://app.example/return?next=https://evil.example/@"},
		{"a URL registered with a query", "http://localhost:8080/redirect/return?x=1",
			"http://localhost:8080/redirect/return?x=1&jwt=T", "http://localhost:8080/redirect/return?x=1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := MatchCompleteURL(c.raw, registered)
			if err != nil {
				t.Fatalf("MatchCompleteURL(%q): %v", c.raw, err)
			}
			if w := got.WithToken("T"); w != c.with {
				t.Errorf("WithToken = %s, want %s", w, c.with)
			}
			if w := got.WithoutToken(); w != c.without {
				t.Errorf("WithoutToken = %s, want %s", w, c.without)
			}
		})
	}
}

// FuzzMatchCompleteURL checks that accepted URLs lead to a registered origin, before and
// after the token is in them.
func FuzzMatchCompleteURL(f *testing.F) {
	for _, s := range []string{"https://app.example/return", "https://app.example/return/x?jwt=[token]",
		"https://app.example@evil.example/return",
		"https://[token]/return", "https://app.example/return/%5Btoken%5D", "http://localhost:8080/redirect/return?jwt=%5Btoken%5D"} {
		f.Add(s)
	}
	f.Add("https://app.example/return/.[token]./x")
	f.Fuzz(func(t *testing.T, raw string) {
		c, err := MatchCompleteURL(raw, registered)
		if err != nil {
			return
		}
		for _, to := range []string{c.raw, c.WithToken("e30.e30.AA"), c.WithoutToken()} {
			u, err := url.Parse(to)
			if err != nil {
				t.Fatalf("%q gives %q: %v", raw, to, err)
			}
			host := strings.ToLower(u.Scheme + "://" + u.Host)
			if host != "https://app.example" && host != "https://app.example:443" && host != "http://localhost:8080" || u.User != nil {
				t.Fatalf("%q gives %q, which leads to %s", raw, to, host)
			}
			if !strings.HasPrefix(u.Path, "/return") && !strings.HasPrefix(u.Path, "/redirect/return") {
				t.Fatalf("%q gives %q, whose path is %s", raw, to, u.Path)
			}
		}
	})
}

// TestMatchCompleteURLRejectsSpecialHosts: the origin becomes a source in the content
// security policy of the page that posts to it, and must not become a directive.
func TestMatchCompleteURLRejectsSpecialHosts(t *testing.T) {
	for _, host := range []string{"a.example;script-src", "a.example,b.example", "a'b.example",
		"a(b.example", "*.example", "a=b.example", "a&b.example"} {
		raw := "https://" + host + "/return"
		if c, err := MatchCompleteURL(raw, []string{raw}); err == nil {
			t.Errorf("%s is accepted, with the origin %s", raw, c.Origin)
		}
	}
}

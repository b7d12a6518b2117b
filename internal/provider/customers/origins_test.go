package customers_test

import (
	"strings"
	"testing"

	"vestibule/internal/provider/customers"
)

func TestWidgetOrigin(t *testing.T) {
	for raw, want := range map[string]string{
		"https://www.example.com": "https://www.example.com", "https://www.example.com/": "https://www.example.com",
		"HTTPS://WWW.Example.com:443": "https://www.example.com", "https://shop.example:8443": "https://shop.example:8443",
		"http://localhost:3000": "http://localhost:3000", "http://127.0.0.1:80": "http://127.0.0.1", "http://[::1]:3000": "http://[::1]:3000",
		"https://xn--bcher-kva.example": "https://xn--bcher-kva.example",
	} {
		if got, err := customers.WidgetOrigin(raw); got != want || err != nil {
			t.Errorf("WidgetOrigin(%q) = %q, %v; want %q", raw, got, err, want)
		}
	}
	for _, raw := range []string{"", "*", "https://*", "https://*.example.com", "www.example.com",
		"//www.example.com", "null", "https:", "https://",
		"http://www.example.com", "ftp://www.example.com", "javascript:alert(1)", "data:text/html,x",
		"https://user@www.example.com", "https://www.example.com/path",
		"https://www.example.com//", "https://www.example.com?q", "https://www.example.com#f", "https://www.example.com:",
		"https://www.example.com;script-src", "https://a.example https://b.example",
		"https://a.example,b.example", "https://bücher.example", "https://a..example", "https://a.example'",
		"https://" + strings.Repeat("a", 300), "https://a.example\r\nX: y"} {
		if got, err := customers.WidgetOrigin(raw); err == nil {
			t.Errorf("WidgetOrigin(%q) = %q, want an error", raw, got)
		}
	}
}

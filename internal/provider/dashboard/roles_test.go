package dashboard

import (
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestMembersHaveNamedRoutes lists the routes that members of an account have, out of all that the code adds below
// /dashboard. A new route is for owners until it is added here.
func TestMembersHaveNamedRoutes(t *testing.T) {
	members := strings.Fields(`GET GET/deliveries GET/deliveries/find GET/deliveries/{id} GET/disputes GET/disputes/find GET/disputes/{id}
		GET/disputes/{id}/files/{file} GET/outbox GET/outbox/find GET/people GET/relay-tokens GET/relay-tokens/find
		GET/relay-tokens/received GET/relay-tokens/received/find GET/reports GET/reports/find GET/reports/{id} GET/reports/{id}/correct
		GET/reports/{id}/dispute GET/reports/{id}/revisions/{revision} GET/second-factor POST/deliveries/find POST/density
		POST/disputes/find POST/disputes/{id}/answer POST/disputes/{id}/facts POST/outbox/find POST/outbox/{id}/resend
		POST/people/password POST/relay-tokens POST/relay-tokens/find POST/relay-tokens/received/find POST/relay-tokens/{id}/withdraw
		POST/reports/find POST/reports/{id}/correct POST/reports/{id}/correct/check POST/reports/{id}/dispute POST/reports/{id}/link
		POST/reports/{id}/share POST/second-factor`)
	all := map[string]bool{}
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		code := string(raw)
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		for _, m := range regexp.MustCompile(`"(GET|POST) /dashboard([^"]*)"`).FindAllStringSubmatch(code, -1) {
			all[m[1]+m[2]] = true
		}
		for _, m := range regexp.MustCompile(`at\("(GET|POST)", "(/[^"]*)"`).FindAllStringSubmatch(code, -1) {
			all[m[1]+m[2]] = true
		}
		for _, m := range regexp.MustCompile(`mountList\(mux, (?:"/dashboard|s\.Home\+")(/[^"]*)"`).FindAllStringSubmatch(code, -1) {
			all["GET"+m[1]], all["GET"+m[1]+"/find"], all["POST"+m[1]+"/find"] = true, true, true
		}
		for _, m := range regexp.MustCompile(`"POST "\+s\.Home\+"(/[^"]*)"`).FindAllStringSubmatch(code, -1) {
			all["POST"+m[1]] = true
		}
		for _, m := range regexp.MustCompile(`(?m)^\t\t"(|/[^"]*)": +\{users, people`).FindAllStringSubmatch(code, -1) {
			all["POST/people"+m[1]] = true
		}
	}
	if len(all) < 90 {
		t.Fatalf("the test finds %d routes alone", len(all))
	}
	for _, m := range members {
		if !all[m] {
			t.Errorf("members have %s, which is no route", m)
		}
	}
	before := regexp.MustCompile(`^(GET|POST)/(sign-in|forgotten-password|set-password|sign-out)`) // without a session, or ending it
	for route := range all {
		method, path, _ := strings.Cut(route, "/")
		if path != "" {
			path = "/" + path
		}
		if before.MatchString(route) {
			continue
		}
		if got := memberRequests.MatchString(method + " " + path); got != slices.Contains(members, route) {
			t.Errorf("%s %s is for members: %v", method, path, got)
		}
	}
	for _, path := range []string{"/reports/../credentials", "/credentials/reports", "/reportsx", "/people/find", "/reports\n/credentials",
		"/people/password/x", "//reports", "/REPORTS"} {
		clean := path == "/reports/../credentials" // the router redirects to the clean path before
		if memberRequests.MatchString("POST "+path) && !clean {
			t.Errorf("members send %q", path)
		}
	}
	for _, method := range []string{http.MethodHead, http.MethodPut, http.MethodDelete, "post", ""} {
		if memberRequests.MatchString(method + " /reports") {
			t.Errorf("members have %q", method)
		}
	}
}

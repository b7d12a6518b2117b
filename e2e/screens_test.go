package e2e

import (
	"flag"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"
)

var screensDir = flag.String("screens", "", "folder for pictures of every page that TestReviewPagesAreAccessible opens")

// screens takes pictures of pages for people to look at, in three widths and both themes,
// and writes an index of them.
type screens struct {
	mu  sync.Mutex
	all []string // HTML of the index
}

var unsafeInName = regexp.MustCompile(`[^a-z0-9]+`)

// take does nothing without the flag. It leaves the page in its last width and theme.
func (s *screens) take(t *testing.T, v *visitor, lang, pattern string) {
	t.Helper()
	if *screensDir == "" {
		return
	}
	must(t, os.MkdirAll(*screensDir, 0o755))
	party := "portal"
	if u, err := url.Parse(v.URL()); err == nil && strings.HasPrefix(u.Host, "127.0.0.1") {
		party = "provider"
	}
	if strings.HasSuffix(pattern, "/") {
		pattern += "any" // path below
	}
	name := strings.Trim(unsafeInName.ReplaceAllString(strings.ToLower(strings.TrimPrefix(pattern, "GET ")), "-"), "-")
	var row strings.Builder
	fmt.Fprintf(&row, "<h2>%s, %s: %s</h2>\n<p>", party, lang, html.EscapeString(pattern))
	for _, theme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
		must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: theme}))
		for _, width := range []int{390, 1280, 1920} {
			must(t, v.SetViewportSize(width, 900))
			file := fmt.Sprintf("%s-%s-%s-%d-%s.png", party, name, lang, width, *theme)
			_, err := v.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(filepath.Join(*screensDir, file)),
				FullPage: playwright.Bool(true), Animations: playwright.ScreenshotAnimationsDisabled})
			must(t, err)
			fmt.Fprintf(&row, `<a href="%s"><img src="%[1]s" alt="%d px, %s" height="400" loading="lazy"></a> `, file, width, *theme)
		}
	}
	must(t, v.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: playwright.ColorSchemeNoPreference}))
	row.WriteString("</p>\n")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all = append(s.all, row.String())
	must(t, os.WriteFile(filepath.Join(*screensDir, "index.html"),
		[]byte("<!doctype html><meta charset=utf-8><title>Pages</title>\n"+strings.Join(s.all, "")), 0o644))
}

// Package e2e walks the product as people do: in a real browser, against the
// real program with both parties on listeners of their own. Every page that a
// test opens is held to the strict policy: a violation, a script error or a
// failed load fails the test that saw it.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"testing"

	"github.com/playwright-community/playwright-go"
)

var demo = flag.Bool("demo", false, "leave the screenshots of TestDemo in docs/images")

// browser is the one Chromium that all tests share; each has contexts of its own.
var browser playwright.Browser

func TestMain(m *testing.M) {
	flag.Parse()
	if n := flag.Lookup("test.parallel"); n.Value.String() == strconv.Itoa(runtime.GOMAXPROCS(0)) {
		// Browser tests wait more than they compute.
		n.Value.Set(strconv.Itoa(3 * runtime.GOMAXPROCS(0)))
	}
	if testing.Short() {
		fmt.Println("the browser tests are left out of a short run")
		os.Exit(0)
	}
	code, err := withBrowser(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, "e2e:", err, "(make test installs what is missing)")
		code = 1
	}
	os.Exit(code)
}

func withBrowser(run func() int) (int, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return 1, err
	}
	driver, err := filepath.Abs("../.cache/npm/playwright-core")
	if err != nil {
		return 1, err
	}
	os.Setenv("PLAYWRIGHT_NODEJS_PATH", node)
	os.Setenv("PLAYWRIGHT_DRIVER_PATH", driver)
	pw, err := playwright.Run(&playwright.RunOptions{DriverDirectory: driver, SkipInstallBrowsers: true, Verbose: false})
	if err != nil {
		return 1, err
	}
	defer pw.Stop()
	// The shell is the same engine without the rest of a browser, at half the time.
	chromium, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		if chromium, err = exec.LookPath("chromium"); err != nil {
			return 1, err
		}
	}
	browser, err = pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(chromium),
		Args: []string{"--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
			"--disable-component-update", "--disable-sync", "--font-render-hinting=none"},
	})
	if err != nil {
		return 1, err
	}
	defer browser.Close()
	return run(), nil
}

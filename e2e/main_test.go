// Package e2e uses the product as people do: in a real browser, against the real
// program with both parties on separate listeners. Every page that a test opens has the
// strict policy: a violation, a script error or a failed load fails the test that saw
// it.
package e2e

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"vestibule/internal/testutil/tools"
)

var demo = flag.Bool("demo", false, "leave the screenshots of TestDemo in docs/images")

var (
	pw      *playwright.Playwright
	browser playwright.Browser // shared by all tests; each test has separate contexts
)

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
	code := m.Run()
	for _, err := range endShared() {
		if err != nil {
			fmt.Println(err)
			code = 1
		}
	}
	if browser != nil {
		browser.Close()
	}
	if pw != nil {
		pw.Stop()
	}
	os.Exit(code)
}

// cached is where e2e/setup.sh puts what npm has.
const cached = "../.cache/npm/"

// lacking names the first tool of the browser tests that is not installed.
func lacking() string {
	if _, err := exec.LookPath("node"); err != nil {
		return "node is not installed"
	}
	if chromium() == "" {
		return "neither chromium-headless-shell nor chromium is installed"
	}
	for _, name := range []string{"playwright-core", "axe-core", "react", "react-dom", "scheduler"} {
		if _, err := os.Stat(cached + name + "/version"); err != nil {
			return name + " is not in .cache/npm"
		}
	}
	return ""
}

// chromium is the path of the headless shell, which is the same engine at half the
// time, or of the whole browser; empty without either. VESTIBULE_E2E_CHROMIUM names another one.
func chromium() string {
	if path := os.Getenv("VESTIBULE_E2E_CHROMIUM"); path != "" {
		return path
	}
	for _, name := range []string{"chromium-headless-shell", "chromium"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// needBrowser launches the browser for the first test that needs it, and skips the
// test where a tool is missing.
func needBrowser(t *testing.T) {
	t.Helper()
	if missing := lacking(); missing != "" {
		tools.Missing(t, missing)
	}
	must(t, launch())
}

// launch is not TestMain's work: go test keeps a result until a file or variable
// changes that was read while tests ran.
var launch = sync.OnceValue(func() error {
	node, err := exec.LookPath("node")
	if err != nil {
		return err
	}
	driver, err := filepath.Abs(cached + "playwright-core")
	if err != nil {
		return err
	}
	os.Setenv("PLAYWRIGHT_NODEJS_PATH", node)
	os.Setenv("PLAYWRIGHT_DRIVER_PATH", driver)
	pw, err = playwright.Run(&playwright.RunOptions{DriverDirectory: driver, SkipInstallBrowsers: true, Verbose: false})
	if err != nil {
		return err
	}
	// Pages live too briefly for optimized scripts, an optimized WASM module or a process
	// that draws to pay.
	args := []string{"--no-sandbox", "--disable-gpu", "--in-process-gpu", "--js-flags=--liftoff-only,--no-opt,--no-maglev,--always-sparkplug",
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
		"--font-render-hinting=none"}
	if !tools.Full() {
		// The sites of a context share a process, as on phones with little memory: to start one for
		// each site that a page leads to takes most of the time of opening it.
		args = append(args, "--disable-site-isolation-trials", "--process-per-site", "--renderer-process-limit=1")
	}
	browser, err = pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(chromium()),
		// Pages must also work where scroll bars take room, as on most desktops.
		IgnoreDefaultArgs: []string{"--hide-scrollbars"},
		Args:              args,
	})
	return err
})

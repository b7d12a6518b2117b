package e2e

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"vestibule/internal/testutil/ports"
)

// FindWebKit returns the paths of WebKit's driver and of its browser, or an error that names what is missing.
func FindWebKit() (driver, browser string, err error) {
	driver, err = exec.LookPath("WebKitWebDriver")
	if err != nil {
		return "", "", errors.New("WebKitWebDriver is not installed")
	}
	found, err := filepath.Glob("/usr/lib/*/webkit2gtk-4.*/MiniBrowser")
	if err != nil || len(found) == 0 {
		return "", "", errors.New("WebKit's MiniBrowser is not installed")
	}
	if _, err := exec.LookPath("Xvfb"); err != nil {
		return "", "", errors.New("Xvfb is not installed")
	}
	return driver, found[len(found)-1], nil
}

// StartWebKit starts WebKit with its files in the folder profile, on a display of its own: WebKit
// may not paint what another window covers. It collects no garbage: on a busy machine, one long walk
// of three ended with WebKitGTK 2.50 aborting in a destructor that its collector ran.
func StartWebKit(profile string, o browserOptions) (*Browser, error) {
	driver, browser, err := FindWebKit()
	if err != nil {
		return nil, err
	}
	address, err := ports.Free("127.0.0.1")
	if err != nil {
		return nil, err
	}
	display, end, err := startDisplay()
	if err != nil {
		return nil, err
	}
	env := []string{"DISPLAY=" + display, "GDK_BACKEND=x11", "WEBKIT_DISABLE_COMPOSITING_MODE=1", "HOME=" + profile,
		"XDG_CACHE_HOME=" + profile, "XDG_DATA_HOME=" + profile, "XDG_CONFIG_HOME=" + profile, "XDG_RUNTIME_DIR=" + profile,
		"DBUS_SESSION_BUS_ADDRESS=disabled:", "GTK_OVERLAY_SCROLLING=0", "JSC_useDFGJIT=false", "JSC_useOMGJIT=false",
		"JSC_useGC=false", "NO_AT_BRIDGE=1", "LANG=C.UTF-8", "LANGUAGE=" + o.Language}
	if o.NoWASM {
		env = append(env, "JSC_useWasm=false")
	}
	b, err := launchDriven(profile, driver, env, "--port="+address[strings.LastIndex(address, ":")+1:])
	if err != nil {
		end()
		return nil, err
	}
	b.end = end
	s := &httpSession{address: "http://" + address + "/session", exited: b.exited}
	if err := s.open(browser); err != nil {
		b.Close()
		return nil, fmt.Errorf("%w\n%s", err, b.Log())
	}
	b.session = s
	return b, nil
}

// httpSession is a session of a driver that speaks HTTP.
type httpSession struct {
	address string // of the session, or of all sessions before open
	exited  chan struct{}
	client  http.Client
}

// open waits for the driver and opens a session with the browser.
func (s *httpSession) open(browser string) error {
	s.client.Timeout = commandLimit
	capabilities := map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"webkitgtk:browserOptions": map[string]any{"binary": browser, "args": []string{"--automation"}},
	}}}
	var answer json.RawMessage
	err := retry(s.exited, func() (err error) {
		answer, err = s.send(command{method: "POST"}, capabilities)
		return err
	})
	if err != nil {
		return err
	}
	var opened struct{ SessionID string }
	if err := json.Unmarshal(answer, &opened); err != nil {
		return err
	}
	s.address += "/" + opened.SessionID
	return nil
}

func (s *httpSession) send(c command, params map[string]any) (json.RawMessage, error) {
	var body io.Reader
	if c.method == http.MethodPost {
		if params == nil {
			params = map[string]any{}
		}
		text, err := json.Marshal(params)
		if err != nil {
			return nil, err
		}
		body = bytes.NewReader(text)
	}
	req, err := http.NewRequest(c.method, s.address+c.path, body)
	if err != nil {
		return nil, err
	}
	resp, err := s.client.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var answer struct{ Value json.RawMessage }
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return nil, fmt.Errorf("the driver answers %s: %w", resp.Status, err)
	}
	if resp.StatusCode != http.StatusOK {
		var e webdriverError
		if err := json.Unmarshal(answer.Value, &e); err != nil {
			return nil, err
		}
		return nil, &e
	}
	return answer.Value, nil
}

func (s *httpSession) close() error {
	_, err := s.send(command{method: http.MethodDelete}, nil)
	return err
}

// commandLimit is how long a browser may take for a command.
const commandLimit = 2 * time.Minute

// retry calls try until it succeeds or the browser has exited. An error of the browser's own is final.
func retry(exited <-chan struct{}, try func() error) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		err := try()
		if answered := (*webdriverError)(nil); err == nil || errors.As(err, &answered) {
			return err
		}
		select {
		case <-exited:
			return fmt.Errorf("the browser has exited: %w", err)
		case <-tick.C:
		}
	}
}

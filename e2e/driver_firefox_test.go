package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// FindFirefox returns the path of Firefox.
func FindFirefox() (string, error) {
	for _, name := range []string{"firefox-esr", "firefox"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("neither firefox-esr nor firefox is installed")
}

// preferences make Firefox show classic scrollbars, speak to this machine alone, and start without
// questions.
const preferences = `
user_pref("marionette.port", 0);
user_pref("widget.gtk.overlay-scrollbars.enabled", false);
user_pref("ui.useOverlayScrollbars", 0);
user_pref("ui.prefersReducedMotion", 1);
user_pref("network.proxy.type", 1);
user_pref("network.proxy.http", "127.0.0.1");
user_pref("network.proxy.http_port", 9);
user_pref("network.proxy.ssl", "127.0.0.1");
user_pref("network.proxy.ssl_port", 9);
user_pref("network.proxy.no_proxies_on", "localhost, 127.0.0.0/8");
user_pref("app.update.disabledForTesting", true);
user_pref("app.normandy.enabled", false);
user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("browser.startup.page", 0);
user_pref("browser.aboutwelcome.enabled", false);
user_pref("browser.translations.enable", false);
user_pref("browser.safebrowsing.update.enabled", false);
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("datareporting.policy.dataSubmissionPolicyBypassNotification", true);
user_pref("extensions.update.enabled", false);
user_pref("extensions.getAddons.cache.enabled", false);
user_pref("media.gmp-manager.updateEnabled", false);
user_pref("network.captive-portal-service.enabled", false);
user_pref("network.connectivity-service.enabled", false);
user_pref("services.settings.server", "data:,#remote-settings-dummy/v1");
user_pref("signon.rememberSignons", false);
user_pref("toolkit.telemetry.enabled", false);
user_pref("dom.ipc.processCount", 2);
user_pref("fission.autostart", true);
user_pref("layout.frame_rate", 20);
user_pref("dom.ipc.processPrelaunch.enabled", false);
user_pref("javascript.options.ion", false);
user_pref("javascript.options.wasm_optimizingjit", false);
`

// StartFirefox starts Firefox without a display with its files in the folder profile.
func StartFirefox(profile string, o browserOptions) (*Browser, error) {
	firefox, err := FindFirefox()
	if err != nil {
		return nil, err
	}
	prefs := preferences + fmt.Sprintf("user_pref(\"intl.accept_languages\", %q);\nuser_pref(\"javascript.options.wasm\", %t);\n",
		o.Language, !o.NoWASM)
	if err := os.WriteFile(filepath.Join(profile, "user.js"), []byte(prefs), 0o600); err != nil {
		return nil, err
	}
	b, err := launchDriven(profile, firefox, []string{"HOME=" + profile, "MOZ_CRASHREPORTER_DISABLE=1"},
		"--headless", "--marionette", "--remote-allow-system-access", "--no-remote", "--profile", profile, "about:blank")
	if err != nil {
		return nil, err
	}
	s := &marionette{}
	if err := s.open(profile, b.exited); err != nil {
		b.Close()
		return nil, fmt.Errorf("%w\n%s", err, b.Log())
	}
	b.session = s
	return b, nil
}

// Zoom sets the zoom of the page in Firefox, where 1 is 100 %. WebKitWebDriver has no zoom.
func (b *Browser) Zoom(factor float64) error {
	if err := b.context("chrome"); err != nil {
		return err
	}
	err := b.Run(nil, `gBrowser.selectedBrowser.fullZoom = arguments[0]`, factor)
	return errors.Join(err, b.context("content"))
}

// context chooses whether scripts run in the page (content) or in the browser's own window (chrome).
func (b *Browser) context(name string) error {
	_, err := b.session.send(command{name: "Marionette:SetContext"}, map[string]any{"value": name})
	return err
}

// marionette is a session over Firefox's own transport: messages of JSON arrays, each behind its
// length in bytes and a colon.
type marionette struct {
	conn   net.Conn
	reader *bufio.Reader
	last   int // number of the last command
}

// open connects once Firefox has written the port, and opens a session.
func (m *marionette) open(profile string, exited <-chan struct{}) error {
	err := retry(exited, func() error {
		port, err := os.ReadFile(filepath.Join(profile, "MarionetteActivePort"))
		if err != nil {
			return err
		}
		m.conn, err = net.Dial("tcp", "127.0.0.1:"+strings.TrimSpace(string(port)))
		return err
	})
	if err != nil {
		return err
	}
	m.reader = bufio.NewReader(m.conn)
	if _, err := m.read(); err != nil { // the greeting
		return err
	}
	_, err = m.send(command{name: "WebDriver:NewSession"}, map[string]any{"pageLoadStrategy": "normal"})
	return err
}

func (m *marionette) send(c command, params map[string]any) (json.RawMessage, error) {
	if params == nil {
		params = map[string]any{}
	}
	m.last++
	message, err := json.Marshal([]any{0, m.last, c.name, params})
	if err != nil {
		return nil, err
	}
	if err := m.conn.SetDeadline(time.Now().Add(commandLimit)); err != nil {
		return nil, err
	}
	if _, err := fmt.Fprintf(m.conn, "%d:%s", len(message), message); err != nil {
		return nil, err
	}
	text, err := m.read()
	if err != nil {
		return nil, err
	}
	var failed *webdriverError
	var result json.RawMessage
	var kind, number int
	if err := json.Unmarshal(text, &[]any{&kind, &number, &failed, &result}); err != nil {
		return nil, err
	}
	if failed != nil {
		return nil, failed
	}
	// Most results are in an object's value, as over HTTP; window handles are not.
	var wrapped struct{ Value json.RawMessage }
	if json.Unmarshal(result, &wrapped) == nil && wrapped.Value != nil {
		return wrapped.Value, nil
	}
	return result, nil
}

// maxMessage bounds a message of Firefox; a screenshot is the longest.
const maxMessage = 64 << 20

func (m *marionette) read() ([]byte, error) {
	size, err := m.reader.ReadString(':')
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(strings.TrimSuffix(size, ":"))
	if err != nil || n < 0 || n > maxMessage {
		return nil, fmt.Errorf("Firefox sends a message of %q bytes", size)
	}
	text := make([]byte, n)
	_, err = io.ReadFull(m.reader, text)
	return text, err
}

func (m *marionette) close() error {
	_, err := m.send(command{name: "Marionette:Quit"}, map[string]any{"flags": []string{"eForceQuit"}})
	m.conn.Close()
	return err
}

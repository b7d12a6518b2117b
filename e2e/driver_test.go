package e2e

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// A Browser is a running WebKit or Firefox with an empty profile, a current window and a current
// frame in it, driven as a person does: it moves a real mouse pointer, presses keys, and waits until
// a control is visible, still and uncovered. It speaks the W3C WebDriver protocol: to
// WebKitWebDriver over HTTP, and to Firefox over Marionette, the transport below geckodriver,
// because not every system packages geckodriver. It is not safe for concurrent use.
type Browser struct {
	session session
	process *exec.Cmd // the browser, or the driver that runs it
	exited  chan struct{}
	profile string
	end     func() // ends what the browser needed; nil: nothing
	frame   string // selector of the current frame; "" is the page itself
}

// browserOptions are what a browser starts with.
type browserOptions struct {
	Language string // such as en-US
	NoWASM   bool   // the browser runs no WebAssembly
}

// session sends one WebDriver command. A command has a name in each transport.
type session interface {
	send(command command, params map[string]any) (json.RawMessage, error)
	close() error
}

// command is a WebDriver command: its method and path below the session for HTTP, and its name for
// Marionette.
type command struct{ method, path, name string }

var (
	navigate       = command{"POST", "/url", "WebDriver:Navigate"}
	reloadPage     = command{"POST", "/refresh", "WebDriver:Refresh"}
	historyBack    = command{"POST", "/back", "WebDriver:Back"}
	runScript      = command{"POST", "/execute/sync", "WebDriver:ExecuteScript"}
	runAsync       = command{"POST", "/execute/async", "WebDriver:ExecuteAsyncScript"}
	performActions = command{"POST", "/actions", "WebDriver:PerformActions"}
	switchToFrame  = command{"POST", "/frame", "WebDriver:SwitchToFrame"}
	windowHandle   = command{"GET", "/window", "WebDriver:GetWindowHandle"}
	windowHandles  = command{"GET", "/window/handles", "WebDriver:GetWindowHandles"}
	switchToWindow = command{"POST", "/window", "WebDriver:SwitchToWindow"}
	setWindowRect  = command{"POST", "/window/rect", "WebDriver:SetWindowRect"}
	takeScreenshot = command{"GET", "/screenshot", "WebDriver:TakeScreenshot"}
)

// sendKeys types into an element, or sets the files of an input of files.
func sendKeys(element string) command {
	return command{"POST", "/element/" + element + "/value", "WebDriver:ElementSendKeys"}
}

// elementKey marks a reference to an element in JSON (WebDriver, section 12.2).
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// An Element is a reference to an element of the current frame.
type Element struct{ id string }

func (e Element) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{elementKey: e.id})
}

func (e *Element) UnmarshalJSON(b []byte) error {
	var m map[string]string
	if err := json.Unmarshal(b, &m); err != nil {
		return err
	}
	e.id = m[elementKey]
	return nil
}

// A webdriverError is a command's error: a code of the WebDriver standard and the browser's message.
type webdriverError struct {
	Code    string `json:"error"`
	Message string `json:"message"`
}

func (e *webdriverError) Error() string { return e.Code + ": " + e.Message }

// launchDriven starts a program of a browser in a process group of its own. It ends with the test
// program, also after a panic or a timeout.
func launchDriven(profile, name string, env []string, args ...string) (*Browser, error) {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), env...)
	cmd.SysProcAttr = ownGroup()
	log, err := os.Create(filepath.Join(profile, "log"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	b := &Browser{process: cmd, exited: make(chan struct{}), profile: profile}
	go func() {
		cmd.Wait()
		close(b.exited)
	}()
	return b, nil
}

// Close ends the browser with all of its processes.
func (b *Browser) Close() {
	if b.session != nil {
		closed := make(chan struct{})
		go func() {
			b.session.close()
			close(closed)
		}()
		select {
		case <-closed:
		case <-time.After(5 * time.Second): // a page that hangs
		}
	}
	killGroup(b.process.Process.Pid)
	<-b.exited
	if b.end != nil {
		b.end()
	}
}

// Log returns what the browser printed.
func (b *Browser) Log() string {
	text, err := os.ReadFile(filepath.Join(b.profile, "log"))
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// Open shows the address in the current window, and makes the page itself the current frame.
func (b *Browser) Open(url string) error {
	b.frame = ""
	_, err := b.session.send(navigate, map[string]any{"url": url})
	return err
}

// Reload loads the current window's page again.
func (b *Browser) Reload() error {
	b.frame = ""
	_, err := b.session.send(reloadPage, nil)
	return err
}

// Back goes to the previous entry of the history.
func (b *Browser) Back() error {
	b.frame = ""
	_, err := b.session.send(historyBack, nil)
	return err
}

// Resize sets the size of the window in px, with the browser's own bars.
func (b *Browser) Resize(width, height int) error {
	_, err := b.session.send(setWindowRect, map[string]any{"width": width, "height": height, "x": 0, "y": 0})
	return err
}

// Screenshot returns the visible part of the window as PNG. The page itself becomes the current frame.
func (b *Browser) Screenshot() ([]byte, error) {
	if err := b.InFrame(""); err != nil {
		return nil, err
	}
	answer, err := b.session.send(takeScreenshot, map[string]any{"full": false})
	if err != nil {
		return nil, err
	}
	var text string
	if err := json.Unmarshal(answer, &text); err != nil {
		return nil, err
	}
	return base64.StdEncoding.DecodeString(text)
}

// Windows returns the handles of the browser's windows.
func (b *Browser) Windows() (handles []string, err error) {
	answer, err := b.session.send(windowHandles, nil)
	if err != nil {
		return nil, err
	}
	return handles, json.Unmarshal(answer, &handles)
}

// Window returns the handle of the current window.
func (b *Browser) Window() (handle string, err error) {
	answer, err := b.session.send(windowHandle, nil)
	if err != nil {
		return "", err
	}
	return handle, json.Unmarshal(answer, &handle)
}

// SwitchTo makes a window the current one, with its page as the current frame.
func (b *Browser) SwitchTo(handle string) error {
	b.frame = ""
	_, err := b.session.send(switchToWindow, map[string]any{"handle": handle})
	return err
}

// Run runs a script's function body in the current frame with the arguments, and decodes what it
// returns into result, unless that is nil.
func (b *Browser) Run(result any, script string, args ...any) error {
	return b.run(runScript, result, script, args)
}

// RunAsync is Run for a script that calls its last argument with the result.
func (b *Browser) RunAsync(result any, script string, args ...any) error {
	return b.run(runAsync, result, script, args)
}

func (b *Browser) run(c command, result any, script string, args []any) error {
	if args == nil {
		args = []any{}
	}
	answer, err := b.session.send(c, map[string]any{"script": script, "args": args})
	if err != nil || result == nil {
		return err
	}
	return json.Unmarshal(answer, result)
}

// InFrame makes the frame of that selector in the page the current frame; "" is the page itself.
func (b *Browser) InFrame(selector string) error {
	if b.frame == selector {
		return nil
	}
	if _, err := b.session.send(switchToFrame, map[string]any{"id": nil}); err != nil {
		return err
	}
	b.frame = ""
	if selector == "" {
		return nil
	}
	var element *Element
	if err := b.Run(&element, `return document.querySelector(arguments[0])`, selector); err != nil {
		return err
	}
	if element == nil {
		return fmt.Errorf("no frame %s", selector)
	}
	// Marionette takes the element's identifier alone.
	if _, err := b.session.send(switchToFrame, map[string]any{"id": element, "element": element.id}); err != nil {
		return err
	}
	b.frame = selector
	return nil
}

// findTarget finds the visible elements of a selector that have exactly the text (any text if that
// is empty), takes the first and scrolls it into view. It returns the element with what keeps it from
// being clicked, if anything. People press what they see: a page with its style sheets and typefaces.
const findTarget = `
	const [selector, text] = arguments;
	const plain = (s) => s.replace(/\s+/g, " ").trim();
	const shown = (e) => e.getClientRects().length > 0 && getComputedStyle(e).visibility === "visible";
	const all = [...document.querySelectorAll(selector)].filter((e) => shown(e) &&
		(!text || plain(e.innerText || e.value || "") === text || e.getAttribute("aria-label") === text));
	const [e] = all;
	if (!e) return { why: "no " + selector + (text ? " with the text " + text : "") + " is visible" };
	let box = e.getBoundingClientRect();
	// A frame of another site does not know which part of it the window shows.
	if (window !== top || box.top < 0 || box.bottom > innerHeight || box.left < 0 || box.right > innerWidth) {
		e.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
		box = e.getBoundingClientRect();
	}
	const hit = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
	const label = e.labels && [...e.labels].some((l) => l.contains(hit));
	const covered = hit && !label && !e.contains(hit);
	const disabled = e.matches(":disabled");
	const loads = document.readyState === "loading" || document.fonts.status === "loading" ||
		[...document.querySelectorAll("link[rel=stylesheet]")].some((l) => !l.sheet && !l.disabled);
	return { element: e, box: [box.left, box.top, box.width, box.height].join(), covered: covered ? hit.outerHTML.slice(0, 200) : "",
		why: loads ? "the page loads" : disabled ? "it is disabled" : hit || box.height === 0 ? "" : "it is outside of the window" };`

// target is what findTarget returns.
type target struct {
	Element *Element
	Box     string
	Covered string
	Why     string
}

// find returns the first visible element of the selector with the text, or nil and the reason.
func (b *Browser) find(selector, text string) (*target, error) {
	var t target
	if err := b.Run(&t, findTarget, selector, text); err != nil {
		return nil, err
	}
	if t.Element == nil {
		return nil, errors.New(t.Why)
	}
	return &t, nil
}

// Click moves the mouse to the middle of the first visible element of the selector with the text, and
// presses it there. It fails with the reason if the element is missing, disabled, still moving, or
// covered by another element; the caller tries again.
func (b *Browser) Click(selector, text string) error {
	t, err := b.still(selector, text)
	if err != nil {
		return err
	}
	if t.Covered != "" {
		return fmt.Errorf("%s is covered by %s", selector, t.Covered)
	}
	return b.press(t.Element)
}

// Press is Click for a place where several elements may be on top of each other: the browser decides
// which of them the mouse presses.
func (b *Browser) Press(selector string) error {
	t, err := b.still(selector, "")
	if err != nil {
		return err
	}
	return b.press(t.Element)
}

// Hover moves the mouse to the middle of the first visible element of the selector.
func (b *Browser) Hover(selector string) error {
	t, err := b.still(selector, "")
	if err != nil {
		return err
	}
	return b.point(moveTo(t.Element))
}

// still finds an element that has the same box in two frames of the display.
func (b *Browser) still(selector, text string) (*target, error) {
	before, err := b.find(selector, text)
	if err != nil {
		return nil, err
	}
	now, err := b.find(selector, text)
	if err != nil {
		return nil, err
	}
	if now.Why != "" {
		return nil, errors.New(now.Why)
	}
	if before.Box != now.Box {
		return nil, fmt.Errorf("%s moves", selector)
	}
	return now, nil
}

// press moves the mouse to the middle of an element and presses its button.
func (b *Browser) press(e *Element) error {
	return b.point(moveTo(e), map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
}

// moveTo is the action that moves the mouse to the middle of an element.
func moveTo(e *Element) map[string]any {
	return map[string]any{"type": "pointerMove", "duration": 0, "x": 0, "y": 0, "origin": e}
}

// point performs actions of the mouse.
func (b *Browser) point(actions ...map[string]any) error {
	_, err := b.session.send(performActions, map[string]any{"actions": []any{map[string]any{
		"type": "pointer", "id": "mouse", "parameters": map[string]any{"pointerType": "mouse"}, "actions": actions,
	}}})
	return err
}

// Key presses and releases a key, with the focus where it is. Named keys are code points of the
// WebDriver standard, such as [keyEnter].
func (b *Browser) Key(key rune) error {
	_, err := b.session.send(performActions, map[string]any{"actions": []any{map[string]any{
		"type": "key", "id": "keyboard",
		"actions": []any{
			map[string]any{"type": "keyDown", "value": string(key)},
			map[string]any{"type": "keyUp", "value": string(key)},
		},
	}}})
	return err
}

// Keys that are not characters.
const (
	Tab      = '\ue004'
	keyEnter = '\ue007'
	Escape   = '\ue00c'
)

// Fill replaces the text of the visible field of the selector by typing, or sets the files of an
// input of files, whose names are paths separated by line feeds.
func (b *Browser) Fill(selector, text string) error {
	var e *Element
	if err := b.Run(&e, `
		const e = [...document.querySelectorAll(arguments[0])].find((e) => e.type === "file" || e.getClientRects().length > 0);
		if (e && e.type !== "file") { e.focus(); e.select?.(); }
		return e ?? null;`, selector); err != nil {
		return err
	}
	if e == nil {
		return fmt.Errorf("no field %s", selector)
	}
	_, err := b.session.send(sendKeys(e.id), map[string]any{"id": e.id, "text": text, "value": []string{text}})
	return err
}

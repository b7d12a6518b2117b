// Package program runs Vestibule for tests and benchmarks: inside the process of a test,
// or as a process that can be killed.
package program

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vestibule/internal/testutil/logtest"
)

// Listeners are the base URLs of a program's listeners; "" for one that it does not have.
type Listeners struct{ Portal, Provider, Control, Admin string }

// untilReady reads a program's output until it says that it is ready, and discards the
// rest in the background.
func untilReady(out io.Reader) (l Listeners, err error) {
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		name, url, _ := strings.Cut(lines.Text(), " listening url=")
		switch name {
		case "ready":
			go io.Copy(io.Discard, out)
			return l, nil
		case "portal":
			l.Portal = url
		case "provider":
			l.Provider = url
		case "sandbox":
			l.Control = url
		case "admin":
			l.Admin = url
		}
	}
	return l, errors.Join(errors.New("the program did not get ready"), lines.Err())
}

// StartProcess starts a process of the program and returns when it is ready. A process
// that ends before is waited for.
func StartProcess(cmd *exec.Cmd) (Listeners, error) {
	out, err := cmd.StdoutPipe()
	if err != nil {
		return Listeners{}, err
	}
	if err := cmd.Start(); err != nil {
		return Listeners{}, err
	}
	l, err := untilReady(out)
	if err != nil {
		return l, errors.Join(err, cmd.Wait())
	}
	return l, nil
}

// Program is a program that runs inside the process of a test.
type Program struct {
	Listeners
	Stop  context.CancelFunc // makes the program drain and end
	Ended <-chan struct{}    // closed when it has
}

// Start runs main, which is app.Run, with arguments until the test ends. It returns when
// the program is ready. The program must drain within a minute and with exit code 0.
func Start(t testing.TB, main func(ctx context.Context, args []string, stdout, stderr io.Writer) int,
	log *logtest.Buffer, args ...string) *Program {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended, code := make(chan struct{}), 0
	go func() {
		code = main(ctx, args, in, log)
		in.Close()
		close(ended)
	}()
	t.Cleanup(func() {
		stop()
		select {
		case <-ended:
			if code != 0 {
				t.Errorf("the program ended with exit code %d\n%s", code, log)
			}
		case <-time.After(time.Minute):
			t.Errorf("the program does not end\n%s", log)
		}
	})
	l, err := untilReady(out)
	if err != nil {
		t.Fatalf("%v:\n%s", err, log)
	}
	return &Program{Listeners: l, Stop: stop, Ended: ended}
}

// Credentials are the credentials that a program generates.
type Credentials struct {
	Account
	Products      map[string]string
	WebhookSecret string
	ThirdParty    struct {
		Account
		WebhookSecret string
		Dashboard     Login
	}
	Dashboard    Login
	Reviewer     Login
	PortalAPIKey string
	EventsSecret string
}

// Account is the account of a customer.
type Account struct{ PublicID, ClientID, SecretKey string }

// Login is a user with the password.
type Login struct{ Email, Password string }

// ReadCredentials reads the credentials in the data folder of a program.
func ReadCredentials(dir string) (c Credentials, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, "sandbox-credentials.json"))
	if errors.Is(err, fs.ErrNotExist) { // a portal alone
		raw, err = os.ReadFile(filepath.Join(dir, "portal-credentials.json"))
	}
	if err != nil {
		return c, err
	}
	return c, json.Unmarshal(raw, &c)
}

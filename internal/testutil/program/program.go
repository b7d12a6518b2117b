// Package program runs Vestibule for tests and benchmarks: inside the process of a test,
// or as a process that can be killed.
package program

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	code  int                // exit code, when it has ended
}

// Main is app.Run.
type Main func(ctx context.Context, args []string, stdout, stderr io.Writer) int

// Start runs main with arguments until the test ends. It returns when the program is ready.
// The program must drain within a minute and with exit code 0.
func Start(t testing.TB, main Main, log *logtest.Buffer, args ...string) *Program {
	t.Helper()
	p, err := Run(main, log, args...)
	t.Cleanup(func() {
		if err := p.End(); err != nil {
			t.Errorf("%v\n%s", err, log)
		}
	})
	if err != nil {
		t.Fatalf("%v:\n%s", err, log)
	}
	return p
}

// Run runs main with arguments and returns when the program is ready. The caller ends it,
// also after an error.
func Run(main Main, log *logtest.Buffer, args ...string) (*Program, error) {
	ctx, stop := context.WithCancel(context.Background())
	out, in := io.Pipe()
	ended := make(chan struct{})
	p := &Program{Stop: stop, Ended: ended}
	go func() {
		p.code = main(ctx, args, in, log)
		in.Close()
		close(ended)
	}()
	var err error
	p.Listeners, err = untilReady(out)
	return p, err
}

// End makes the program drain, and returns an error unless it ends within a minute and with
// exit code 0.
func (p *Program) End() error {
	p.Stop()
	select {
	case <-p.Ended:
		if p.code != 0 {
			return fmt.Errorf("the program ended with exit code %d", p.code)
		}
		return nil
	case <-time.After(time.Minute):
		return errors.New("the program does not end")
	}
}

// Credentials are the credentials that a program generates.
type Credentials struct {
	Account
	Products      map[string]string
	WebhookSecret string
	Child         struct {
		Account
		Products map[string]string
	}
	ThirdParty struct {
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

// Package mail sends short emails by SMTP, and has the outbox that keeps them
// until they are sent. It is the only package that uses go-mail.
//
// It refuses servers without TLS unless configured to do without, and never sends
// credentials unencrypted. Its errors name a stage and the server's reply code, never
// an address, so they may be logged.
package mail

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"vestibule/internal/httpx"
)

// Security is the encryption of the connection to the server.
type Security string

const (
	STARTTLS Security = "starttls" // upgraded to TLS, or refused
	TLS      Security = "tls"      // from the first byte, as on port 465
	None     Security = "none"     // unencrypted: for a server on this machine
)

// Message is an email, as plain text and as HTML with the same words. ID is the same at each
// sending, so that a receiver can
// recognize repeats.
type Message struct {
	ID      string // letters, digits and dashes
	To      string // one address
	Subject string
	Text    string
	HTML    string // "": only the text
}

// ErrRefused is returned for an email that the server rejects permanently.
var ErrRefused = errors.New("mail: the server refuses this email")

// timeout bounds each exchange with the server.
const timeout = 20 * time.Second

// Sender sends emails.
type Sender struct {
	host    string
	port    int
	from    *mail.Address
	tls     *tls.Config // for TLS from the first byte; nil otherwise
	options []gomail.Option
}

// New checks a configuration. It does not connect.
func New(c Config) (*Sender, error) {
	host, port, err := net.SplitHostPort(c.Addr)
	n, bad := strconv.ParseUint(port, 10, 16)
	if err != nil || host == "" || bad != nil || n == 0 {
		return nil, fmt.Errorf("--smtp-addr %q: must be HOST:PORT", c.Addr)
	}
	if c.From == "" {
		return nil, errors.New("--smtp-addr needs --smtp-from, the sender of emails")
	}
	from, err := mail.ParseAddress(c.From)
	if err != nil {
		return nil, fmt.Errorf("--smtp-from %q: must be an email address, with or without a name", c.From)
	}
	if (c.Username == "") != (c.Password == "") {
		return nil, errors.New("--smtp-username and --smtp-password: give both or neither")
	}
	s := &Sender{host: host, port: int(n), from: from}
	private := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12, RootCAs: c.Roots}
	s.options = []gomail.Option{gomail.WithPort(s.port), gomail.WithTimeout(timeout), gomail.WithoutNoop(), gomail.WithTLSConfig(private)}
	switch c.Security {
	case STARTTLS:
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case TLS:
		s.tls, s.options = private, append(s.options, gomail.WithSSL())
	case None:
		if c.Username != "" {
			return nil, errors.New("--smtp-security none: must be starttls or tls, because the program sends no password without TLS")
		}
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, fmt.Errorf("--smtp-security %q: must be starttls, tls or none", c.Security)
	}
	if c.Username != "" {
		s.options = append(s.options, gomail.WithUsername(c.Username), gomail.WithPassword(c.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return s, nil
}

// Send hands an email to the server, and returns nil once the server has accepted it.
// After an error other than ErrRefused, the email may be sent again.
func (s *Sender) Send(ctx context.Context, msg Message) error {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.FromFormat(s.from.Name, s.from.Address); err != nil {
		return errors.New("mail: the sender is not an address")
	}
	if err := m.To(msg.To); err != nil {
		return fmt.Errorf("%w: the recipient is not an address", ErrRefused)
	}
	m.Subject(msg.Subject)
	m.SetMessageIDWithValue(msg.ID + "@" + s.host)
	m.SetDate()
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, msg.Text)
	if msg.HTML != "" {
		m.AddAlternativeString(gomail.TypeTextHTML, msg.HTML)
	}

	client, end, err := s.connect(ctx)
	defer end()
	if err != nil {
		return err
	}
	if err := client.Send(m); err != nil {
		return failure(ctx, "send", err)
	}
	return nil
}

// Check connects to the server and signs in, and sends nothing.
func (s *Sender) Check(ctx context.Context) error {
	_, end, err := s.connect(ctx)
	end()
	return err
}

// connect returns a client that is signed in, and what ends its connection.
func (s *Sender) connect(ctx context.Context) (client *gomail.Client, end func(), err error) {
	// go-mail leaves an unusable connection open, and ignores ctx once connected, so
	// close the connection here.
	var conn net.Conn
	end = func() {
		if conn != nil {
			conn.Close()
		}
	}
	dial := gomail.WithDialContextFunc(func(ctx context.Context, network, addr string) (c net.Conn, err error) {
		conn, err = s.dial(ctx, network, addr)
		return conn, err
	})
	if client, err = gomail.NewClient(s.host, append(slices.Clip(s.options), dial)...); err != nil {
		return nil, end, errors.New("mail: the client cannot be created")
	}
	if err := client.DialWithContext(ctx); err != nil {
		return nil, end, failure(ctx, "connect", err)
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	return client, func() {
		client.Close() // sends QUIT
		stop()
		conn.Close()
	}, nil
}

func (s *Sender) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.tls != nil {
		return (&tls.Dialer{Config: s.tls}).DialContext(ctx, network, addr)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// failure returns an error without the addresses that go-mail's errors contain.
func failure(ctx context.Context, stage string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("mail: %s: %w", stage, ctx.Err())
	}
	var sent *gomail.SendError
	if errors.As(err, &sent) {
		if code := sent.ErrorCode(); code >= 500 && code < 600 {
			return fmt.Errorf("%w (%s, %d)", ErrRefused, stage, code)
		}
		return fmt.Errorf("mail: %s: the server answered %d", stage, sent.ErrorCode())
	}
	var timeout net.Error
	var refused *textproto.Error
	var op *net.OpError
	switch {
	case httpx.UnknownAuthority(err) != "":
		return fmt.Errorf("mail: %s: %s", stage, httpx.UnknownAuthority(err))
	case errors.As(err, new(x509.HostnameError)):
		return fmt.Errorf("mail: %s: the server's certificate is for another host name: check --smtp-addr", stage)
	case errors.As(err, new(tls.RecordHeaderError)):
		return fmt.Errorf("mail: %s: the server does not begin with TLS: check --smtp-security and the port", stage)
	case errors.As(err, &refused):
		return fmt.Errorf("mail: %s: the server answered %d: check the --smtp flags", stage, refused.Code)
	case errors.As(err, &op) && op.Op == "remote error": // an alert
		return fmt.Errorf("mail: %s: the server refuses to speak TLS 1.2 or later: %w", stage, op.Err)
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("mail: %s: the server took too long; a port that begins with TLS, such as 465, needs --smtp-security tls", stage)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("mail: %s: the server's certificate is not trusted: check its dates and uses", stage)
	case errors.As(err, new(*net.OpError)):
		return fmt.Errorf("mail: %s: the server cannot be reached: check --smtp-addr", stage)
	}
	if strings.Contains(err.Error(), "does not support STARTTLS") { // go-mail has no error value for it
		return fmt.Errorf("mail: %s: the server lacks STARTTLS: check --smtp-security and the port", stage)
	}
	return fmt.Errorf("mail: %s: the server refuses the credentials, or offers no sign-in: check the --smtp flags", stage)
}

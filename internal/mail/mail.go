// Package mail sends short letters of text by SMTP. It is the only room that knows
// go-mail.
//
// It refuses servers that do not offer TLS unless it was told to do without, and
// gives no credentials in the clear. Its errors name a stage and the server's
// number, never an address: they may be logged.
package mail

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/mail"
	"slices"
	"strconv"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// Security is how the connection to the server is kept private.
type Security string

const (
	STARTTLS Security = "starttls" // begun in the clear, and not gone on with before TLS
	TLS      Security = "tls"      // from the first byte, as on port 465
	None     Security = "none"     // in the clear: for a server on this machine
)

// Message is a message of plain text. ID is the same each time that it is sent, so
// that a receiver can tell.
type Message struct {
	ID      string // letters, digits and dashes
	To      string // one address
	Subject string
	Text    string
}

// ErrRefused is returned for a letter that the server will never take.
var ErrRefused = errors.New("mail: the server refuses this letter")

// timeout bounds each exchange with the server.
const timeout = 20 * time.Second

// Sender sends letters.
type Sender struct {
	host    string
	port    int
	from    *mail.Address
	tls     *tls.Config // from the first byte; nil: not
	options []gomail.Option
}

// New checks a configuration. It does not connect.
func New(c Config) (*Sender, error) {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil || host == "" {
		return nil, errors.New("mail: the server's address is not HOST:PORT")
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, errors.New("mail: the server's port is no number")
	}
	from, err := mail.ParseAddress(c.From)
	if err != nil {
		return nil, errors.New("mail: the sender is no address")
	}
	if (c.Username == "") != (c.Password == "") {
		return nil, errors.New("mail: user name and password go together")
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
			return nil, errors.New("mail: credentials are not sent without TLS")
		}
		s.options = append(s.options, gomail.WithTLSPolicy(gomail.NoTLS))
	default:
		return nil, fmt.Errorf("mail: unknown security %q", c.Security)
	}
	if c.Username != "" {
		s.options = append(s.options, gomail.WithUsername(c.Username), gomail.WithPassword(c.Password),
			gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthSCRAMSHA256, gomail.SMTPAuthSCRAMSHA1, gomail.SMTPAuthPlain, gomail.SMTPAuthLogin))
	}
	return s, nil
}

// Send hands a letter to the server. When it returns nil the server has it; after
// another error than ErrRefused it may be sent again.
func (s *Sender) Send(ctx context.Context, l Message) error {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.FromFormat(s.from.Name, s.from.Address); err != nil {
		return errors.New("mail: the sender is no address")
	}
	if err := m.To(l.To); err != nil {
		return fmt.Errorf("%w: the recipient is no address", ErrRefused)
	}
	m.Subject(l.Subject)
	m.SetMessageIDWithValue(l.ID + "@" + s.host)
	m.SetDate()
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetBodyString(gomail.TypeTextPlain, l.Text)

	// The library leaves a connection open that it cannot use, and does not look at
	// ctx once it has one.
	var conn net.Conn
	dial := gomail.WithDialContextFunc(func(ctx context.Context, network, addr string) (c net.Conn, err error) {
		conn, err = s.dial(ctx, network, addr)
		return conn, err
	})
	client, err := gomail.NewClient(s.host, append(slices.Clip(s.options), dial)...)
	if err != nil {
		return errors.New("mail: the client cannot be made")
	}
	err = client.DialWithContext(ctx)
	if conn != nil {
		defer conn.Close()
	}
	if err != nil {
		return failure(ctx, "connect", err)
	}
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	defer client.Close() // says goodbye
	if err := client.Send(m); err != nil {
		return failure(ctx, "send", err)
	}
	return nil
}

func (s *Sender) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	if s.tls != nil {
		return (&tls.Dialer{Config: s.tls}).DialContext(ctx, network, addr)
	}
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// failure is an error without the addresses that go-mail puts into its own.
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
	switch {
	case errors.As(err, &timeout) && timeout.Timeout():
		return fmt.Errorf("mail: %s: the server took too long", stage)
	case errors.As(err, new(*tls.CertificateVerificationError)):
		return fmt.Errorf("mail: %s: the server's certificate is not one that is trusted", stage)
	case errors.As(err, new(*net.OpError)):
		return fmt.Errorf("mail: %s: the server is not reached", stage)
	}
	return fmt.Errorf("mail: %s: the server does not offer what is needed, or refuses the credentials", stage)
}

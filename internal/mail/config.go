package mail

import (
	"crypto/x509"
	"errors"
	"net"

	"vestibule/internal/httpx"
)

// Config is the mail server and the sender's address.
type Config struct {
	Addr     string   `name:"smtp-addr" placeholder:"HOST:PORT" help:"Mail server. Default: emails stay in an outbox."`
	From     string   `name:"smtp-from" placeholder:"ADDRESS" help:"Sender of emails, with or without a name."`
	Username string   `name:"smtp-username" placeholder:"NAME" help:"Username at the mail server. Default: no authentication."`
	Password string   `name:"smtp-password" placeholder:"SECRET" help:"Password at the mail server."`
	Security Security `name:"smtp-security" default:"starttls" enum:"starttls,tls,none" help:"Encryption: starttls, tls, or none on loopback."`

	Roots *x509.CertPool `kong:"-"` // of the server's certificate; nil: the system's
}

// Validate checks the configuration without connecting.
func (c Config) Validate() error {
	if c.Addr == "" {
		if c.From != "" || c.Username != "" || c.Password != "" {
			return errors.New("--smtp-from, --smtp-username and --smtp-password need --smtp-addr")
		}
		return nil
	}
	if _, err := New(c); err != nil {
		return err
	}
	if host, _, _ := net.SplitHostPort(c.Addr); c.Security == None && !httpx.IsLoopback(host) {
		return errors.New("--smtp-security none: links and addresses of applicants would be sent unencrypted; " +
			"use it for a mail server on this machine only")
	}
	return nil
}

// Sender returns the sender of emails, or nil without a mail server.
func (c Config) Sender() (Mailer, error) {
	if c.Addr == "" {
		return nil, nil
	}
	return New(c)
}

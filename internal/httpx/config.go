package httpx

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"strconv"
)

// TLSConfig is the TLS configuration of the listeners.
type TLSConfig struct {
	CertFile string `name:"tls-cert" placeholder:"FILE" help:"Certificate chain of the listeners, in PEM."`
	KeyFile  string `name:"tls-key" placeholder:"FILE" help:"Private key of the certificate, in PEM."`

	// BehindProxy also makes rate limits read the client's address from
	// X-Forwarded-For.
	BehindProxy bool `name:"behind-proxy" help:"A proxy ends TLS and adds the client's address at the end of X-Forwarded-For."`
}

// Validate loads the certificate.
func (c TLSConfig) Validate() error {
	if (c.CertFile == "") != (c.KeyFile == "") {
		return errors.New("--tls-cert and --tls-key: give both or neither")
	}
	if _, err := c.Server(); err != nil {
		return fmt.Errorf("--tls-cert, --tls-key: %w", err)
	}
	return nil
}

// Server returns the configuration of a listener with TLS, or nil without a certificate.
func (c TLSConfig) Server() (*tls.Config, error) {
	if c.CertFile == "" {
		return nil, nil
	}
	cert, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile)
	if err != nil {
		return nil, err
	}
	return &tls.Config{Certificates: []tls.Certificate{cert}, NextProtos: []string{"h2", "http/1.1"}}, nil
}

// ListenHost returns the host of a listener's address, HOST:PORT with a number for a port.
func ListenHost(addr string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return "", false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return host, err == nil
}

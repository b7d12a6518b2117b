package httpx

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
)

// TLSConfig is the TLS configuration of the listeners, and of connections to others.
type TLSConfig struct {
	CertFile string `name:"tls-cert" placeholder:"FILE" help:"Certificate chain of the listeners, in PEM."`
	KeyFile  string `name:"tls-key" placeholder:"FILE" help:"Private key of the certificate, in PEM."`

	CAFile string `name:"ca-file" placeholder:"FILE" help:"Certificates of private authorities to trust, in PEM, besides the system's."`

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

// trusting makes Trust change what the process trusts once.
var trusting sync.Once

// Trust adds the authorities of --ca-file to those of the system, for each connection of this process
// that has no authorities of its own. Later calls only read the file.
func (c TLSConfig) Trust() error {
	if c.CAFile == "" {
		return nil
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	raw, err := os.ReadFile(c.CAFile)
	if err == nil && !pool.AppendCertsFromPEM(raw) {
		err = fmt.Errorf("%s has no certificate in PEM", c.CAFile)
	}
	if err != nil {
		return fmt.Errorf("--ca-file: %w", err)
	}
	trusting.Do(func() {
		err = os.Setenv("GODEBUG", strings.TrimLeft(os.Getenv("GODEBUG")+",x509usefallbackroots=1", ","))
		x509.SetFallbackRoots(pool)
	})
	return err
}

// UnknownAuthority says that a certificate is of an authority that is not known here, and names it; ""
// if err has another reason.
func UnknownAuthority(err error) string {
	var unknown x509.UnknownAuthorityError
	if !errors.As(err, &unknown) {
		return ""
	}
	name := ""
	if unknown.Cert != nil {
		name = fmt.Sprintf(" (%s)", unknown.Cert.Issuer)
	}
	return "the certificate is of an authority that is not known here" + name +
		"; for one of your own, give its certificate by --ca-file or SSL_CERT_FILE"
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

package fdx

import (
	"bytes"
	"cmp"
	"crypto/ecdsa"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	yaml "go.yaml.in/yaml/v3"

	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
)

// Methods of client authentication (RFC 6749, section 2.3; OpenID Connect Core,
// section 9; RFC 8705).
const (
	SecretBasic   = "client_secret_basic"
	SecretPost    = "client_secret_post"
	PrivateKeyJWT = "private_key_jwt"
	TLSClientAuth = "tls_client_auth"
)

// Institution is the configuration of one institution. It has the issuer, whose
// discovery document names the endpoints, or the endpoints. With both, the endpoints
// are used, and the issuer is compared with that of callbacks and ID tokens.
type Institution struct {
	ID       string   `yaml:"id"`       // lowercase letters, digits, and hyphens
	Name     string   `yaml:"name"`     // institution_name of reports
	Place    string   `yaml:"place"`    // city and state, or Online
	Homepage []string `yaml:"homepage"` // domains of its home page

	OAuthDomains          []string `yaml:"oauth_domains"` // domains that its sign-in may lead to; default: the host of the issuer or sign-in
	Issuer                string   `yaml:"issuer"`
	AuthorizationEndpoint string   `yaml:"authorization_endpoint"`
	TokenEndpoint         string   `yaml:"token_endpoint"`
	PAREndpoint           string   `yaml:"par_endpoint"`
	RevocationEndpoint    string   `yaml:"revocation_endpoint"`
	JWKSURI               string   `yaml:"jwks_uri"`

	BaseURL string `yaml:"fdx_base_url"`
	Version string `yaml:"fdx_version"` // "5" or "6"

	ClientID         string `yaml:"client_id"`
	Authentication   string `yaml:"client_authentication"`
	ClientSecretFile string `yaml:"client_secret_file"`
	PrivateKeyFile   string `yaml:"private_key_file"` // a P-256 key: PEM or JWK; or the key of the certificate
	CertificateFile  string `yaml:"certificate_file"` // PEM; also presented to the FDX API

	Scopes       []string `yaml:"scopes"`
	Resource     string   `yaml:"resource"`      // RFC 8707
	Audience     string   `yaml:"audience"`      // of access tokens, if the institution requires one
	DurationDays int      `yaml:"duration_days"` // days that a consent lasts, at most 730; 0: not stated
	CAFile       string   `yaml:"ca_file"`       // PEM; default: the system's
	Tokenized    bool     `yaml:"tokenized_numbers"`
	Hosts        []string `yaml:"hosts"`    // further hosts of endpoints and pages, with a port if it is not 443
	Loopback     bool     `yaml:"loopback"` // permits loopback addresses, also without TLS

	// Contents of the files. Load sets them; a program may set them itself.
	Secret      string           `yaml:"-"`
	Key         *jose.PrivateKey `yaml:"-"`
	Certificate *tls.Certificate `yaml:"-"`
	CA          *x509.CertPool   `yaml:"-"`
}

// Bounds of the configuration.
const (
	maxFile         = 1 << 20
	maxSecretFile   = 64 << 10
	maxInstitutions = 2000
	maxDays         = 730
)

// Load reads a YAML file of institutions and the files that it names, whose paths are
// relative to its directory. The error names every fault with its institution.
func Load(path string) ([]Institution, error) {
	raw, err := readBounded(path, maxFile)
	if err != nil {
		return nil, err
	}
	var entries []yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(raw))
	if err := d.Decode(&entries); err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: want a list of institutions: %w", path, err)
	}
	if err := d.Decode(new(any)); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s: contains more than one document", path)
	}
	if len(entries) > maxInstitutions {
		return nil, fmt.Errorf("%s: more than %d institutions", path, maxInstitutions)
	}
	var list []Institution
	var faults []error
	for n := range entries {
		var in Institution
		if err := decodeStrict(&entries[n], &in); err != nil {
			faults = append(faults, in.fault(n, err))
		} else if err := in.readFiles(filepath.Dir(path)); err != nil {
			faults = append(faults, in.fault(n, err))
		} else {
			list = append(list, in)
		}
	}
	if faults = append(faults, check(list)...); len(faults) > 0 {
		return nil, fmt.Errorf("%s:\n%w", path, errors.Join(faults...))
	}
	return list, nil
}

// decodeStrict decodes one institution and rejects unknown keys, which yaml.Node.Decode
// accepts.
func decodeStrict(n *yaml.Node, in *Institution) error {
	_ = n.Decode(in) // the name, for the error
	raw, err := yaml.Marshal(n)
	if err != nil {
		return err
	}
	*in = Institution{ID: in.ID}
	d := yaml.NewDecoder(bytes.NewReader(raw))
	d.KnownFields(true)
	return d.Decode(in)
}

func (in *Institution) fault(n int, err error) error {
	return fmt.Errorf("institution %s: %w", cmp.Or(in.ID, fmt.Sprintf("number %d", n+1)), err)
}

func readBounded(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(raw)) > limit {
		return nil, fmt.Errorf("%s is larger than %d KiB", path, limit>>10)
	}
	return raw, nil
}

// readFiles reads the secrets, keys and certificates that the configuration names.
func (in *Institution) readFiles(dir string) error {
	var faults []error
	read := func(key, path string, use func([]byte) error) {
		if path == "" {
			return
		}
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		raw, err := readBounded(path, maxSecretFile)
		if err == nil {
			err = use(raw)
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", key, err))
		}
	}
	read("client_secret_file", in.ClientSecretFile, func(raw []byte) error {
		if in.Secret = strings.TrimRight(string(raw), "\r\n"); in.Secret == "" {
			return errors.New("the file is empty")
		}
		return nil
	})
	var key []byte
	read("private_key_file", in.PrivateKeyFile, func(raw []byte) (err error) {
		if key = raw; in.Authentication == PrivateKeyJWT {
			in.Key, err = parseKey(raw)
		}
		return err
	})
	read("certificate_file", in.CertificateFile, func(raw []byte) error {
		if in.Authentication == PrivateKeyJWT || key == nil {
			key = raw // the file of the certificate also has its key
		}
		pair, err := tls.X509KeyPair(raw, key)
		if err != nil {
			return errors.New("not a PEM certificate with its private key")
		}
		in.Certificate = &pair
		return nil
	})
	read("ca_file", in.CAFile, func(raw []byte) error {
		if in.CA = x509.NewCertPool(); !in.CA.AppendCertsFromPEM(raw) {
			return errors.New("no PEM certificate in the file")
		}
		return nil
	})
	return errors.Join(faults...)
}

// parseKey parses a private P-256 key: a JWK, or PEM as openssl writes it.
func parseKey(raw []byte) (*jose.PrivateKey, error) {
	for rest := raw; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return jose.ParsePrivateKey(bytes.TrimSpace(raw))
		}
		if !strings.HasSuffix(block.Type, "PRIVATE KEY") {
			continue // openssl writes the curve's parameters before the key
		}
		if key, err := x509.ParseECPrivateKey(block.Bytes); err == nil {
			return jose.NewPrivateKey(key)
		}
		if key, err := x509.ParsePKCS8PrivateKey(block.Bytes); err == nil {
			if ec, ok := key.(*ecdsa.PrivateKey); ok {
				return jose.NewPrivateKey(ec)
			}
		}
		return nil, errors.New("not a P-256 key without a passphrase")
	}
}

// check returns the faults of a list of institutions.
func check(list []Institution) (faults []error) {
	seen := map[string]bool{}
	for n := range list {
		in := &list[n]
		if seen[in.ID] {
			faults = append(faults, in.fault(n, errors.New("id: another institution has it")))
		}
		seen[in.ID] = in.ID != ""
		for _, err := range in.faults() {
			faults = append(faults, in.fault(n, err))
		}
	}
	return faults
}

var (
	idPattern     = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	domainPattern = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*(:[0-9]{1,5})?$`)
	// scopePattern matches a scope-token of RFC 6749, section 3.3.
	scopePattern = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`)
)

// faults returns the faults of one institution.
func (in *Institution) faults() (faults []error) {
	want := func(ok bool, key, text string) {
		if !ok {
			faults = append(faults, errors.New(key+": "+text))
		}
	}
	line := func(s string, max int) bool {
		return s == strings.TrimSpace(s) && len(s) <= max && !strings.ContainsFunc(s, unicode.IsControl)
	}
	want(idPattern.MatchString(in.ID) && len(in.ID) <= 64, "id", "want up to 64 lowercase letters, digits, and hyphens")
	want(in.Name != "" && line(in.Name, 100), "name", "want 1 to 100 characters on one line")
	want(line(in.Place, 100), "place", "want at most 100 characters on one line")
	for key, list := range map[string][]string{"homepage": in.Homepage, "oauth_domains": in.OAuthDomains, "hosts": in.Hosts} {
		for _, domain := range list {
			want(domainPattern.MatchString(domain) && len(domain) <= 253, key, "want host names in lowercase, without scheme and path")
		}
	}
	url := func(key, raw string, required bool) {
		if raw != "" || required {
			err := in.checkURL(raw)
			want(err == nil, key, fmt.Sprint(err))
		}
	}
	discovered := in.TokenEndpoint == "" && in.AuthorizationEndpoint == ""
	url("issuer", in.Issuer, discovered)
	url("authorization_endpoint", in.AuthorizationEndpoint, !discovered)
	url("token_endpoint", in.TokenEndpoint, !discovered)
	url("par_endpoint", in.PAREndpoint, false)
	url("revocation_endpoint", in.RevocationEndpoint, false)
	url("jwks_uri", in.JWKSURI, false)
	url("fdx_base_url", in.BaseURL, true)
	want(!strings.Contains(in.Issuer, "?"), "issuer", "want a URL without a query")
	want(!strings.Contains(in.BaseURL, "?"), "fdx_base_url", "want a URL without a query")
	want(discovered || !slices.Contains(in.Scopes, "openid") || in.Issuer != "" && in.JWKSURI != "",
		"scopes", "openid needs the issuer, and jwks_uri where endpoints are given")
	want(!discovered || in.PAREndpoint+in.RevocationEndpoint+in.JWKSURI == "", "par_endpoint, revocation_endpoint, jwks_uri",
		"want authorization_endpoint and token_endpoint too")
	want(in.Version == "5" || in.Version == "6", "fdx_version", `want "5" or "6"`)
	want(in.ClientID != "" && line(in.ClientID, 512), "client_id", "is missing or not one line")
	switch in.Authentication {
	case SecretBasic, SecretPost:
		want(in.Secret != "", "client_secret_file", "is missing")
	case PrivateKeyJWT:
		want(in.Key != nil, "private_key_file", "is missing")
	case TLSClientAuth:
		want(in.Certificate != nil, "certificate_file", "is missing")
	default:
		want(false, "client_authentication", "want "+strings.Join([]string{SecretBasic, SecretPost, PrivateKeyJWT, TLSClientAuth}, ", "))
	}
	for _, scope := range in.Scopes {
		want(scopePattern.MatchString(scope), "scopes", "want one scope an entry")
	}
	url("resource", in.Resource, false)
	want(line(in.Audience, 512), "audience", "want one line")
	want(in.DurationDays >= 0 && in.DurationDays <= maxDays, "duration_days", fmt.Sprintf("want 0 to %d", maxDays))
	return faults
}

// checkURL returns an error for a URL that the institution may not have. It accepts
// public https addresses without credentials and fragment, and permitted loopback.
func (in *Institution) checkURL(raw string) error {
	u, err := url.Parse(raw)
	if err != nil || u.Opaque != "" || u.Hostname() == "" || len(raw) > 2048 {
		return errors.New("want an absolute URL")
	}
	if u.User != nil || strings.Contains(raw, "#") {
		return errors.New("want a URL without credentials and fragment")
	}
	local := in.Loopback && httpx.IsLoopback(u.Hostname())
	if u.Scheme != "https" && (u.Scheme != "http" || !local) {
		return errors.New("want https; http is for loopback addresses where loopback is set")
	}
	if ip, err := netip.ParseAddr(u.Hostname()); err == nil && !local && (ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast()) {
		return errors.New("want a public address")
	}
	return nil
}

// allowedHosts returns the hosts, with ports, that requests may go to.
func (in *Institution) allowedHosts() map[string]bool {
	out := map[string]bool{}
	for _, raw := range []string{in.Issuer, in.AuthorizationEndpoint, in.TokenEndpoint, in.PAREndpoint, in.RevocationEndpoint, in.JWKSURI,
		in.BaseURL} {
		if u, err := url.Parse(raw); err == nil && u.Host != "" {
			out[rest.HostOf(u)] = true
		}
	}
	for _, host := range in.Hosts {
		if u, err := url.Parse("https://" + host); err == nil {
			out[rest.HostOf(u)] = true
		}
	}
	return out
}

// domains returns the domains that the sign-in may lead to.
func (in *Institution) domains() []string {
	if len(in.OAuthDomains) > 0 {
		return in.OAuthDomains
	}
	u, err := url.Parse(cmp.Or(in.AuthorizationEndpoint, in.Issuer))
	if err != nil {
		return nil
	}
	return []string{u.Hostname()}
}

// public returns the institution without its configuration.
func (in *Institution) public() sources.Institution {
	return sources.Institution{ID: in.ID, Name: in.Name, Place: in.Place, OAuth: in.domains(), Homepage: in.Homepage, Tokens: in.Tokenized}
}

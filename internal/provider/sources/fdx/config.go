package fdx

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/configfile"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/strictyaml"
)

// Methods of client authentication (RFC 6749, section 2.3; OpenID Connect Core,
// section 9; RFC 8705).
const (
	SecretBasic   = "client_secret_basic"
	SecretPost    = "client_secret_post"
	PrivateKeyJWT = "private_key_jwt"
	TLSClientAuth = "tls_client_auth"
)

// Values of assertion_audience that name an address.
const (
	audIssuer = "issuer"
	audToken  = "token_endpoint"
)

// Values of redirect_uri.
const (
	ownURI    = "own"    // with the institution's id
	sharedURI = "shared" // by institutions whose callbacks name the issuer
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
	RedirectURI           string   `yaml:"redirect_uri"` // "own" or "shared"; default: shared with an issuer, and else own

	BaseURL string `yaml:"fdx_base_url"`
	Version string `yaml:"fdx_version"` // "5" or "6"

	ClientID         string `yaml:"client_id"`
	Authentication   string `yaml:"client_authentication"`
	ClientSecretFile string `yaml:"client_secret_file"`
	PrivateKeyFile   string `yaml:"private_key_file"`   // PEM or JWK; or the key of the certificate
	SigningAlg       string `yaml:"signing_alg"`        // of assertions; default: by the key and the metadata
	KeyID            string `yaml:"key_id"`             // kid of assertions; default: that of the JWK, or the key's thumbprint
	AssertionAud     string `yaml:"assertion_audience"` // "issuer", "token_endpoint", or a value; default: the accepted one of these two
	CertificateFile  string `yaml:"certificate_file"`   // PEM; also presented to the FDX API

	Scopes       []string `yaml:"scopes"`
	Resource     string   `yaml:"resource"`      // RFC 8707
	Audience     string   `yaml:"audience"`      // of access tokens, if the institution requires one
	DurationDays int      `yaml:"duration_days"` // days that a consent lasts, at most 730; 0: not stated
	CAFile       string   `yaml:"ca_file"`       // PEM; default: the system's
	Tokenized    bool     `yaml:"tokenized_numbers"`
	Large        bool     `yaml:"large"`    // shown to applicants before the others
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
	maxInstitutions = 2000
	maxDays         = 730
)

// Load reads a YAML file of institutions and the files that it names, whose paths are
// relative to its directory. The error names every fault with its institution.
func Load(path string) ([]Institution, error) {
	entries, err := configfile.Entries(path, "institutions", maxInstitutions)
	if err != nil {
		return nil, err
	}
	var list []Institution
	var faults []error
	for n := range entries {
		var in Institution
		err := strictyaml.DecodeNode(&entries[n], &in)
		if err == nil {
			err = in.readFiles(filepath.Dir(path))
		}
		if err != nil {
			faults = append(faults, configfile.Faults(in.entry(n), err)...)
		} else {
			list = append(list, in)
		}
	}
	if faults = append(faults, check(list)...); len(faults) > 0 {
		return nil, fmt.Errorf("%s:\n%w", path, errors.Join(faults...))
	}
	return list, nil
}

// entry names an institution in errors.
func (in *Institution) entry(n int) string {
	return "institution " + cmp.Or(in.ID, fmt.Sprintf("number %d", n+1))
}

func (in *Institution) fault(n int, err error) error { return fmt.Errorf("%s: %w", in.entry(n), err) }

// readFiles reads the secrets, keys and certificates that the configuration names.
func (in *Institution) readFiles(dir string) error {
	files := configfile.Files{Dir: dir}
	files.Read("client_secret_file", in.ClientSecretFile, func(raw []byte) error {
		if in.Secret = strings.TrimRight(string(raw), "\r\n"); in.Secret == "" {
			return errors.New("the file is empty")
		}
		return nil
	})
	var key []byte
	files.Read("private_key_file", in.PrivateKeyFile, func(raw []byte) (err error) {
		if key = raw; in.Authentication == PrivateKeyJWT {
			in.Key, err = parseKey(raw)
		}
		return err
	})
	files.Read("certificate_file", in.CertificateFile, func(raw []byte) error {
		if in.Authentication == PrivateKeyJWT || key == nil {
			key = raw // the file of the certificate also has its key
		}
		pair, err := tls.X509KeyPair(raw, key)
		if err != nil {
			return errors.New("must be a PEM certificate and its private key")
		}
		in.Certificate = &pair
		return nil
	})
	files.Read("ca_file", in.CAFile, func(raw []byte) error {
		if in.CA = x509.NewCertPool(); !in.CA.AppendCertsFromPEM(raw) {
			return errors.New("the file has no PEM certificate")
		}
		return nil
	})
	return errors.Join(files.Faults...)
}

// parseKey parses a private key for signing: a JWK, or PEM as openssl writes it.
func parseKey(raw []byte) (*jose.PrivateKey, error) {
	for rest := raw; ; {
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return jose.ParsePrivateKey(bytes.TrimSpace(raw))
		}
		if !strings.HasSuffix(block.Type, "PRIVATE KEY") {
			continue // openssl writes the curve's parameters before the key
		}
		for _, parse := range []func([]byte) (any, error){
			x509.ParsePKCS8PrivateKey,
			func(der []byte) (any, error) { return x509.ParseECPrivateKey(der) },
			func(der []byte) (any, error) { return x509.ParsePKCS1PrivateKey(der) },
		} {
			if key, err := parse(block.Bytes); err == nil {
				if signer, ok := key.(crypto.Signer); ok {
					return jose.NewPrivateKey(signer)
				}
			}
		}
		return nil, errors.New("must be an RSA, EC, or Ed25519 key without a passphrase")
	}
}

func check(list []Institution) (faults []error) {
	seen := map[string]bool{}
	for n := range list {
		in := &list[n]
		if seen[in.ID] {
			faults = append(faults, in.fault(n, errors.New("id: another institution has the same id")))
		}
		seen[in.ID] = in.ID != ""
		for _, err := range in.faults() {
			faults = append(faults, in.fault(n, err))
		}
	}
	return faults
}

// scopePattern matches a scope-token of RFC 6749, section 3.3.
var scopePattern = regexp.MustCompile(`^[\x21\x23-\x5b\x5d-\x7e]+$`)

func (in *Institution) faults() (faults []error) {
	require := func(ok bool, key, text string) {
		if !ok {
			faults = append(faults, errors.New(key+": "+text))
		}
	}
	require(configfile.IsID(in.ID), "id", "must be 1 to 64 lowercase letters, digits, and hyphens")
	require(in.Name != "" && configfile.IsLine(in.Name, 100), "name", "must have 1 to 100 characters on one line")
	require(configfile.IsLine(in.Place, 100), "place", "must have at most 100 characters on one line")
	for key, list := range map[string][]string{"homepage": in.Homepage, "oauth_domains": in.OAuthDomains, "hosts": in.Hosts} {
		for _, domain := range list {
			require(configfile.IsDomain(domain), key, "must be host names in lowercase, without scheme and path")
		}
	}
	url := func(key, raw string, required bool) {
		if raw != "" || required {
			err := in.checkURL(raw)
			require(err == nil, key, fmt.Sprint(err))
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
	require(in.RedirectURI == "" || in.RedirectURI == ownURI || in.RedirectURI == sharedURI, "redirect_uri", "must be own or shared")
	require(!strings.Contains(in.Issuer, "?"), "issuer", "must be a URL without a query")
	require(!strings.Contains(in.BaseURL, "?"), "fdx_base_url", "must be a URL without a query")
	require(discovered || !slices.Contains(in.Scopes, "openid") || in.Issuer != "" && in.JWKSURI != "",
		"scopes", "openid needs issuer, and with configured endpoints also jwks_uri")
	require(!discovered || in.PAREndpoint+in.RevocationEndpoint+in.JWKSURI == "", "par_endpoint, revocation_endpoint, jwks_uri",
		"also need authorization_endpoint and token_endpoint")
	require(in.Version == "5" || in.Version == "6", "fdx_version", `must be "5" or "6"`)
	require(in.ClientID != "" && configfile.IsLine(in.ClientID, 512), "client_id", "must have 1 to 512 characters on one line")
	switch in.Authentication {
	case SecretBasic, SecretPost:
		require(in.Secret != "", "client_secret_file", "is required by "+in.Authentication)
	case PrivateKeyJWT:
		require(in.Key != nil, "private_key_file", "is required by "+in.Authentication)
	case TLSClientAuth:
		require(in.Certificate != nil, "certificate_file", "is required by "+in.Authentication)
	default:
		require(false, "client_authentication",
			"must be one of "+strings.Join([]string{SecretBasic, SecretPost, PrivateKeyJWT, TLSClientAuth}, ", "))
	}
	require(in.SigningAlg == "" ||
		in.Authentication == PrivateKeyJWT && in.Key != nil && slices.Contains(in.Key.Algs(), jose.Alg(in.SigningAlg)),
		"signing_alg", "must be an algorithm of the private key, and needs "+PrivateKeyJWT)
	require(configfile.IsLine(in.KeyID, 256), "key_id", "must have at most 256 characters on one line")
	require(configfile.IsLine(in.AssertionAud, 512), "assertion_audience", "must be one line of at most 512 characters")
	require(in.AssertionAud != audIssuer || in.Issuer != "", "assertion_audience", "issuer needs the key issuer")
	for _, scope := range in.Scopes {
		require(scopePattern.MatchString(scope), "scopes", "must have one scope in each entry")
	}
	url("resource", in.Resource, false)
	require(configfile.IsLine(in.Audience, 512), "audience", "must be one line of at most 512 characters")
	require(in.DurationDays >= 0 && in.DurationDays <= maxDays, "duration_days", fmt.Sprintf("must be from 0 to %d", maxDays))
	return faults
}

// checkURL returns an error for a URL that the institution may not have.
func (in *Institution) checkURL(raw string) error { return configfile.CheckURL(raw, in.Loopback) }

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

func (in *Institution) ownRedirectURI() bool {
	return in.RedirectURI == ownURI || in.RedirectURI == "" && in.Issuer == ""
}

// public returns the institution without its configuration.
func (in *Institution) public() sources.Institution {
	return sources.Institution{ID: in.ID, Name: in.Name, Place: in.Place, OAuth: in.domains(), Homepage: in.Homepage,
		Tokens: in.Tokenized, Large: in.Large, OwnCallback: in.ownRedirectURI()}
}

package fdx

import (
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/configfile"
)

const wholeConfig = `
- id: harbor-national
  name: Harbor National Bank
  place: Austin, TX
  homepage: [harbor.example]
  oauth_domains: [signin.harbor.example]
  issuer: https://auth.harbor.example/oauth
  fdx_base_url: https://api.harbor.example/fdx/v6/
  fdx_version: 6
  client_id: vestibule
  client_authentication: client_secret_basic
  client_secret_file: secret
  scopes: [openid, accounts]
  duration_days: 90
  hosts: [keys.harbor.example]
- id: prairie
  name: Prairie Federal Bank
  authorization_endpoint: https://prairie.example/authorize
  token_endpoint: https://prairie.example/token
  fdx_base_url: https://prairie.example/fdx/v5
  fdx_version: "5"
  client_id: vestibule
  client_authentication: private_key_jwt
  private_key_file: key.pem
  tokenized_numbers: true
- id: cascade
  name: Cascade Bank
  issuer: https://cascade.example
  fdx_base_url: https://cascade.example/fdx/v6
  fdx_version: "6"
  client_id: vestibule
  client_authentication: tls_client_auth
  certificate_file: certificate.pem
  ca_file: ca.pem
`

// generateRSA generates one key for all tests, because that takes long.
var generateRSA = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// configured writes a configuration with the files that it may name.
func configured(t *testing.T, yaml string) string {
	t.Helper()
	dir := t.TempDir()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "client"},
		NotAfter: time.Now().Add(24 * time.Hour)}
	certificate, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	keyPEM := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
	certificatePEM := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})
	jwk, err := jose.GenerateKey()
	if err != nil {
		t.Fatal(err)
	}
	rawJWK, err := jwk.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	encode := func(kind string, der []byte, err error) []byte {
		if err != nil {
			t.Fatal(err)
		}
		return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
	}
	pkcs8 := func(key any) []byte {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		return encode("PRIVATE KEY", der, err)
	}
	sec1, err := x509.MarshalECPrivateKey(key)
	sec1PEM := slices.Concat(pem.EncodeToMemory(&pem.Block{Type: "EC PARAMETERS", Bytes: []byte{6, 0}}), encode("EC PRIVATE KEY", sec1, err))
	rsaKey, err := generateRSA()
	if err != nil {
		t.Fatal(err)
	}
	_, edKey, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p224, err := ecdsa.GenerateKey(elliptic.P224(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{"sec1.pem": sec1PEM, "rsa.pem": pkcs8(rsaKey), "ed25519.pem": pkcs8(edKey),
		"pkcs1.pem": encode("RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(rsaKey), nil), "weak.pem": pkcs8(p224),
		"institutions.yaml": []byte(yaml), "secret": []byte("s3cret\n"), "empty": nil,
		"key.pem": keyPEM, "key.jwk": rawJWK, "certificate.pem": slices.Concat(certificatePEM, keyPEM), "ca.pem": certificatePEM,
		"large": make([]byte, configfile.MaxSecretFile+1)} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return filepath.Join(dir, "institutions.yaml")
}

func TestLoad(t *testing.T) {
	list, err := Load(configured(t, wholeConfig))
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 || list[0].Secret != "s3cret" || list[1].Key == nil || list[2].Certificate == nil || list[2].CA == nil {
		t.Errorf("the files are not read: %+v", list)
	}
	c, err := New(list, Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := c.Institutions()
	want := []sources.Institution{
		{ID: "cascade", Name: "Cascade Bank", OAuth: []string{"cascade.example"}},
		{ID: "harbor-national", Name: "Harbor National Bank", Place: "Austin, TX", OAuth: []string{"signin.harbor.example"},
			Homepage: []string{"harbor.example"}},
		{ID: "prairie", Name: "Prairie Federal Bank", OAuth: []string{"prairie.example"}, Tokens: true},
	}
	for i := range want {
		if i >= len(got) || got[i].ID != want[i].ID || got[i].Name != want[i].Name || got[i].Place != want[i].Place ||
			!slices.Equal(got[i].OAuth, want[i].OAuth) || !slices.Equal(got[i].Homepage, want[i].Homepage) || got[i].Tokens != want[i].Tokens {
			t.Errorf("institution %d is %+v, want %+v", i, got, want[i])
		}
	}
	if hosts := list[0].allowedHosts(); len(hosts) != 3 || !hosts["keys.harbor.example:443"] {
		t.Errorf("allowed hosts are %v", hosts)
	}
	for _, empty := range []string{"", "[]"} {
		if list, err := Load(configured(t, empty)); err != nil || len(list) != 0 {
			t.Errorf("Load of %q = %v, %v", empty, list, err)
		}
	}
}

// TestLoadReference loads the example of the reference page, which names every key.
func TestLoadReference(t *testing.T) {
	raw, err := os.ReadFile("../../../../docs/reference/institutions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(raw), "```yaml\n")
	example, _, _ = strings.Cut(example, "```")
	if list, err := Load(configured(t, strings.Replace(example, "harbor.pem", "key.pem", 1))); err != nil || len(list) != 1 {
		t.Errorf("the example is %+v, %v", list, err)
	}
	for field := range reflect.TypeFor[Institution]().Fields() {
		if key := field.Tag.Get("yaml"); key != "-" && !strings.Contains(string(raw), "`"+key+"`") {
			t.Errorf("the page does not name %s", key)
		}
	}
}

// TestLoadNamesEveryFault checks that each fault is named with its institution and key.
func TestLoadNamesEveryFault(t *testing.T) {
	for _, c := range []struct{ old, new, want string }{
		{"fdx_version: 6", "fdx_version: 7", "harbor-national: fdx_version"},
		{"place: Austin", "plaice: Austin", "harbor-national: the key plaice is unknown"},
		{"place: Austin, TX", "id: other", "is there twice"},
		{"id: prairie", "id: harbor-national", "harbor-national: id: another"},
		{"id: prairie", "id: Prairie", "Prairie: id"},
		{"name: Prairie Federal Bank", "name: \"\"", "prairie: name"},
		{"https://auth.harbor.example/oauth", "http://auth.harbor.example/oauth", "harbor-national: issuer: must be https"},
		{"https://auth.harbor.example/oauth", "https://127.0.0.1/oauth", "harbor-national: issuer: must be a public"},
		{"https://auth.harbor.example/oauth", "http://127.0.0.1/oauth", "harbor-national: issuer: must be https"},
		{"https://auth.harbor.example/oauth", "https://u:p@auth.harbor.example", "harbor-national: issuer: must be a URL without credentials"},
		{"issuer: https://auth.harbor.example/oauth\n", "\n", "harbor-national: issuer"},
		{"token_endpoint: https://prairie.example/token", "", "prairie: token_endpoint"},
		{"place: Austin, TX", "redirect_uri: https://a.example/", "harbor-national: redirect_uri: must be own or shared"},
		{"client_secret_file: secret", "", "harbor-national: client_secret_file: is required by"},
		{"client_secret_file: secret", "client_secret_file: absent", "harbor-national: client_secret_file: open"},
		{"client_secret_file: secret", "client_secret_file: empty", "harbor-national: client_secret_file: the file is empty"},
		{"client_secret_file: secret", "client_secret_file: large", "harbor-national: client_secret_file: "},
		{"private_key_file: key.pem", "private_key_file: secret", "prairie: private_key_file"},
		{"certificate_file: certificate.pem", "certificate_file: ca.pem", "cascade: certificate_file"},
		{"ca_file: ca.pem", "ca_file: secret", "cascade: ca_file"},
		{"private_key_file: key.pem", "private_key_file: key.pem\n  signing_alg: ES384", "prairie: signing_alg"},
		{"private_key_file: key.pem", "private_key_file: rsa.pem\n  signing_alg: ES256", "prairie: signing_alg"},
		{"client_secret_file: secret", "client_secret_file: secret\n  signing_alg: ES256", "harbor-national: signing_alg"},
		{"private_key_file: key.pem", "private_key_file: key.pem\n  key_id: \"a\\nb\"", "prairie: key_id"},
		{"private_key_file: key.pem", "private_key_file: key.pem\n  assertion_audience: issuer", "prairie: assertion_audience: issuer"},
		{"private_key_file: key.pem", "private_key_file: weak.pem", "prairie: private_key_file"},
		{"client_authentication: private_key_jwt", "client_authentication: none", "prairie: client_authentication"},
		{"scopes: [openid, accounts]", "scopes: [openid accounts]", "harbor-national: scopes"},
		{"duration_days: 90", "duration_days: 9000", "harbor-national: duration_days"},
		{"hosts: [keys.harbor.example]", "hosts: [\"https://keys.harbor.example\"]", "harbor-national: hosts"},
		{"  tokenized_numbers: true", "  scopes: [openid]", "prairie: scopes: openid needs"},
	} {
		if !strings.Contains(wholeConfig, c.old) {
			t.Fatalf("the configuration has no %q", c.old)
		}
		_, err := Load(configured(t, strings.Replace(wholeConfig, c.old, c.new, 1)))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.new, err, c.want)
		}
	}
	_, err := Load(configured(t, strings.NewReplacer("fdx_version: 6", "fdx_version: 7", "id: cascade", "id: C").Replace(wholeConfig)))
	if err == nil || !strings.Contains(err.Error(), "harbor-national") || !strings.Contains(err.Error(), "institution C") {
		t.Errorf("only one of two faults is named: %v", err)
	}
	for _, yaml := range []string{"a: b", "- a\n---\n- b", "- &a [*a]", "- 1", "\x00", strings.Repeat("#", configfile.MaxFile+1)} {
		if _, err := Load(configured(t, yaml)); err == nil {
			t.Errorf("Load of %.20q has no error", yaml)
		}
	}
	for file, alg := range map[string]jose.Alg{"key.pem": "ES256", "key.jwk": "ES256", "sec1.pem": "ES256", "rsa.pem": "PS256",
		"pkcs1.pem": "PS256", "ed25519.pem": "EdDSA"} {
		list, err := Load(configured(t, strings.Replace(wholeConfig, "key.pem", file, 1)))
		if err != nil || list[1].Key == nil || list[1].Key.Alg != alg {
			t.Errorf("%s: %v", file, err)
		}
	}
}

package svcapi

import (
	_ "embed" // the built-in profile
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
	"vestibule/internal/strictyaml"
	"vestibule/internal/webhook"
)

// BuiltInProfile is the profile of Vestibule's own provider, as a file with comments. It has
// each setting of a profile (docs/how-to/another-provider.md).
//
//go:embed profile.yaml
var BuiltInProfile []byte

// Profile has the addresses, names and encodings of one provider. Do not change it once a
// Client has it.
type Profile struct {
	URL                 string              `yaml:"url"` // base URL of the API; empty: --provider-url has it
	Addresses           map[Address]string  `yaml:"addresses"`
	Headers             map[Header]string   `yaml:"headers"`
	AccessTokenEncoding string              `yaml:"accessTokenEncoding"`
	WidgetGlobal        string              `yaml:"widgetGlobal"`
	Pages               []string            `yaml:"pages"`
	Frames              []string            `yaml:"frames"`
	Connects            []string            `yaml:"connects"`
	RedirectTokenField  string              `yaml:"redirectTokenField"`
	RevisionCheck       RevisionCheck       `yaml:"revisionCheck"`
	Result              ResultForm          `yaml:"result"`
	WebhookHeaders      webhook.HeaderNames `yaml:"webhookHeaders"`
}

// RevisionCheck says how the portal asks once a day whether a report was corrected.
type RevisionCheck string

// Ways to ask.
const (
	CheckByETag RevisionCheck = "etag"  // conditional requests; reports without an ETag are not asked for
	CheckByGet  RevisionCheck = "fetch" // the whole report, which a provider may record as read
	CheckNever  RevisionCheck = "off"
)

// ResultForm says how signed results return, and what is in them.
type ResultForm struct {
	Placeholder string           `yaml:"placeholder"` // of the result in a redirect URL
	Parameter   string           `yaml:"parameter"`   // of the query, in a return by GET
	Field       string           `yaml:"field"`       // of the form or JSON object, in a return by POST
	Encoding    string           `yaml:"encoding"`
	Types       []string         `yaml:"types"`
	Algorithms  []jose.Alg       `yaml:"algorithms"`
	Issuer      string           `yaml:"issuer"` // empty: the base URL
	Claims      map[Claim]string `yaml:"claims"`
}

// Address names an address of a profile. Those of reports are named by their product.
type Address string

// Addresses other than those of reports.
const (
	AddressAccessToken    Address = "accessToken"
	AddressInitialization Address = "initialization"
	AddressSecureRedirect Address = "secureRedirect"
	AddressConsumers      Address = "consumers"
	AddressStatus         Address = "status"
	AddressRelayTokens    Address = "relayTokens"
	AddressSubmission     Address = "submission"
	AddressKeySet         Address = "keySet"
	AddressWidgetScript   Address = "widgetScript"
)

// Header names a header of a profile.
type Header string

// Headers of requests.
const (
	HeaderEnvironment Header = "environment"
	HeaderPublicID    Header = "publicId"
	HeaderProductID   Header = "productId"
	HeaderPublicToken Header = "publicToken"
	HeaderExternalID  Header = "externalId"
	HeaderInclude     Header = "include"
)

// Claim names a claim of a signed result.
type Claim string

// Claims of a signed result besides the registered ones of RFC 7519.
const (
	ClaimOutcome      Claim = "outcome"
	ClaimPublicToken  Claim = "publicToken"
	ClaimStatus       Claim = "status"
	ClaimError        Claim = "error"
	ClaimRedirectArgs Claim = "redirectArgs"
)

// Values of accessTokenEncoding and of result.encoding.
const (
	encodingBase64    = "base64"
	encodingBase64URL = "base64url"
	encodingPlain     = "plain"
	encodingJWT       = "jwt"
)

// maxProfile is the maximum size in bytes of a profile's file.
const maxProfile = 64 << 10

var builtIn = sync.OnceValue(func() *Profile {
	p, err := ParseProfile(nil)
	if err != nil {
		panic(err)
	}
	return p
})

// LoadProfile reads the file of --provider-profile; an empty path is the built-in profile.
func LoadProfile(path string) (*Profile, error) {
	if path == "" {
		return ParseProfile(nil)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, maxProfile+1))
	if err == nil && len(raw) > maxProfile {
		err = fmt.Errorf("is larger than %d KB", maxProfile>>10)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	p, err := ParseProfile(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// ParseProfile decodes a file. Settings that it does not have are those of the built-in one.
func ParseProfile(raw []byte) (*Profile, error) {
	p, own := &Profile{}, &Profile{}
	for _, layer := range []struct {
		raw  []byte
		into *Profile
	}{{BuiltInProfile, own}, {BuiltInProfile, p}, {raw, p}} {
		if err := strictyaml.Decode(layer.raw, layer.into); err != nil {
			return nil, err
		}
	}
	p.URL = strings.TrimRight(p.URL, "/")
	return p, p.validate(own)
}

// validate names each setting that cannot be used. The keys of maps are those of own.
func (p *Profile) validate(own *Profile) error {
	var errs []error
	need := func(ok bool, setting, value, must string) {
		if !ok {
			errs = append(errs, fmt.Errorf("%s %q: must be %s", setting, value, must))
		}
	}
	const (
		base       = "an absolute http or https URL without user, query or fragment"
		freeHeader = "the name of a header that the portal does not use otherwise"
	)
	need(p.URL == "" || httpx.IsBaseURL(p.URL), "url", p.URL, base)
	errs = append(errs, checkNames("addresses", p.Addresses, own.Addresses, true), checkNames("headers", p.Headers, own.Headers, false),
		checkNames("result.claims", p.Result.Claims, own.Result.Claims, false))
	for _, a := range slices.Sorted(maps.Keys(p.Addresses)) {
		at := p.Addresses[a]
		need(isPath(at) || httpx.IsBaseURL(at) && !strings.HasSuffix(at, "/"), "addresses."+string(a), at,
			"a path that begins with /, or "+base+", and not end with /")
	}
	for _, h := range slices.Sorted(maps.Keys(p.Headers)) {
		name := p.Headers[h]
		optional := name == "" && (h == HeaderEnvironment || h == HeaderInclude)
		need(optional || isHeaderName(name), "headers."+string(h), name, freeHeader)
	}
	for _, h := range [][2]string{{"id", p.WebhookHeaders.ID}, {"timestamp", p.WebhookHeaders.Timestamp},
		{"signature", p.WebhookHeaders.Signature}} {
		need(isHeaderName(h[1]), "webhookHeaders."+h[0], h[1], freeHeader)
	}
	need(slices.Contains([]string{encodingBase64, encodingBase64URL, encodingPlain}, p.AccessTokenEncoding), "accessTokenEncoding",
		p.AccessTokenEncoding, "base64, base64url or plain")
	need(slices.Contains([]RevisionCheck{CheckByETag, CheckByGet, CheckNever}, p.RevisionCheck), "revisionCheck",
		string(p.RevisionCheck), "etag, fetch or off")
	need(isIdentifier(p.WidgetGlobal), "widgetGlobal", p.WidgetGlobal, "a JavaScript identifier")
	for _, list := range []struct {
		setting string
		origins []string
	}{{"pages", p.Pages}, {"frames", p.Frames}, {"connects", p.Connects}} {
		for _, origin := range list.origins {
			u, ok := httpx.ParseURL(origin)
			need(ok && httpx.Origin(u) == origin && httpx.IsVisible(origin) && !strings.ContainsAny(origin, "*;,'\""), list.setting, origin,
				"an origin, such as https://pages.example.com")
		}
	}
	r := p.Result
	for _, n := range [][2]string{{"redirectTokenField", p.RedirectTokenField}, {"result.parameter", r.Parameter}, {"result.field", r.Field}} {
		need(isName(n[1]), n[0], n[1], "letters, digits, - and _")
	}
	inQuery := httpx.IsVisible(r.Placeholder) && !strings.ContainsAny(r.Placeholder, "&#?/\\\"'<>+")
	need(inQuery && r.Placeholder != "" && len(r.Placeholder) <= 64, "result.placeholder", r.Placeholder,
		"up to 64 characters that can be in a query")
	need(r.Encoding == encodingJWT || r.Encoding == encodingBase64, "result.encoding", r.Encoding, "jwt or base64")
	need(len(r.Types) > 0, "result.types", "", "a list of one or more types")
	need(len(r.Algorithms) > 0, "result.algorithms", "", "a list of one or more algorithms")
	for _, alg := range r.Algorithms {
		need(alg.Valid(), "result.algorithms", string(alg), "an asymmetric signature algorithm, such as ES256")
	}
	for _, c := range slices.Sorted(maps.Keys(r.Claims)) {
		need(r.Claims[c] != "", "result.claims."+string(c), "", "the name of a claim")
	}
	return errors.Join(errs...)
}

// checkNames checks that a map has the keys of the built-in profile. Unless repeats is set, no
// two may have one value.
func checkNames[K ~string](setting string, got, known map[K]string, repeats bool) error {
	var errs []error
	seen := map[string]K{}
	for _, k := range slices.Sorted(maps.Keys(got)) {
		name := strings.ToLower(got[k])
		if _, ok := known[k]; !ok {
			errs = append(errs, fmt.Errorf("%s: the key %s is unknown", setting, k))
		} else if other, ok := seen[name]; ok && name != "" && !repeats {
			errs = append(errs, fmt.Errorf("%s: %s and %s have one name", setting, other, k))
		}
		seen[name] = k
	}
	if len(got) < len(known) {
		errs = append(errs, fmt.Errorf("%s: must not be empty", setting))
	}
	return errors.Join(errs...)
}

func isPath(s string) bool {
	return strings.HasPrefix(s, "/") && !strings.HasPrefix(s, "//") && !strings.HasSuffix(s, "/") && len(s) <= 512 &&
		httpx.IsVisible(s) && !strings.ContainsAny(s, "?#\\%\"<>") && !strings.Contains(s+"/", "/../") && !strings.Contains(s+"/", "/./")
}

// isName reports whether s can name a header, a parameter or a field.
func isName(s string) bool { return len(s) <= 64 && contract.IsIdentifier(s) }

// isHeaderName reports whether s names a header that requests do not have otherwise.
func isHeaderName(s string) bool {
	taken := []string{"accept", "authorization", "connection", "content-length", "content-type", "cookie", "host", "user-agent"}
	return isName(s) && !slices.Contains(taken, strings.ToLower(s))
}

// isIdentifier reports whether s is a valid JavaScript variable name.
func isIdentifier(s string) bool {
	return s != "" && (s[0] < '0' || s[0] > '9') && strings.Trim(s, upperLetters+"abcdefghijklmnopqrstuvwxyz0123456789_$") == ""
}

// At returns the URL of an address of the provider at base.
func (p *Profile) At(base string, a Address) string {
	if at := p.Addresses[a]; !strings.HasPrefix(at, "/") {
		return at
	}
	return base + p.Addresses[a]
}

// PageOrigins returns the origins to which applicants may be sent by the provider at base.
func (p *Profile) PageOrigins(base string) []string {
	if len(p.Pages) > 0 {
		return p.Pages
	}
	return []string{httpx.OriginOf(base)}
}

// Policy returns the content security policy of a page with the widget of the provider at base.
func (p *Profile) Policy(base string) httpx.CSP {
	script, pages := httpx.OriginOf(p.At(base, AddressWidgetScript)), p.PageOrigins(base)
	csp := httpx.CSP{Script: []string{script}, Frame: p.Frames, Connect: p.Connects, FormAction: pages, WASM: true}
	if len(csp.Frame) == 0 {
		csp.Frame = slices.Compact(slices.Sorted(slices.Values(append([]string{script}, pages...))))
	}
	return csp
}

// bearer returns the Authorization value for an access token.
func (p *Profile) bearer(token string) string {
	switch p.AccessTokenEncoding {
	case encodingPlain:
		return "Bearer " + token
	case encodingBase64URL:
		return "Bearer " + base64.RawURLEncoding.EncodeToString([]byte(token))
	}
	return "Bearer " + base64.StdEncoding.EncodeToString([]byte(token))
}

// Decode returns the compact token of a result as it was received, or "" if it is not of the
// form's encoding.
func (r ResultForm) Decode(received string) string {
	if r.Encoding == encodingJWT {
		return received
	}
	// In a query, + may have become a space.
	text := strings.NewReplacer(" ", "+", "-", "+", "_", "/").Replace(strings.TrimRight(received, "="))
	token, err := base64.RawStdEncoding.Strict().DecodeString(text)
	if err != nil {
		return ""
	}
	return string(token)
}

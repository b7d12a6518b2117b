package fdx

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"vestibule/internal/provider/sources"
)

// verdicts returns which checks succeed.
func verdicts(checks []sources.Check) map[string]bool {
	out := map[string]bool{}
	for _, c := range checks {
		out[c.Name] = c.OK
	}
	return out
}

func TestExamine(t *testing.T) {
	answer := func(status int, at time.Time) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Date", at.Format(http.TimeFormat))
			w.WriteHeader(status)
		}
	}
	const accounts = "/fdx/v6/accounts"
	for name, c := range map[string]struct {
		change func(*fakeBank, *Institution)
		failed []string
	}{
		"all is well":  {func(*fakeBank, *Institution) {}, nil},
		"no discovery": {func(_ *fakeBank, in *Institution) { in.Issuer += "/x" }, []string{CheckDiscovery}},
		"an unknown client": {func(b *fakeBank, _ *Institution) {
			b.accepts = func(*http.Request) bool { return false }
		}, []string{CheckClient}},
		"another method": {func(b *fakeBank, _ *Institution) {
			b.metadata["token_endpoint_auth_methods_supported"] = []string{"none"}
		}, []string{CheckDiscovery}},
		"PKCE without S256": {func(b *fakeBank, _ *Institution) {
			b.metadata["code_challenge_methods_supported"] = []string{"plain"}
		}, []string{CheckDiscovery}},
		"an unknown CA":        {func(_ *fakeBank, in *Institution) { in.CA = nil }, []string{CheckAPI, CheckClock, CheckDiscovery, CheckTLS}},
		"our certificate":      {func(_ *fakeBank, in *Institution) { in.Certificate = clientCertificate(t) }, nil},
		"any code is accepted": {func(b *fakeBank, _ *Institution) { b.answers["/token"] = answer(200, fakeNow) }, []string{CheckClient}},
		"an error page":        {func(b *fakeBank, _ *Institution) { b.answers["/token"] = answer(404, fakeNow) }, []string{CheckClient}},
		"another base":         {func(b *fakeBank, _ *Institution) { b.answers[accounts] = answer(404, fakeNow) }, []string{CheckAPI}},
		"an open API":          {func(b *fakeBank, _ *Institution) { b.answers[accounts] = answer(200, fakeNow) }, []string{CheckAPI}},
		"another clock": {func(b *fakeBank, _ *Institution) {
			b.answers[accounts] = answer(401, fakeNow.Add(-time.Minute))
		}, []string{CheckClock}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, true)
			fake := b.connect(func(in *Institution) { c.change(b, in) })
			checks, err := fake.Examine(t.Context(), "fake", "https://provider.example/oauth/callback")
			if err != nil {
				t.Fatal(err)
			}
			var failed []string
			for name, ok := range verdicts(checks) {
				if !ok {
					failed = append(failed, name)
				}
			}
			slices.Sort(failed)
			if !slices.Equal(failed, c.failed) {
				t.Errorf("failed are %v, want %v: %+v", failed, c.failed, checks)
			}
		})
	}
	if _, err := newFakeBank(t, false).connect(nil).Examine(t.Context(), "other", ""); err == nil {
		t.Error("an unknown institution is examined")
	}
}

// TestExamineNamesTheRedirectURI checks that an operator reads what to register, and which
// defense against mix-up the bank has. A bank without any is a warning.
func TestExamineNamesTheRedirectURI(t *testing.T) {
	const base = "https://provider.example/oauth/callback"
	endpoints := func(b *fakeBank, in *Institution) {
		in.Issuer, in.AuthorizationEndpoint, in.TokenEndpoint = "", b.URL+"/authorize", b.URL+"/token"
	}
	for name, c := range map[string]struct {
		change  func(*fakeBank, *Institution)
		uri     string
		warning bool
	}{
		"iss": {func(b *fakeBank, _ *Institution) {
			b.metadata["authorization_response_iss_parameter_supported"] = true
		}, base, false},
		"an issuer that may not send iss": {func(*fakeBank, *Institution) {}, base, true},
		"an issuer, its own by choice":    {func(_ *fakeBank, in *Institution) { in.RedirectURI = "own" }, base + "/fake", false},
		"no issuer":                       {endpoints, base + "/fake", false},
		"no issuer, shared by choice": {func(b *fakeBank, in *Institution) {
			endpoints(b, in)
			in.RedirectURI = "shared"
		}, base, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, true)
			checks, err := b.connect(func(in *Institution) { c.change(b, in) }).Examine(t.Context(), "fake", base)
			if err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(checks, func(c sources.Check) bool { return c.Name == CheckCallback })
			if i < 0 || !checks[i].OK || checks[i].Warning != c.warning || !strings.HasPrefix(checks[i].Detail, "register "+c.uri+" ") {
				t.Errorf("%+v", checks)
			}
		})
	}
}

// TestExamineNamesTheKey checks that an operator whose key the bank does not know reads
// which key_id the bank must have.
func TestExamineNamesTheKey(t *testing.T) {
	b := newFakeBank(t, true)
	b.accepts = func(*http.Request) bool { return false }
	checks, err := b.connect(func(in *Institution) {
		in.Authentication, in.Key, in.KeyID = PrivateKeyJWT, signers(t)["ES256"], "key-of-2026"
	}).Examine(t.Context(), "fake", "https://provider.example/oauth/callback")
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(checks, func(c sources.Check) bool {
		return c.Name == CheckClient && !c.OK && strings.HasSuffix(c.Detail, "the key_id key-of-2026")
	}) {
		t.Errorf("no check names the key: %+v", checks)
	}
}

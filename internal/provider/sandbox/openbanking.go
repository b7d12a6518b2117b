package sandbox

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"vestibule/internal/jose"
	"vestibule/internal/provider"
	"vestibule/internal/provider/sandbox/connector"
	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/fdx"
	"vestibule/internal/provider/sources/remote"
	"vestibule/internal/webhook"
)

// openBanking has the mock institutions that share an origin, the FDX banks and those of
// the connector protocol, and the connectors that reach them over HTTP. A nil *openBanking
// has none.
type openBanking struct {
	server  *fdxbank.Server
	program *connector.Server
	reached []sources.Connector
}

// The clients of the provider's connector, one for each method of authentication that
// works without TLS.
const (
	basicClient = "vestibule-basic"
	postClient  = "vestibule-post"
	jwtClient   = "vestibule-jwt"
)

// newOpenBanking creates the mock server at c.BankURL, with faults, and the connector.
// Without a URL, every mock bank keeps its form in the widget, and it returns nil.
func newOpenBanking(ctx context.Context, c provider.SandboxConfig, now func() time.Time, faults *Faults) (*openBanking, error) {
	if c.BankURL == "" {
		return nil, nil
	}
	key, err := fdxbank.StoredKey(ctx, c.DB, "fdx-bank-client-key")
	if err != nil {
		return nil, err
	}
	secret, err := c.DB.GetOrCreateSecret(ctx, "fdx-bank-client-secret", func() ([]byte, error) { return []byte(rand.Text()), nil })
	if err != nil {
		return nil, err
	}
	client := func(id string, method fdxbank.Method) fdxbank.Client {
		return fdxbank.Client{ID: id, Name: "Vestibule", Method: method, RedirectURIs: []string{c.RedirectURI}}
	}
	basic, post := client(basicClient, fdxbank.SecretBasic), client(postClient, fdxbank.SecretPost)
	basic.Secret, post.Secret = string(secret), string(secret)
	jwt := client(jwtClient, fdxbank.PrivateKeyJWT)
	jwt.Keys = jose.KeySet{key.Public()}
	others, err := fdxbank.LoadClients(c.BankClients)
	if err != nil {
		return nil, fmt.Errorf("--sandbox-bank-clients: %w", err)
	}
	out := &openBanking{}
	out.server, err = fdxbank.New(ctx, fdxbank.Config{DB: c.DB, Log: c.Log, Now: now, BaseURL: c.BankURL, Assets: c.Assets,
		Clients: append([]fdxbank.Client{basic, post, jwt}, others...), Faults: faults.Bank})
	if err != nil {
		return nil, err
	}
	var list []fdx.Institution
	for n, b := range fdxbank.Institutions() {
		i := fdx.Institution{ID: b.ID, Name: b.Name, Place: b.Place, Homepage: b.Homepage, Issuer: fdxbank.Issuer(c.BankURL, b.ID),
			Version: "6", Scopes: fdxbank.Scopes(), Tokenized: b.Tokens, Large: b.Large, Loopback: true}
		if n%4 == 0 { // both versions are in use
			i.Version = "5"
		}
		i.BaseURL = fdxbank.BaseURL(c.BankURL, b.ID, i.Version)
		switch n % 3 {
		case 0:
			i.ClientID, i.Authentication, i.Secret = basicClient, fdx.SecretBasic, string(secret)
		case 1:
			i.ClientID, i.Authentication, i.Secret = postClient, fdx.SecretPost, string(secret)
		default:
			i.ClientID, i.Authentication, i.Key = jwtClient, fdx.PrivateKeyJWT, key
		}
		list = append(list, i)
	}
	banks, err := fdx.New(list, fdx.Options{Now: now, Log: c.Log})
	if err != nil {
		return nil, err
	}
	out.reached = append(out.reached, banks)
	return out, out.newProgram(ctx, c, now)
}

// newProgram creates the server of the connector protocol, and the connector that reaches
// it. Their secret is in the database.
func (b *openBanking) newProgram(ctx context.Context, c provider.SandboxConfig, now func() time.Time) error {
	raw, err := c.DB.GetOrCreateSecret(ctx, "connector-secret", func() ([]byte, error) { return []byte(webhook.NewSecret()), nil })
	if err != nil {
		return err
	}
	secret, err := webhook.ParseSecret(string(raw))
	if err != nil {
		return err
	}
	b.program, err = connector.New(ctx, connector.Config{DB: c.DB, Log: c.Log, Now: now, Clock: c.Now, BaseURL: c.BankURL, Assets: c.Assets,
		Secret: secret, RedirectURIs: []string{c.RedirectURI}})
	if err != nil {
		return err
	}
	config := remote.Program{ID: "sandbox", URL: strings.TrimSuffix(c.BankURL, "/") + connector.Path, Secret: secret, Loopback: true}
	for _, in := range connector.Institutions() {
		config.Institutions = append(config.Institutions, remote.Institution{ID: in.ID, Kind: in.Kind, Name: in.Name, Place: in.Place,
			PlaceES: in.PlaceES, Type: in.Employer})
	}
	reached, err := remote.New([]remote.Program{config}, remote.Options{Now: c.Now})
	b.reached = append(b.reached, reached)
	return err
}

func (b *openBanking) connectors() []sources.Connector {
	if b == nil {
		return nil
	}
	return b.reached
}

// Banks returns the handler of the origin of the mock banks; nil without any.
func (s *Sandbox) Banks() http.Handler {
	if s.banks == nil {
		return nil
	}
	return s.faults.Wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, connector.Path+"/") { // no bank has this name
			s.banks.program.ServeHTTP(w, r)
			return
		}
		s.banks.server.ServeHTTP(w, r)
	}))
}

// Sweep deletes expired data of the mock banks and payroll providers.
func (s *Sandbox) Sweep(ctx context.Context) error {
	if s.banks == nil {
		return nil
	}
	return errors.Join(s.banks.server.Sweep(ctx), s.banks.program.Sweep(ctx))
}

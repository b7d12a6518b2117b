package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// account has the API credentials of a customer of the provider.
type account struct {
	PublicID  string `json:"publicId,omitempty"`
	ClientID  string `json:"clientId,omitempty"`
	SecretKey string `json:"secretKey,omitempty"`
}

// generatedCustomer is what a portal needs of its account.
type generatedCustomer struct {
	account
	Products      map[contract.Product]string `json:"products,omitempty"`
	WebhookSecret string                      `json:"webhookSecret,omitempty"`
}

// generatedCustomers are the accounts that the embedded provider creates at its first start: the
// portal's with a child account, and a third party for relay tokens.
type generatedCustomers struct {
	generatedCustomer
	ThirdParty thirdParty         `json:"thirdParty,omitzero"`
	Child      *generatedCustomer `json:"child,omitempty"` // its webhooks go to its parent
	Dashboard  *login             `json:"dashboard,omitempty"`
}

// thirdParty is the account that reports are shared with.
type thirdParty struct {
	account
	WebhookSecret string `json:"webhookSecret"`
	Dashboard     *login `json:"dashboard,omitempty"`
}

// login has the credentials of a user.
type login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// logins are the first users of the generated customers' dashboards. They are stored
// separately, because the customers may have been created by an older version.
type logins struct{ Own, ThirdParty login }

func newLogins() logins {
	return logins{login{"staff@vestibule.example", strings.ToLower(rand.Text())},
		login{"staff@third-party.example", strings.ToLower(rand.Text())}}
}

// staff are the users and keys that the portal generates.
type staff struct {
	Reviewer     login  `json:"reviewer,omitzero"`
	PortalAPIKey string `json:"portalApiKey,omitempty"`
	EventsSecret string `json:"eventsSecret,omitempty"` // kept apart from the rest, which may be older
}

func newAccount() account {
	return account{PublicID: "svc-" + strings.ToLower(rand.Text()), ClientID: "client-" +
		strings.ToLower(rand.Text()), SecretKey: store.NewSecret()}
}

func newCustomers() generatedCustomers {
	c := generatedCustomers{ThirdParty: thirdParty{account: newAccount(), WebhookSecret: webhook.NewSecret()}}
	c.account, c.Products = newAccount(), map[contract.Product]string{}
	for _, p := range contract.Products() {
		c.Products[p] = uuid.NewString()
	}
	c.WebhookSecret = webhook.NewSecret()
	return c
}

// newChild returns a child account with two products. It is stored separately, as logins are.
func newChild() generatedCustomer {
	return generatedCustomer{account: newAccount(), Products: map[contract.Product]string{contract.Cashflow: uuid.NewString(),
		contract.Income: uuid.NewString()}}
}

func newStaff() staff {
	var s staff
	s.Reviewer.Email = "reviewer@vestibule.example"
	s.Reviewer.Password = strings.ToLower(rand.Text())
	s.PortalAPIKey = store.NewSecret()
	return s
}

// getOrCreate creates a T at the first start, and reads it at later ones.
func getOrCreate[T any](ctx context.Context, db *store.DB, name string, create func() T) (T, error) {
	var out T
	raw, err := db.GetOrCreateSecret(ctx, name, func() ([]byte, error) { return json.Marshal(create()) })
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

// credentials are the generated credentials, as the files in the data folder hold them.
type credentials struct {
	generatedCustomers
	staff
}

// The files of generated credentials in the data folder: of a sandbox's provider, with or
// without the portal, and of a portal that runs alone.
const (
	sandboxCredentials = "sandbox-credentials.json"
	portalCredentials  = "portal-credentials.json"
)

// accountSecret names the secret of the portal's database that says whose it is: a publicId.
const accountSecret = "account-public-id"

// writeCredentials writes v to a file that only the operator can read (0600), unless the
// file has the same contents already.
func writeCredentials(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if old, err := os.ReadFile(path); err == nil && string(old) == string(raw) {
		return nil
	}
	return store.WriteSecretFile(path, raw)
}

// readCredentials reads the generated credentials, or returns fs.ErrNotExist.
func readCredentials(dir string) (c credentials, err error) {
	found := false
	for _, name := range []string{portalCredentials, sandboxCredentials} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			err = json.Unmarshal(raw, &c)
		}
		if err != nil {
			return c, fmt.Errorf("read the generated credentials: %w", err)
		}
		found = true
	}
	if !found {
		return c, fs.ErrNotExist
	}
	return c, nil
}

// dropGeneratedAccount ignores an account that is the generated one, so that a shell with
// the exports of vestibule credentials can start the program again.
func (c *Config) dropGeneratedAccount() {
	made, err := readCredentials(c.Store.Dir)
	a := &c.Account
	if err == nil && (account{a.PublicID, a.ClientID, a.SecretKey}) == made.account && maps.Equal(a.Products, made.Products) {
		a.PublicID, a.ClientID, a.SecretKey, a.Products = "", "", "", nil
	}
}

// credentialsCommand prints the generated credentials.
type credentialsCommand struct {
	Format string `default:"shell" enum:"shell,json" env:"-" help:"shell, export lines for eval, or json."`
}

func (credentialsCommand) uses() string { return "environment both data-dir" }

// Run prints the credentials. It reads files only, beside a running program too.
func (c credentialsCommand) Run(in *invocation) error {
	dir := in.config.Store.Dir
	made, err := readCredentials(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there are no generated credentials in %s: give --data-dir, or start `vestibule serve` once, which generates them", dir)
	}
	if err != nil {
		return err
	}
	if c.Format == "json" {
		return printJSON(in.stdout, made, nil)
	}
	for _, v := range made.variables() {
		if v.value != "" {
			fmt.Fprintf(in.stdout, "export VESTIBULE_%s='%s'\n", v.name, strings.ReplaceAll(v.value, "'", `'\''`))
		}
	}
	return nil
}

type variable struct{ name, value string }

// variables are the account's as a portal takes them.
func (c generatedCustomer) variables() []variable {
	var products []string
	for _, kind := range contract.Products() {
		if id := c.Products[kind]; id != "" {
			products = append(products, string(kind)+"="+id)
		}
	}
	return []variable{{"PUBLIC_ID", c.PublicID}, {"CLIENT_ID", c.ClientID}, {"SECRET_KEY", c.SecretKey},
		{"PRODUCTS", strings.Join(products, ",")}, {"WEBHOOK_SECRET", c.WebhookSecret}}
}

// variables names each credential as the flag that takes it, where there is one.
func (c credentials) variables() []variable {
	out := append(c.generatedCustomer.variables(), variable{"PORTAL_API_KEY", c.PortalAPIKey}, variable{"EVENTS_SECRET", c.EventsSecret},
		variable{"THIRD_PARTY_WEBHOOK_SECRET", c.ThirdParty.WebhookSecret}, variable{"THIRD_PARTY_PUBLIC_ID", c.ThirdParty.PublicID},
		variable{"THIRD_PARTY_CLIENT_ID", c.ThirdParty.ClientID}, variable{"THIRD_PARTY_SECRET_KEY", c.ThirdParty.SecretKey})
	if c.Child != nil {
		for _, v := range c.Child.variables() {
			out = append(out, variable{"CHILD_" + v.name, v.value})
		}
	}
	for kind, id := range c.Products {
		out = append(out, variable{"PRODUCT_" + strings.ToUpper(string(kind)), id})
	}
	logins := map[string]*login{"REVIEWER": &c.Reviewer, "DASHBOARD": c.Dashboard, "THIRD_PARTY_DASHBOARD": c.ThirdParty.Dashboard}
	for prefix, l := range logins {
		if l != nil {
			out = append(out, variable{prefix + "_EMAIL", l.Email}, variable{prefix + "_PASSWORD", l.Password})
		}
	}
	slices.SortFunc(out, func(a, b variable) int { return strings.Compare(a.name, b.name) })
	return out
}

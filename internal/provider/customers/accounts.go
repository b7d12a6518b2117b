package customers

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// ErrDuplicateName is returned for a name that another child of the parent, another
// product of the account, or another configuration uses.
var ErrDuplicateName = errors.New("customers: the name is taken")

// Product is a configured product.
type Product struct {
	ID          string
	CustomerID  string
	Kind        contract.Product // of the effective configuration, or fixed at creation; empty without either
	Name        string           // unique in the account; the name in reports
	DisplayName string           // need not be unique; empty for none
	InquiryType string

	// Configuration is the effective configuration, or zero without one. Inherited reports
	// whether it is the account's or its parent's.
	Configuration Configuration
	Inherited     bool

	Created, Updated time.Time
}

// Names are the names of an account or a product.
type Names struct {
	Name        string
	DisplayName string // empty for none
}

// MaxName is the maximum length of the name of an account or a product, in characters.
const MaxName = 100

// NameProblem returns the problem of a name as text to put after the field's name, or
// "" for a valid one. Applicants see names, so invisible characters and
// changes of text direction are not allowed.
func NameProblem(s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n < 1 || n > MaxName:
		return "must be 1 to 100 characters"
	case strings.TrimSpace(s) != s:
		return "must not begin or end with a space"
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Co) ||
			r == utf8.RuneError || r == '\ufeff' || r == '\u200b'
	}):
		return "must be visible characters only"
	}
	return ""
}

// AddAccount adds a child to a parent account, with the parent's environment, return
// mode, and requirement of the form, and without a configuration. If a child has the
// name, AddAccount returns it with added false. Of concurrent calls with one name, one
// adds the account. AddAccount returns store.ErrNotFound if parentID is unknown or the
// id of a child account. The caller validates the names.
func (s *Service) AddAccount(ctx context.Context, tx *store.Tx, parentID string, n Names) (a Account, added bool, err error) {
	parent, err := account(ctx, tx, `parent_id IS NULL AND id = $1`, parentID)
	if err != nil {
		return Account{}, false, err
	}
	a = Account{ID: uuid.NewString(), PublicID: "svc-" + strings.ToLower(rand.Text()),
		ParentID: parentID, Name: n.Name, DisplayName: n.DisplayName,
		Environment: parent.Environment, ReturnMode: parent.ReturnMode, RequireForm: parent.RequireForm, Created: tx.Now}
	if added, err = insertChild(ctx, tx, a); err != nil || added {
		return a, added, err
	}
	a, err = account(ctx, tx, `parent_id = $1 AND name = $2`, parentID, n.Name)
	return a, false, err
}

// Child returns a parent's child account, or store.ErrNotFound.
func (s *Service) Child(ctx context.Context, q store.Queryer, parentID, publicID string) (Account, error) {
	return account(ctx, q, `parent_id = $1 AND public_id = $2`, parentID, publicID)
}

// Children lists a parent's child accounts by name.
func (s *Service) Children(ctx context.Context, q store.Queryer, parentID string) ([]Account, error) {
	return accounts(ctx, q, `parent_id = $1 ORDER BY name, id`, parentID)
}

// All lists all accounts by name, for the provider's operator.
func (s *Service) All(ctx context.Context, q store.Queryer) ([]Account, error) {
	return accounts(ctx, q, `id <> $1 ORDER BY name, id`, staff.OperatorAccount)
}

// AddProduct adds a product to an account. A product of a kind gets the default
// configuration of the kind; without one, it takes all its settings from the configuration that it
// inherits. An empty ID or Created is set. If a product of the account has the ID or the name,
// AddProduct returns it with added false.
func (s *Service) AddProduct(ctx context.Context, tx *store.Tx, p Product) (_ Product, added bool, err error) {
	if p.ID == "" {
		p.ID = uuid.NewString()
	}
	if p.Created.IsZero() {
		p.Created = tx.Now
	}
	if p.Kind != "" {
		if p.Configuration, err = sameConfiguration(ctx, tx, p.CustomerID, defaultConfiguration(p.Kind)); err != nil {
			return Product{}, false, err
		}
	}
	if added, err = insertProduct(ctx, tx, p); err != nil {
		return Product{}, false, err
	}
	found, err := products(ctx, tx, `p.customer_id = $1 AND (p.id = $2 OR p.name = $3) ORDER BY p.id = $2 DESC`, p.CustomerID, p.ID, p.Name)
	if err == nil && len(found) == 0 {
		err = store.ErrNotFound
	}
	if err != nil {
		return Product{}, false, err
	}
	return found[0], added, nil
}

// Products lists an account's products, oldest first, including those without a
// configuration.
func (s *Service) Products(ctx context.Context, q store.Queryer, customerID string) ([]Product, error) {
	return products(ctx, q, `p.customer_id = $1 ORDER BY p.created_at, p.name`, customerID)
}

// Product returns a product of the customer with its effective configuration. For an
// unknown product, and for one without a kind, it returns store.ErrNotFound.
func (s *Service) Product(ctx context.Context, q store.Queryer, customerID, productID string) (Product, error) {
	p, err := findProduct(ctx, q, customerID, productID)
	if err == nil && p.Kind == "" {
		err = store.ErrNotFound
	}
	if err != nil {
		return Product{}, err
	}
	return p, nil
}

// AnyProduct returns a product of any account, or store.ErrNotFound.
func (s *Service) AnyProduct(ctx context.Context, q store.Queryer, productID string) (Product, error) {
	return oneProduct(products(ctx, q, `p.id = $1`, productID))
}

// requireRow returns ErrDuplicateName for a violated unique constraint, and
// store.ErrNotFound if no row was found.
func requireRow(ok bool, err error) error {
	if store.IsUnique(err) {
		return ErrDuplicateName
	}
	if err == nil && !ok {
		return store.ErrNotFound
	}
	return err
}

// SetReturn sets the return mode of signed results ("get" or "post") and whether
// redirects must be opened by the form.
func (s *Service) SetReturn(ctx context.Context, tx *store.Tx, customerID, mode string, requireForm bool) error {
	if mode != "get" && mode != "post" {
		return errors.New("customers: the return mode is neither get nor post")
	}
	return requireRow(setReturn(ctx, tx, customerID, mode, requireForm))
}

// MaxCompleteURLs is the maximum number of redirect URLs of an account.
const MaxCompleteURLs = 20

// ErrCompleteURL is returned for a redirect URL that is invalid, not registered, or
// repeated, and for more than MaxCompleteURLs.
var ErrCompleteURL = errors.New("customers: a redirect URL is invalid, unknown, or repeated, or there are too many")

// SetCompleteURLs replaces the account's registered redirect URLs; the first is the
// static one. If one is invalid, it returns ErrCompleteURL and changes nothing.
func (s *Service) SetCompleteURLs(ctx context.Context, tx *store.Tx, customerID string, urls []string) error {
	seen := map[string]bool{}
	for _, u := range urls {
		if _, err := ParseCompleteURL(u); err != nil || seen[u] || len(urls) > MaxCompleteURLs {
			return ErrCompleteURL
		}
		seen[u] = true
	}
	return replaceCompleteURLs(ctx, tx, customerID, urls)
}

// EditCompleteURLs replaces the account's redirect URLs with the result of edit.
// Concurrent calls for one account run one after another. It returns the errors of
// SetCompleteURLs and edit.
func (s *Service) EditCompleteURLs(ctx context.Context, tx *store.Tx, customerID string, edit func(urls []string) ([]string, error)) error {
	if err := requireRow(lockAccount(ctx, tx, customerID)); err != nil {
		return err
	}
	urls, err := s.OwnCompleteURLs(ctx, tx, customerID)
	if err != nil {
		return err
	}
	if urls, err = edit(urls); err != nil {
		return err
	}
	return s.SetCompleteURLs(ctx, tx, customerID, urls)
}

// ErrConfiguration is returned for a configuration that a product cannot get: it is unknown,
// another customer's or retired, or there is none to inherit.
var ErrConfiguration = errors.New("no configuration of this account that can be assigned")

// CreateProduct adds a product to an account, with a configuration that its account can
// assign; an empty configurationID is the one that the account inherits. If a product of the
// account has the name, it returns ErrDuplicateName. The caller validates the names.
func (s *Service) CreateProduct(ctx context.Context, tx *store.Tx, customerID string, n Names, configurationID string) (Product, error) {
	if err := s.requireAssignable(ctx, tx, customerID, configurationID); err != nil {
		return Product{}, err
	}
	p, added, err := s.AddProduct(ctx, tx, Product{CustomerID: customerID, Name: n.Name, DisplayName: n.DisplayName,
		Configuration: Configuration{ID: configurationID}})
	switch {
	case err == nil && !added:
		err = ErrDuplicateName
	case err == nil && p.Kind == "":
		err = ErrConfiguration
	}
	return p, err
}

// ConfigureProduct sets the configuration of a product of the account; with an empty
// configurationID the product inherits one. It returns store.ErrNotFound for a product of
// another account.
func (s *Service) ConfigureProduct(ctx context.Context, tx *store.Tx, customerID, productID, configurationID string) error {
	if _, err := findProduct(ctx, tx, customerID, productID); err != nil {
		return err
	}
	if err := s.requireAssignable(ctx, tx, customerID, configurationID); err != nil {
		return err
	}
	return requireRow(assignProduct(ctx, tx, customerID, productID, configurationID, tx.Now))
}

// requireAssignable returns ErrConfiguration unless products of the account can get a
// configuration; every account can let its products inherit.
func (s *Service) requireAssignable(ctx context.Context, q store.Queryer, customerID, configurationID string) error {
	if configurationID == "" {
		return nil
	}
	all, err := s.Assignable(ctx, q, customerID)
	if err == nil && !slices.ContainsFunc(all, func(c Configuration) bool { return c.ID == configurationID }) {
		err = ErrConfiguration
	}
	return err
}

// findProduct returns a product of the account, with a kind or without one.
func findProduct(ctx context.Context, q store.Queryer, customerID, productID string) (Product, error) {
	return oneProduct(products(ctx, q, `p.customer_id = $1 AND p.id = $2`, customerID, productID))
}

func oneProduct(found []Product, err error) (Product, error) {
	if err == nil && len(found) != 1 {
		err = store.ErrNotFound
	}
	if err != nil {
		return Product{}, err
	}
	return found[0], nil
}

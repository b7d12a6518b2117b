package customers

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// ErrDuplicateName is returned for a name that another child of the parent, or
// another product of the account, has.
var ErrDuplicateName = errors.New("customers: the name is taken")

// Product is a configured product.
type Product struct {
	ID          string
	CustomerID  string
	Kind        contract.Product // that of the configuration in force; empty while there is none
	Name        string           // unique in the account; what reports call it
	DisplayName string           // may be used again; empty for none
	InquiryType string

	// Configuration is the one in force, the zero one for none. Inherited is true
	// where it is the account's or its parent's.
	Configuration Configuration
	Inherited     bool

	Created, Updated time.Time
}

// Names is what an account or a product is called.
type Names struct {
	Name        string
	DisplayName string // empty for none
}

// MaxName is the longest name of an account or a product, in characters. The
// contract has no bound.
const MaxName = 100

// NameProblem says what is wrong with a name, in words that follow its field;
// empty for a good one. A name is shown to applicants, so it holds nothing that is
// invisible or turns the text around it.
func NameProblem(s string) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n < 1 || n > MaxName:
		return "must be 1 to 100 characters"
	case strings.TrimSpace(s) != s:
		return "must not begin or end with a space"
	case !utf8.ValidString(s) || strings.ContainsFunc(s, func(r rune) bool {
		return unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Co) || r == utf8.RuneError || r == '\ufeff' || r == '\u200b'
	}):
		return "must be visible characters only"
	}
	return ""
}

// AddAccount adds a child to a parent account, with the parent's environment and
// way of return and without a configuration of its own, or finds the one of that
// name: added tells which. Of any number at once, one adds. A parentID that is a
// child's, or nobody's, is store.ErrNotFound. The names are checked by the caller.
func (s *Service) AddAccount(ctx context.Context, tx *store.Tx, parentID string, n Names) (a Account, added bool, err error) {
	parent, err := account(ctx, tx, `parent_id IS NULL AND id = $1`, parentID)
	if err != nil {
		return Account{}, false, err
	}
	a = Account{ID: uuid.NewString(), PublicID: "svc-" + strings.ToLower(rand.Text()), ParentID: parentID, Name: n.Name, DisplayName: n.DisplayName,
		Environment: parent.Environment, ReturnMode: parent.ReturnMode, RequireForm: parent.RequireForm, Created: s.Now().UTC()}
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

// Parents lists all parent accounts by name, for the provider's operator.
func (s *Service) Parents(ctx context.Context, q store.Queryer) ([]Account, error) {
	return accounts(ctx, q, `parent_id IS NULL ORDER BY name, id`)
}

// Rename changes what an account is called. A name that another child of the same
// parent has is ErrDuplicateName, and the transaction may be lost.
func (s *Service) Rename(ctx context.Context, tx *store.Tx, customerID string, n Names) error {
	return hit(renameAccount(ctx, tx, customerID, n))
}

// AddProduct adds a product to an account, or finds the one of that name: added
// tells which. It takes everything from the configuration in force.
func (s *Service) AddProduct(ctx context.Context, tx *store.Tx, customerID string, n Names) (p Product, added bool, err error) {
	id := uuid.NewString()
	if added, err = insertNamed(ctx, tx, id, customerID, n, s.Now()); err != nil {
		return Product{}, false, err
	}
	found, err := products(ctx, tx, `p.customer_id = $1 AND p.name = $2`, customerID, n.Name)
	if err == nil && len(found) != 1 {
		err = store.ErrNotFound
	}
	if err != nil {
		return Product{}, false, err
	}
	return found[0], added, nil
}

// Products lists an account's products, oldest first, those without any
// configuration too.
func (s *Service) Products(ctx context.Context, q store.Queryer, customerID string) ([]Product, error) {
	return products(ctx, q, `p.customer_id = $1 ORDER BY p.created_at, p.name`, customerID)
}

// Product returns a product of the customer with the configuration in force, or
// store.ErrNotFound. One of no kind, for want of a configuration, counts as none.
func (s *Service) Product(ctx context.Context, q store.Queryer, customerID, productID string) (Product, error) {
	found, err := products(ctx, q, `p.customer_id = $1 AND p.id = $2`, customerID, productID)
	if err == nil && (len(found) != 1 || found[0].Kind == "") {
		err = store.ErrNotFound
	}
	if err != nil {
		return Product{}, err
	}
	return found[0], nil
}

// RenameProduct changes what a product of the customer is called. A name that
// another one has is ErrDuplicateName, and the transaction may be lost.
func (s *Service) RenameProduct(ctx context.Context, tx *store.Tx, customerID, productID string, n Names) error {
	return hit(renameProduct(ctx, tx, customerID, productID, n, s.Now()))
}

func hit(ok bool, err error) error {
	if store.IsUnique(err) {
		return ErrDuplicateName
	}
	if err == nil && !ok {
		return store.ErrNotFound
	}
	return err
}

// SetReturn changes how outcome tokens come back ("get" or "post"), and whether
// redirects must be opened by the form.
func (s *Service) SetReturn(ctx context.Context, tx *store.Tx, customerID, mode string, requireForm bool) error {
	if mode != "get" && mode != "post" {
		return errors.New("customers: the return mode is neither get nor post")
	}
	return hit(setReturn(ctx, tx, customerID, mode, requireForm))
}

// MaxCompleteURLs is how many an account may register.
const MaxCompleteURLs = 20

// ErrCompleteURL is returned for a complete URL that browsers cannot be sent back to,
// one that is not registered, one that is given twice, or too many of them.
var ErrCompleteURL = errors.New("customers: a complete URL is not one, is doubled, or there are too many")

// SetCompleteURLs replaces the account's registered complete URLs; the first is
// the static one. Nothing is changed where one is refused.
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

// OwnCompleteURLs returns the complete URLs that are registered on the account
// itself; the first is the static one.
func (s *Service) OwnCompleteURLs(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return completeURLs(ctx, q, customerID)
}

// EditCompleteURLs replaces the account's own complete URLs by what edit makes of
// them, one change after the other. Its errors are SetCompleteURLs' and edit's.
func (s *Service) EditCompleteURLs(ctx context.Context, tx *store.Tx, customerID string, edit func(urls []string) ([]string, error)) error {
	if err := hit(holdAccount(ctx, tx, customerID)); err != nil {
		return err
	}
	urls, err := completeURLs(ctx, tx, customerID)
	if err != nil {
		return err
	}
	if urls, err = edit(urls); err != nil {
		return err
	}
	return s.SetCompleteURLs(ctx, tx, customerID, urls)
}

package svcapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"

	"vestibule/internal/contract"
)

// Names is what an account or a product is called. Name is unique: an account's
// among the children of its parent, a product's in its account.
type Names struct {
	Name        string // 1 to 100 visible characters
	DisplayName string // the same, or empty for none; may be used again
}

// CreateAccount calls POST /accounts (document 2, Account hierarchy) and returns the
// publicId of the new child account. A name that is taken gives an *Error with
// DUPLICATE_CUSTOMER. It is sent again only where the service cannot have taken it;
// EnsureAccount is for those who would rather repeat.
func (c *Client) CreateAccount(ctx context.Context, n Names) (string, error) {
	id, _, err := c.account(ctx, "create account", http.MethodPost, n)
	return id, err
}

// EnsureAccount calls PUT /accounts: it returns the publicId of the child account of
// that name, and whether it was created.
func (c *Client) EnsureAccount(ctx context.Context, n Names) (publicID string, created bool, err error) {
	return c.account(ctx, "ensure account", http.MethodPut, n)
}

func (c *Client) account(ctx context.Context, op, method string, n Names) (string, bool, error) {
	var wire struct {
		PublicID string `json:"publicId"`
	}
	in := struct {
		Name        string `json:"accountName"`
		DisplayName string `json:"displayName,omitempty"`
	}{n.Name, n.DisplayName}
	a, err := c.basic(ctx, op, method, "/accounts", in, &wire)
	if err == nil && !isPathPart(wire.PublicID) {
		err = badAnswer(op, a.status, "publicId is missing or malformed")
	}
	if err != nil {
		return "", false, err
	}
	return wire.PublicID, a.status == http.StatusCreated, nil
}

// CreateProduct calls POST /accounts/{publicId}/products and returns the productId
// of the child account's new product. A name that is taken gives DUPLICATE_PRODUCT,
// an account that is no child UNKNOWN_CHILD_ACCOUNT. It is sent again as rarely as
// CreateAccount.
func (c *Client) CreateProduct(ctx context.Context, publicID string, n Names) (string, error) {
	id, _, err := c.product(ctx, "create product", http.MethodPost, publicID, n)
	return id, err
}

// EnsureProduct calls PUT /accounts/{publicId}/products: it returns the productId of
// the child account's product of that name, and whether it was created.
func (c *Client) EnsureProduct(ctx context.Context, publicID string, n Names) (productID string, created bool, err error) {
	return c.product(ctx, "ensure product", http.MethodPut, publicID, n)
}

func (c *Client) product(ctx context.Context, op, method, publicID string, n Names) (string, bool, error) {
	if !isPathPart(publicID) {
		return "", false, &Error{Op: op, Code: contract.CodeUnknownChild, Err: errors.New("publicId cannot stand in an address")}
	}
	var wire struct {
		ProductID string `json:"productId"`
	}
	in := struct {
		Name        string `json:"productName"`
		DisplayName string `json:"displayName,omitempty"`
	}{n.Name, n.DisplayName}
	a, err := c.basic(ctx, op, method, "/accounts/"+url.PathEscape(publicID)+"/products", in, &wire)
	if err == nil && !contract.IsUUID(wire.ProductID) {
		err = badAnswer(op, a.status, "productId is not a UUID")
	}
	if err != nil {
		return "", false, err
	}
	return wire.ProductID, a.status == http.StatusCreated, nil
}

// ProductConfiguration is what products may be configured as.
type ProductConfiguration struct {
	ID      string           `json:"id"`
	Product contract.Product `json:"svcProduct"` // as the service names it
	Alias   string           `json:"alias"`
}

// ProductConfigurations calls GET /config/v1/product-configurations. Where it is not
// enabled, the *Error has FORBIDDEN; so for all of the configuration calls.
func (c *Client) ProductConfigurations(ctx context.Context) ([]ProductConfiguration, error) {
	const op = "product configurations"
	var out []ProductConfiguration
	a, err := c.basic(ctx, op, http.MethodGet, "/config/v1/product-configurations", nil, &out)
	if err != nil {
		return nil, err
	}
	for _, p := range out {
		if !isPathPart(p.ID) {
			return nil, badAnswer(op, a.status, "a configuration's id is missing or malformed")
		}
	}
	return out, nil
}

// Target is what a configuration is assigned to: a child account by its publicId, or
// a product by its productId.
type Target struct {
	Type string `json:"type"` // TargetAccount or TargetProduct
	ID   string `json:"id"`
}

// What a Target is.
const (
	TargetAccount = "account"
	TargetProduct = "product"
)

// AssignConfiguration calls PUT /config/v1/product-configuration-assignments/{id}:
// the target has this configuration of its own from now on. Errors have
// UNKNOWN_PRODUCT_CONFIGURATION, UNKNOWN_CHILD_ACCOUNT or INVALID_PRODUCT.
func (c *Client) AssignConfiguration(ctx context.Context, configurationID string, to Target) error {
	const op = "assign configuration"
	if !isPathPart(configurationID) {
		return &Error{Op: op, Code: contract.CodeUnknownConfiguration, Err: errors.New("the configuration's id cannot stand in an address")}
	}
	var wire struct {
		Target
		ProductConfigID string `json:"productConfigId"`
	}
	a, err := c.basic(ctx, op, http.MethodPut, "/config/v1/product-configuration-assignments/"+url.PathEscape(configurationID), to, &wire)
	if err == nil && (wire.Type != to.Type || wire.ID == "" || wire.ProductConfigID == "") {
		err = badAnswer(op, a.status, "the answer is another assignment than the one asked for")
	}
	return err
}

// RemoveAssignment calls DELETE /config/v1/product-configuration-assignments: the
// target inherits from now on; if it did already, that is no error.
func (c *Client) RemoveAssignment(ctx context.Context, to Target) error {
	_, err := c.basic(ctx, "remove assignment", http.MethodDelete, "/config/v1/product-configuration-assignments", to, nil)
	return err
}

// AssignedConfiguration is a product of a child account with the configuration in
// force, nil for none.
type AssignedConfiguration struct {
	ProductID     string    `json:"productId"`
	Name          string    `json:"name"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
	Configuration *struct {
		ID        string `json:"id"`
		Alias     string `json:"alias"`
		Inherited bool   `json:"inherited"` // it is the account's, or its parent's
	} `json:"productConfiguration"`
}

// AssignedConfigurations calls GET /config/v1/accounts/{publicId}/products: every
// product of a child account. One that is no child gives UNKNOWN_CHILD_ACCOUNT.
func (c *Client) AssignedConfigurations(ctx context.Context, publicID string) ([]AssignedConfiguration, error) {
	const op = "assigned configurations"
	if !isPathPart(publicID) {
		return nil, &Error{Op: op, Code: contract.CodeUnknownChild, Err: errors.New("publicId cannot stand in an address")}
	}
	var out []AssignedConfiguration
	a, err := c.basic(ctx, op, http.MethodGet, "/config/v1/accounts/"+url.PathEscape(publicID)+"/products", nil, &out)
	if err != nil {
		return nil, err
	}
	for _, p := range out {
		if !contract.IsUUID(p.ProductID) {
			return nil, badAnswer(op, a.status, "a productId is not a UUID")
		}
	}
	return out, nil
}

// Rotated is a new secret. It is in no other answer: keep it before anything else.
type Rotated struct {
	ClientID          string    `json:"clientId"`
	SecretKey         string    `json:"secretKey"`
	PreviousExpiresAt time.Time `json:"previousExpiresAt"` // when the one that this client holds ends
}

// RotateCredentials calls POST /credentials/rotate. This client goes on with the
// secret that it holds, which is good for 24 hours more; a client with the new one
// is the caller's to make. Errors have FORBIDDEN where it is not enabled, and
// INVALID_STATE while two secrets are good already. It is sent again only where the
// service cannot have taken it.
func (c *Client) RotateCredentials(ctx context.Context) (Rotated, error) {
	const op = "rotate credentials"
	var out Rotated
	a, err := c.basic(ctx, op, http.MethodPost, "/credentials/rotate", nil, &out)
	if err == nil && (out.ClientID == "" || out.SecretKey == "" || out.PreviousExpiresAt.IsZero()) {
		err = badAnswer(op, a.status, "clientId, secretKey or previousExpiresAt is missing")
	}
	if err != nil {
		return Rotated{}, err
	}
	return out, nil
}

// basic asks with Basic authentication; in and out are nil where there is no body.
// What is not POST comes to the same end however often it is sent.
func (c *Client) basic(ctx context.Context, op, method, path string, in, out any) (answer, error) {
	k := call{op: op, method: method, path: path, auth: basic, repeat: method != http.MethodPost, anyType: out == nil,
		limit: maxAnswer, timeout: answerTimeout}
	if in != nil {
		var err error
		if k.body, err = json.Marshal(in); err != nil {
			return answer{}, &Error{Op: op, Code: contract.CodeMalformedBody, Err: errors.New("the request cannot be written as JSON")}
		}
	}
	a, err := c.do(ctx, k)
	if err != nil || out == nil {
		return a, err
	}
	return a, a.decode(out)
}

// isPathPart reports whether s can name something in an address.
func isPathPart(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != "" && s != "." && s != ".." && len(s) <= 128
}

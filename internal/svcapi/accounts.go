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

// Names are the names of an account or a product. Name is unique among the children of
// an account, or among its products.
type Names struct {
	Name        string // 1 to 100 visible characters
	DisplayName string // likewise; optional and not unique
}

// CreateAccount calls POST /accounts (API reference: Accounts) and returns the publicId
// of the new child account. A name that is taken gives an *Error with
// DUPLICATE_CUSTOMER. The call is retried only if the service cannot have processed it;
// EnsureAccount can be repeated safely.
func (c *Client) CreateAccount(ctx context.Context, n Names) (string, error) {
	id, _, err := c.account(ctx, "create account", http.MethodPost, n)
	return id, err
}

// EnsureAccount calls PUT /accounts. It returns the publicId of the child account with
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

// CreateProduct calls POST /accounts/{publicId}/products and returns the productId of
// the child account's new product. A name that is taken gives DUPLICATE_PRODUCT, and an
// account that is not a child UNKNOWN_CHILD_ACCOUNT. It is retried like CreateAccount.
func (c *Client) CreateProduct(ctx context.Context, publicID string, n Names) (string, error) {
	id, _, err := c.product(ctx, "create product", http.MethodPost, publicID, n)
	return id, err
}

// EnsureProduct calls PUT /accounts/{publicId}/products. It returns the productId of
// the child account's product with that name, and whether it was created.
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

// ProductConfiguration is a configuration that products can be assigned.
type ProductConfiguration struct {
	ID      string           `json:"id"`
	Product contract.Product `json:"svcProduct"` // as the service names it
	Alias   string           `json:"alias"`
}

// ProductConfigurations calls GET /config/v1/product-configurations. If the account may
// not use the configuration calls, each gives an *Error with FORBIDDEN.
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

// Target is the child account (publicId) or product (productId) that a configuration is
// assigned to.
type Target struct {
	Type string `json:"type"` // TargetAccount or TargetProduct
	ID   string `json:"id"`
}

// Types of a Target.
const (
	TargetAccount = "account"
	TargetProduct = "product"
)

// AssignConfiguration calls PUT /config/v1/product-configuration-assignments/{id},
// which assigns the configuration to the target. Errors have
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

// RemoveAssignment calls DELETE /config/v1/product-configuration-assignments, after
// which the target inherits its configuration. It succeeds without an assignment too.
func (c *Client) RemoveAssignment(ctx context.Context, to Target) error {
	_, err := c.basic(ctx, "remove assignment", http.MethodDelete, "/config/v1/product-configuration-assignments", to, nil)
	return err
}

// AssignedConfiguration is a product of a child account with its effective
// configuration, or nil.
type AssignedConfiguration struct {
	ProductID     string    `json:"productId"`
	Name          string    `json:"name"`
	CreatedAt     time.Time `json:"createdAt"`
	UpdatedAt     time.Time `json:"updatedAt"`
	Configuration *struct {
		ID        string `json:"id"`
		Alias     string `json:"alias"`
		Inherited bool   `json:"inherited"` // from the account or its parent
	} `json:"productConfiguration"`
}

// AssignedConfigurations calls GET /config/v1/accounts/{publicId}/products and returns
// every product of a child account. An account that is not a child gives
// UNKNOWN_CHILD_ACCOUNT.
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

// Rotated is a new secret. No other answer contains it: store it first.
type Rotated struct {
	ClientID          string    `json:"clientId"`
	SecretKey         string    `json:"secretKey"`
	PreviousExpiresAt time.Time `json:"previousExpiresAt"` // expiry of this client's present secret
}

// RotateCredentials calls POST /credentials/rotate. This client keeps using its present
// secret, which is valid for 24 more hours; the caller creates a client with the new
// one. Errors have FORBIDDEN if rotation is not enabled, and INVALID_STATE while two
// secrets are valid. It is retried only if the service cannot have processed it.
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

// basic calls with Basic authentication; in and out may be nil. Calls other than POST
// are idempotent and may be repeated.
func (c *Client) basic(ctx context.Context, op, method, path string, in, out any) (answer, error) {
	k := call{op: op, method: method, path: path, auth: basic, repeatable: method != http.MethodPost, anyType: out == nil,
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

// isPathPart reports whether s is safe as one part of a URL's path.
func isPathPart(s string) bool {
	for i := 0; i < len(s); i++ {
		if s[i] <= ' ' || s[i] >= 0x7f {
			return false
		}
	}
	return s != "" && s != "." && s != ".." && len(s) <= 128
}

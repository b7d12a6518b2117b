// Package svcapitest has calls of the provider's API that only tests make (API reference:
// Accounts).
package svcapitest

import (
	"context"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
)

// Client adds to a client the calls of this package.
type Client struct{ *svcapi.Client }

// Names are the names of a child account or a product.
type Names struct{ Name, DisplayName string }

// Account calls POST or PUT /accounts. It returns the publicId of the child account, and
// whether it was created.
func (c Client) Account(ctx context.Context, method string, n Names) (publicID string, created bool, err error) {
	var out struct {
		PublicID string `json:"publicId"`
	}
	in := map[string]string{"accountName": n.Name}
	if n.DisplayName != "" {
		in["displayName"] = n.DisplayName
	}
	status, err := c.Call(ctx, "account", method, "/accounts", "", in, &out)
	return out.PublicID, status == http.StatusCreated, err
}

// Product calls POST or PUT /accounts/{publicId}/products. It returns the productId of the
// child account's product, and whether it was created.
func (c Client) Product(ctx context.Context, method, publicID, name string) (productID string, created bool, err error) {
	var out struct {
		ProductID string `json:"productId"`
	}
	status, err := c.Call(ctx, "product", method, "/accounts/"+publicID+"/products", "", map[string]string{"productName": name}, &out)
	return out.ProductID, status == http.StatusCreated, err
}

// Configuration is a configuration that products can be assigned.
type Configuration struct {
	ID        string           `json:"id"`
	Product   contract.Product `json:"svcProduct"`
	Alias     string           `json:"alias"`
	Inherited bool             `json:"inherited"` // in AssignedProduct: from the account or its parent
}

// Configurations calls GET /config/v1/product-configurations.
func (c Client) Configurations(ctx context.Context) (out []Configuration, err error) {
	_, err = c.Call(ctx, "configurations", http.MethodGet, "/config/v1/product-configurations", "", nil, &out)
	return out, err
}

// Target is the child account (publicId) or product (productId) that a configuration is
// assigned to. Its type is account or product.
type Target struct {
	Type string `json:"type"`
	ID   string `json:"id"`
}

const assignments = "/config/v1/product-configuration-assignments"

// Assign calls PUT /config/v1/product-configuration-assignments/{id}.
func (c Client) Assign(ctx context.Context, configurationID string, to Target) error {
	_, err := c.Call(ctx, "assign", http.MethodPut, assignments+"/"+configurationID, "", to, nil)
	return err
}

// Unassign calls DELETE /config/v1/product-configuration-assignments.
func (c Client) Unassign(ctx context.Context, to Target) error {
	_, err := c.Call(ctx, "unassign", http.MethodDelete, assignments, "", to, nil)
	return err
}

// AssignedProduct is a product of a child account with its effective configuration, or nil.
type AssignedProduct struct {
	ProductID     string         `json:"productId"`
	Configuration *Configuration `json:"productConfiguration"`
}

// AssignedProducts calls GET /config/v1/accounts/{publicId}/products.
func (c Client) AssignedProducts(ctx context.Context, publicID string) (out []AssignedProduct, err error) {
	_, err = c.Call(ctx, "products", http.MethodGet, "/config/v1/accounts/"+publicID+"/products", "", nil, &out)
	return out, err
}

// RotateCredentials calls POST /credentials/rotate and returns the client with the new secret.
func (c Client) RotateCredentials(ctx context.Context) (*svcapi.Client, error) {
	var out struct {
		ClientID  string `json:"clientId"`
		SecretKey string `json:"secretKey"`
	}
	_, err := c.Call(ctx, "rotate", http.MethodPost, "/credentials/rotate", "", nil, &out)
	return &svcapi.Client{BaseURL: c.BaseURL, ClientID: out.ClientID, SecretKey: out.SecretKey}, err
}

// Cashflow fetches a cashflow report.
func (c Client) Cashflow(ctx context.Context, ref svcapi.Ref) (*report.Cashflow, error) {
	raw, _, err := c.Report(ctx, contract.Cashflow, ref)
	if err != nil {
		return nil, err
	}
	return report.ParseCashflow(raw)
}

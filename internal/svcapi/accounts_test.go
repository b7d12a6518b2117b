package svcapi

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"vestibule/internal/contract"
)

// TestAccountHierarchyRequests checks the request of each call and its reading of the
// answer.
func TestAccountHierarchyRequests(t *testing.T) {
	type call func(c *Client) (any, error)
	for name, tc := range map[string]struct {
		call         call
		sent, answer string
		status       int
		want         any
		code         contract.Code
	}{
		"a child": {func(c *Client) (any, error) { return c.CreateAccount(t.Context(), Names{"A & B", ""}) },
			`POST /accounts {"accountName":"A \u0026 B"}`, `{"publicId":"svc-1"}`, 201, "svc-1", ""},
		"a child whose name is taken": {func(c *Client) (any, error) { return c.CreateAccount(t.Context(), Names{"A", "Shown"}) },
			`POST /accounts {"accountName":"A","displayName":"Shown"}`, `{"error":"DUPLICATE_CUSTOMER"}`, 400, "", contract.CodeDuplicateCustomer},
		"a child that leads elsewhere": {func(c *Client) (any, error) { return c.CreateAccount(t.Context(), Names{"A", ""}) },
			`POST /accounts {"accountName":"A"}`, `{"publicId":".."}`, 201, "", contract.CodeUpstream},
		"a child that is there": {func(c *Client) (any, error) {
			id, created, err := c.EnsureAccount(t.Context(), Names{"A", ""})
			return id + ifTrue(created), err
		}, `PUT /accounts {"accountName":"A"}`, `{"publicId":"svc-1"}`, 200, "svc-1", ""},
		"a child that was not": {func(c *Client) (any, error) {
			id, created, err := c.EnsureAccount(t.Context(), Names{"A", ""})
			return id + ifTrue(created), err
		}, `PUT /accounts {"accountName":"A"}`, `{"publicId":"svc-1"}`, 201, "svc-1 created", ""},
		"a product": {func(c *Client) (any, error) { return c.CreateProduct(t.Context(), "svc-1", Names{"P", "Q"}) },
			`POST /accounts/svc-1/products {"productName":"P","displayName":"Q"}`, `{"productId":"` + token1 + `"}`, 201, token1, ""},
		"a product of an odd account": {func(c *Client) (any, error) { return c.CreateProduct(t.Context(), "a/../b?c", Names{"P", ""}) },
			`POST /accounts/a%2F..%2Fb%3Fc/products {"productName":"P"}`, `{"error":"UNKNOWN_CHILD_ACCOUNT"}`, 404, "", contract.CodeUnknownChild},
		"a product of no account": {func(c *Client) (any, error) { return c.CreateProduct(t.Context(), "..", Names{"P", ""}) },
			``, ``, 0, "", contract.CodeUnknownChild},
		"a product that is there": {func(c *Client) (any, error) {
			id, created, err := c.EnsureProduct(t.Context(), "svc-1", Names{"P", ""})
			return id + ifTrue(created), err
		}, `PUT /accounts/svc-1/products {"productName":"P"}`, `{"productId":"` + token1 + `"}`, 200, token1, ""},
		"a product without an id": {func(c *Client) (any, error) {
			id, _, err := c.EnsureProduct(t.Context(), "svc-1", Names{"P", ""})
			return id, err
		}, `PUT /accounts/svc-1/products {"productName":"P"}`, `{"productId":"1"}`, 200, "", contract.CodeUpstream},
		"configurations": {func(c *Client) (any, error) {
			all, err := c.ProductConfigurations(t.Context())
			return len(all), err
		}, `GET /config/v1/product-configurations `, `[{"id":"c1","svcProduct":"cashflow","alias":"A"},` +
			`{"id":"c2","svcProduct":"new","alias":"B","more":1}]`, 200, 2, ""},
		"configurations that are not enabled": {func(c *Client) (any, error) {
			all, err := c.ProductConfigurations(t.Context())
			return len(all), err
		}, `GET /config/v1/product-configurations `, `{"error":"FORBIDDEN"}`, 403, 0, contract.CodeForbidden},
		"an assignment": {func(c *Client) (any, error) {
			return nil, c.AssignConfiguration(t.Context(), "c1", Target{TargetProduct, token1})
		}, `PUT /config/v1/product-configuration-assignments/c1 {"type":"product","id":"` + token1 + `"}`,
			`{"type":"product","id":"` + token1 + `","productConfigId":"c1"}`, 200, nil, ""},
		"an assignment of something else": {func(c *Client) (any, error) {
			return nil, c.AssignConfiguration(t.Context(), "c1", Target{TargetProduct, token1})
		}, `PUT /config/v1/product-configuration-assignments/c1 {"type":"product","id":"` + token1 + `"}`,
			`{"type":"account","id":"x","productConfigId":"c1"}`, 200, nil, contract.CodeUpstream},
		"an assignment of nothing": {func(c *Client) (any, error) {
			return nil, c.AssignConfiguration(t.Context(), "", Target{TargetAccount, "svc-1"})
		}, ``, ``, 0, nil, contract.CodeUnknownConfiguration},
		"a removal": {func(c *Client) (any, error) {
			return nil, c.RemoveAssignment(t.Context(), Target{TargetAccount, "svc-1"})
		},
			`DELETE /config/v1/product-configuration-assignments {"type":"account","id":"svc-1"}`, ``, 204, nil, ""},
		"a review": {func(c *Client) (any, error) {
			all, err := c.AssignedConfigurations(t.Context(), "svc-1")
			if err != nil {
				return "", err
			}
			return all[0].Configuration.Alias + ifTrue(all[0].Configuration.Inherited) +
				ifTrue(all[1].Configuration == nil) + all[0].CreatedAt.Format(" 2006"), nil
		}, `GET /config/v1/accounts/svc-1/products `, `[{"productId":"` + token1 +
			`","name":"P","createdAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.000Z",` +
			`"productConfiguration":{"id":"c1","alias":"A","inherited":true}},{"productId":"` + token2 +
			`","name":"Q","createdAt":"2026-01-02T03:04:05.000Z","updatedAt":"2026-01-02T03:04:05.000Z","productConfiguration":null}]`,
			200, "A created created 2026", ""},
		"a review without ids": {func(c *Client) (any, error) {
			all, err := c.AssignedConfigurations(t.Context(), "svc-1")
			return len(all), err
		}, `GET /config/v1/accounts/svc-1/products `, `[{}]`, 200, 0, contract.CodeUpstream},
		"a rotation": {func(c *Client) (any, error) {
			r, err := c.RotateCredentials(t.Context())
			return r.ClientID + " " + r.SecretKey + r.PreviousExpiresAt.Format(" 15:04"), err
		}, `POST /credentials/rotate `, `{"clientId":"client","secretKey":"new","previousExpiresAt":"2026-01-02T03:04:05.000Z"}`,
			200, "client new 03:04", ""},
		"a rotation in the overlap": {func(c *Client) (any, error) {
			r, err := c.RotateCredentials(t.Context())
			return r.SecretKey, err
		}, `POST /credentials/rotate `, `{"error":"INVALID_STATE"}`, 409, "", contract.CodeInvalidState},
		"a rotation without a secret": {func(c *Client) (any, error) {
			r, err := c.RotateCredentials(t.Context())
			return r.ClientID, err
		}, `POST /credentials/rotate `, `{"clientId":"client"}`, 200, "", contract.CodeUpstream},
	} {
		t.Run(name, func(t *testing.T) {
			sent := ""
			s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				sent = r.Method + " " + r.URL.EscapedPath() + " " + string(body)
				if user, secret, _ := r.BasicAuth(); user != "client" || secret != "secret" ||
					(len(body) > 0) != (r.Header.Get("Content-Type") == "application/json") {
					t.Errorf("sent with %v", r.Header)
				}
				if tc.status != http.StatusNoContent {
					w.Header().Set("Content-Type", "application/json")
				}
				w.WriteHeader(tc.status)
				_, _ = io.WriteString(w, tc.answer)
			}}
			got, err := tc.call(s.client())
			if got != tc.want || CodeOf(err) != tc.code || sent != tc.sent {
				t.Errorf("= %v, %v; want %v, %q\nsent %s\nwant %s", got, err, tc.want, tc.code, sent, tc.sent)
			}
			if err != nil && strings.Contains(err.Error(), token1) {
				t.Errorf("the error repeats an identifier: %v", err)
			}
		})
	}
}

func ifTrue(b bool) string {
	if b {
		return " created"
	}
	return ""
}

// TestHierarchyCallsThatAreRetried counts the tries of each call while the service
// fails.
func TestHierarchyCallsThatAreRetried(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for name, tc := range map[string]struct {
			call func(c *Client) error
			want int
		}{
			"POST of an account":   {func(c *Client) error { _, err := c.CreateAccount(t.Context(), Names{}); return err }, 1},
			"PUT of an account":    {func(c *Client) error { _, _, err := c.EnsureAccount(t.Context(), Names{}); return err }, tries},
			"POST of a product":    {func(c *Client) error { _, err := c.CreateProduct(t.Context(), "a", Names{}); return err }, 1},
			"PUT of a product":     {func(c *Client) error { _, _, err := c.EnsureProduct(t.Context(), "a", Names{}); return err }, tries},
			"an assignment":        {func(c *Client) error { return c.AssignConfiguration(t.Context(), "a", Target{}) }, tries},
			"a removal":            {func(c *Client) error { return c.RemoveAssignment(t.Context(), Target{}) }, tries},
			"the configurations":   {func(c *Client) error { _, err := c.ProductConfigurations(t.Context()); return err }, tries},
			"a review":             {func(c *Client) error { _, err := c.AssignedConfigurations(t.Context(), "a"); return err }, tries},
			"a rotation of secret": {func(c *Client) error { _, err := c.RotateCredentials(t.Context()); return err }, 1},
		} {
			tried := 0
			s := &service{handler: func(w http.ResponseWriter, _ *http.Request) {
				tried++
				writeJSON(w, 503, map[string]any{"error": "UNAVAILABLE"})
			}}
			if err := tc.call(s.client()); CodeOf(err) != contract.CodeUnavailable || tried != tc.want {
				t.Errorf("%s: %v after %d tries, want %d", name, err, tried, tc.want)
			}
		}
	})
}

func TestParentNamesItsChild(t *testing.T) {
	received := ""
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		received = r.Header.Get("X-PUBLIC-ID")
		writeJSON(w, 200, map[string]any{"token": "abc", "redirectUrl": "http://127.0.0.1:1/redirect/abc",
			"redirectToken": "rt", "consumerId": token1})
	}}
	c := s.client()
	for name, call := range map[string]func(publicID string) error{
		"initialization": func(id string) error { _, err := c.Initialize(t.Context(), InitRequest{PublicID: id}); return err },
		"redirect": func(id string) error {
			_, err := c.SecureRedirect(t.Context(), RedirectRequest{InitRequest: InitRequest{PublicID: id}})
			return err
		},
		"consumer": func(id string) error {
			_, err := c.CreateConsumer(t.Context(), ConsumerRequest{PublicID: id})
			return err
		},
	} {
		for _, id := range []string{"svc-child", ""} {
			received = "nothing"
			if err := call(id); err != nil || received != id {
				t.Errorf("%s for %q: %v, and the service received %q", name, id, err, received)
			}
		}
		if err := call("a\nb"); CodeOf(err) != contract.CodeMalformedHeaders {
			t.Errorf("%s for no publicId: %v", name, err)
		}
	}
}

package customers

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/prefill"
	"vestibule/internal/provider/auth"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// maxBody is the maximum size in bytes of a consumer's body.
const maxBody = 64 << 10

// Routes adds the account hierarchy, the rotation of secrets, and the consumers API,
// all with Basic authorization.
func (s *Service) Routes(mux *http.ServeMux) {
	mux.Handle("POST /accounts", httpx.API(s.Log, s.Auth.Basic(s.Requires(Hierarchy, s.addAccount(false)))))
	mux.Handle("PUT /accounts", httpx.API(s.Log, s.Auth.Basic(s.Requires(Hierarchy, s.addAccount(true)))))
	mux.Handle("POST /accounts/{account}/products", httpx.API(s.Log, s.Auth.Basic(s.Requires(Hierarchy, s.addProduct(false)))))
	mux.Handle("PUT /accounts/{account}/products", httpx.API(s.Log, s.Auth.Basic(s.Requires(Hierarchy, s.addProduct(true)))))
	mux.Handle("GET /config/v1/product-configurations", httpx.API(s.Log, s.Auth.Basic(s.listConfigurations)))
	mux.Handle("GET /config/v1/accounts/{account}/products", httpx.API(s.Log, s.Auth.Basic(s.listProducts)))
	mux.Handle("PUT /config/v1/product-configuration-assignments/{id}", httpx.API(s.Log, s.Auth.Basic(s.assign)))
	mux.Handle("DELETE /config/v1/product-configuration-assignments", httpx.API(s.Log, s.Auth.Basic(s.unassign)))
	mux.Handle("POST /credentials/rotate", httpx.API(s.Log, s.Auth.Basic(s.rotate)))
	mux.Handle("POST /connect/consumers", httpx.API(s.Log, s.Auth.Basic(s.postConsumer)))
	mux.Handle("GET /connect/consumers/{id}", httpx.API(s.Log, s.Auth.Basic(s.getConsumer)))
	mux.Handle("PATCH /connect/consumers/{id}", httpx.API(s.Log, s.Auth.Basic(s.patchConsumer)))
	mux.Handle("DELETE /connect/consumers/{id}", httpx.API(s.Log, s.Auth.Basic(s.withdrawConsent)))
}

// consumerBody is the body of POST and PATCH. null removes a value. Members that a
// PATCH omits stay, also within the prefill.
type consumerBody struct {
	ConsumerExternalID optional `json:"consumerExternalId"`
	Prefill            optional `json:"prefill"`
}

// optional distinguishes an absent member from null.
type optional struct {
	present bool
	raw     json.RawMessage // nil for null
}

func (o *optional) UnmarshalJSON(b []byte) error {
	*o = optional{present: true}
	if !bytes.Equal(b, []byte("null")) {
		o.raw = bytes.Clone(b)
	}
	return nil
}

func (s *Service) apply(in consumerBody, env contract.Environment, c *Consumer) error {
	if in.ConsumerExternalID.present {
		c.ExternalID = ""
		if raw := in.ConsumerExternalID.raw; raw != nil {
			if json.Unmarshal(raw, &c.ExternalID) != nil || !auth.IsExternalID(c.ExternalID) {
				return httpx.NewError(contract.CodeMalformedBody, errors.New("consumerExternalId"),
					httpx.Detail{Field: "consumerExternalId", Message: httpx.TextProblem(raw,
						"must have 1 to 64 printable characters, without spaces at either end")})
			}
		}
	}
	if !in.Prefill.present || in.Prefill.raw == nil {
		if in.Prefill.present {
			c.Prefill = nil
		}
		return nil
	}
	merged, err := merge(c.Prefill, in.Prefill.raw)
	if err != nil {
		return err
	}
	// A consumer has no product yet, so the rules of all products apply.
	c.Prefill, err = CheckPrefill(prefill.Rules{Environment: env, Today: prefill.DateOf(s.Now().UTC().Date())}, merged)
	return err
}

// merge applies the members of change to an object; null removes a member (RFC 7396).
// It does not merge nested objects, which a prefill does not have.
func merge(old, change json.RawMessage) (json.RawMessage, error) {
	into, members := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	if old != nil {
		if err := json.Unmarshal(old, &into); err != nil {
			return nil, err
		}
	}
	if json.Unmarshal(change, &members) != nil {
		return nil, httpx.NewError(contract.CodeMalformedBody, errors.New("prefill"),
			httpx.Detail{Field: "prefill", Message: "must be an object"})
	}
	for name, v := range members {
		if string(v) == "null" {
			delete(into, name)
		} else {
			into[name] = v
		}
	}
	return json.Marshal(into)
}

func (s *Service) postConsumer(w http.ResponseWriter, r *http.Request) error {
	caller := auth.CallerOf(r.Context())
	var in consumerBody
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	var c Consumer
	if err := s.apply(in, caller.Environment, &c); err != nil {
		return err
	}
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		c, err = s.CreateConsumer(ctx, tx, caller.CustomerID, c.ExternalID, c.Prefill)
		return err
	})
	if err != nil {
		return mapDuplicate(err)
	}
	return httpx.JSON(w, http.StatusCreated, struct {
		ConsumerID string `json:"consumerId"`
	}{c.ID})
}

func (s *Service) getConsumer(w http.ResponseWriter, r *http.Request) error {
	c, err := s.Consumer(r.Context(), s.DB.SQL, auth.CallerOf(r.Context()).CustomerID, pathID(r))
	if err != nil {
		return mapNotFound(r, err)
	}
	w.Header().Set("Cache-Control", "no-store")
	return writeConsumer(w, c)
}

func (s *Service) patchConsumer(w http.ResponseWriter, r *http.Request) error {
	caller := auth.CallerOf(r.Context())
	var in consumerBody
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	var c Consumer
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if c, err = s.Consumer(ctx, tx, caller.CustomerID, pathID(r)); err != nil {
			return mapNotFound(r, err)
		}
		if c.ConsentWithdrawn {
			return httpx.NewError(contract.CodeInvalidState, errors.New("consent was withdrawn"))
		}
		if err := s.apply(in, caller.Environment, &c); err != nil {
			return err
		}
		c.Updated = tx.Now
		sealed, err := s.sealPrefill(ctx, tx, c)
		if err != nil {
			return err
		}
		ok, err := updateConsumer(ctx, tx, c, sealed, s.mailbox(c))
		if err == nil && !ok {
			return ErrDuplicateExternalID
		}
		return err
	})
	if err != nil {
		return mapDuplicate(err)
	}
	return writeConsumer(w, c)
}

// withdrawConsent handles DELETE /connect/consumers/{id}.
func (s *Service) withdrawConsent(w http.ResponseWriter, r *http.Request) error {
	id := pathID(r)
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := s.Withdraw(ctx, tx, auth.CallerOf(ctx).CustomerID, id)
		return mapNotFound(r, err)
	})
	if err != nil {
		return err
	}
	return httpx.NoContent(w)
}

func writeConsumer(w http.ResponseWriter, c Consumer) error {
	return httpx.JSON(w, http.StatusOK, struct {
		ConsumerID         string          `json:"consumerId"`
		ConsumerExternalID *string         `json:"consumerExternalId"`
		Prefill            json.RawMessage `json:"prefill"`
		ConsentWithdrawn   bool            `json:"consentWithdrawn"`
		CreatedAt          string          `json:"createdAt"`
		UpdatedAt          string          `json:"updatedAt"`
	}{c.ID, contract.Null(c.ExternalID), c.Prefill, c.ConsentWithdrawn,
		report.TimestampOf(c.Created).String(), report.TimestampOf(c.Updated).String()})
}

// pathID returns the consumer's id in the path, or "" if it is not a UUID.
func pathID(r *http.Request) string {
	id, _ := httpx.PathUUID(r, "id", "id", contract.CodeNotFound)
	return id
}

// mapNotFound returns NOT_FOUND for store.ErrNotFound, and other errors unchanged.
func mapNotFound(r *http.Request, err error) error {
	if _, wrong := httpx.PathUUID(r, "id", "id", contract.CodeNotFound); wrong != nil && errors.Is(err, store.ErrNotFound) {
		return wrong
	}
	return httpx.NotFoundIf(err, store.ErrNotFound)
}

// mapDuplicate returns the API's error for ErrDuplicateExternalID, and other errors
// unchanged.
func mapDuplicate(err error) error {
	if errors.Is(err, ErrDuplicateExternalID) {
		return httpx.NewError(contract.CodeDuplicateExternalID, err,
			httpx.Detail{Field: "consumerExternalId", Message: "another consumer of yours has it"})
	}
	return err
}

package customers

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// configurationCaller returns the caller if its account may use the configuration
// endpoints.
func (s *Service) configurationCaller(ctx context.Context) (auth.Caller, error) {
	caller, err := parentCaller(ctx)
	if err != nil {
		return caller, err
	}
	return caller, s.require(ctx, s.DB.SQL, caller.CustomerID, Configurations)
}

// listConfigurations responds with [{id, svcProduct, alias}].
func (s *Service) listConfigurations(w http.ResponseWriter, r *http.Request) error {
	caller, err := s.configurationCaller(r.Context())
	if err != nil {
		return err
	}
	all, err := s.Assignable(r.Context(), s.DB.SQL, caller.CustomerID)
	if err != nil {
		return err
	}
	type item struct {
		ID      string           `json:"id"`
		Product contract.Product `json:"svcProduct"`
		Alias   string           `json:"alias"`
	}
	out := []item{}
	for _, c := range all {
		out = append(out, item{c.ID, c.Kind, c.Alias})
	}
	return httpx.JSON(w, http.StatusOK, out)
}

// listProducts responds with the products of a child account and their effective
// configurations.
func (s *Service) listProducts(w http.ResponseWriter, r *http.Request) error {
	caller, err := s.configurationCaller(r.Context())
	if err != nil {
		return err
	}
	a, err := s.child(r.Context(), s.DB.SQL, caller.CustomerID, r.PathValue("account"))
	if err != nil {
		return err
	}
	all, err := s.Products(r.Context(), s.DB.SQL, a.ID)
	if err != nil {
		return err
	}
	type effective struct {
		ID        string `json:"id"`
		Alias     string `json:"alias"`
		Inherited bool   `json:"inherited"`
	}
	type item struct {
		ProductID     string     `json:"productId"`
		Name          string     `json:"name"`
		CreatedAt     string     `json:"createdAt"`
		UpdatedAt     string     `json:"updatedAt"`
		Configuration *effective `json:"productConfiguration"` // null without one
	}
	out := []item{}
	for _, p := range all {
		i := item{ProductID: p.ID, Name: p.Name,
			CreatedAt: report.TimestampOf(p.Created).String(), UpdatedAt: report.TimestampOf(p.Updated).String()}
		if p.Configuration.ID != "" {
			i.Configuration = &effective{p.Configuration.ID, p.Configuration.Alias, p.Inherited}
		}
		out = append(out, i)
	}
	return httpx.JSON(w, http.StatusOK, out)
}

// decodeTarget reads the account or product to assign a configuration to.
func decodeTarget(w http.ResponseWriter, r *http.Request) (Target, error) {
	var in struct {
		Type *string `json:"type"`
		ID   *string `json:"id"`
	}
	if err := httpx.DecodeJSON(w, r, maxNames, &in); err != nil {
		return Target{}, err
	}
	var details []httpx.Detail
	if in.Type == nil || *in.Type == "" {
		details = append(details, httpx.Detail{Field: "type", Message: "is missing; it must be account or product"})
	} else if *in.Type != TargetAccount && *in.Type != TargetProduct {
		details = append(details, httpx.Detail{Field: "type", Message: "must be account or product"})
	}
	if in.ID == nil || *in.ID == "" {
		details = append(details, httpx.Detail{Field: "id", Message: "is missing"})
	}
	if details != nil {
		return Target{}, httpx.NewError(contract.CodeMalformedBody, errors.New("no target"), details...)
	}
	return Target{Type: *in.Type, ID: *in.ID}, nil
}

// assignTo assigns a configuration for the parent account, or removes the assignment
// if configurationID is empty.
func (s *Service) assignTo(ctx context.Context, q store.Queryer, parentID string, to Target, configurationID string) error {
	unknown := unknownChild
	known := IsPublicID(to.ID)
	if to.Type == TargetProduct {
		unknown = func() error {
			return &httpx.Error{Code: contract.CodeInvalidProduct, Status: http.StatusNotFound,
				Why: errors.New("no product of the caller or its children")}
		}
		known, to.ID = contract.IsUUID(to.ID), strings.ToLower(to.ID)
	}
	if !known {
		return unknown()
	}
	err := s.Assign(ctx, q, parentID, to, configurationID)
	if errors.Is(err, store.ErrNotFound) {
		return unknown()
	}
	return err
}

// assign sets the configuration of a child account or a product: {type, id,
// productConfigId}.
func (s *Service) assign(w http.ResponseWriter, r *http.Request) error {
	caller, err := s.configurationCaller(r.Context())
	if err != nil {
		return err
	}
	to, err := decodeTarget(w, r)
	if err != nil {
		return err
	}
	id, err := httpx.PathUUID(r, "id", "id", contract.CodeUnknownConfiguration)
	if err != nil {
		return err
	}
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		c, err := s.Configuration(ctx, tx, caller.CustomerID, id)
		if errors.Is(err, store.ErrNotFound) || !c.Retired.IsZero() {
			return httpx.NewError(contract.CodeUnknownConfiguration, errors.New("no such configuration of the caller"))
		}
		if err != nil {
			return err
		}
		return s.assignTo(ctx, tx, caller.CustomerID, to, id)
	})
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, struct {
		Type            string `json:"type"`
		ID              string `json:"id"`
		ProductConfigID string `json:"productConfigId"`
	}{to.Type, to.ID, id})
}

// unassign removes the configuration of a target, which then inherits one.
func (s *Service) unassign(w http.ResponseWriter, r *http.Request) error {
	caller, err := s.configurationCaller(r.Context())
	if err != nil {
		return err
	}
	to, err := decodeTarget(w, r)
	if err != nil {
		return err
	}
	if err := s.assignTo(r.Context(), s.DB.SQL, caller.CustomerID, to, ""); err != nil {
		return err
	}
	return httpx.NoContent(w)
}

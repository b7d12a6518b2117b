package customers

import (
	"context"
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/auth"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// maxNames is the maximum size in bytes of the body of an account, a product, or an
// assignment.
const maxNames = 8 << 10

// parentCaller returns the caller, or FORBIDDEN for a child account.
func parentCaller(ctx context.Context) (auth.Caller, error) {
	caller := auth.CallerOf(ctx)
	if caller.ParentID != "" {
		return caller, httpx.NewError(contract.CodeForbidden, errors.New("a child account has neither children nor configurations"))
	}
	return caller, nil
}

// child returns a parent's child account, or unknownChild.
func (s *Service) child(ctx context.Context, q store.Queryer, parentID, publicID string) (Account, error) {
	if !IsPublicID(publicID) {
		return Account{}, unknownChild()
	}
	a, err := s.Child(ctx, q, parentID, publicID)
	if errors.Is(err, store.ErrNotFound) {
		err = unknownChild()
	}
	return a, err
}

func unknownChild() error {
	return httpx.NewError(contract.CodeUnknownChild, errors.New("no such child account of the caller"))
}

// IsPublicID reports whether s has the form of a publicId.
func IsPublicID(s string) bool { return s != "" && len(s) <= 128 && httpx.IsVisible(s) }

// checkNames validates the names of a request; nil is absent. field is the JSON field
// of the name, for errors.
func checkNames(field string, name, display *string) (Names, error) {
	var n Names
	var details []httpx.Detail
	if name == nil {
		details = append(details, httpx.Detail{Field: field, Message: "is missing"})
	} else if n.Name = *name; NameProblem(n.Name) != "" {
		details = append(details, httpx.Detail{Field: field, Message: NameProblem(n.Name)})
	}
	if display != nil {
		if n.DisplayName = *display; NameProblem(n.DisplayName) != "" {
			details = append(details, httpx.Detail{Field: "displayName", Message: NameProblem(n.DisplayName)})
		}
	}
	if details != nil {
		return Names{}, httpx.NewError(contract.CodeMalformedBody, errors.New("a name is missing or no name"), details...)
	}
	return n, nil
}

// addAccount adds a child account and responds with {publicId}. With find, an existing
// account of that name is returned unchanged.
func (s *Service) addAccount(find bool) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		var in struct {
			AccountName *string `json:"accountName"`
			DisplayName *string `json:"displayName"`
		}
		return s.add(w, r, &in, &naming{"accountName", &in.AccountName, &in.DisplayName, "publicId", contract.CodeDuplicateCustomer, find},
			func(ctx context.Context, tx *store.Tx, parentID string, n Names) (string, bool, error) {
				a, added, err := s.AddAccount(ctx, tx, parentID, n)
				return a.PublicID, added, err
			})
	}
}

// addProduct adds a product to a child account and responds with {productId}. With
// find, an existing product of that name is returned unchanged.
func (s *Service) addProduct(find bool) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		var in struct {
			ProductName *string `json:"productName"`
			DisplayName *string `json:"displayName"`
		}
		return s.add(w, r, &in, &naming{"productName", &in.ProductName, &in.DisplayName, "productId", contract.CodeDuplicateProduct, find},
			func(ctx context.Context, tx *store.Tx, parentID string, n Names) (string, bool, error) {
				a, err := s.child(ctx, tx, parentID, r.PathValue("account"))
				if err != nil {
					return "", false, err
				}
				p, added, err := s.AddProduct(ctx, tx, Product{CustomerID: a.ID, Name: n.Name, DisplayName: n.DisplayName})
				return p.ID, added, err
			})
	}
}

// naming is what a request that adds an account or a product names.
type naming struct {
	field         string // of the name
	name, display **string
	id            string        // member of the response
	duplicate     contract.Code // of a name that is taken
	find          bool          // answer with an existing one
}

// add decodes a request into body, adds what it names, and responds with its id.
func (s *Service) add(w http.ResponseWriter, r *http.Request, body any, named *naming,
	insert func(ctx context.Context, tx *store.Tx, parentID string, n Names) (id string, added bool, err error)) error {
	caller, err := parentCaller(r.Context())
	if err != nil {
		return err
	}
	if err := httpx.DecodeJSON(w, r, maxNames, body); err != nil {
		return err
	}
	n, err := checkNames(named.field, *named.name, *named.display)
	if err != nil {
		return err
	}
	var id string
	var added bool
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		id, added, err = insert(ctx, tx, caller.CustomerID, n)
		return err
	})
	status := http.StatusOK
	switch {
	case err != nil:
		return err
	case added:
		status = http.StatusCreated
	case !named.find:
		return httpx.NewError(named.duplicate, ErrDuplicateName, httpx.Detail{Field: named.field, Message: "is taken"})
	}
	return httpx.JSON(w, status, map[string]string{named.id: id})
}

// rotate creates a new secret for the client of the request and responds with
// {clientId, secretKey, previousExpiresAt}. A client cannot rotate for another account.
func (s *Service) rotate(w http.ResponseWriter, r *http.Request) error {
	client := auth.ClientOf(r.Context())
	if auth.CallerOf(r.Context()).CustomerID != client.CustomerID {
		return httpx.NewError(contract.CodeForbidden, errors.New("a secret of another account"))
	}
	var out Issued
	err := s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		err := s.require(ctx, tx, client.CustomerID, CredentialRotation)
		if err != nil {
			return err
		}
		out, err = s.RotateCredential(ctx, tx, client.CustomerID, client.CredentialID)
		return err
	})
	switch {
	case errors.Is(err, ErrOverlap):
		return &httpx.Error{Code: contract.CodeInvalidState, Why: err,
			Message: "The previous secret is still valid. Rotate again after it expires."}
	case errors.Is(err, store.ErrNotFound):
		return httpx.NewError(contract.CodeUnknownCustomer, errors.New("the secret ended meanwhile"))
	case err != nil:
		return err
	}
	return httpx.PrivateJSON(w, http.StatusOK, struct {
		ClientID          string `json:"clientId"`
		SecretKey         string `json:"secretKey"`
		PreviousExpiresAt string `json:"previousExpiresAt"`
	}{out.ClientID, out.SecretKey, report.TimestampOf(out.PreviousExpires).String()})
}

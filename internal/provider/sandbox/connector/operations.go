package connector

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/passport"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sandbox/payroll"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sandbox/suppliers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
)

func (s *Server) institutions(context.Context, request, sources.Institution) (any, error) {
	type institution struct {
		ID      string       `json:"id"`
		Kind    sources.Kind `json:"kind"`
		Name    string       `json:"name"`
		Place   string       `json:"place,omitempty"`
		PlaceES string       `json:"placeEs,omitempty"`
		Type    string       `json:"type,omitempty"`
		Renewal bool         `json:"renewal,omitempty"`
	}
	var list []institution
	for _, in := range Institutions() {
		list = append(list, institution{in.ID, in.Kind, in.Name, in.Place, in.PlaceES, in.Employer, in.Kind == sources.Payroll})
	}
	return map[string]any{"institutions": list}, nil
}

// authorize begins an authorization.
func (s *Server) authorize(ctx context.Context, q request, in sources.Institution) (any, error) {
	switch {
	case !slices.Contains(s.config.RedirectURIs, q.RedirectURI):
		return nil, invalid("redirectUri: is not the configured one")
	case len(q.State) < 16 || len(q.State) > 128:
		return nil, invalid("state: must have 16 to 128 characters")
	case !i18n.Lang(q.Language).Spoken():
		return nil, invalid("language: must be en or es")
	}
	id, page := store.NewSecret(), store.NewSecret()
	err := s.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return insert(ctx, tx, id, page, authorization{institution: in.ID, redirectURI: q.RedirectURI, state: q.State, language: q.Language,
			State: signin.State{Step: signin.StepSignIn}, expires: s.config.Now().Add(pagesLifetime)})
	})
	return map[string]string{"url": s.config.BaseURL + Path + "/sign-in/" + page, "authorization": id}, err
}

// complete exchanges a code for access.
func (s *Server) complete(ctx context.Context, q request, in sources.Institution) (any, error) {
	if q.Authorization == "" || q.Code == "" {
		return nil, invalid("authorization, code: both are required")
	}
	now := s.config.Now()
	g := newGrant(now, now.AddDate(0, 0, consentDays).Truncate(time.Second))
	var refused error
	err := s.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		refused = nil
		at, err := ofAuthorization(ctx, tx, q.Authorization, in.ID)
		switch {
		case errors.Is(err, store.ErrNotFound):
			refused = conflict("ABANDONED", "the authorization is unknown, or has expired")
			return nil
		case err != nil:
			return err
		case at.Step == stepGranted:
			refused = conflict("ENDED", "the code was used before")
			return nil
		case at.Step == signin.StepDone || at.Step == signin.StepRefused:
			refused = conflict("DENIED", "the applicant refused, or was refused")
			return nil
		case at.Username == "session_expired":
			refused = conflict("ABANDONED", "the session at the payroll provider expired")
			return nil
		}
		granted, err := exchange(ctx, tx, q.Authorization, q.Code, g, now)
		if err == nil && !granted {
			refused = conflict("ABANDONED", "the code is not of this authorization, or has expired")
		}
		return err
	})
	if err == nil {
		err = refused
	}
	return g, err
}

// grant is access to the data of one account holder.
type grant struct {
	Access  string    `json:"access"`
	Expires time.Time `json:"accessExpiresAt"`
	Refresh string    `json:"refresh"`
	Until   time.Time `json:"expiresAt"`
}

// newGrant returns new access until an instant. The access has its expiry at its end.
func newGrant(now, until time.Time) grant {
	expires := now.Add(AccessLifetime).Truncate(time.Second)
	return grant{store.NewSecret() + "." + strconv.FormatInt(expires.Unix(), 10), expires, store.NewSecret(), until}
}

// expired reports whether access must be renewed. The store compares the whole access, so
// its end is not forged.
func expired(access string, now time.Time) bool {
	_, end, _ := strings.Cut(access, ".")
	at, err := strconv.ParseInt(end, 10, 64)
	return err != nil || !now.Before(time.Unix(at, 0))
}

// renew exchanges what renews access for new access, once.
func (s *Server) renew(ctx context.Context, q request, in sources.Institution) (any, error) {
	if q.Refresh == "" {
		return nil, invalid("refresh: is missing")
	}
	now := s.config.Now()
	var g grant
	err := s.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) (err error) {
		g = newGrant(now, time.Time{})
		g.Until, err = renew(ctx, tx, q.Refresh, in.ID, g, now)
		return err
	})
	if errors.Is(err, store.ErrNotFound) {
		return nil, conflict("ENDED", "the access is unknown, was renewed or revoked, or has ended")
	}
	return g, err
}

// confirming is a user who must confirm again at every request for data.
const confirming = "payroll_mfa"

// payroll returns the data of the account holder.
func (s *Server) payroll(ctx context.Context, q request, in sources.Institution) (any, error) {
	switch {
	case q.Access == "":
		return nil, invalid("access: is missing")
	case q.From.IsZero() || q.To.Before(q.From.Time):
		return nil, invalid("from, to: must be two days, the first one first")
	}
	now := s.config.Now()
	id, username, err := ofAccess(ctx, s.config.DB.SQL, q.Access, in.ID, now)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil, conflict("ENDED", "the access is unknown, was revoked, or has expired")
	case err != nil:
		return nil, err
	case expired(q.Access, now):
		return nil, conflict("EXPIRED", "the access must be renewed")
	case username == "error":
		return nil, invalid("the username error has no data")
	case username == confirming:
		return nil, conflict("CONFIRMATION_REQUIRED", "the payroll provider asks for a code again")
	case username == "supplier_unresponsive":
		return nil, &problem{"UNRESPONSIVE", "the payroll provider does not answer", http.StatusServiceUnavailable}
	}
	p := payroll.Providers{}.Fetch(in.ID, payroll.Providers{}.Login(username).Profile, string(id), now)
	answer := struct {
		Owner bankdata.Person `json:"owner,omitzero"`
		Jobs  []income.Job    `json:"jobs"`
	}{p.Owner.Person, append([]income.Job{}, p.Jobs...)}
	for n := range answer.Jobs {
		j := &answer.Jobs[n]
		j.Statements = slices.DeleteFunc(append([]income.Statement{}, j.Statements...), func(t income.Statement) bool {
			return t.PayDate.Before(q.From.Time) || t.PayDate.After(q.To.Time)
		})
	}
	return answer, nil
}

// file returns the file of a supplier on a person.
func (s *Server) file(ctx context.Context, q request, in sources.Institution) (any, error) {
	switch {
	case !contract.IsUUID(q.Reference):
		return nil, invalid("reference: must be a UUID")
	case q.AsOf.IsZero() || q.Person == nil:
		return nil, invalid("asOf, person: both are required")
	}
	var answer struct {
		passport.File
		Quote *passport.Quote `json:"quote,omitempty"`
	}
	f, quote, err := suppliers.Bureaus{}.File(ctx, in.ID, q.FileRequest)
	if f.Found {
		answer.File, answer.Quote = f, quote
	}
	return answer, err
}

// dispute takes a dispute about the file of a supplier.
func (s *Server) dispute(ctx context.Context, q request, in sources.Institution) (any, error) {
	switch {
	case !contract.IsUUID(q.Reference):
		return nil, invalid("reference: must be a UUID")
	case q.Number == "" || q.Kind == "" || q.About == "" || q.Statement == "" || q.Due.IsZero():
		return nil, invalid("number, kind, about, statement, due: all are required")
	}
	return suppliers.Bureaus{}.Dispute(ctx, in.ID, sources.DisputeRequest{Number: q.Number, Facts: q.Facts})
}

// revoke ends access and deletes the authorization.
func (s *Server) revoke(ctx context.Context, q request, in sources.Institution) (any, error) {
	if q.Access == "" {
		return nil, invalid("access: is missing")
	}
	return nil, s.config.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return revoke(ctx, tx, q.Access, q.Refresh, in.ID) })
}

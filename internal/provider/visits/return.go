package visits

import (
	"context"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// Ending describes a visit that is over or closed, for its redirect.
type Ending struct {
	VisitID     string
	PublicToken string
	Outcome     contract.Outcome
	Status      contract.Status      // with SUCCESS
	Error       contract.WidgetError // with ERROR
	At          time.Time            // zero: closed, and can still be continued
}

// Return is where the browser goes after a visit: to URL, which contains the signed
// result, or, with Post, to Action by a form that contains it as token.
type Return struct {
	URL    string
	Post   bool
	Action string
	Token  string
	Origin string // scheme, host and port of both, for the page's policy
}

// Redirects finds the secure redirects of visits.
type Redirects interface {
	// Return creates a new signed result and says where to send it; ok is false for a
	// visit without a redirect, or with an expired one.
	Return(ctx context.Context, q store.Queryer, e Ending) (r Return, ok bool, err error)
	// Origin returns the origin that the visit returns to, or "".
	Origin(ctx context.Context, q store.Queryer, visitID string) (string, error)
	// Visit returns the id of the visit of a redirect token, or store.ErrNotFound.
	Visit(ctx context.Context, q store.Queryer, redirectToken string) (visitID string, err error)
}

func (s *Service) returnOrigin(ctx context.Context, v visit) (string, error) {
	if s.Redirects == nil {
		return "", nil
	}
	return s.Redirects.Origin(ctx, s.DB.SQL, v.id)
}

// redirectBack redirects the browser to the customer, with a new signed result for the same
// outcome each time, so that a reload or a lost response does no harm.
func (s *Service) redirectBack(w http.ResponseWriter, r *http.Request) error {
	if err := requireNavigation(w, r); err != nil {
		return err
	}
	handle := r.PathValue("handle")
	v, err := s.find(r, r.Header.Get(secretHeader))
	if err != nil {
		return err
	}
	if s.Redirects == nil {
		return store.ErrNotFound
	}
	if err := s.authorize(r, v); err != nil {
		return err
	}
	if v.Outcome() == "" {
		httpx.SetSecurityHeaders(w, httpx.CSP{})
		http.Redirect(w, r, Path(handle), http.StatusSeeOther)
		return nil
	}
	back, ok, err := s.Redirects.Return(r.Context(), s.DB.SQL, endingOf(v))
	if err != nil {
		return err
	}
	if !ok {
		return store.ErrNotFound
	}
	secret := s.secretOf(r, handle)
	if v.hosted && v.browser == nil && secret == "" {
		secret = s.setSecret(w, r, handle)
	}
	if err := s.bindBrowser(r, v, secret); err != nil {
		return err
	}
	if !back.Post {
		return seeOther(w, back.URL)
	}
	urls, company, err := s.lookOf(r.Context(), v)
	if err != nil {
		return err
	}
	s.write(w, r, http.StatusOK, httpx.CSP{FormAction: []string{back.Origin}},
		providerui.BackPage(providerui.Back{Lang: language(r), Customer: company, URL: back.Action, Token: back.Token}, urls))
	return nil
}

func endingOf(v visit) Ending {
	e := Ending{VisitID: v.id, PublicToken: v.publicToken, Outcome: v.Outcome(), At: v.ended}
	switch e.Outcome {
	case contract.OutcomeSuccess:
		e.Status = v.Status
	case contract.OutcomeError:
		e.Error = v.Error
	}
	return e
}

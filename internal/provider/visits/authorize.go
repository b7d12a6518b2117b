package visits

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// CallbackPath is where institutions send the browser back to. The provider's URL with it is
// the redirect URI of institutions without their own, which ends with a slash and the id.
const CallbackPath = "/oauth/callback"

// authorizationContext is what the callback needs to find its way back. It is stored
// encrypted with the authorization.
type authorizationContext struct {
	Handle string `json:"handle"`
	Lang   string `json:"lang"`
	Window bool   `json:"window,omitempty"` // the institution was opened in a window beside the widget
	Return string `json:"return,omitempty"` // page with the widget
}

// maxReturn is the maximum length in bytes of the address of the page with the widget.
const maxReturn = 2048

// beginAuthorization handles the form that leads to the chosen institution's own pages. It
// binds the authorization to the browser by a cookie.
func (s *Service) beginAuthorization(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	handle := r.PathValue("handle")
	v, err := s.find(r, form.Get("secret"))
	if err != nil {
		return err
	}
	if err := s.authorize(r, v); err != nil {
		return err
	}
	if err := s.bindBrowser(r, v, s.secretOf(r, handle)); err != nil {
		return err
	}
	back := authorizationContext{Handle: handle, Lang: string(language(r)),
		Window: !v.hosted && (form.Get("window") != "" || form.Get("return") == "")}
	if !v.hosted {
		if back.Return, err = s.pageOfWidget(r.Context(), v, form.Get("return")); err != nil {
			return err
		}
	}
	if v.outdated(form.Get("nonce")) || !v.Active() || v.Step != flow.StepAuthorize {
		return s.afterAuthorization(w, r, v, back)
	}
	consumer, err := s.consumerWithConsent(r.Context(), s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	kept, err := json.Marshal(back)
	if err != nil {
		return err
	}
	begun, err := s.Sources.Begin(r.Context(), sources.BeginRequest{VisitID: v.id, KeyID: consumer.KeyID, Environment: v.environment,
		Institution: v.Bank, Language: back.Lang, Context: kept})
	if failure := (*sources.Failure)(nil); errors.As(err, &failure) {
		s.Log.WarnContext(r.Context(), "an authorization did not begin", "institution", v.Bank, "err", err)
		if _, err := s.apply(r.Context(), handle, form.Get("nonce"), failed(v.Bank, failure.Reason)); err != nil {
			return err
		}
		return s.afterAuthorization(w, r, v, back)
	}
	if err != nil {
		return err
	}
	urls, company, err := s.lookOf(r.Context(), v)
	if err != nil {
		return err
	}
	s.setCookie(w, s.authorizationCookie(begun.State), begun.Browser, int(sources.AuthorizationLifetime.Seconds()))
	bank, _ := s.catalogue(v.environment).find(v.SourceType, v.Bank)
	s.write(w, r, http.StatusOK, httpx.CSP{}, providerui.ToBankPage(providerui.ToBank{Lang: language(r), Bank: bank.Name,
		Company: company, URL: begun.URL}, urls))
	return nil
}

// updatable returns until when the customer may get updated reports from the chosen bank, if
// the applicant agrees now; zero for not at all.
func (s *Service) updatable(ctx context.Context, v visit) (time.Time, error) {
	ok, err := s.Customers.Entitled(ctx, s.DB.SQL, v.customerID, customers.Refresh)
	if err != nil || !ok {
		return time.Time{}, err
	}
	institution, _, _ := s.Sources.Find(v.environment, v.Bank)
	return s.Now().Add(institution.Lifetime()), nil
}

// offersUpdates reports whether the customer may get updated reports from a source that
// the applicant can choose. Credit bureaus offer none.
func (s *Service) offersUpdates(ctx context.Context, v visit) (bool, error) {
	if v.Product == contract.Passport ||
		s.catalogue(v.environment).passwords(v.Product == contract.Income || v.Employers > 0) == providerui.PasswordsHere {
		return false, nil
	}
	return s.Customers.Entitled(ctx, s.DB.SQL, v.customerID, customers.Refresh)
}

// pageOfWidget checks the address of the page to return to: of an origin that may show
// the widget.
func (s *Service) pageOfWidget(ctx context.Context, v visit, address string) (string, error) {
	if address == "" {
		return "", nil
	}
	u, ok := httpx.ParseURL(address)
	if !ok || len(address) > maxReturn {
		return "", httpx.NewError(contract.CodeMalformedBody, errors.New("return is not the address of a page"))
	}
	origins, err := s.Customers.WidgetOrigins(ctx, s.DB.SQL, v.customerID)
	if err != nil {
		return "", err
	}
	if len(origins) > 0 && !slices.Contains(origins, httpx.Origin(u)) {
		return "", httpx.NewError(contract.CodeForbidden, errors.New("return is not of a registered origin"))
	}
	return address, nil
}

func (s *Service) authorizationCookie(state string) string {
	return s.cookieName("authorization\n" + state)
}

// finishAuthorization handles the callback from an institution. It accepts an
// authorization once, from the browser that began it, and says nothing about any other.
func (s *Service) finishAuthorization(w http.ResponseWriter, r *http.Request) error {
	if err := requireNavigation(w, r); err != nil {
		return err
	}
	cookie := s.authorizationCookie(r.URL.Query().Get("state"))
	secrets := r.CookiesNamed(cookie)
	if len(secrets) != 1 {
		return store.ErrNotFound
	}
	done, err := s.Sources.Complete(r.Context(), secrets[0].Value, r.PathValue("institution"), r.URL.Query())
	if err != nil {
		return err
	}
	s.setCookie(w, cookie, "", -1)
	var back authorizationContext
	if err := json.Unmarshal(done.Context, &back); err != nil {
		return errors.New("visits: the context of an authorization does not decode")
	}
	v, err := s.recordAuthorization(r.Context(), done)
	if err != nil {
		return err
	}
	return s.afterAuthorization(w, r, v, back)
}

// authorizationErrorText returns the texts of the callback's error page.
func authorizationErrorText(err error) (title, text i18n.Key) {
	if errors.Is(err, store.ErrNotFound) {
		return "visit.authorize.unknown.title", "visit.authorize.unknown.text"
	}
	return "visit.failed_request.title", "visit.failed_request.text"
}

// recordAuthorization stores the access, moves the visit on and returns it. If the visit no
// longer waits for the access, the access is ended at once.
func (s *Service) recordAuthorization(ctx context.Context, done sources.Callback) (v visit, err error) {
	reason := sources.Unresponsive
	if done.Err != nil {
		reason = sources.ReasonOf(done.Err)
		s.Log.WarnContext(ctx, "an authorization failed", "institution", done.Institution.ID, "err", done.Err)
	}
	err = s.retry(ctx, func(ctx context.Context, tx *store.Tx) error {
		v, err = byID(ctx, tx, done.VisitID)
		if err == nil {
			v, err = s.catchUp(ctx, tx, v)
		}
		if err != nil {
			return err
		}
		in := failed(done.Institution.ID, reason)
		if done.Err == nil {
			c, err := s.Sources.Connect(ctx, tx, sources.NewConnection{PublicToken: v.publicToken, CustomerID: v.customerID,
				ConsumerID: v.consumerID, Callback: done})
			if err != nil {
				return err
			}
			in = flow.Input{Kind: flow.EventAuthorized, Bank: done.Institution.ID, Connection: c.ID}
		}
		_, moved, err := s.advance(ctx, tx, v, in)
		if err == nil && !moved && in.Connection != "" {
			err = s.Sources.End(ctx, tx, in.Connection)
		}
		return err
	})
	return v, err
}

// failed is the input of an authorization that failed.
func failed(institution string, reason sources.Reason) flow.Input {
	in := flow.Input{Kind: flow.EventAuthorizationFailed, Bank: institution, Reason: string(reason)}
	in.Status, in.Substatus = reason.Status()
	return in
}

// afterAuthorization leads back to the visit: to its page, to the page with the widget,
// or to the widget beside the window.
func (s *Service) afterAuthorization(w http.ResponseWriter, r *http.Request, v visit, back authorizationContext) error {
	if back.Return == "" && !back.Window {
		return seeOther(w, Path(back.Handle)+"?"+url.Values{"lang": {back.Lang}}.Encode())
	}
	urls, company, err := s.lookOf(r.Context(), v)
	if err != nil {
		return err
	}
	s.write(w, r, http.StatusOK, httpx.CSP{}, providerui.FromBankPage(providerui.FromBank{Lang: i18n.Lang(back.Lang),
		Company: company, URL: back.Return, Window: back.Window}, urls))
	return nil
}

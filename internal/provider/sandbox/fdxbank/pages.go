package fdxbank

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
	pages "vestibule/templates/provider/bank"
	"vestibule/templates/ui"
)

const cookie = "fdx-bank"

func (s *Server) cookieName() string {
	return httpx.HostCookie(cookie, strings.HasPrefix(s.config.BaseURL, "https:"))
}

// browserOf returns the hash of the browser's secret, or nil.
func (s *Server) browserOf(r *http.Request) []byte {
	all := r.CookiesNamed(s.cookieName())
	if len(all) != 1 {
		return nil
	}
	if raw, err := base64.RawURLEncoding.Strict().DecodeString(all[0].Value); err != nil || len(raw) != 32 {
		return nil
	}
	return store.Hash(all[0].Value)
}

// browser is browserOf for the first page, which gives the browser a secret.
func (s *Server) browser(w http.ResponseWriter, r *http.Request) []byte {
	if known := s.browserOf(r); known != nil {
		return known
	}
	secret := store.NewSecret()
	// Lax, not Strict: the browser comes from the client's site.
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(), Value: secret, Path: "/", HttpOnly: true,
		Secure: strings.HasPrefix(s.config.BaseURL, "https:"), SameSite: http.SameSiteLaxMode})
	return store.Hash(secret)
}

// page adapts a handler whose errors are shown as pages.
func (s *Server) page(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		m := pages.Message{Title: "bank.failed.title", Text: "bank.failed.text"}
		switch {
		case errors.Is(err, errForged):
			err = httpx.NewError(contract.CodeForbidden, err)
		case errors.Is(err, errRequest):
			m.Title, m.Text = "bank.request.title", "bank.request.text"
			err = httpx.NewError(contract.CodeInvalidParameters, err)
		case errors.Is(err, errNoCookie):
			m.Title, m.Text = "bank.ended.title", "bank.ended.cookie"
			err = httpx.NewError(contract.CodeForbidden, err)
		case errors.Is(err, store.ErrNotFound):
			m.Title, m.Text = "bank.ended.title", "bank.ended.text"
			err = httpx.NewError(contract.CodeNotFound, err)
		}
		e := httpx.AsError(err)
		httpx.LogError(r, s.config.Log, e)
		s.message(w, r, e.HTTPStatus(), m)
	})
}

func (s *Server) message(w http.ResponseWriter, r *http.Request, status int, m pages.Message) {
	b, _ := s.bank(r)
	m.Lang, m.Bank, m.Style, m.Icon = language(r, nil), b.Name, s.config.Assets.URL("provider.css"), s.config.Assets.URL("icon.svg")
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true})
	if err := httpx.HTML(w, r, status, pages.MessagePage(m)); err != nil {
		httpx.WriteError(w, r, s.config.Log, err)
	}
}

// missing answers an unknown address or an unsupported method on a page.
func (s *Server) missing(w http.ResponseWriter, r *http.Request, status int) {
	s.message(w, r, status, pages.Message{Title: "bank.failed.title", Text: "bank.failed.text"})
}

// language returns the page's language: the one chosen there, else the first that the
// client asks for and the page has, else the browser's.
func language(r *http.Request, asked []string) i18n.Lang {
	var remembered string
	for _, tag := range asked {
		primary, _, _ := strings.Cut(strings.ToLower(tag), "-")
		if i18n.Lang(primary).Spoken() {
			remembered = primary
			break
		}
	}
	return ui.PickLanguage(r.URL.Query().Get("lang"), remembered, r.Header.Get("Accept-Language"))
}

// current returns the request of a page with its client and institution.
func (s *Server) current(r *http.Request) (request, Client, banks.Bank, error) {
	b, ok := s.bank(r)
	if !ok {
		return request{}, Client{}, b, store.ErrNotFound
	}
	browser := s.browserOf(r)
	if browser == nil {
		return request{}, Client{}, b, errNoCookie
	}
	got, err := requestOf(r.Context(), s.config.DB.SQL, r.PathValue("id"), b.ID, browser, s.config.Now())
	if err == nil && got.step == stepDone {
		err = store.ErrNotFound
	}
	c, known := s.clients[got.clientID]
	if err == nil && !known {
		err = errRequest
	}
	return got, c, b, err
}

// show shows the present step.
func (s *Server) show(w http.ResponseWriter, r *http.Request) error {
	at, c, b, err := s.current(r)
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, at, c, b, "")
}

func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, at request, c Client, b banks.Bank, problem i18n.Key) error {
	v := pages.Page{Lang: language(r, at.parameters.Locales), Bank: b.Name, Client: c.Name, Step: string(at.step),
		Style: s.config.Assets.URL("provider.css"), Icon: s.config.Assets.URL("icon.svg"),
		Action: r.URL.EscapedPath(), Problem: problem, Until: s.config.Now().AddDate(0, 0, c.days())}
	v.Languages = ui.Languages(v.Lang, &url.URL{Path: r.URL.Path})
	v.Action += languageQuery(r.URL.Query())
	if at.tries > 0 {
		v.TriesLeft = flow.MaxTries - at.tries
	}
	switch at.step {
	case stepRefused:
		v.Reason = refusals[s.refusal(b, at)].text
	case stepAccounts, stepConsent:
		for _, a := range s.data(b.ID, at.username, c.ID).Connections[0].Accounts {
			chosen := slices.Contains(at.accounts, a.ID)
			if at.step == stepAccounts || chosen {
				v.Accounts = append(v.Accounts, pages.Account{ID: a.ID, Name: a.Name, Mask: a.Mask(), Chosen: chosen})
			}
		}
		v.Shared = shared(strings.Fields(at.parameters.Scope))
	}
	u, err := url.Parse(at.parameters.RedirectURI)
	if err != nil {
		return err
	}
	// A page's policy covers where its forms are redirected to.
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true, FormAction: []string{u.Scheme + "://" + u.Host}})
	return httpx.HTML(w, r, status, pages.BankPage(v))
}

// shared lists what scopes let a client read, in words.
func shared(scopes []string) (out []i18n.Key) {
	for _, of := range []struct {
		words  i18n.Key
		scopes []string
	}{
		{"bank.consent.accounts", []string{scopeAccounts, scopeDetails}},
		{"bank.consent.transactions", []string{scopeTransactions}},
		{"bank.consent.identity", []string{scopeContact, scopePersonal}},
		{"bank.consent.numbers", []string{scopeNetworks}},
	} {
		if slices.ContainsFunc(of.scopes, func(s string) bool { return slices.Contains(scopes, s) }) {
			out = append(out, of.words)
		}
	}
	return out
}

// refusals are the reasons for which the institution refuses a sign-in, with the error
// that the client gets.
var refusals = map[string]struct {
	text i18n.Key
	code string
}{
	"tries":       {"bank.refused.tries", "access_denied"},
	"denied":      {"bank.refused.denied", "access_denied"},
	"unsupported": {"bank.refused.unsupported", "unmet_authentication_requirements"},
}

func (s *Server) refusal(b banks.Bank, at request) string {
	switch {
	case at.username == "":
		return "tries"
	case at.username == "e_banking_unsupported":
		return "unsupported"
	case s.config.Faults(b.ID, at.username) == FaultDenied:
		return "denied"
	}
	return "tries"
}

// submit takes the form of a step. A form of another step leads to the present one.
func (s *Server) submit(w http.ResponseWriter, r *http.Request) error {
	at, c, b, err := s.current(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	next, problem := at, i18n.Key("")
	action := form.Get("action")
	switch {
	case action == "cancel":
		next.step = stepDone
	case action != string(at.step):
	case at.step == stepSignIn:
		next, problem = s.signIn(b, at, form)
	case at.step == stepCode:
		next, problem = enterCode(at, form)
	case at.step == stepAccounts:
		next, problem = s.choose(b, at, form)
	case at.step == stepConsent:
		next.step = stepDone
	}
	if problem != "" {
		return s.write(w, r, http.StatusUnprocessableEntity, at, c, b, problem)
	}
	agreed := action == string(stepConsent) && next.step == stepDone
	code, moved, now := store.NewSecret(), false, s.config.Now()
	err = s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if next.step == at.step && next.tries == at.tries {
			return nil
		}
		if moved, err = moveRequest(ctx, tx, r.PathValue("id"), at, next); err != nil || !moved || !agreed {
			return err
		}
		return insertConsent(ctx, tx, consent{id: uuid.NewString(), institution: b.ID, clientID: c.ID, username: at.username,
			accounts: at.accounts, parameters: at.parameters, created: now, expires: now.AddDate(0, 0, c.days())}, code, now.Add(CodeLifetime))
	})
	switch {
	case err != nil:
		return err
	case moved && agreed:
		s.redirect(w, b, at.parameters, url.Values{"code": {code}})
	case moved && next.step == stepDone:
		answer := "access_denied"
		if at.step == stepRefused {
			answer = refusals[s.refusal(b, at)].code
		}
		s.redirect(w, b, at.parameters, url.Values{"error": {answer}})
	default:
		httpx.SeeOther(w, r.URL.EscapedPath()+languageQuery(r.URL.Query()))
	}
	return nil
}

// languageQuery keeps the chosen language of an address.
func languageQuery(q url.Values) string {
	if l := i18n.Lang(q.Get("lang")); l.Spoken() {
		return "?lang=" + string(l)
	}
	return ""
}

// fail counts a wrong password or code. After MaxTries the institution refuses.
func fail(at request) request {
	if at.tries++; at.tries >= flow.MaxTries {
		at.step = stepRefused
	}
	return at
}

func (s *Server) signIn(b banks.Bank, at request, form url.Values) (request, i18n.Key) {
	username, password := strings.ToLower(strings.TrimSpace(form.Get("username"))), form.Get("password")
	if username == "" || password == "" {
		return at, "visit.sign_in.missing"
	}
	fault := s.config.Faults(b.ID, username)
	if !(profiles.Bank{}.Login(username).Known || FaultOf(username) != FaultNone) || password == "wrong" {
		return fail(at), ""
	}
	at.username, at.step, at.tries = username, stepCode, 0
	if fault == FaultDenied || username == "e_banking_unsupported" {
		at.step = stepRefused
	}
	return at, ""
}

func enterCode(at request, form url.Values) (request, i18n.Key) {
	code := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, form.Get("code"))
	if len(code) != len(flow.Code) || strings.Trim(code, "0123456789") != "" {
		return at, "visit.code.invalid"
	}
	if code != flow.Code || at.username == "mfa" {
		return fail(at), ""
	}
	at.step, at.tries = stepAccounts, 0
	return at, ""
}

// choose keeps the chosen accounts, in the institution's order.
func (s *Server) choose(b banks.Bank, at request, form url.Values) (request, i18n.Key) {
	at.accounts = nil
	for _, a := range s.data(b.ID, at.username, at.clientID).Connections[0].Accounts {
		if slices.Contains(form["account"], a.ID) {
			at.accounts = append(at.accounts, a.ID)
		}
	}
	if len(at.accounts) == 0 {
		return at, "bank.accounts.none"
	}
	at.step = stepConsent
	return at, ""
}

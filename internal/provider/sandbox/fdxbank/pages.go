package fdxbank

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/google/uuid"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/provider/sandbox/profiles"
	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
	bankui "vestibule/templates/provider/bank"
)

// current returns the request of a page with its client and institution.
func (s *Server) current(r *http.Request) (request, Client, banks.Bank, error) {
	b, ok := s.bank(r)
	if !ok {
		return request{}, Client{}, b, store.ErrNotFound
	}
	browser := s.pages.BrowserOf(r)
	if browser == nil {
		return request{}, Client{}, b, signin.ErrNoCookie
	}
	got, err := requestOf(r.Context(), s.config.DB.SQL, r.PathValue("id"), b.ID, browser, s.config.Now())
	if err == nil && got.Step == signin.StepDone {
		err = store.ErrNotFound
	}
	c, known := s.clients[got.clientID]
	if err == nil && !known {
		err = signin.ErrRequest
	}
	return got, c, b, err
}

// show shows the present step.
func (s *Server) show(w http.ResponseWriter, r *http.Request) error {
	at, c, b, err := s.current(r)
	if err != nil {
		return err
	}
	return s.write(w, r, http.StatusOK, at, c, b, nil, nil)
}

// write writes the page of a step. problems and form are those of a refused form.
func (s *Server) write(w http.ResponseWriter, r *http.Request, status int, at request, c Client, b banks.Bank,
	problems sources.Problems, form url.Values) error {
	v := bankui.Page{Bank: b.Name, Client: c.Name, Problems: problems, Username: httpx.Truncate(form.Get("username"), 100),
		Until: c.until(b, s.config.Now())}
	switch at.Step {
	case signin.StepRefused:
		v.Reason = refusals[s.refusal(b, at)].text
	case stepAccounts, signin.StepConsent:
		for _, a := range s.data(b.ID, at.Username, c.ID).Connections[0].Accounts {
			chosen := slices.Contains(at.accounts, a.ID)
			if at.Step == stepAccounts || chosen {
				v.Accounts = append(v.Accounts, bankui.Account{ID: a.ID, Name: a.Name, Mask: a.Mask(), Chosen: chosen})
			}
		}
		v.Shared = shared(strings.Fields(at.parameters.Scope))
	}
	return s.pages.Write(w, r, status, v, at.State, at.parameters.Locales, at.parameters.RedirectURI)
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
	case at.Username == "":
		return "tries"
	case at.Username == "e_banking_unsupported":
		return "unsupported"
	case s.config.Faults(b.ID, at.Username) == FaultDenied:
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
	form, err := httpx.DecodeForm(w, r, signin.MaxForm)
	if err != nil {
		return err
	}
	next, problems := at, sources.Problems(nil)
	action := form.Get("action")
	switch {
	case action == "cancel":
		next.Step = signin.StepDone
	case action != string(at.Step):
	case at.Step == signin.StepSignIn:
		next, problems = s.signIn(b, at, form)
	case at.Step == signin.StepCode:
		next.State, problems = at.EnterCode(form, stepAccounts)
	case at.Step == stepAccounts:
		next, problems = s.choose(b, at, form)
	case at.Step == signin.StepConsent:
		next.Step = signin.StepDone
	}
	if len(problems) > 0 {
		return s.write(w, r, http.StatusUnprocessableEntity, at, c, b, problems, form)
	}
	agreed := action == string(signin.StepConsent) && next.Step == signin.StepDone
	code, moved, now := store.NewSecret(), false, s.config.Now()
	err = s.config.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		if next.Step == at.Step && next.Tries == at.Tries {
			return nil
		}
		if moved, err = moveRequest(ctx, tx, r.PathValue("id"), at, next); err != nil || !moved || !agreed {
			return err
		}
		return insertConsent(ctx, tx, consent{id: uuid.NewString(), institution: b.ID, clientID: c.ID, username: at.Username,
			accounts: at.accounts, parameters: at.parameters, created: now, expires: c.until(b, now)}, code, now.Add(CodeLifetime))
	})
	switch {
	case err != nil:
		return err
	case moved && agreed:
		return s.redirect(w, b, at.parameters, url.Values{"code": {code}})
	case moved && next.Step == signin.StepDone:
		answer := "access_denied"
		if at.Step == signin.StepRefused {
			answer = refusals[s.refusal(b, at)].code
		}
		return s.redirect(w, b, at.parameters, url.Values{"error": {answer}})
	}
	return httpx.SeeOther(w, signin.Address(r))
}

// signIn takes the form of the sign-in. Some users are refused.
func (s *Server) signIn(b banks.Bank, at request, form url.Values) (request, sources.Problems) {
	next, problems := at.SignIn(form, func(username string) bool {
		return profiles.Bank{}.Login(username).Known || FaultOf(username) != FaultNone
	})
	if next.Step == signin.StepCode &&
		(next.Username == "e_banking_unsupported" || s.config.Faults(b.ID, next.Username) == FaultDenied) {
		next.Step = signin.StepRefused
	}
	at.State = next
	return at, problems
}

// choose keeps the chosen accounts, in the institution's order.
func (s *Server) choose(b banks.Bank, at request, form url.Values) (request, sources.Problems) {
	at.accounts = nil
	for _, a := range s.data(b.ID, at.Username, at.clientID).Connections[0].Accounts {
		if slices.Contains(form["account"], a.ID) {
			at.accounts = append(at.accounts, a.ID)
		}
	}
	if len(at.accounts) == 0 {
		return at, sources.Problems{"account": "bank.accounts.none"}
	}
	at.Step = signin.StepConsent
	return at, nil
}

package visits

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	pages "vestibule/templates/provider"
)

// maxForm is the maximum size in bytes of a step's form; the longest is a list of
// accounts.
const maxForm = 16 << 10

// show renders the page of a visit. It always shows the current step, so that reload,
// Back, and a second tab show the same.
func (s *Service) show(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	v, err := s.load(r.Context(), handle)
	if err != nil {
		return err
	}
	if err := s.authorize(r, v); err != nil {
		return err
	}
	if v.State == flow.Created && r.Method == http.MethodGet {
		if v, err = s.openPage(r.Context(), handle); err != nil {
			return err
		}
	}
	if v.hosted && v.browser == nil && r.Method == http.MethodGet && s.secretOf(r, handle) == "" {
		s.setSecret(w, r, handle)
	}
	return s.render(w, r, v, http.StatusOK, "")
}

// submit handles a step's form. A form that the current step does not accept, because
// it was posted twice or from an outdated tab, leads to the current step.
func (s *Service) submit(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	handle := r.PathValue("handle")
	v, err := s.load(r.Context(), handle)
	if err != nil {
		return err
	}
	if form.Get("action") == "start-over" {
		return s.startOver(w, r)
	}
	if err := s.authorize(r, v); err != nil {
		return err
	}
	nonce := form.Get("nonce")
	if v.outdated(nonce) {
		redirectTo(w, r, Path(handle))
		return nil
	}
	if action := form.Get("action"); action != "close" && action != "reopen" { // these do not begin a visit
		if err := s.bindBrowser(r, v, s.secretOf(r, handle)); err != nil {
			return err
		}
	}
	if form.Get("action") == "remove" {
		if _, err := s.removeFile(r.Context(), handle, nonce, form.Get("document")); err != nil {
			return err
		}
		redirectTo(w, r, Path(handle))
		return nil
	}
	in, problem := s.input(v, form)
	if problem != "" {
		return s.renderWith(w, r, v, http.StatusUnprocessableEntity, func(p *pages.Visit) {
			p.Problem, p.Username = i18n.T(language(r), problem), usernameIn(form)
			for i, a := range p.Accounts {
				p.Accounts[i].Chosen = slices.Contains(form["account"], a.ID)
			}
		})
	}
	if in.Kind != "" {
		acted, err := s.apply(r.Context(), handle, nonce, in)
		if errors.Is(err, errNoDocument) {
			return s.render(w, r, v, http.StatusUnprocessableEntity, i18n.T(language(r), "visit.documents.none"))
		}
		if err != nil {
			return err
		}
		if in.Kind == flow.EventWentBack && acted.Active() && acted.nonce() == v.nonce() {
			return s.rejectBack(w, r, acted)
		}
		if in.Kind == flow.EventSignedIn && v.Step == flow.StepSignIn && acted.Active() && acted.Step == flow.StepSignIn {
			// A wrong password. The user name is in this answer only: it is not stored.
			return s.renderWith(w, r, acted, http.StatusUnprocessableEntity, func(p *pages.Visit) { p.Username = usernameIn(form) })
		}
		v = acted
	}
	path := Path(handle)
	if v.State == flow.Closed && r.Header.Get(partHeader) == "" {
		if origin, err := s.returnOrigin(r.Context(), v); err != nil {
			return err
		} else if origin != "" {
			path += "/return"
		}
	}
	redirectTo(w, r, path)
	return nil
}

// rejectBack renders the current step for an applicant who cannot go back from it.
func (s *Service) rejectBack(w http.ResponseWriter, r *http.Request, v visit) error {
	return s.renderWith(w, r, v, http.StatusUnprocessableEntity, func(p *pages.Visit) { p.Note = "visit.no_way_back" })
}

// input converts a form to an input of the state machine. problem is what to correct
// in the current step's form; a form of another step is not a problem, and becomes an
// input that the machine does not accept.
func (s *Service) input(v visit, form url.Values) (in flow.Input, problem i18n.Key) {
	sources := s.catalogue(v.environment)
	switch form.Get("action") {
	case "consent":
		in.Kind = flow.EventConsented
	case "source":
		in = flow.Input{Kind: flow.EventSourceSelected, SourceType: flow.SourceType(form.Get("source"))}
	case "turn":
		in.Kind = flow.EventSourceCleared
	case "back":
		in.Kind = flow.EventWentBack
	case "bank":
		if bank, ok := sources.find(flow.SourceBank, form.Get("bank")); ok {
			in = flow.Input{Kind: flow.EventInstitutionSelected, SourceType: flow.SourceBank, Bank: bank.ID, Authorize: bank.Authorize}
		}
	case "employer":
		if employer, ok := sources.find(flow.SourcePayroll, form.Get("employer")); ok {
			in = flow.Input{Kind: flow.EventInstitutionSelected, SourceType: flow.SourcePayroll, Bank: employer.ID, Authorize: employer.Authorize}
		}
	case "supplier":
		if supplier, ok := sources.find(flow.SourceSupplier, form.Get("supplier")); ok {
			in = flow.Input{Kind: flow.EventInstitutionSelected, SourceType: flow.SourceSupplier, Bank: supplier.ID}
		}
	case "again":
		in = sources.again(v)
	case "verify":
		in = flow.Input{Kind: flow.EventEmployerSelected, Employer: statedNumber(form)}
	case "skip":
		in = flow.Input{Kind: flow.EventEmployerSkipOpened, Employer: statedNumber(form)}
	case "skipped":
		in = flow.Input{Kind: flow.EventEmployerSkipped, Reason: form.Get("reason")}
	case "confirm":
		in.Kind = flow.EventInstitutionConfirmed
	case "rechoose":
		in.Kind = flow.EventInstitutionCleared
	case "sign-in":
		if v.Step != flow.StepSignIn {
			return flow.Input{}, ""
		}
		username, password := strings.ToLower(strings.TrimSpace(form.Get("username"))), form.Get("password")
		if username == "" || password == "" {
			return flow.Input{}, "visit.sign_in.missing"
		}
		login := sources.login(v.SourceType, username)
		if !login.Known {
			username = "" // not stored: it may be the applicant's real one
		}
		in = flow.Input{Kind: flow.EventSignedIn, Username: username, Login: login, Correct: password != wrongPassword}
	case "code":
		if v.Step != flow.StepCode {
			return flow.Input{}, ""
		}
		code := strings.ReplaceAll(form.Get("code"), " ", "")
		if len(code) != len(flow.Code) || strings.Trim(code, "0123456789") != "" {
			return flow.Input{}, "visit.code.invalid"
		}
		in = flow.Input{Kind: flow.EventMFASubmitted, Login: sources.login(v.SourceType, v.Username), Correct: code == flow.Code,
			SessionExpired: s.sessionExpired(v), Unusable: s.unusable(v), Empty: s.empty(v)}
	case "no-code":
		in.Kind = flow.EventMFAResent
	case "accounts":
		if v.Step != flow.StepAccounts {
			return flow.Input{}, ""
		}
		chosen := false
		in = flow.Input{Kind: flow.EventAccountsSelected, Empty: s.empty(v), More: form.Get("more") != ""}
		for _, a := range s.accounts(v) {
			if slices.Contains(form["account"], a.ID) {
				in.Accounts = append(in.Accounts, a.ID)
				chosen = chosen || eligible(a)
			}
		}
		if !chosen {
			return flow.Input{}, "visit.accounts.none"
		}
	case "hand-in":
		in.Kind = flow.EventDocumentsSubmitted
	case "more":
		in.Kind = flow.EventSourceAdded
	case "finish":
		in.Kind = flow.EventSourcesFinished
	case "close":
		in.Kind = flow.EventClosed
	case "reopen":
		in.Kind = flow.EventReopened
	}
	return in, ""
}

// again returns the input that selects the institution that could not be connected.
func (c Catalogue) again(v visit) flow.Input {
	bank, ok := c.find(v.SourceType, v.Bank)
	if v.Step != flow.StepFailed || !ok {
		return flow.Input{}
	}
	return flow.Input{Kind: flow.EventInstitutionSelected, SourceType: v.SourceType, Bank: bank.ID, Authorize: bank.Authorize}
}

// usernameIn returns the user name in the form of a sign-in, as it was typed.
func usernameIn(form url.Values) string {
	if form.Get("action") != "sign-in" {
		return ""
	}
	return httpx.Truncate(form.Get("username"), 100)
}

// statedNumber returns the number of the stated employer in a form; 0 for none.
func statedNumber(form url.Values) int {
	n, _ := strconv.Atoi(form.Get("stated"))
	return n
}

// wrongPassword is the only password that every mock provider rejects.
const wrongPassword = "wrong"

// sessionExpired reports whether a payroll provider's session has ended before the code.
func (s *Service) sessionExpired(v visit) bool {
	return v.SourceType == flow.SourcePayroll && !s.Now().Before(v.signedIn.Add(flow.SessionLife))
}

// unusable reports whether the bank of the sign-in has accounts, but none that a
// report can use.
func (s *Service) unusable(v visit) bool {
	all := s.accounts(v)
	return v.SourceType == flow.SourceBank && len(all) > 0 && !slices.ContainsFunc(all, eligible)
}

// eligible reports whether a report can use an account.
func eligible(a bankdata.Account) bool { return a.Type == report.CashEquivalent }

func (s *Service) accounts(v visit) []bankdata.Account {
	bank := s.catalogue(v.environment).Bank
	if bank == nil {
		return nil
	}
	return bank.Accounts(bank.Login(v.Username).Profile, v.link(v.SignInNumber()), v.created)
}

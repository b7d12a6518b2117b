package visits

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	providerui "vestibule/templates/provider"
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
	return s.renderWith(w, r, v, http.StatusOK, func(*providerui.Visit) {})
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
	in, problems, err := s.input(r.Context(), v, form)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return s.renderWith(w, r, v, http.StatusUnprocessableEntity, func(p *providerui.Visit) {
			p.Problems, p.Username = map[string]string{}, usernameIn(form)
			for field, problem := range problems {
				p.Problems[field] = i18n.T(p.Lang, problem)
			}
			for i, a := range p.Accounts {
				p.Accounts[i].Chosen = slices.Contains(form["account"], a.ID)
			}
		})
	}
	if in.Kind != "" {
		acted, err := s.apply(r.Context(), handle, nonce, in)
		if errors.Is(err, errNoDocument) {
			return s.renderFileProblem(w, r, v, http.StatusUnprocessableEntity, i18n.T(language(r), "visit.documents.none"))
		}
		if err != nil {
			return err
		}
		if in.Kind == flow.EventConsented && acted.Step != flow.StepConsent {
			if err := s.Customers.SetLanguage(r.Context(), v.consumerID, language(r)); err != nil {
				return err
			}
		}
		if in.Kind == flow.EventWentBack && acted.Active() && acted.nonce() == v.nonce() {
			return s.rejectBack(w, r, acted)
		}
		if in.Kind == flow.EventSignedIn && v.Step == flow.StepSignIn && acted.Active() && acted.Step == flow.StepSignIn {
			// A wrong password. The username is in this answer only: it is not stored.
			return s.renderWith(w, r, acted, http.StatusUnprocessableEntity, func(p *providerui.Visit) { p.Username = usernameIn(form) })
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
	return s.renderWith(w, r, v, http.StatusUnprocessableEntity, func(p *providerui.Visit) { p.Note = "visit.no_way_back" })
}

// input converts a form to an input of the state machine. problems are what to correct
// in the current step's form, by field; a form of another step is not a problem, and
// becomes an input that the machine does not accept.
func (s *Service) input(ctx context.Context, v visit, form url.Values) (in flow.Input, problems sources.Problems, err error) {
	choices := s.catalogue(v.environment)
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
		in = choices.selected(flow.SourceBank, form.Get("bank"))
	case "employer":
		in = choices.selected(flow.SourcePayroll, form.Get("employer"))
	case "supplier":
		in = choices.selected(flow.SourceSupplier, form.Get("supplier"))
	case "again": // the institution that could not be connected
		if v.Step == flow.StepFailed {
			in = choices.selected(v.SourceType, v.Bank)
		}
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
			return in, nil, nil
		}
		username, password, problems := sources.ReadSignIn(form)
		if len(problems) > 0 {
			return in, problems, nil
		}
		in = s.signIn(v, username, password)
	case "code":
		if v.Step != flow.StepCode {
			return in, nil, nil
		}
		code, problems := sources.ReadCode(form)
		if len(problems) > 0 {
			return in, problems, nil
		}
		in, err = s.enterCode(ctx, v, code)
	case "no-code":
		in.Kind = flow.EventMFAResent
	case "accounts":
		if v.Step != flow.StepAccounts {
			return in, nil, nil
		}
		data, err := s.fetchForm(ctx, v)
		if err != nil {
			return in, nil, err
		}
		chosen := false
		in = flow.Input{Kind: flow.EventAccountsSelected, Empty: data.Empty(), More: form.Get("more") != ""}
		for _, a := range data.Accounts {
			if slices.Contains(form["account"], a.ID) {
				in.Accounts = append(in.Accounts, a.ID)
				chosen = chosen || eligible(a)
			}
		}
		if !chosen {
			return flow.Input{}, sources.Problems{"account": "visit.accounts.none"}, nil
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
	return in, nil, err
}

// usernameIn returns the username in the form of a sign-in, as it was typed.
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

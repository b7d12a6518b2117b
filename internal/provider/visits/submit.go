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
	v, err := s.find(r, r.Header.Get(secretHeader))
	if err != nil {
		return err
	}
	if err := s.authorize(r, v); err != nil {
		return err
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
	v, err := s.find(r, r.Header.Get(secretHeader))
	if err != nil {
		return err
	}
	event, nonce := flow.EventOf(form.Get("action")), form.Get("nonce")
	if event == flow.EventStartedOver {
		return s.startOver(w, r)
	}
	if err := s.authorize(r, v); err != nil {
		return err
	}
	if v.outdated(nonce) {
		return redirectTo(w, r, Path(handle), v)
	}
	if event != flow.EventOpened && event != flow.EventClosed && event != flow.EventReopened { // these do not begin a visit
		if err := s.bindBrowser(r, v, s.secretOf(r, handle)); err != nil {
			return err
		}
	}
	if event == flow.EventDocumentRemoved {
		if v, err = s.removeFile(r.Context(), handle, nonce, form.Get("document")); err != nil {
			return err
		}
		return redirectTo(w, r, Path(handle), v)
	}
	if form.Get("action") == actionUnlisted {
		return s.reportUnlisted(w, r, v, form)
	}
	in, problems, err := s.input(r.Context(), v, event, form)
	if err != nil {
		return err
	}
	if len(problems) > 0 {
		return s.renderProblems(w, r, v, form, problems)
	}
	if in.Kind == "" {
		return s.redirectToStep(w, r, v)
	}
	return s.applyForm(w, r, v, form, in)
}

// applyForm applies the input of a form and leads to the step after it. A form that the
// applicant has to correct is rendered again.
func (s *Service) applyForm(w http.ResponseWriter, r *http.Request, v visit, form url.Values, in flow.Input) error {
	acted, err := s.apply(r.Context(), r.PathValue("handle"), form.Get("nonce"), in)
	if errors.Is(err, errNoDocument) {
		return s.renderFileProblem(w, r, v, http.StatusUnprocessableEntity, i18n.T(language(r), "visit.documents.none"))
	}
	if err != nil {
		return err
	}
	switch {
	case in.Kind == flow.EventConsented && acted.Step != flow.StepConsent:
		if err := s.Customers.SetLanguage(r.Context(), v.consumerID, language(r)); err != nil {
			return err
		}
	case in.Kind == flow.EventWentBack && acted.Active() && acted.nonce() == v.nonce():
		return s.rejectBack(w, r, acted)
	case in.Kind == flow.EventSignedIn && v.Step == flow.StepSignIn && acted.Active() && acted.Step == flow.StepSignIn:
		// A wrong password. The username is in this answer only: it is not stored.
		return s.renderWith(w, r, acted, http.StatusUnprocessableEntity, func(p *providerui.Visit) { p.Username = usernameIn(form) })
	}
	return s.redirectToStep(w, r, acted)
}

// redirectToStep redirects to the page of the visit, or from a closed one to its customer.
func (s *Service) redirectToStep(w http.ResponseWriter, r *http.Request, v visit) error {
	path := Path(r.PathValue("handle"))
	if v.State == flow.Closed && r.Header.Get(partHeader) == "" {
		if origin, err := s.returnOrigin(r.Context(), v); err != nil {
			return err
		} else if origin != "" {
			path += "/return"
		}
	}
	return redirectTo(w, r, path, v)
}

// renderProblems renders the current step with what to correct in its form.
func (s *Service) renderProblems(w http.ResponseWriter, r *http.Request, v visit, form url.Values, problems sources.Problems) error {
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

// rejectBack renders the current step for an applicant who cannot go back from it.
func (s *Service) rejectBack(w http.ResponseWriter, r *http.Request, v visit) error {
	return s.renderWith(w, r, v, http.StatusUnprocessableEntity, func(p *providerui.Visit) { p.Note = "visit.no_way_back" })
}

// input converts a form to an input of the state machine. problems are what to correct
// in the current step's form, by field; a form of another step is not a problem, and
// becomes an input that the machine does not accept.
func (s *Service) input(ctx context.Context, v visit, event flow.EventKind, form url.Values) (in flow.Input, problems sources.Problems,
	err error) {
	in.Kind = event
	switch event {
	case flow.EventSourceSelected:
		in.SourceType = flow.SourceType(form.Get("source"))
	case flow.EventInstitutionSelected:
		id := v.Bank // the same one, after a failure
		if action := form.Get("action"); v.Step != flow.StepFailed || action != event.Action() {
			if flow.Step(action) != v.Step { // the list of another step
				return flow.Input{}, nil, nil
			}
			id = form.Get(action) // the field of a list is named like its action
		}
		in = s.catalogue(v.environment).selected(v.SourceType, id)
	case flow.EventEmployerSelected, flow.EventEmployerSkipOpened:
		in.Employer, _ = strconv.Atoi(form.Get("stated")) // 0 for none
	case flow.EventEmployerSkipped:
		in.Reason = form.Get("reason")
	case flow.EventSignedIn:
		in, problems = s.readSignIn(v, form)
	case flow.EventMFASubmitted:
		in, problems, err = s.readCode(ctx, v, form)
	case flow.EventAccountsSelected:
		in, problems, err = s.readAccounts(ctx, v, form)
	}
	return in, problems, err
}

// readSignIn returns the input of the form with a username and a password.
func (s *Service) readSignIn(v visit, form url.Values) (in flow.Input, problems sources.Problems) {
	if v.Step != flow.StepSignIn {
		return in, nil
	}
	username, password, problems := sources.ReadSignIn(form)
	if len(problems) > 0 {
		return in, problems
	}
	return s.signIn(v, username, password), nil
}

func (s *Service) readCode(ctx context.Context, v visit, form url.Values) (in flow.Input, problems sources.Problems, err error) {
	if v.Step != flow.StepCode {
		return in, nil, nil
	}
	code, problems := sources.ReadCode(form)
	if len(problems) > 0 {
		return in, problems, nil
	}
	in, err = s.enterCode(ctx, v, code)
	return in, nil, err
}

func (s *Service) readAccounts(ctx context.Context, v visit, form url.Values) (in flow.Input, problems sources.Problems, err error) {
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
	return in, nil, nil
}

// usernameIn returns the username in the form of a sign-in, as it was typed.
func usernameIn(form url.Values) string {
	if flow.EventOf(form.Get("action")) != flow.EventSignedIn {
		return ""
	}
	return httpx.Truncate(form.Get("username"), 100)
}

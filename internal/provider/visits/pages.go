package visits

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/documents"
	"vestibule/internal/report"
	"vestibule/internal/store"
	pages "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// maxForm is the maximum size in bytes of a step's form; the longest is a list of
// accounts.
const maxForm = 16 << 10

// partHeader requests a step without the page around it. Only script of the same
// origin can send it.
const partHeader = "X-Visit-Part"

var (
	wordsGone      = contract.Words{EN: "This link leads nowhere any more", ES: "Este enlace ya no lleva a ninguna parte"}
	wordsGoneText  = contract.Words{EN: "It is mistyped or too old. Go back to the company you are applying to and start again there.", ES: "Está mal escrito o es demasiado antiguo. Vuelva a la empresa a la que se dirige y empiece allí de nuevo."}
	wordsWrong     = contract.Words{EN: "That did not work", ES: "Eso no funcionó"}
	wordsWrongText = contract.Words{EN: "What you have done so far is kept. Go back and try again.", ES: "Lo que ha hecho hasta ahora se conserva. Vuelva atrás e inténtelo de nuevo."}

	wordsNoWayBack = contract.Words{EN: "You cannot go back from this step. Everything you did so far is kept.", ES: "No se puede volver atrás desde este paso. Todo lo que hizo hasta ahora se conserva."}

	wordsTooOften = contract.Words{EN: "Too many verifications were started from your connection or for this company just now. Wait a minute and try again.", ES: "Se iniciaron demasiadas verificaciones desde su conexión o para esta empresa. Espere un minuto e inténtelo de nuevo."}

	wordsCodeShape  = contract.Words{EN: "Enter the six digits of the code.", ES: "Escriba las seis cifras del código."}
	wordsNoAccount  = contract.Words{EN: "Choose at least one checking or savings account.", ES: "Elija al menos una cuenta corriente o de ahorro."}
	wordsNoSignInMe = contract.Words{EN: "Enter your user name and your password.", ES: "Escriba su usuario y su contraseña."}
)

// page adapts a handler whose errors are shown as pages.
func (s *Service) page(h httpx.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		m := pages.Message{Lang: language(r), Title: wordsWrong, Text: wordsWrongText}
		if errors.Is(err, errOtherBrowser) || errors.Is(err, errNoCookie) {
			why := err
			if m, err = s.refusal(w, r, why); err == nil {
				err = httpx.NewError(contract.CodeForbidden, why)
			}
		}
		if errors.Is(err, store.ErrNotFound) {
			err = httpx.NewError(contract.CodeNotFound, err)
			m.Title, m.Text = wordsGone, wordsGoneText
		}
		e := httpx.AsError(err)
		httpx.LogError(r, s.Log, e)
		s.write(w, r, e.HTTPStatus(), httpx.CSP{}, pages.MessagePage(m, s.urls()))
	})
}

// LinkPage adapts a handler of a link to a visit, a redirect's or an invite's. It
// renders errors as a page with the texts of words.
func (s *Service) LinkPage(h httpx.HandlerFunc, words func(error) (title, text contract.Words)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := h(w, r)
		if err == nil {
			return
		}
		m := pages.Message{Lang: language(r)}
		m.Title, m.Text = words(err)
		if errors.Is(err, store.ErrNotFound) {
			err = httpx.NewError(contract.CodeNotFound, err)
		}
		e := httpx.AsError(err)
		httpx.LogError(r, s.Log, e)
		s.write(w, r, e.HTTPStatus(), httpx.CSP{}, pages.MessagePage(m, s.urls()))
	})
}

// Missing renders the error page for an unknown address or an unsupported method.
func (s *Service) Missing(w http.ResponseWriter, r *http.Request, status int) {
	m := pages.Message{Lang: language(r), Title: wordsGone, Text: wordsGoneText}
	if status != http.StatusNotFound {
		m.Title, m.Text = wordsWrong, wordsWrongText
	}
	s.write(w, r, status, httpx.CSP{}, pages.MessagePage(m, s.urls()))
}

func (s *Service) write(w http.ResponseWriter, r *http.Request, status int, policy httpx.CSP, c templ.Component) {
	httpx.SetSecurityHeaders(w, policy)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	if err := c.Render(context.WithoutCancel(r.Context()), w); err != nil {
		s.Log.InfoContext(r.Context(), "page not delivered", "requestId", httpx.RequestID(r.Context()))
	}
}

func (s *Service) urls() pages.Urls {
	return pages.Urls{Style: s.Assets.URL("provider.css"), Icon: s.Assets.URL("icon.svg"),
		Frame: s.Assets.URL("frame.js"), Hosted: s.Assets.URL("hosted.js"), Submit: s.Assets.URL("submit.js")}
}

func language(r *http.Request) contract.Lang {
	return ui.PickLanguage(r.URL.Query().Get("lang"), "", r.Header.Get("Accept-Language"))
}

// frame serves the document of the widget's iframe. It may be framed by the origins
// registered on the account in its address, or by any page if none is registered: its
// contents belong to the visit that the page itself opens, and the page may know the
// visit's identifier and status. Without an account in the address, or with another,
// the page is rejected in register instead.
func (s *Service) frame(w http.ResponseWriter, r *http.Request) error {
	q := r.URL.Query()
	policy := httpx.CSP{FrameAncestors: "*"}
	caller, err := s.Gate.Customer(r.Context(), s.DB.SQL, q.Get("publicId"), contract.Environment(q.Get("env")))
	if err == nil {
		var origins []string
		if origins, err = s.Customers.WidgetOrigins(r.Context(), s.DB.SQL, caller.CustomerID); len(origins) > 0 {
			policy.FrameAncestors = strings.Join(origins, " ")
		}
	}
	if err != nil && httpx.AsError(err).Code != contract.CodeUnknownCustomer {
		return err
	}
	s.write(w, r, http.StatusOK, policy, pages.FrameShell(language(r), s.urls()))
	return nil
}

// problem renders the text of a widget error, or of too many visits.
func (s *Service) problem(w http.ResponseWriter, r *http.Request) error {
	code, words := r.PathValue("code"), wordsTooOften
	if code != string(contract.CodeRateLimited) {
		e := contract.WidgetError(code).Info()
		code, words = string(e.Type), e.Applicant
	}
	s.write(w, r, http.StatusOK, httpx.CSP{}, pages.ProblemPart(language(r), code, words))
	return nil
}

// show renders the page of a visit. It always shows the current step, so that reload,
// Back, and a second tab show the same.
func (s *Service) show(w http.ResponseWriter, r *http.Request) error {
	handle := r.PathValue("handle")
	v, err := s.look(r.Context(), handle)
	if err != nil {
		return err
	}
	if err := s.authorize(r, v); err != nil {
		return err
	}
	if v.State == Created && r.Method == http.MethodGet {
		if v, err = s.arrive(r.Context(), handle); err != nil {
			return err
		}
	}
	if v.hosted && v.browser == nil && r.Method == http.MethodGet && s.secretOf(r, handle) == "" {
		s.giveSecret(w, r, handle)
	}
	return s.render(w, r, v, http.StatusOK, contract.Words{})
}

// submit handles a step's form. A form that the current step does not accept, because
// it was posted twice or from an outdated tab, leads to the current step.
func (s *Service) submit(w http.ResponseWriter, r *http.Request) error {
	form, err := httpx.DecodeForm(w, r, maxForm)
	if err != nil {
		return err
	}
	handle := r.PathValue("handle")
	v, err := s.look(r.Context(), handle)
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
		see(w, r, Path(handle))
		return nil
	}
	if action := form.Get("action"); action != "close" && action != "reopen" { // these do not begin a visit
		if err := s.own(r, v, s.secretOf(r, handle)); err != nil {
			return err
		}
	}
	if form.Get("action") == "remove" {
		if _, err := s.removeFile(r.Context(), handle, nonce, form.Get("document")); err != nil {
			return err
		}
		see(w, r, Path(handle))
		return nil
	}
	in, problem := s.input(v, form)
	if problem != (contract.Words{}) {
		return s.render(w, r, v, http.StatusUnprocessableEntity, problem)
	}
	if in.Kind != "" {
		acted, err := s.act(r.Context(), handle, nonce, in)
		if errors.Is(err, errNoDocument) {
			return s.render(w, r, v, http.StatusUnprocessableEntity, wordsNoDocument)
		}
		if err != nil {
			return err
		}
		if in.Kind == EventWentBack && acted.walking() && acted.nonce() == v.nonce() {
			return s.stay(w, r, acted)
		}
		v = acted
	}
	path := Path(handle)
	if v.State == Closed && r.Header.Get(partHeader) == "" {
		if origin, err := s.returnOrigin(r.Context(), v); err != nil {
			return err
		} else if origin != "" {
			path += "/return"
		}
	}
	see(w, r, path)
	return nil
}

// stay renders the current step for an applicant who cannot go back from it.
func (s *Service) stay(w http.ResponseWriter, r *http.Request, v visit) error {
	return s.renderWith(w, r, v, http.StatusUnprocessableEntity, func(p *pages.Visit) { p.Note = wordsNoWayBack })
}

// input converts a form to an input of the state machine. problem is what to correct
// in the current step's form; a form of another step is not a problem, and becomes an
// input that the machine does not accept.
func (s *Service) input(v visit, form url.Values) (in Input, problem contract.Words) {
	sources := s.catalogue(v.environment)
	switch form.Get("action") {
	case "consent":
		in.Kind = EventConsented
	case "source":
		in = Input{Kind: EventSourceSelected, SourceType: SourceType(form.Get("source"))}
	case "turn":
		in.Kind = EventSourceCleared
	case "back":
		in.Kind = EventWentBack
	case "bank":
		if bank, ok := sources.listed(SourceBank, form.Get("bank")); ok {
			in = Input{Kind: EventInstitutionSelected, SourceType: SourceBank, Bank: bank.ID}
		}
	case "employer":
		if employer, ok := sources.listed(SourcePayroll, form.Get("employer")); ok {
			in = Input{Kind: EventInstitutionSelected, SourceType: SourcePayroll, Bank: employer.ID}
		}
	case "supplier":
		if supplier, ok := sources.listed(SourceSupplier, form.Get("supplier")); ok {
			in = Input{Kind: EventInstitutionSelected, SourceType: SourceSupplier, Bank: supplier.ID}
		}
	case "verify":
		in = Input{Kind: EventEmployerSelected, Employer: statedNumber(form)}
	case "skip":
		in = Input{Kind: EventEmployerSkipOpened, Employer: statedNumber(form)}
	case "skipped":
		in = Input{Kind: EventEmployerSkipped, Reason: form.Get("reason")}
	case "confirm":
		in.Kind = EventInstitutionConfirmed
	case "rechoose":
		in.Kind = EventInstitutionCleared
	case "sign-in":
		if v.Step != StepSignIn {
			return Input{}, contract.Words{}
		}
		username, password := strings.ToLower(strings.TrimSpace(form.Get("username"))), form.Get("password")
		if username == "" || password == "" {
			return Input{}, wordsNoSignInMe
		}
		login := sources.login(v.SourceType, username)
		if !login.Known {
			username = "" // not stored: it may be the applicant's real one
		}
		in = Input{Kind: EventSignedIn, Username: username, Login: login, OK: password != wrongPassword}
	case "code":
		if v.Step != StepCode {
			return Input{}, contract.Words{}
		}
		code := strings.ReplaceAll(form.Get("code"), " ", "")
		if len(code) != len(Code) || strings.Trim(code, "0123456789") != "" {
			return Input{}, wordsCodeShape
		}
		in = Input{Kind: EventMFASubmitted, Login: sources.login(v.SourceType, v.Username), OK: code == Code, Late: s.late(v), Unusable: s.unusable(v), Empty: s.empty(v)}
	case "no-code":
		in.Kind = EventMFAResent
	case "accounts":
		if v.Step != StepAccounts {
			return Input{}, contract.Words{}
		}
		chosen := false
		in = Input{Kind: EventAccountsSelected, Empty: s.empty(v)}
		for _, a := range s.accounts(v) {
			if slices.Contains(form["account"], a.ID) {
				in.Accounts = append(in.Accounts, a.ID)
				chosen = chosen || eligible(a)
			}
		}
		if !chosen {
			return Input{}, wordsNoAccount
		}
	case "hand-in":
		in.Kind = EventDocumentsSubmitted
	case "more":
		in.Kind = EventSourceAdded
	case "finish":
		in.Kind = EventSourcesFinished
	case "close":
		in.Kind = EventClosed
	case "reopen":
		in.Kind = EventReopened
	}
	return in, contract.Words{}
}

// statedNumber returns the number of the stated employer in a form; 0 for none.
func statedNumber(form url.Values) int {
	n, _ := strconv.Atoi(form.Get("stated"))
	return n
}

// wrongPassword is the only password that every mock provider rejects.
const wrongPassword = "wrong"

// late reports whether a payroll provider's session has ended before the code.
func (s *Service) late(v visit) bool {
	return v.SourceType == SourcePayroll && !s.Now().Before(v.signedIn.Add(SessionLife))
}

// unusable reports whether the bank of the sign-in has accounts, but none that a
// report can use.
func (s *Service) unusable(v visit) bool {
	all := s.accounts(v)
	return v.SourceType == SourceBank && len(all) > 0 && !slices.ContainsFunc(all, eligible)
}

// eligible reports whether a report can use an account.
func eligible(a bankdata.Account) bool { return a.Type == report.CashEquivalent }

func (s *Service) accounts(v visit) []bankdata.Account {
	bank := s.catalogue(v.environment).Bank
	if bank == nil {
		return nil
	}
	return bank.Accounts(bank.Login(v.Username).Profile, v.link(v.nth()), v.created)
}

func (s *Service) returnOrigin(ctx context.Context, v visit) (string, error) {
	if s.Returns == nil {
		return "", nil
	}
	return s.Returns.Origin(ctx, s.DB.SQL, v.id)
}

// render writes the page of v, or only its step for the frame.
func (s *Service) render(w http.ResponseWriter, r *http.Request, v visit, status int, problem contract.Words) error {
	return s.renderWith(w, r, v, status, func(p *pages.Visit) { p.Problem = problem })
}

// renderWith is render with additions to the page.
func (s *Service) renderWith(w http.ResponseWriter, r *http.Request, v visit, status int, more func(*pages.Visit)) error {
	part := r.Header.Get(partHeader) != ""
	origin, err := s.returnOrigin(r.Context(), v)
	if err != nil {
		return err
	}
	customer, err := s.Customers.ByID(r.Context(), s.DB.SQL, v.customerID)
	if err != nil {
		return err
	}
	page := s.view(r, v, customer.Shown())
	more(&page)
	page.Hosted = !part
	if v.Employers > 0 && v.walking() {
		if err := s.showEmployers(r.Context(), v, &page); err != nil {
			return err
		}
	}
	s.showList(r, v, &page)
	if page.Step == pages.Documents {
		page.MaxFiles, page.MaxFileSize = documents.MaxFiles, documents.MaxSize
		page.FileProblems = pages.FileProblems{TooLarge: notTaken("%", documents.ErrTooLarge), Empty: notTaken("%", documents.ErrEmpty),
			Type: notTaken("%", documents.ErrType), TooMany: wordsTooMany}
		all, err := s.pile(r.Context(), s.DB.SQL, v)
		if err != nil {
			return err
		}
		for _, d := range all {
			page.Documents = append(page.Documents, pages.Document{ID: d.ID, Name: d.Name, Size: d.Size})
		}
	}
	if page.Hosted {
		page.CanReopen = v.State == Closed
		if origin != "" && page.End != "" {
			page.Return = page.Path + "/return"
		}
	}
	if part {
		s.write(w, r, status, httpx.CSP{}, pages.StepPart(page))
		return nil
	}
	policy := httpx.CSP{}
	if origin != "" {
		// The form that closes the visit is answered with the redirect to the customer.
		policy.FormAction = []string{origin}
	}
	at := &url.URL{Path: page.Path}
	s.write(w, r, status, policy, pages.HostedPage(page, s.urls(), ui.Languages(page.Lang, at)))
	return nil
}

func (s *Service) view(r *http.Request, v visit, customer string) pages.Visit {
	sources := s.catalogue(v.environment)
	v.Lacks = sources.lacks()
	chosen, _ := sources.listed(v.SourceType, v.Bank)
	p := pages.Visit{
		Lang: language(r), Path: Path(r.PathValue("handle")), Nonce: v.nonce(), Customer: customer, Sandbox: v.environment == contract.Sandbox,
		Product: v.Product, Verifies: v.Employers > 0, IncomeOnly: v.IncomeOnly,
		Step: pages.Step(v.Step), Way: pages.Way(v.SourceType), Bank: chosen.Name, Place: chosen.place(language(r)), PublicToken: v.publicToken,
		Status: v.Status, Substatus: v.Substatus, Error: v.Error, Unsourced: pages.Unsourced(v.Lacks), Unconfigured: v.Unconfigured(),
	}
	for _, w := range v.left() {
		p.Left = append(p.Left, pages.Way(w))
	}
	if back, _, ok := v.Journey.Next(Input{Kind: EventSourceCleared}); ok {
		p.Back = pages.Step(back.Step)
	}
	for _, c := range v.sources() {
		if c.Employer == 0 {
			p.Connected = append(p.Connected, sources.connected(c))
		}
	}
	if v.Step == StepEnd && v.Product == contract.Income && len(p.Connected) == 1 && p.Way == "" { // its words for the end
		p.Way = p.Connected[0].Way
	}
	switch v.State {
	case Complete:
		p.End = "success"
	case Failed, Expired:
		p.End = "error"
	case Closed:
		p.Step, p.End = pages.End, "exit"
	case Created:
		p.Step = pages.Consent
	case Open, Connecting:
		if r.Method == http.MethodGet && r.URL.Query().Has("close") {
			p.Step = pages.Leave
		}
	}
	switch p.Step {
	case pages.SignIn:
		p.Tries = pages.Left(MaxTries, v.Tries%MaxTries)
	case pages.Code:
		p.CodeTries, p.Codes, p.NoMoreCodes = pages.Left(MaxTries, v.CodeTries%MaxTries), v.Codes, v.Codes >= MaxCodes
		p.CodeWait = int((v.codeWait(store.Micros(s.Now())) + time.Second - 1) / time.Second)
	case pages.Failed:
		last := v.lastFailed()
		p.Failure = pages.Failure{Status: last.Failed, Substatus: last.Why}
	case pages.Accounts:
		for _, a := range s.accounts(v) {
			p.Accounts = append(p.Accounts, pages.Account{ID: a.ID, Name: a.Name, Mask: a.Mask(), Subtype: a.Subtype, Chosen: true})
		}
	}
	return p
}

func (c Catalogue) connected(from connected) pages.Connected {
	of, _ := c.listed(from.SourceType, from.Bank)
	return pages.Connected{Way: pages.Way(from.SourceType), Name: of.Name, Failed: from.Failed != "", Why: pages.Failure{Status: from.Failed, Substatus: from.Why}, Empty: from.Empty}
}

// showEmployers adds the stated employers to the page.
func (s *Service) showEmployers(ctx context.Context, v visit, p *pages.Visit) error {
	consumer, err := s.applicant(ctx, s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	names, err := s.statedIn(ctx, s.DB.SQL, v, consumer.KeyID)
	if err != nil {
		return err
	}
	for i, name := range names {
		e := pages.Employer{N: i + 1, Name: name}
		for _, c := range v.sources() {
			switch {
			case c.Employer != e.N:
			case c.Skipped != "":
				e.Skipped = true
			default:
				e.Sources = append(e.Sources, s.catalogue(v.environment).connected(c))
			}
		}
		p.Employers = append(p.Employers, e)
		if v.Employer == e.N {
			p.Employer = name
		}
	}
	return nil
}

// maxQuery is the maximum length of a search query, in characters.
const maxQuery = 100

// showList adds the list to choose from to the page. For an employer being verified,
// it starts with a search for the employer if that has results.
func (s *Service) showList(r *http.Request, v visit, p *pages.Visit) {
	if p.Step != pages.Banks && p.Step != pages.Employers && p.Step != pages.Suppliers {
		return
	}
	all := s.catalogue(v.environment).list(v.SourceType)
	p.Query = httpx.Truncate(r.URL.Query().Get("q"), maxQuery)
	if likely, _ := FindBanks(all, p.Employer); !r.URL.Query().Has("q") && len(likely) > 0 {
		p.Query = p.Employer
	}
	found, more := FindBanks(all, p.Query)
	for _, b := range found {
		p.Banks = append(p.Banks, pages.Bank{ID: b.ID, Name: b.Name, Place: b.place(p.Lang)})
	}
	p.More = more
}

// goBack redirects the browser to the customer, with a new signed result for the same
// outcome each time, so that a reload or a lost response does no harm.
func (s *Service) goBack(w http.ResponseWriter, r *http.Request) error {
	if r.Method != http.MethodGet {
		w.Header().Set("Allow", http.MethodGet)
		return httpx.NewError(contract.CodeMethodNotAllowed, errors.New("only GET returns"))
	}
	if fetchedAhead(r) {
		return httpx.NewError(contract.CodeUnavailable, errors.New("the return was fetched ahead"))
	}
	handle := r.PathValue("handle")
	v, err := s.look(r.Context(), handle)
	if err != nil {
		return err
	}
	if s.Returns == nil {
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
	back, ok, err := s.Returns.Return(r.Context(), s.DB.SQL, ended(v))
	if err != nil {
		return err
	}
	if !ok {
		return store.ErrNotFound
	}
	secret := s.secretOf(r, handle)
	if v.hosted && v.browser == nil && secret == "" {
		secret = s.giveSecret(w, r, handle)
	}
	if err := s.own(r, v, secret); err != nil {
		return err
	}
	if !back.Post {
		httpx.SetSecurityHeaders(w, httpx.CSP{})
		w.Header().Set("Location", back.URL)
		w.WriteHeader(http.StatusSeeOther)
		return nil
	}
	customer, err := s.Customers.ByID(r.Context(), s.DB.SQL, v.customerID)
	if err != nil {
		return err
	}
	s.write(w, r, http.StatusOK, httpx.CSP{FormAction: []string{back.Origin}},
		pages.BackPage(pages.Back{Lang: language(r), Customer: customer.Shown(), URL: back.Action, Token: back.Token}, s.urls()))
	return nil
}

func ended(v visit) Ended {
	e := Ended{VisitID: v.id, PublicToken: v.publicToken, Outcome: v.Outcome(), At: v.ended}
	switch e.Outcome {
	case contract.OutcomeSuccess:
		e.Status = v.Status
	case contract.OutcomeError:
		e.Error = v.Error
	}
	return e
}

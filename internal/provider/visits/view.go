package visits

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/documents"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/report"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
	"vestibule/templates/ui"
)

// renderFileProblem is renderWith the error of the form that takes files.
func (s *Service) renderFileProblem(w http.ResponseWriter, r *http.Request, v visit, status int, problem string) error {
	return s.renderWith(w, r, v, status, func(p *providerui.Visit) { p.Problems = map[string]string{"file": problem} })
}

// renderWith writes the page of v with additions, or only its step for the frame.
func (s *Service) renderWith(w http.ResponseWriter, r *http.Request, v visit, status int, more func(*providerui.Visit)) error {
	origin, err := s.returnOrigin(r.Context(), v)
	if err != nil {
		return err
	}
	urls, company, err := s.lookOf(r.Context(), v)
	if err != nil {
		return err
	}
	page := s.view(r, v, company)
	page.Logo, page.Hosted = urls.Logo, r.Header.Get(partHeader) == ""
	if err := s.addStep(r, v, &page); err != nil {
		return err
	}
	more(&page)
	if !page.Hosted {
		s.write(w, r, status, httpx.CSP{}, providerui.StepPart(page))
		return nil
	}
	page.CanReopen = v.State == flow.Closed
	if origin != "" && page.End != "" {
		page.Return = page.Path + "/return"
	}
	policy := httpx.CSP{}
	if origin != "" {
		// The form that closes the visit is answered with the redirect to the customer.
		policy.FormAction = []string{origin}
	}
	s.write(w, r, status, policy, providerui.HostedPage(page, urls, ui.Languages(page.Lang, &url.URL{Path: page.Path})))
	return nil
}

// view returns the page of v without the data of its step.
func (s *Service) view(r *http.Request, v visit, customer string) providerui.Visit {
	choices := s.catalogue(v.environment)
	v.Missing = choices.missing()
	chosen, _ := choices.find(v.SourceType, v.Bank)
	p := providerui.Visit{
		Lang: language(r), Path: Path(r.PathValue("handle")), Nonce: v.nonce(), Customer: customer, Sandbox: v.environment == contract.Sandbox,
		Product: v.Product, Verifies: v.Employers > 0, IncomeOnly: v.IncomeOnly, Step: v.Step, SourceType: v.SourceType, Left: v.Remaining(),
		Access: s.accessLink(language(r)), Operator: s.Operator, Passwords: choices.passwords(v.Product == contract.Income || v.Employers > 0),
		Bank: chosen.Name, Place: placeOf(chosen, language(r)), PublicToken: v.publicToken,
		Status: v.Status, Substatus: v.Substatus, Error: v.Error, Missing: v.Missing, Unconfigured: v.Unconfigured(),
		Frozen: v.frozen && s.Now().Sub(v.ended) < namesShown,
	}
	p.NothingConnected = !slices.ContainsFunc(v.Connections(), flow.Connection.OK)
	finished, _, _ := v.Journey.Next(flow.Input{Kind: flow.EventSourcesFinished})
	p.EndsIfFinished = finished.State == flow.Failed
	if back, _, ok := v.Journey.Next(flow.Input{Kind: flow.EventSourceCleared}); ok {
		p.Back = back.Step
	}
	_, _, p.CanGoBack = v.Journey.Next(flow.Input{Kind: flow.EventWentBack})
	for _, c := range v.Connections() {
		if c.Employer == 0 {
			p.Connected = append(p.Connected, choices.connected(c))
		}
	}
	if v.Step == flow.StepEnd && v.Product == contract.Income && len(p.Connected) == 1 && p.SourceType == "" { // its words for the end
		p.SourceType = p.Connected[0].SourceType
	}
	switch v.State {
	case flow.Complete:
		p.End = "success"
	case flow.Failed, flow.Expired:
		p.End = "error"
		if last := v.LastFailed(); v.State == flow.Failed && last.Failed == v.Status {
			p.Failure = failure(last)
		}
	case flow.Closed:
		p.Step, p.End = flow.StepEnd, "exit"
	case flow.Created, flow.Open, flow.Connecting:
		if v.State == flow.Created {
			if p.Step, p.Opens = flow.StepConsent, "acted"; s.isPrepared(v) && httpx.IsFromPage(r) {
				p.Opens = "seen"
			}
		}
		if r.Method == http.MethodGet && r.URL.Query().Has("close") {
			p.Step, p.Opens = flow.StepLeave, "" // the answer to opening is another step
		}
	}
	return p
}

// addStep adds the data of the page's step.
func (s *Service) addStep(r *http.Request, v visit, p *providerui.Visit) (err error) {
	ctx := r.Context()
	if v.Employers > 0 && v.Active() {
		if err := s.addEmployers(ctx, v, p); err != nil {
			return err
		}
	}
	switch p.Step {
	case flow.StepConsent:
		p.Updates, err = s.offersUpdates(ctx, v)
	case flow.StepBank, flow.StepPayroll, flow.StepSupplier:
		s.addChoices(v, p, r.URL.Query())
	case flow.StepAuthorize:
		err = s.addAuthorization(ctx, v, p)
	case flow.StepSignIn:
		p.Tries = providerui.Left(flow.MaxTries, v.Tries%flow.MaxTries)
	case flow.StepCode:
		p.CodeTries, p.Codes, p.NoMoreCodes = providerui.Left(flow.MaxTries, v.CodeTries%flow.MaxTries), v.Codes, v.Codes >= flow.MaxCodes
		p.CodeWait = int((v.WaitForCode(store.Micros(s.Now())) + time.Second - 1) / time.Second)
	case flow.StepAccounts:
		err = s.addAccounts(ctx, v, p)
	case flow.StepFailed:
		p.Failure = failure(v.LastFailed())
	case flow.StepEnd:
		if p.End == "success" && v.Status == contract.StatusSuccess {
			if len(v.stated) > 0 && s.Now().Sub(v.ended) < namesShown {
				if err := s.addEmployers(ctx, v, p); err != nil && !errors.Is(err, store.ErrNotFound) {
					return err
				}
			}
			p.Receipt, err = s.receipt(ctx, v)
		}
	}
	if err == nil && v.AcceptsFiles() {
		err = s.addFiles(ctx, v, p)
	}
	return err
}

// addAuthorization adds whether the applicant has opened the bank's pages, and until when the
// customer can get updated reports from it.
func (s *Service) addAuthorization(ctx context.Context, v visit, p *providerui.Visit) error {
	moved, err := lastMove(ctx, s.DB.SQL, v)
	if err != nil {
		return err
	}
	if p.AtBank, err = s.Sources.HasAuthorization(ctx, s.DB.SQL, v.id, v.Bank, moved); err != nil {
		return err
	}
	p.Updatable, err = s.updatable(ctx, v)
	return err
}

// addAccounts adds the accounts of the bank to choose from.
func (s *Service) addAccounts(ctx context.Context, v visit, p *providerui.Visit) error {
	data, err := s.fetchForm(ctx, v)
	for _, a := range data.Accounts {
		p.Accounts = append(p.Accounts, providerui.Account{ID: a.ID, Name: a.Name, Mask: a.Mask(), Subtype: a.Subtype, Chosen: true})
	}
	return err
}

// addFiles adds the uploaded files, and the limits of further ones.
func (s *Service) addFiles(ctx context.Context, v visit, p *providerui.Visit) error {
	p.MaxFiles, p.MaxFileSize = v.limits()
	p.FileProblems = providerui.FileProblems{TooLarge: v.rejectionText(p.Lang, "%", documents.ErrTooLarge),
		Empty: v.rejectionText(p.Lang, "%", documents.ErrEmpty), Type: v.rejectionText(p.Lang, "%", documents.ErrType),
		TooMany: i18n.T(p.Lang, "visit.documents.too_many", "n", strconv.Itoa(p.MaxFiles))}
	all, err := s.documentsOfStep(ctx, s.DB.SQL, v)
	for _, d := range all {
		p.Documents = append(p.Documents, providerui.Document{ID: d.ID, Name: d.Name, Size: d.Size})
	}
	return err
}

func (c catalogue) connected(from flow.Connection) providerui.Connected {
	of, _ := c.find(from.SourceType, from.Bank)
	return providerui.Connected{SourceType: from.SourceType, Name: of.Name, Failed: from.Failed != "",
		Why: failure(from), Empty: from.Empty, Accounts: len(from.Accounts)}
}

// namesShown is how long after its end a visit's page names the sources. Later, its
// link, as in an old email, tells nothing about the applicant.
const namesShown = time.Hour

// receipt returns what the applicant shared, and until when.
func (s *Service) receipt(ctx context.Context, v visit) (*providerui.Receipt, error) {
	rep, err := s.Reports.Get(ctx, s.DB.SQL, v.publicToken)
	if err != nil {
		return nil, err
	}
	fetched, err := s.fetched(ctx, v.publicToken)
	if err != nil {
		return nil, err
	}
	of := &providerui.Receipt{Shared: v.ended, Until: rep.Created.Add(reports.MaxAge)}
	if v.SourceType == flow.SourceSupplier && s.Now().Sub(v.ended) < namesShown {
		of.From = append(of.From, s.catalogue(v.environment).connected(flow.Connection{SourceType: v.SourceType, Bank: v.Bank}))
	}
	for _, c := range v.Connections() {
		if !c.OK() {
			continue
		}
		if s.Now().Sub(v.ended) < namesShown {
			from, how := s.catalogue(v.environment).connected(c), fetched[c.Connection]
			if how != "failed" {
				of.From = append(of.From, from)
			}
			if how == "failed" || how == "partial" {
				of.Incomplete = append(of.Incomplete, from)
			}
		}
		if c.Connection == "" {
			continue
		}
		access, err := s.Sources.Get(ctx, s.DB.SQL, c.Connection)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if access.Ended.IsZero() && access.Expires.After(of.Updates) {
			of.Updates = access.Expires
		}
	}
	return of, nil
}

// fetched returns how the last fetch of each connection of a report ended: the kind of its
// event.
func (s *Service) fetched(ctx context.Context, publicToken string) (map[string]string, error) {
	events, err := s.Sources.Events(ctx, s.DB.SQL, publicToken)
	out := map[string]string{}
	for _, e := range events {
		switch e.Kind {
		case "fetched", "partial", "failed":
			out[e.Connection] = e.Kind
		}
	}
	return out, err
}

func failure(c flow.Connection) providerui.Failure {
	return providerui.Failure{Status: c.Failed, Substatus: c.Substatus, Reason: c.Reason}
}

// addEmployers adds the stated employers to the page.
func (s *Service) addEmployers(ctx context.Context, v visit, p *providerui.Visit) error {
	consumer, err := s.consumerWithConsent(ctx, s.DB.SQL, v.customerID, v.consumerID)
	if err != nil {
		return err
	}
	names, err := s.statedEmployers(ctx, s.DB.SQL, v, consumer.KeyID)
	if err != nil {
		return err
	}
	for i, name := range names {
		e := providerui.Employer{N: i + 1, Name: name}
		for _, c := range v.Connections() {
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

// addChoices adds the list to choose from, filtered by a query, to the page. For an employer being verified,
// it starts with a search for the employer if that has results.
func (s *Service) addChoices(v visit, p *providerui.Visit, query url.Values) {
	all := s.catalogue(v.environment).List(sources.Kind(v.SourceType))
	p.Query = httpx.Truncate(query.Get("q"), maxQuery)
	if likely := FindInstitutions(all, p.Employer); !query.Has("q") && len(likely) > 0 {
		p.Query = p.Employer
	}
	found := FindInstitutions(all, p.Query)
	if v.Step == flow.StepSupplier {
		p.Country = query.Get("country")
		p.Banks = SuppliersOf(found, p.Country, p.Lang)
	} else {
		for _, b := range found {
			p.Banks = append(p.Banks, providerui.Bank{ID: b.ID, Name: b.Name, Place: placeOf(b, p.Lang)})
		}
	}
	p.More = max(len(p.Banks)-maxFound, 0)
	p.Banks = p.Banks[:len(p.Banks)-p.More]
}

// SuppliersOf lists the bureaus of a country or, without one, the countries by their names, and the
// reader of documents after them.
func SuppliersOf(all []sources.Institution, country string, l i18n.Lang) (out []providerui.Bank) {
	for _, b := range all {
		at := slices.IndexFunc(out, func(o providerui.Bank) bool { return o.Country == b.Place })
		switch {
		case b.ID == report.DocumentSupplier && country == "" || b.Place == country:
			out = append(out, providerui.Bank{ID: b.ID, Name: b.Name, Place: placeOf(b, l)})
		case country != "":
		case at >= 0:
			out[at].ID, out[at].Place = "", out[at].Place+", "+b.Name
		default:
			out = append(out, providerui.Bank{ID: b.ID, Name: placeOf(b, l), Place: b.Name, Country: b.Place})
		}
	}
	slices.SortStableFunc(out, func(a, b providerui.Bank) int {
		if a.Country == "" || b.Country == "" {
			return -cmp.Compare(len(a.Country), len(b.Country))
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out
}

package access

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	providerui "vestibule/templates/provider"
)

// Actions of consumers in the audit trail.
const (
	actionDisputed = "dispute opened"
	actionExtended = "dispute extended"
	actionNoted    = "dispute statement added"
)

func (s *Service) disputeRoutes(mux *http.ServeMux, sameOrigin *http.CrossOriginProtection) {
	mux.Handle("GET /access/disputes", s.withSession(s.showDisputes))
	mux.Handle("GET /access/dispute/{report}", s.withSession(s.showNewDispute))
	mux.Handle("GET /access/disputes/{number}", s.withSession(s.showDispute))
	mux.Handle("GET /access/disputes/{number}/files/{file}", s.withSession(s.disputeFile))
	mux.Handle("POST /access/dispute/{report}", sameOrigin.Handler(s.withSession(s.openDispute)))
	mux.Handle("POST /access/disputes/{number}/facts", sameOrigin.Handler(s.withSession(s.addFacts)))
	mux.Handle("POST /access/disputes/{number}/note", sameOrigin.Handler(s.withSession(s.addNote)))
}

// disputable lists the reports of a mailbox that can be disputed, the newest first.
func (s *Service) disputable(ctx context.Context, o session) (out []sharedReport, err error) {
	all, err := sharedReports(ctx, s.DB.SQL, o)
	for _, r := range all {
		if r.status == contract.StatusSuccess && s.Now().Sub(r.created) <= reports.MaxAge {
			out = append(out, r)
		}
	}
	return out, err
}

func (s *Service) disputeReport(ctx context.Context, r sharedReport) (providerui.AccessDisputeReport, error) {
	company, err := s.Customers.ByID(ctx, s.DB.SQL, r.customerID)
	return providerui.AccessDisputeReport{Reference: reference(r.publicToken), Company: company.ApplicantName(), Kind: r.kind,
		Shared: r.created}, err
}

// showDisputes lists the consumer's disputes and the reports that can be disputed.
func (s *Service) showDisputes(w http.ResponseWriter, r *http.Request, o session) error {
	v := providerui.AccessDisputes{Access: s.base(r), Now: s.Now()}
	all, err := s.Disputes.OfMailbox(r.Context(), s.DB.SQL, o.mailbox, o.company)
	if err != nil {
		return err
	}
	for _, d := range all {
		x, err := s.disputeView(r.Context(), d)
		if err != nil {
			return err
		}
		v.Disputes = append(v.Disputes, x)
	}
	found, err := s.disputable(r.Context(), o)
	if err != nil {
		return err
	}
	for _, x := range found {
		row, err := s.disputeReport(r.Context(), x)
		if err != nil {
			return err
		}
		v.Reports = append(v.Reports, row)
	}
	return write(w, r, http.StatusOK, providerui.AccessDisputesPage(v))
}

func (s *Service) disputeView(ctx context.Context, d disputes.Dispute) (providerui.Dispute, error) {
	v := d.View()
	company, err := s.Customers.ByID(ctx, s.DB.SQL, d.CustomerID)
	v.Company = company.ApplicantName()
	return v, err
}

// reportOf returns the report that an address names, or store.ErrNotFound.
func (s *Service) reportOf(r *http.Request, o session) (sharedReport, error) {
	all, err := s.disputable(r.Context(), o)
	for _, x := range all {
		if reference(x.publicToken) == r.PathValue("report") {
			return x, err
		}
	}
	if err == nil {
		err = store.ErrNotFound
	}
	return sharedReport{}, err
}

func (s *Service) showNewDispute(w http.ResponseWriter, r *http.Request, o session) error {
	report, err := s.reportOf(r, o)
	if err != nil {
		return err
	}
	return s.newDisputePage(w, r, http.StatusOK, report, url.Values{"once": {store.NewSecret()}}, "", "")
}

// newDisputePage shows the form with a message at a field.
func (s *Service) newDisputePage(w http.ResponseWriter, r *http.Request, status int, report sharedReport, given url.Values,
	field string, words i18n.Key) error {
	v := providerui.AccessNewDispute{Access: s.base(r), Given: given, Field: field, Words: words}
	for _, k := range disputes.Kinds() {
		v.Kinds = append(v.Kinds, string(k))
	}
	var err error
	if v.Report, err = s.disputeReport(r.Context(), report); err != nil {
		return err
	}
	return write(w, r, status, providerui.AccessNewDisputePage(v))
}

// openDispute opens a dispute. A form that is sent twice opens one.
func (s *Service) openDispute(w http.ResponseWriter, r *http.Request, o session) error {
	report, err := s.reportOf(r, o)
	if err != nil {
		return err
	}
	form, files, err := disputes.DecodeForm(w, r)
	b := s.base(r)
	var p disputes.Prepared
	var opened disputes.Dispute
	if err == nil {
		p, err = s.Disputes.PrepareNew(r.Context(), disputes.New{CustomerID: report.customerID, PublicToken: report.publicToken,
			Mailbox: o.mailbox,
			Kind:    disputes.Kind(form.Get("kind")), About: form.Get("about"), Statement: form.Get("statement"), Note: form.Get("note"),
			Lang: b.Lang, Form: form.Get("once"), Files: files})
	}
	if err == nil {
		err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			if opened, err = s.Disputes.Add(ctx, tx, p); err != nil {
				return err
			}
			return s.Record(ctx, tx, staff.Entry{Action: actionDisputed, Subject: report.customerID, Object: opened.Number})
		})
	}
	var no disputes.Invalid
	switch {
	case errors.As(err, &no):
		return s.newDisputePage(w, r, http.StatusUnprocessableEntity, report, form, no.Field, disputes.Words(no))
	case errors.Is(err, disputes.ErrLimit):
		return s.newDisputePage(w, r, http.StatusTooManyRequests, report, form, "statement", "disputes.too_many")
	case errors.Is(err, reports.ErrRevised):
		return s.newDisputePage(w, r, http.StatusConflict, report, form, "statement", "disputes.again")
	case err != nil && !errors.Is(err, disputes.ErrTwice):
		return err
	}
	return httpx.SeeOther(w, b.Link(Path+"/disputes/"+opened.Number))
}

func (s *Service) showDispute(w http.ResponseWriter, r *http.Request, o session) error {
	return s.disputePage(w, r, o, http.StatusOK, "", "")
}

func (s *Service) disputePage(w http.ResponseWriter, r *http.Request, o session, status int, facts string, words i18n.Key) error {
	d, err := s.Disputes.Find(r.Context(), s.DB.SQL, o.mailbox, o.company, r.PathValue("number"))
	if err != nil {
		return err
	}
	v := providerui.AccessDispute{Access: s.base(r), Now: s.Now(), Given: facts, Words: words}
	if v.Dispute, err = s.disputeView(r.Context(), d); err != nil {
		return err
	}
	if d.Notable() {
		about, err := s.Reports.Get(r.Context(), s.DB.SQL, d.PublicToken)
		if v.Notable = err == nil && s.Reports.Correctable(about); err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	return write(w, r, status, providerui.AccessDisputePage(v))
}

// addFacts adds new facts to an open dispute, which extends its time once.
func (s *Service) addFacts(w http.ResponseWriter, r *http.Request, o session) error {
	form, err := httpx.DecodeForm(w, r, 64<<10)
	if err != nil {
		return err
	}
	number := r.PathValue("number")
	err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		d, err := s.Disputes.Find(ctx, tx, o.mailbox, o.company, number)
		if err != nil {
			return err
		}
		if err := s.Disputes.AddFacts(ctx, tx, d, form.Get("facts")); err != nil {
			return err
		}
		return s.Record(ctx, tx, staff.Entry{Action: actionExtended, Subject: d.CustomerID, Object: number})
	})
	return s.disputeChanged(w, r, o, form.Get("facts"), err)
}

// addNote adds the consumer's statement to a report that was found right.
func (s *Service) addNote(w http.ResponseWriter, r *http.Request, o session) error {
	form, err := httpx.DecodeForm(w, r, 64<<10)
	if err != nil {
		return err
	}
	d, err := s.Disputes.Find(r.Context(), s.DB.SQL, o.mailbox, o.company, r.PathValue("number"))
	if err != nil {
		return err
	}
	p, err := s.Disputes.PrepareNote(r.Context(), d, form.Get("note"))
	if err == nil {
		err = s.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			if err := s.Disputes.AddNote(ctx, tx, p); err != nil {
				return err
			}
			return s.Record(ctx, tx, staff.Entry{Action: actionNoted, Subject: d.CustomerID, Object: d.Number})
		})
	}
	return s.disputeChanged(w, r, o, form.Get("note"), err)
}

// disputeChanged answers a form of a dispute's page: with the page, or with what is wrong about the text.
func (s *Service) disputeChanged(w http.ResponseWriter, r *http.Request, o session, given string, err error) error {
	var no disputes.Invalid
	switch {
	case errors.As(err, &no):
		return s.disputePage(w, r, o, http.StatusUnprocessableEntity, given, disputes.Words(no))
	case errors.Is(err, reports.ErrRevised):
		return s.disputePage(w, r, o, http.StatusConflict, given, "disputes.again")
	case err != nil && !errors.Is(err, disputes.ErrAnswered) && !errors.Is(err, disputes.ErrExtended):
		return err
	}
	return httpx.SeeOther(w, s.base(r).Link(Path+"/disputes/"+r.PathValue("number")))
}

func (s *Service) disputeFile(w http.ResponseWriter, r *http.Request, o session) error {
	d, err := s.Disputes.Find(r.Context(), s.DB.SQL, o.mailbox, o.company, r.PathValue("number"))
	if err != nil {
		return err
	}
	return s.Disputes.ServeFile(w, r, d, r.PathValue("file"))
}

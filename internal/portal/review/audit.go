package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// audit records what a user is about to see. A HEAD request shows nothing and is not
// recorded.
func (d *Handler) audit(r *http.Request, all ...staff.Entry) error {
	if r.Method == http.MethodHead || len(all) == 0 {
		return nil
	}
	return d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, e := range all {
			if err := d.Staff.Record(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
}

// auditPage shows a page of the audit log, and records that after reading it.
func (d *Handler) auditPage(w http.ResponseWriter, r *http.Request, by staff.User) error {
	f, ok := audit.ReadFilter(r.URL.Query(), by.Zone)
	if !ok {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	return d.showAudit(w, r, by, f)
}

// findAudit searches the audit log for a text, which stays out of addresses.
func (d *Handler) findAudit(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	f, ok := audit.ReadFilter(form, by.Zone)
	f.Text = strings.TrimSpace(form.Get("query"))
	if !ok || !plain(f.Text, 0, maxText) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such filter"))
	}
	if f.Text == "" {
		return httpx.SeeOther(w, f.URL())
	}
	return d.showAudit(w, r, by, f)
}

// showAudit shows entries, and records that.
func (d *Handler) showAudit(w http.ResponseWriter, r *http.Request, by staff.User, f audit.Filter) error {
	v, err := d.Audit.Page(r.Context(), f, d.Page(r).Lang)
	if err != nil {
		return err
	}
	if v.User != nil {
		decided := staff.EntryFilter{Actor: v.User.ID, Action: decisions.Decided}
		v.Work.AssignedURL = filter{Filter: pages.Filter{Assignee: v.User.ID}}.url("")
		v.Work.DecidedURL = audit.Filter{EntryFilter: decided}.URL()
		if v.Work.Assigned, err = d.Index.Count(r.Context(), d.DB.SQL, search.Filter{Assignee: v.User.ID}); err != nil {
			return err
		}
		if v.Work.Decided, err = d.Staff.CountEntries(r.Context(), d.DB.SQL, decided, search.MaxCounted); err != nil {
			return err
		}
	}
	if f.Subject != "" && r.URL.Query().Has("list") {
		a, err := d.Applications.Get(r.Context(), d.DB.SQL, f.Subject)
		if err == nil {
			v.Place, err = d.positionInList(r.Context(), r, by, a)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	read := staff.Entry{Actor: by.ID, Action: audit.Read, Subject: f.Subject, Object: f.Actor}
	if err := d.auditPart(r, read); err != nil {
		return err
	}
	return d.showLive(w, r, func(p ui.Page) templ.Component { return pages.Audit(p, v) })
}

// auditPart is audit for a page that its script keeps current: an update of the open page is
// recorded once a day.
func (d *Handler) auditPart(r *http.Request, e staff.Entry) error {
	if r.Method == http.MethodGet && r.Header.Get(httpx.PartHeader) != "" {
		of := staff.EntryFilter{Actor: e.Actor, Action: e.Action, Subject: e.Subject, From: d.Index.Now().UTC().Truncate(oneDay)}
		all, err := d.Staff.Entries(r.Context(), d.DB.SQL, of, 100)
		if err != nil || slices.ContainsFunc(all, func(x staff.Entry) bool {
			return x.Subject == e.Subject && x.Object == e.Object && x.Detail == e.Detail
		}) {
			return err
		}
	}
	return d.audit(r, e)
}

// auditCSV exports all entries of the audit log that a filter selects.
func (d *Handler) auditCSV(w http.ResponseWriter, r *http.Request, by staff.User) error {
	f, ok := audit.ReadFilter(r.URL.Query(), by.Zone)
	if !ok {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such filter"))
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.Read, Subject: f.Subject, Object: f.Actor, Detail: "file"}); err != nil {
		return err
	}
	return d.Audit.SendCSV(w, r, f)
}

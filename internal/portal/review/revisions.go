package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/prefill"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

func heldReport(a applications.Application, r applications.StoredReport) pages.HeldReport {
	return pages.HeldReport{Attempt: r.Attempt, Revision: r.Revision, At: r.At, RevisedAt: r.RevisedAt,
		Newest: r.Version() == a.Report.Version()}
}

// selectedReport returns the stored report that the parameters attempt and revision of an address
// name; without them, the newest. A revision without an attempt is of the newest attempt.
func (d *Handler) selectedReport(ctx context.Context, a applications.Application, q url.Values) (applications.StoredReport, error) {
	attempt, revision := 0, -1
	for name, n := range map[string]*int{"attempt": &attempt, "revision": &revision} {
		if text := q.Get(name); text != "" {
			var err error
			if *n, err = strconv.Atoi(text); err != nil || *n < 0 || name == "attempt" && *n == 0 {
				return applications.StoredReport{}, httpx.NewError(contract.CodeNotFound, errors.New("no such report"))
			}
		}
	}
	held, err := d.Applications.StoredReportOf(ctx, d.DB.SQL, a.ID, attempt, revision)
	if errors.Is(err, store.ErrNotFound) {
		err = httpx.NewError(contract.CodeReportNotReady, err)
	}
	return held, err
}

// formerRevision returns the stored revision before another one. ok is false for the first revision.
func (d *Handler) formerRevision(ctx context.Context, id string, of applications.StoredReport) (r applications.StoredReport,
	ok bool, err error) {
	if of.Revision == 0 {
		return r, false, nil
	}
	all, err := d.Applications.Reports(ctx, id) // the newest first
	i := slices.IndexFunc(all, func(r applications.StoredReport) bool { return r.Attempt == of.Attempt && r.Revision < of.Revision })
	if err != nil || i < 0 {
		return r, false, err
	}
	return all[i], true, nil
}

// compareRevisions shows what a revision of a report changed.
func (d *Handler) compareRevisions(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	held, err := d.selectedReport(r.Context(), a, r.URL.Query())
	if err != nil {
		return err
	}
	former, ok, err := d.formerRevision(r.Context(), a.ID, held)
	if err == nil && !ok {
		err = httpx.NewError(contract.CodeNotFound, errors.New("no earlier revision"))
	}
	if err != nil {
		return err
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID})
	if err != nil {
		return err
	}
	v := pages.CompareView{ApplicationID: a.ID, Revisions: true}
	for i, one := range []applications.StoredReport{former, held} {
		if v.Reports[i], err = d.measured(r.Context(), a, one, people[a.ID]); err != nil {
			return err
		}
	}
	if v.Place, err = d.positionInList(r.Context(), r, by, a); err != nil {
		return err
	}
	if r.Method != http.MethodHead {
		if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.ReportViewed, Subject: a.ID}); err != nil {
			return err
		}
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Compare(p, v) })
}

func (d *Handler) measured(ctx context.Context, a applications.Application, of applications.StoredReport,
	stated prefill.Fields) (pages.Compared, error) {
	out := pages.Compared{Row: row(a), Held: heldReport(a, of), At: of.At}
	raw, err := d.Applications.Report(ctx, d.DB.SQL, a.ID, of.Attempt, of.Revision)
	if err == nil {
		out.Report, err = d.view(ctx, a, of, stated, nil, raw)
	}
	return out, err
}

// refresh asks the service whether it has revised the newest report, for a webhook that was lost.
// The audit entry is written before the request.
func (d *Handler) refresh(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	if _, err := httpx.DecodeForm(w, r, 8<<10); err != nil {
		return err
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.Refreshed, Subject: a.ID}); err != nil {
		return err
	}
	done := "current"
	switch revised, err := d.Applications.Refresh(r.Context(), a.ID, 0); {
	case errors.Is(err, applications.ErrFetching):
		done = "fetching"
	case err != nil:
		return d.noFiles(w, r, by, a, err)
	case revised:
		done = "revised"
	}
	return httpx.SeeOther(w, applicationURL(r, a.ID, done, ""))
}

// keep keeps a decision that was made on an older revision of the report.
func (d *Handler) keep(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	if form.Get("report") != a.Report.Version() {
		return d.showApplication(w, r, http.StatusConflict, by, a, shownParts{deciding: pages.Deciding{Problem: "review.decide.revised"}})
	}
	if err := d.Decisions.Keep(r.Context(), by, a); err != nil {
		return err
	}
	return httpx.SeeOther(w, applicationURL(r, a.ID, "kept", "decision"))
}

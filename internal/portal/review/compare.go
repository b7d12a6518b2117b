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
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/prefill"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// othersShown is how many other applications of the same applicant a page lists.
const othersShown = 10

func (d *Handler) fillOthers(ctx context.Context, a applications.Application, who prefill.Fields, v *pages.ApplicationView) error {
	others, err := d.related(ctx, a, who, othersShown+1)
	if v.MoreOthers = len(others) > othersShown; v.MoreOthers {
		others = others[:othersShown]
	}
	for _, e := range others {
		other := pages.Other{Row: pages.Row{ID: e.ID, ExternalID: e.ExternalID, Product: e.Product,
			State: e.State, Decision: e.Decision, CreatedAt: e.CreatedAt}}
		if e.Product == a.Product && e.HasReport && a.HasReport() {
			other.Compare = "/review/applications/" + a.ID + "/compare?with=" + e.ID
		}
		v.Others = append(v.Others, other)
	}
	return err
}

// compare shows two reports of one applicant side by side, the older one first.
func (d *Handler) compare(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	if !r.URL.Query().Has("with") {
		return d.compareRevisions(w, r, by, a)
	}
	with := strings.ToLower(r.URL.Query().Get("with"))
	if !contract.IsUUID(with) || with == a.ID {
		return httpx.NewError(contract.CodeNotFound, errors.New("nothing to compare with"))
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID, with})
	if err != nil {
		return err
	}
	others, err := d.related(r.Context(), a, people[a.ID], maxRelated)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(others, func(e search.Found) bool { return e.ID == with }) {
		return httpx.NewError(contract.CodeNotFound, errors.New("an application of another applicant"))
	}
	b, err := d.Applications.Get(r.Context(), d.DB.SQL, with)
	if err != nil {
		return err
	}
	if a.Product != b.Product || !a.HasReport() || !b.HasReport() {
		return httpx.NewError(contract.CodeNotFound, errors.New("two reports that do not compare"))
	}
	v := pages.CompareView{ApplicationID: a.ID}
	for i, one := range []applications.Application{a, b} {
		if v.Reports[i], err = d.measured(r.Context(), one, one.Report, prefill.Fields{}); err != nil {
			return err
		}
		e, err := search.Find(r.Context(), d.DB.SQL, one.ID)
		if err != nil {
			return err
		}
		v.Reports[i].Row.Decision = e.Decision
		v.Reports[i].Name, v.Reports[i].Email = people[one.ID].Name(), people[one.ID].Email
	}
	if v.Reports[1].At.Before(v.Reports[0].At) {
		v.Reports[0], v.Reports[1] = v.Reports[1], v.Reports[0]
	}
	if r.Method != http.MethodHead {
		err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.Compared, Subject: a.ID, Object: b.ID}),
				d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.Compared, Subject: b.ID, Object: a.ID}))
		})
		if err != nil {
			return err
		}
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Compare(p, v) })
}

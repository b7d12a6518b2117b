package review

import (
	"errors"
	"net/http"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

const (
	maxPublicID = 128 // characters, as in the API
	maxLabel    = 80
)

// shareReport shares the application's report or extends the share by 72 hours.
func (d *Handler) shareReport(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	form, err := httpx.DecodeForm(w, r, 8<<10)
	if err != nil {
		return err
	}
	if !a.HasReport() || a.Report.PublicToken == "" {
		return httpx.NewError(contract.CodeReportNotReady, errors.New("there is no report to share"))
	}
	typed := pages.Sharing{PublicID: strings.TrimSpace(form.Get("publicId")), Label: strings.TrimSpace(form.Get("label"))}
	if !plain(typed.PublicID, 1, maxPublicID) {
		return d.showRefusal(w, r, by, a, typed, &sharing.Refusal{Status: http.StatusUnprocessableEntity, Problem: "review.share.no_public_id"})
	}
	if !plain(typed.Label, 0, maxLabel) {
		return d.showRefusal(w, r, by, a, typed, &sharing.Refusal{Status: http.StatusUnprocessableEntity, Problem: "review.share.bad_label"})
	}
	done, err := d.Sharing.Share(r.Context(), by, a, typed.PublicID, typed.Label)
	if err != nil {
		return d.showRefusal(w, r, by, a, typed, err)
	}
	return httpx.SeeOther(w, applicationURL(r, a.ID, done, "sharing"))
}

// showRefusal shows the sharing card of an application with a Refusal. It returns any
// other error.
func (d *Handler) showRefusal(w http.ResponseWriter, r *http.Request, by staff.User,
	a applications.Application, v pages.Sharing, err error) error {
	var refusal *sharing.Refusal
	if !errors.As(err, &refusal) {
		return err
	}
	v.Problem, v.Code = refusal.Problem, string(refusal.Code)
	return d.showApplication(w, r, refusal.Status, by, a, shownParts{sharing: v})
}

// findShare returns the share that the address names, and its application.
func (d *Handler) findShare(r *http.Request) (applications.Application, sharing.Share, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return applications.Application{}, sharing.Share{}, httpx.NewError(contract.CodeNotFound, errors.New("not a share's id"))
	}
	s, err := d.Sharing.ByID(r.Context(), d.DB.SQL, strings.ToLower(id))
	if err == nil {
		var a applications.Application
		if a, err = d.Applications.Get(r.Context(), d.DB.SQL, s.ApplicationID); err == nil {
			return a, s, nil
		}
	}
	return applications.Application{}, sharing.Share{}, httpx.NotFoundIf(err, store.ErrNotFound)
}

// withdrawPage asks for confirmation, since a withdrawal is permanent.
func (d *Handler) withdrawPage(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, s, err := d.findShare(r)
	if err != nil {
		return err
	}
	if !s.Withdrawn.IsZero() {
		return httpx.SeeOther(w, applicationURL(r, a.ID, "", "sharing"))
	}
	v := pages.WithdrawView{Row: row(a), Share: pages.Share{ID: s.ID, PublicID: s.PublicID, Label: s.Label}}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Withdraw(p, v) })
}

// withdrawReport permanently withdraws a share. It is idempotent.
func (d *Handler) withdrawReport(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, s, err := d.findShare(r)
	if err != nil {
		return err
	}
	if s.Withdrawn.IsZero() {
		if err := d.Sharing.Withdraw(r.Context(), by, s); err != nil {
			return d.showRefusal(w, r, by, a, pages.Sharing{Withdrawing: true}, err)
		}
	}
	return httpx.SeeOther(w, applicationURL(r, a.ID, sharing.Withdrawn, "sharing"))
}

package review

import (
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
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/staff"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// maxDeciding bounds the body of the forms of decisions and notes, in bytes.
const maxDeciding = 16 << 10

// decide stores a decision, unless another was stored since the form's page was
// rendered.
func (d *Handler) decide(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	in, _, err := decidingOf(w, r)
	if err != nil {
		return err
	}
	if in.Problem, err = d.Decisions.Decide(r.Context(), by, a, in); err != nil {
		return err
	}
	switch in.Problem {
	case "":
		return httpx.SeeOther(w, applicationURL(r, a.ID, "decided", "decision"))
	case "review.decide.late", "review.decide.revised":
		return d.showApplication(w, r, http.StatusConflict, by, a, shownParts{deciding: in})
	}
	return d.showApplication(w, r, http.StatusUnprocessableEntity, by, a, shownParts{deciding: in})
}

func decidingOf(w http.ResponseWriter, r *http.Request) (in pages.Deciding, form url.Values, err error) {
	if form, err = httpx.DecodeForm(w, r, maxDeciding); err != nil {
		return in, form, err
	}
	in = pages.Deciding{Report: form.Get("report"), Decision: form.Get("decision"), Text: decisions.NormalizeText(form.Get("text"))}
	if in.Seen, err = strconv.ParseInt(form.Get("seen"), 10, 64); err != nil {
		return in, form, httpx.NewError(contract.CodeMalformedBody, errors.New("no such decision"))
	}
	for _, code := range form["reason"] {
		if !slices.Contains(in.Reasons, code) {
			in.Reasons = append(in.Reasons, code)
		}
	}
	return in, form, nil
}

// preview shows the letter of a decision before it is recorded: in the application's page, or
// for a script alone. It stores nothing.
func (d *Handler) preview(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	in, form, err := decidingOf(w, r)
	if err != nil {
		return err
	}
	if in.Preview, err = d.Decisions.Preview(r.Context(), a, in); err != nil {
		return err
	}
	if form.Get("part") == "" {
		return d.showApplication(w, r, http.StatusOK, by, a, shownParts{deciding: in})
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.LetterPreview(p.Lang, in.Preview) })
}

func (d *Handler) addNote(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	form, err := httpx.DecodeForm(w, r, maxDeciding)
	if err != nil {
		return err
	}
	text := decisions.NormalizeText(form.Get("text"))
	if text == "" || !decisions.ValidText(text) {
		return d.showApplication(w, r, http.StatusUnprocessableEntity, by, a, shownParts{note: text, noteBad: true})
	}
	if err := d.Decisions.AddNote(r.Context(), by, a, text); err != nil {
		return err
	}
	return httpx.SeeOther(w, applicationURL(r, a.ID, "noted", "notes"))
}

// letter shows the newest decision as a letter to the applicant.
func (d *Handler) letter(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	v, err := d.Decisions.Letter(r.Context(), a)
	if err != nil {
		return err
	}
	if v.Place, err = d.positionInList(r.Context(), r, by, a); err != nil {
		return err
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.LetterOpened, Subject: a.ID}); err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Letter(p, v) })
}

// resendLetter resends the email of the newest decision after its delivery failed.
func (d *Handler) resendLetter(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	if _, err := httpx.DecodeForm(w, r, 8<<10); err != nil {
		return err
	}
	if _, err := d.Decisions.ResendEmail(r.Context(), by, a); err != nil {
		return err
	}
	return httpx.SeeOther(w, applicationURL(r, a.ID, "", "decision"))
}

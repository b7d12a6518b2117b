package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/deletion"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/sharing"
	"vestibule/internal/prefill"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

const (
	maxRelated   = 100 // applications that share a name or an email address
	maxStrangers = 20  // of those, offered for deletion if only one of the two is known
)

// related returns the other applications of an applicant, by email address or by all words of the name.
func (d *Handler) related(ctx context.Context, a applications.Application, who prefill.Fields, limit int) (out []search.Found, err error) {
	for _, f := range []filter{{Filter: pages.Filter{Text: mail.NormalizeAddress(who.Email)}},
		{Filter: pages.Filter{Text: who.Name()}, whole: true}} {
		if f.Text == "" {
			continue
		}
		found, err := d.Index.Order(ctx, f.selection(d.Index.Now()), limit+1) // one may be a
		if err != nil {
			return nil, err
		}
		for _, e := range found.Rows {
			if e.ID != a.ID && len(out) < limit && !slices.ContainsFunc(out, func(o search.Found) bool { return o.ID == e.ID }) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// applicationsOfPerson returns the applications with a's name and email address, a first. If a has only
// one of the two, only that one must match, oneSign is true, and the reviewer must decide
// which applications belong to the applicant.
func (d *Handler) applicationsOfPerson(ctx context.Context, a applications.Application) (ids []string, oneSign bool, err error) {
	people, err := d.Applications.Applicants(ctx, []string{a.ID})
	if err != nil {
		return nil, false, err
	}
	who := people[a.ID]
	email, name := mail.NormalizeAddress(who.Email), search.Words(who.Name())
	ids, oneSign = []string{a.ID}, email == "" || len(name) == 0
	text, most := email, maxRelated
	if email == "" {
		text = who.Name()
	}
	if oneSign {
		most = maxStrangers
	}
	if text == "" {
		return ids, oneSign, nil
	}
	found, err := d.search(ctx, filter{Filter: pages.Filter{Text: text}, whole: true}, maxRelated)
	if err != nil {
		return nil, false, err
	}
	candidates := make([]string, 0, len(found.Rows))
	for _, e := range found.Rows {
		if e.ID != a.ID {
			candidates = append(candidates, e.ID)
		}
	}
	if people, err = d.Applications.Applicants(ctx, candidates); err != nil {
		return nil, false, err
	}
	for _, id := range candidates {
		same := oneSign || mail.NormalizeAddress(people[id].Email) == email && slices.Equal(search.Words(people[id].Name()), name)
		if same && len(ids) < most {
			ids = append(ids, id)
		}
	}
	return ids, oneSign, nil
}

// erasePage lists an applicant's applications for deletion.
func (d *Handler) erasePage(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.DeletionOpened, Subject: a.ID}); err != nil {
		return err
	}
	return d.showErase(w, r, http.StatusOK, by, a, pages.EraseView{})
}

func (d *Handler) showErase(w http.ResponseWriter, r *http.Request, status int, by staff.User,
	a applications.Application, v pages.EraseView) error {
	ids, oneSign, err := d.applicationsOfPerson(r.Context(), a)
	if err != nil {
		return err
	}
	v.OneSign = oneSign
	people, err := d.Applications.Applicants(r.Context(), ids)
	if err != nil {
		return err
	}
	v.By, v.ID, v.Causes = by.Email, a.ID, deletion.Reasons
	for _, id := range ids {
		e, err := search.Find(r.Context(), d.DB.SQL, id)
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		v.Rows = append(v.Rows, pages.EraseRow{ID: id, ExternalID: e.ExternalID,
			Name: people[id].Name(), Email: people[id].Email, Product: e.Product,
			State: e.State, CreatedAt: e.CreatedAt, Chosen: id == a.ID})
	}
	return d.show(w, r, status, func(p ui.Page) templ.Component { return pages.Erase(p, v) })
}

func (d *Handler) eraseSelected(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application) error {
	form, err := httpx.DecodeForm(w, r, 16<<10)
	if err != nil {
		return err
	}
	offered, _, err := d.applicationsOfPerson(r.Context(), a)
	if err != nil {
		return err
	}
	chosen, cause := form["id"], form.Get("cause")
	if !slices.Contains(deletion.Reasons, cause) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such cause"))
	}
	for _, id := range chosen {
		if !slices.Contains(offered, id) {
			return httpx.NewError(contract.CodeMalformedBody, errors.New("an application of another applicant"))
		}
	}
	if len(chosen) == 0 || form.Get("sure") != "yes" {
		return d.showErase(w, r, http.StatusUnprocessableEntity, by, a, pages.EraseView{Problem: "review.delete.unsure", Cause: cause})
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), sharing.Timeout)
	defer cancel()
	done := 0
	for _, id := range chosen {
		gone, err := d.Deletion.Delete(ctx, id, by.ID, cause)
		if err != nil {
			if errors.Is(err, sharing.ErrNotWithdrawn) {
				d.Log.WarnContext(ctx, "not deleted, for the service has not withdrawn it", "application", id, "err", err.Error())
				return d.showErase(w, r, http.StatusBadGateway, by, a, pages.EraseView{Problem: "review.delete.shared", Cause: cause})
			}
			return err
		}
		if gone {
			done++
		}
	}
	return httpx.SeeOther(w, "/review/deletions?done="+strconv.Itoa(done))
}

// deletions lists deleted applications, newest first, and the retention period.
func (d *Handler) deletions(w http.ResponseWriter, r *http.Request, by staff.User) error {
	cursor := r.URL.Query().Get("after")
	if len(cursor) > 100 {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such page"))
	}
	v := pages.DeletionsView{Days: d.Deletion.RetentionDays}
	v.Done, _ = strconv.Atoi(r.URL.Query().Get("done"))
	err := d.DB.Read(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		emails, err := d.Staff.Addresses(ctx, tx)
		if err != nil {
			return err
		}
		all, next, err := deletion.Page(ctx, tx, cursor)
		if err != nil {
			return err
		}
		for _, t := range all {
			v.Rows = append(v.Rows, pages.Deletion{ApplicationID: t.ApplicationID, Cause: t.Reason, At: t.At, By: emails[t.By]})
		}
		if next != "" {
			v.Older = "/review/deletions?after=" + next
		}
		if cursor != "" {
			v.Newest = "/review/deletions"
		}
		return nil
	})
	if err != nil {
		return err
	}
	return d.showLive(w, r, func(p ui.Page) templ.Component { return pages.Deletions(p, v) })
}

// showGone shows that an application was deleted, if it was.
func (d *Handler) showGone(w http.ResponseWriter, r *http.Request, by staff.User, why error) error {
	t, err := deletion.Find(r.Context(), d.DB.SQL, r.PathValue("id"))
	if err != nil {
		return why
	}
	emails, err := d.Staff.Addresses(r.Context(), d.DB.SQL)
	if err != nil {
		return err
	}
	v := pages.Deletion{ApplicationID: t.ApplicationID, Cause: t.Reason, At: t.At, By: emails[t.By]}
	return d.show(w, r, http.StatusGone, func(p ui.Page) templ.Component { return pages.Gone(p, by.Email, v) })
}

package review

import (
	"errors"
	"net/http"
	"regexp"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/mail"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// outboxSize is the number of emails on the outbox page.
const outboxSize = 50

var resumeLink = regexp.MustCompile(`/resume/[\w-]+(\?lang=\w+)?`)

// outbox shows the emails that could not be delivered, or those of a sandbox without a mail
// server.
func (d *Handler) outbox(w http.ResponseWriter, r *http.Request, by staff.User) error {
	state, sandbox := mail.GivenUp, d.Letters.ShowsOutbox()
	if sandbox {
		state = mail.Waiting
	}
	unsent, err := d.Letters.Emails(r.Context(), state, outboxSize)
	if err != nil {
		return err
	}
	v := pages.OutboxView{Sandbox: sandbox, Decides: deciders.has(by), Letters: unsent, Done: r.URL.Query().Get("done")}
	for i, e := range unsent { // a link opens the application as its applicant
		unsent[i].Text = resumeLink.ReplaceAllString(e.Text, "/resume/…")
	}
	if len(unsent) > 0 && !sandbox {
		if err := d.auditPart(r, staff.Entry{Actor: by.ID, Action: audit.Listed, Detail: "undelivered"}); err != nil {
			return err
		}
	}
	return d.showLive(w, r, func(p ui.Page) templ.Component { return pages.Outbox(p, v) })
}

// resendEmail sends an email again that could not be delivered: that of a decision, or one
// with a new link. The limits are those of the buttons on the application's page.
func (d *Handler) resendEmail(w http.ResponseWriter, r *http.Request, by staff.User) error {
	if _, err := httpx.DecodeForm(w, r, 4<<10); err != nil {
		return err
	}
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return httpx.NewError(contract.CodeNotFound, errors.New("not an email's id"))
	}
	application, decision, err := d.Letters.EmailOf(r.Context(), id)
	if err != nil {
		return httpx.NotFoundIf(err, store.ErrNotFound)
	}
	sent := false
	if decision {
		a, err := d.Applications.Get(r.Context(), d.DB.SQL, application)
		if err != nil {
			return err
		}
		if sent, err = d.Decisions.ResendEmail(r.Context(), by, a); err != nil {
			return err
		}
	} else if sent, err = d.remindOne(r.Context(), by, application); err != nil {
		return err
	}
	done := "sent"
	if !sent {
		done = "kept"
	}
	return httpx.SeeOther(w, "/review/letters?done="+done)
}

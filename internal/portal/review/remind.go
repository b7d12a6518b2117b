package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// remind emails the applicants of the selected applications a link to continue, at most
// once a day for each application. Each email is an entry of the audit log.
func (d *Handler) remind(w http.ResponseWriter, r *http.Request, by staff.User) error {
	b, err := readBulk(w, r, by)
	if err != nil {
		return err
	}
	if len(b.ids) == 0 {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no application is selected"))
	}
	n := 0
	for _, id := range b.ids {
		sent, err := d.remindOne(r.Context(), by, id)
		if err != nil {
			return err
		}
		if sent {
			n++
		}
	}
	u, err := url.Parse(b.back)
	if err != nil {
		return err
	}
	q := u.Query()
	q.Set("reminded", strconv.Itoa(n))
	q.Set("of", strconv.Itoa(len(b.ids)))
	u.RawQuery = q.Encode()
	return httpx.SeeOther(w, u.String())
}

func (d *Handler) remindOne(ctx context.Context, by staff.User, id string) (sent bool, err error) {
	err = d.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if sent, err = d.Letters.Remind(ctx, tx, id); err != nil || !sent {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.Reminded, Subject: id})
	})
	if errors.Is(err, store.ErrNotFound) {
		return false, nil // deleted concurrently
	}
	return sent, err
}

// remindersSent reads the result of reminders from the address of a page; nil without one.
func remindersSent(r *http.Request) *pages.Reminded {
	q := r.URL.Query()
	sent, err1 := strconv.Atoi(q.Get("reminded"))
	of, err2 := strconv.Atoi(q.Get("of"))
	if err1 != nil || err2 != nil || sent < 0 || sent > of || of > pageSize {
		return nil
	}
	return &pages.Reminded{Sent: sent, Of: of}
}

// fillReminder adds to an application's page whether the applicant can be reminded, or
// when a link was sent.
func (d *Handler) fillReminder(r *http.Request, a applications.Application, v *pages.ApplicationView) (err error) {
	v.Reminded = remindersSent(r)
	if v.Waits = a.Resumable() && len(d.Letters.Withheld(v.Email)) == 0; v.Waits {
		v.LinkSent, err = d.Letters.LastLink(r.Context(), d.DB.SQL, a.ID)
	}
	return err
}

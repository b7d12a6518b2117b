package resume

import (
	"context"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
)

// reminderWait is how long after an email with a link no reminder of the same application
// is sent.
const reminderWait = 24 * time.Hour

// Remind emails the applicant a new link to an application that waits for them. It returns
// false and sends nothing if the application does not wait for the applicant, no email can
// be sent, or an email with a link was sent or is being sent within reminderWait.
func (d *Handler) Remind(ctx context.Context, tx *store.Tx, application string) (bool, error) {
	if _, err := d.Applicants.Service.Lock(ctx, tx, application); err != nil {
		return false, err
	}
	a, err := d.Applicants.Service.Get(ctx, tx, application)
	if err != nil {
		return false, err
	}
	last, err := d.LastLink(ctx, tx, a.ID)
	if err != nil || !a.Resumable() || last.After(tx.Now.Add(-reminderWait)) {
		return false, err
	}
	f, err := d.Applicants.Service.Applicant(ctx, tx, a.ID)
	if err != nil || len(d.Withheld(f.Email)) > 0 {
		return false, err
	}
	lang := a.Lang
	if !lang.Spoken() {
		lang = i18n.English
	}
	return true, d.sendLinks(ctx, tx, []applications.Application{a}, f.Email, lang, reminder)
}

// LastLink returns when the newest email with a link to an application was written; zero
// for none within a day. It ignores emails that could not be delivered.
func (d *Handler) LastLink(ctx context.Context, q store.Queryer, application string) (time.Time, error) {
	return lastLink(ctx, q, application, d.now().Add(-reminderWait))
}

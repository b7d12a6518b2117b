package review

import (
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/staff"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// outboxSize is the number of emails on the outbox page.
const outboxSize = 50

// outbox shows the emails of a sandbox without a mail server.
func (d *Handler) outbox(w http.ResponseWriter, r *http.Request, by staff.User) error {
	waiting, err := d.Letters.Unsent(r.Context(), outboxSize)
	if err != nil {
		return err
	}
	v := pages.OutboxView{}
	for _, e := range waiting {
		v.Letters = append(v.Letters, pages.OutboxLetter{At: e.Created, To: e.To, Subject: e.Subject, Text: e.Text})
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Outbox(p, v) })
}

package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/resume"
	"vestibule/internal/prefill"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/templates/portal"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// NotifiedDecisions lists the decisions that applicants are notified of.
var NotifiedDecisions = []string{Approved, Declined, MoreAsked}

// letterOf returns the content of a decision letter, without the parts that only the
// reviewer's page shows.
func (d *Handler) letterOf(ctx context.Context, a applications.Application, taken pages.Decision) (pages.LetterView, string, error) {
	v := pages.LetterView{ApplicationID: a.ID, Reference: a.ExternalID, Creditor: d.Creditor,
		Agency: d.Agency, Host: d.Host, Regulator: d.Regulator,
		Began: a.CreatedAt, Decision: taken, Lacks: d.lacks(a, taken.Decision)}
	if a.HasReport() {
		score, err := d.scoreOf(ctx, a)
		if err != nil {
			return v, "", err
		}
		v.Score, v.ReportAt = score, a.Report.At
	}
	who, err := d.Applications.Applicant(ctx, a.ID)
	if err != nil {
		return v, "", err
	}
	v.Name, v.Address = who.FullName(), addressOf(who)
	return v, who.Email, nil
}

// addressOf returns the lines of an applicant's address.
func addressOf(f prefill.Fields) (lines []string) {
	if f.Address != "" {
		lines = append(lines, f.Address)
	}
	if f.City != "" {
		lines = append(lines, f.City+", "+f.State+" "+f.ZIP)
	}
	return lines
}

// lacks lists the legally required parts of a decline letter that the configuration
// does not provide (docs/how-to/review.md, Decisions).
func (d *Handler) lacks(a applications.Application, decision string) (out []string) {
	if decision != Declined {
		return nil
	}
	if d.Creditor == "" {
		out = append(out, "noCreditor")
	}
	if d.Regulator == "" {
		out = append(out, "noRegulator")
	}
	if d.Agency == "" && a.HasReport() {
		out = append(out, "noAgency")
	}
	return out
}

// emailOf returns the email of a decision. If required parts are missing, the email
// is withheld; the outbox of a sandbox shows it with a notice instead.
func (d *Handler) emailOf(ctx context.Context, a applications.Application,
	taken pages.Decision, number int64) (resume.DecisionEmail, error) {
	v, to, err := d.letterOf(ctx, a, taken)
	if err != nil {
		return resume.DecisionEmail{}, err
	}
	in := resume.DecisionEmail{Application: a.ID, Number: number, Lang: a.Lang, Email: to, Link: taken.Decision == MoreAsked}
	if !in.Lang.Spoken() {
		in.Lang = i18n.English
	}
	if !slices.Contains(d.emails(), taken.Decision) {
		in.Withheld = append(in.Withheld, "off")
	}
	in.Withheld = append(in.Withheld, d.Letters.Withheld(to)...)
	if v.Draft = d.Letters.ShowsOutbox(); !v.Draft {
		in.Withheld = append(in.Withheld, v.Lacks...)
	}
	brand := d.Brand
	if brand == "" {
		brand = "Vestibule"
	}
	in.Write = func(link string) (subject, text string) { return v.Email(in.Lang, brand, link, d.URL+"/return") }
	return in, nil
}

func (d *Handler) emails() []string {
	if d.Emails == nil {
		return NotifiedDecisions
	}
	return d.Emails
}

// tell sends a decision to the applicant if applicants are notified of it.
func (d *Handler) tell(ctx context.Context, tx *store.Tx, by staff.User, in resume.DecisionEmail) error {
	if in.Write == nil {
		return nil
	}
	if err := d.Letters.SendDecision(ctx, tx, in); err != nil || len(in.Withheld) == 0 {
		return err
	}
	return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: letterWithheld, Subject: in.Application,
		Object: strconv.FormatInt(in.Number, 10), Detail: in.Withheld[0]})
}

// DecisionEmailSettled records in the audit trail whether the email of a decision was sent.
func (d *Handler) DecisionEmailSettled(ctx context.Context, tx *store.Tx, application string, number int64, sent bool) error {
	action := letterSent
	if !sent {
		action = letterFailed
	}
	return d.Staff.Record(ctx, tx, staff.Entry{Action: action, Subject: application, Object: strconv.FormatInt(number, 10)})
}

// letterAgain resends the email of the newest decision after its delivery failed.
func (d *Handler) letterAgain(w http.ResponseWriter, r *http.Request, by staff.User) error {
	if _, err := httpx.DecodeForm(w, r, 8<<10); err != nil {
		return err
	}
	a, err := d.get(r)
	if err != nil {
		return err
	}
	taken, err := d.newestDecision(r.Context(), a)
	if err != nil {
		return err
	}
	email, err := d.emailOf(r.Context(), a, taken.Decision, taken.number)
	if err != nil {
		return err
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := d.Applications.Lock(ctx, tx, a.ID); err != nil {
			return err
		}
		again, err := d.Letters.ResendDecision(ctx, tx, email)
		if err != nil || !again {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: letterRetried,
			Subject: a.ID, Object: strconv.FormatInt(taken.number, 10)})
	})
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	httpx.SeeOther(w, "/review/applications/"+a.ID+"#decision")
	return nil
}

type numbered struct {
	pages.Decision
	number int64
}

// newestDecision returns the newest decision if applicants are notified of it;
// otherwise CodeNotFound.
func (d *Handler) newestDecision(ctx context.Context, a applications.Application) (numbered, error) {
	var deciding pages.Deciding
	var notes []pages.Note
	if err := d.fillDecisions(ctx, a, &deciding, &notes); err != nil {
		return numbered{}, err
	}
	if len(deciding.Taken) == 0 || !slices.Contains(NotifiedDecisions, deciding.Taken[0].Decision) {
		return numbered{}, httpx.NewError(contract.CodeNotFound, errors.New("no decision that a letter is written of"))
	}
	return numbered{deciding.Taken[0], deciding.Seen}, nil
}

// letter shows the newest decision as a letter to the applicant, if applicants are
// notified of it.
func (d *Handler) letter(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	taken, err := d.newestDecision(r.Context(), a)
	if err != nil {
		return err
	}
	v, _, err := d.letterOf(r.Context(), a, taken.Decision)
	if err != nil {
		return err
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: letterOpened, Subject: a.ID}); err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Letter(p, v) })
}

// Asked returns what the newest decision asks the applicant for: the reviewer's text
// and the report's reasons worded for applicants.
func (d *Handler) Asked(ctx context.Context, l i18n.Lang, id string) (portal.Asked, error) {
	a, err := d.Applications.Get(ctx, id)
	if err != nil {
		return portal.Asked{}, err
	}
	taken, err := d.newestDecision(ctx, a)
	if err != nil || taken.Decision.Decision != journey.MoreAsked {
		return portal.Asked{}, err
	}
	out := portal.Asked{Text: taken.Text}
	for _, r := range taken.Reasons {
		out.Reasons = append(out.Reasons, r.LetterText(l))
	}
	return out, nil
}

// fillEmails adds the delivery state of the decisions' emails; taken is newest first.
func (d *Handler) fillEmails(ctx context.Context, q store.Queryer, id string, taken []pages.Decision) error {
	all, err := d.Letters.DecisionEmails(ctx, q, id)
	for _, e := range all {
		if i := len(taken) - int(e.Number); i >= 0 && i < len(taken) {
			taken[i].Email = pages.Email{State: e.State, Why: strings.Fields(e.Withheld), At: e.At}
		}
	}
	return err
}

package decisions

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/resume"
	"vestibule/internal/prefill"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/templates/portal"
	pages "vestibule/templates/portal/review"
)

// letterOf returns the content of a decision's letter and the applicant's email address.
func (s *Service) letterOf(ctx context.Context, a applications.Application, taken pages.Decision) (pages.LetterView, string, error) {
	v := pages.LetterView{ApplicationID: a.ID, Reference: a.ExternalID, Creditor: s.Creditor,
		Agency: s.Agency, Host: s.Host, Regulator: s.Regulator,
		Began: a.CreatedAt, Decision: taken, Lacks: s.missingSettings(a, taken.Decision)}
	if taken.Decision == Declined { // the other letters name no report
		all, err := s.Applications.Reports(ctx, a.ID)
		if err != nil {
			return v, "", err
		}
		if of := basisOf(all, taken.At); of.Attempt != 0 {
			held, err := s.read(ctx, a, of)
			if err != nil {
				return v, "", err
			}
			v.Score, v.ReportAt = scoreOf(held), of.At
		}
	}
	who, err := s.Applications.Applicant(ctx, s.DB.SQL, a.ID)
	if err != nil {
		return v, "", err
	}
	v.Name, v.Address = who.Name(), addressOf(who)
	return v, who.Email, nil
}

func addressOf(f prefill.Fields) (lines []string) {
	if f.Address != "" {
		lines = append(lines, f.Address)
	}
	if f.City != "" {
		lines = append(lines, f.City+", "+f.State+" "+f.ZIP)
	}
	return lines
}

// missingSettings lists the legally required parts of a decline letter that the configuration
// does not provide (docs/how-to/review.md, Decisions).
func (s *Service) missingSettings(a applications.Application, decision string) (out []string) {
	if decision != Declined {
		return nil
	}
	if s.Creditor == "" {
		out = append(out, "noCreditor")
	}
	if s.Regulator == "" {
		out = append(out, "noRegulator")
	}
	if s.Agency == "" && a.HasReport() {
		out = append(out, "noAgency")
	}
	return out
}

// emailOf returns the email of a decision. If required parts are missing, the email
// is withheld; the outbox of a sandbox shows it with a notice instead.
func (s *Service) emailOf(ctx context.Context, a applications.Application,
	taken pages.Decision, number int64) (resume.DecisionEmail, error) {
	v, to, err := s.letterOf(ctx, a, taken)
	if err != nil {
		return resume.DecisionEmail{}, err
	}
	in := resume.DecisionEmail{Application: a.ID, DataKey: a.DataKey(), Number: number, Lang: a.Lang, Email: to,
		Link: taken.Decision == MoreAsked}
	if !in.Lang.Spoken() {
		in.Lang = i18n.English
	}
	if !slices.Contains(s.emails(), taken.Decision) {
		in.Withheld = append(in.Withheld, "off")
	}
	in.Withheld = append(in.Withheld, s.Letters.Withheld(to)...)
	if v.Draft = s.Letters.ShowsOutbox(); !v.Draft {
		in.Withheld = append(in.Withheld, v.Lacks...)
	}
	brand := cmp.Or(s.Brand, "Vestibule")
	in.Write = func(link string) (subject, text string) { return v.Email(in.Lang, brand, link, s.URL+"/return") }
	return in, nil
}

func (s *Service) emails() []string {
	if s.Emails == nil {
		return Notified
	}
	return s.Emails
}

// sendEmail sends the email of a decision, or records that it is withheld. The zero value
// of in has no email.
func (s *Service) sendEmail(ctx context.Context, tx *store.Tx, by staff.User, in resume.DecisionEmail) error {
	if in.Write == nil {
		return nil
	}
	if err := s.Letters.SendDecision(ctx, tx, in); err != nil || len(in.Withheld) == 0 {
		return err
	}
	return s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: LetterWithheld, Subject: in.Application,
		Object: strconv.FormatInt(in.Number, 10), Detail: in.Withheld[0]})
}

// EmailSettled records in the audit log whether the email of a decision was sent.
func (s *Service) EmailSettled(ctx context.Context, tx *store.Tx, application string, number int64, sent bool) error {
	action := LetterSent
	if !sent {
		action = LetterFailed
	}
	return s.Staff.Record(ctx, tx, staff.Entry{Action: action, Subject: application, Object: strconv.FormatInt(number, 10)})
}

// ResendEmail resends the email of the newest decision if its delivery failed, and reports
// whether it did.
func (s *Service) ResendEmail(ctx context.Context, by staff.User, a applications.Application) (sent bool, err error) {
	taken, number, err := s.newest(ctx, a)
	if err != nil {
		return false, err
	}
	email, err := s.emailOf(ctx, a, taken, number)
	if err != nil {
		return false, err
	}
	err = notFound(s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Applications.Lock(ctx, tx, a.ID); err != nil {
			return err
		}
		if sent, err = s.Letters.ResendDecision(ctx, tx, email); err != nil || !sent {
			return err
		}
		return s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: LetterRetried,
			Subject: a.ID, Object: strconv.FormatInt(number, 10)})
	}))
	return sent, err
}

// newest returns the newest decision and its number if applicants are notified of it;
// otherwise CodeNotFound.
func (s *Service) newest(ctx context.Context, a applications.Application) (pages.Decision, int64, error) {
	var deciding pages.Deciding
	var notes []pages.Note
	all, err := s.Applications.Reports(ctx, a.ID)
	if err == nil {
		err = s.Fill(ctx, a, all, nil, &deciding, &notes)
	}
	if err != nil {
		return pages.Decision{}, 0, err
	}
	if len(deciding.Taken) == 0 || !slices.Contains(Notified, deciding.Taken[0].Decision) {
		return pages.Decision{}, 0, httpx.NewError(contract.CodeNotFound, errors.New("no decision that a letter is written of"))
	}
	return deciding.Taken[0], deciding.Seen, nil
}

// Letter returns the letter of the newest decision if applicants are notified of it;
// otherwise CodeNotFound.
func (s *Service) Letter(ctx context.Context, a applications.Application) (pages.LetterView, error) {
	taken, _, err := s.newest(ctx, a)
	if err != nil {
		return pages.LetterView{}, err
	}
	v, _, err := s.letterOf(ctx, a, taken)
	return v, err
}

// Preview returns the letter of a decision that is not recorded yet; nil if applicants would
// get none. It leaves out reasons that the report does not have.
func (s *Service) Preview(ctx context.Context, a applications.Application, in pages.Deciding) (*pages.Preview, error) {
	if !slices.Contains(Notified, in.Decision) || !ValidText(in.Text) {
		return nil, nil
	}
	held, err := s.read(ctx, a, a.Report)
	if err != nil {
		return nil, err
	}
	known := reasons(held)
	taken := pages.Decision{Decision: in.Decision, Text: in.Text, At: s.Now()}
	for _, code := range in.Reasons {
		if slices.ContainsFunc(known, func(k pages.Reason) bool { return k.Code == code }) {
			taken.Reasons = append(taken.Reasons, reasonOf(known, code))
		}
	}
	out := &pages.Preview{Lang: a.Lang, Brand: cmp.Or(s.Brand, "Vestibule")}
	if !out.Lang.Spoken() {
		out.Lang = i18n.English
	}
	out.LetterView, _, err = s.letterOf(ctx, a, taken)
	return out, err
}

// RequestOf returns what the newest decision asks the applicant for: the reviewer's text
// and the report's reasons worded for applicants.
func (s *Service) RequestOf(ctx context.Context, l i18n.Lang, id string) (portal.Asked, error) {
	a, err := s.Applications.Get(ctx, s.DB.SQL, id)
	if err != nil {
		return portal.Asked{}, err
	}
	taken, _, err := s.newest(ctx, a)
	if err != nil || taken.Decision != MoreAsked {
		return portal.Asked{}, err
	}
	out := portal.Asked{Text: taken.Text}
	for _, r := range taken.Reasons {
		out.Reasons = append(out.Reasons, r.LetterText(l))
	}
	return out, nil
}

// fillEmails adds the delivery state of the decisions' emails; taken is newest first.
func (s *Service) fillEmails(ctx context.Context, q store.Queryer, id string, taken []pages.Decision) error {
	all, err := s.Letters.DecisionEmails(ctx, q, id)
	for _, e := range all {
		if i := len(taken) - int(e.Number); i >= 0 && i < len(taken) {
			taken[i].Email = pages.Email{State: e.State, Why: strings.Fields(e.Withheld), At: e.At}
		}
	}
	return err
}

// Package decisions stores reviewers' decisions and notes on applications. It also writes
// the letters of decisions and sends them by email.
package decisions

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// Service stores decisions and sends their letters. Fields are required unless
// documented otherwise.
type Service struct {
	DB           *store.DB
	Staff        *staff.Service
	Applications *applications.Service
	Letters      *resume.Handler // sends the emails
	URL          string          // public address of the portal, for links
	Agency       string          // consumer reporting agency to name in letters; "": only Host is named
	Host         string          // host of the service
	Creditor     string          // creditor's name and address for letters; "" omits them
	Brand        string          // brand of the letters; default Vestibule
	Regulator    string          // agency named in the Equal Credit Opportunity Act's notice; "" omits it
	Now          func() time.Time

	// Emails are the decisions that are sent by email; nil: all that applicants are
	// notified of.
	Emails []string
}

// Decisions on an application. They are kinds of timeline entries.
const (
	Approved  = journey.Approved
	Declined  = journey.Declined
	MoreAsked = journey.MoreAsked
	Escalated = journey.Escalated
)

var (
	// All lists all decisions, in the order of the filter.
	All = []string{Approved, Declined, MoreAsked, Escalated}

	// Notified lists the decisions that applicants are notified of.
	Notified = []string{Approved, Declined, MoreAsked}
)

// Actions in the audit log. The last four are about the email of a decision.
const (
	Decided        = "decided"
	DecisionKept   = "decisionKept"
	Noted          = "noted"
	LetterSent     = "letterSent"
	LetterFailed   = "letterFailed"
	LetterWithheld = "letterWithheld"
	LetterRetried  = "letterRetried"
)

const (
	maxReasons = 4 // maximum number in a letter; more would not help the applicant
	notesShown = 200

	// MaxText is the maximum length of a reviewer's text, in characters.
	MaxText = 2000
)

// decision is a stored decision. The newest counts.
type decision struct {
	seq     int64
	kind    string
	reasons []string // reason codes of the report
	text    string
	by      string // user ID
	at      time.Time
}

// note is a reviewer's note to other reviewers.
type note struct {
	id, text, by string
	at           time.Time
}

// ErrStored is the error of a stored report that does not parse. The parser's own may quote the report.
var ErrStored = errors.New("decisions: a stored report does not parse")

// View parses a report and decides what it means, compared with what the applicant stated.
func View(product contract.Product, raw []byte, stated prefill.Fields, c pages.Case) (pages.Measured, error) {
	meta, err := report.Parse(product, raw)
	if err != nil {
		return nil, ErrStored
	}
	return ViewOf(meta.Report, stated, c), nil
}

// ViewOf is View of a parsed report.
func ViewOf(parsed report.Report, stated prefill.Fields, c pages.Case) pages.Measured {
	switch r := parsed.(type) {
	case *report.Cashflow:
		return pages.ReportView{Case: c, Report: r, Verdict: verdict.OfCashflow(r, stated)}
	case *report.Income:
		return pages.IncomeView{Case: c, Report: r, Verdict: verdict.OfIncome(r, stated)}
	case *report.Eligibility:
		return pages.EligibilityView{Case: c, Report: r, Verdict: verdict.OfEligibility(r, stated)}
	case *report.Passport:
		return pages.PassportView{Case: c, Report: r, Verdict: verdict.OfPassport(r, stated)}
	}
	return nil
}

// reasons returns the reasons that a report gives for a decline, each once: those of its findings,
// the worst first, then those of its scores and documents in the report's order. There are none without a report.
func reasons(held pages.Measured) (out []pages.Reason) {
	if held == nil {
		return nil
	}
	add := func(r pages.Reason) {
		if r.Code != "" && !slices.ContainsFunc(out, func(o pages.Reason) bool { return o.Code == r.Code }) {
			out = append(out, r)
		}
	}
	for _, code := range held.Decided().Reasons() {
		add(pages.FindingReason(code))
	}
	switch v := held.(type) {
	case pages.ReportView:
		for i := len(v.Report.Scores) - 1; i >= 0; i-- { // newest version first
			for _, c := range v.Report.Scores[i].AdverseActionCodes {
				add(pages.ScoreReason(c.Code, c.Description))
			}
		}
	case pages.IncomeView:
		if v.Report.Income == nil {
			break
		}
		for _, s := range v.Report.Income.Paystubs {
			if s.IrregularityDetection.Status == report.IrregularityNotDetected {
				continue
			}
			for _, code := range s.IrregularityDetection.Reasons {
				add(pages.DocumentReason(code))
			}
		}
	case pages.EligibilityView:
		for _, name := range report.CompletenessChecks() {
			if c, ok := v.Report.Checks[name]; ok && c.Value != nil && !*c.Value {
				add(pages.IncompleteReason(name))
			}
		}
	case pages.PassportView:
		for _, s := range v.Report.Scores {
			for _, f := range s.Reasons {
				add(pages.ScoreReason(f.Code, f.Description))
			}
		}
	}
	return out
}

// read reads a stored report; nil without one.
func (s *Service) read(ctx context.Context, a applications.Application, of applications.StoredReport) (pages.Measured, error) {
	if of.Attempt == 0 {
		return nil, nil
	}
	raw, err := s.Applications.Report(ctx, s.DB.SQL, a.ID, of.Attempt, of.Revision)
	if err != nil {
		return nil, store.OrNone(err)
	}
	stated, err := s.Applications.Applicant(ctx, s.DB.SQL, a.ID)
	if err != nil {
		return nil, err
	}
	return View(a.Product, raw, stated, pages.Case{})
}

// basisOf returns the report that a decision of a time was made on: the newest one that was stored
// then. The zero report is of none.
func basisOf(all []applications.StoredReport, at time.Time) (of applications.StoredReport) {
	for _, r := range all {
		if !r.At.After(at) && r.At.After(of.At) {
			of = r
		}
	}
	return of
}

// Decide stores a decision and sends its email, unless another decision was stored after
// the in.Seen ones that the reviewer saw, or the report is no longer in.Report. It returns the problem to show on the form, or a
// CodeMalformedBody for input that the form does not offer.
func (s *Service) Decide(ctx context.Context, by staff.User, a applications.Application, in pages.Deciding) (i18n.Key, error) {
	if in.Seen < 0 || in.Seen > 1<<20 || !slices.Contains(All, in.Decision) {
		return "", httpx.NewError(contract.CodeMalformedBody, errors.New("no such decision"))
	}
	var known []pages.Reason
	if len(in.Reasons) > 0 {
		held, err := s.read(ctx, a, a.Report)
		if err != nil {
			return "", err
		}
		known = reasons(held)
	}
	taken := decision{seq: in.Seen + 1, kind: in.Decision, reasons: in.Reasons, text: in.Text, by: by.ID}
	letter := pages.Decision{Decision: taken.kind, Text: taken.text, At: s.Now()}
	for _, code := range taken.reasons {
		if !slices.ContainsFunc(known, func(k pages.Reason) bool { return k.Code == code }) {
			return "", httpx.NewError(contract.CodeMalformedBody, errors.New("no reason of the report"))
		}
		letter.Reasons = append(letter.Reasons, reasonOf(known, code))
	}
	switch {
	case !ValidText(taken.text):
		return "review.decide.too_long", nil
	case len(taken.reasons) > maxReasons:
		return "review.decide.too_many", nil
	case taken.kind == Declined && len(taken.reasons) == 0 && taken.text == "":
		return "review.decide.no_reason", nil
	case taken.kind == MoreAsked && taken.text == "":
		return "review.decide.no_text", nil
	}
	var email resume.DecisionEmail
	var err error
	if slices.Contains(Notified, taken.kind) {
		if email, err = s.emailOf(ctx, a, letter, taken.seq); err != nil {
			return "", err
		}
	}
	inserted, isRevised := false, false
	err = s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		taken.at = tx.Now
		// Lock the application first, as every other change does, to avoid deadlocks.
		locked, err := s.Applications.Lock(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		if isRevised = in.Report != "" && in.Report != locked.Report.Version(); isRevised {
			return nil
		}
		if inserted, err = s.insert(ctx, tx, locked, taken); err != nil || !inserted {
			return err
		}
		if err := s.Applications.RecordDecision(ctx, tx, locked, applications.Decision{Kind: taken.kind,
			Number: taken.seq, Reasons: taken.reasons, At: taken.at}); err != nil {
			return err
		}
		if err := s.sendEmail(ctx, tx, by, email); err != nil {
			return err
		}
		return s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: Decided, Subject: a.ID, Detail: taken.kind})
	})
	if err != nil {
		return "", notFound(err)
	}
	switch {
	case isRevised:
		return "review.decide.revised", nil
	case !inserted:
		return "review.decide.late", nil
	}
	return "", nil
}

// Keep keeps the newest decision after the report was revised.
func (s *Service) Keep(ctx context.Context, by staff.User, a applications.Application) error {
	return notFound(s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		kept, err := s.Applications.KeepDecision(ctx, tx, a.ID)
		if err != nil || !kept {
			return err
		}
		return s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: DecisionKept, Subject: a.ID, Detail: a.Decision.Kind})
	}))
}

// AddNote stores a reviewer's note.
func (s *Service) AddNote(ctx context.Context, by staff.User, a applications.Application, text string) error {
	n := note{id: uuid.NewString(), text: text, by: by.ID}
	return notFound(s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Applications.Lock(ctx, tx, a.ID); err != nil {
			return err
		}
		if err := s.insertNote(ctx, tx, a, n); err != nil {
			return err
		}
		return s.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: Noted, Subject: a.ID, Object: n.id})
	}))
}

// notFound returns err as a CodeNotFound if the application was deleted meanwhile.
func notFound(err error) error { return httpx.NotFoundIf(err, store.ErrNotFound) }

// NormalizeText returns trimmed text with normalized line ends.
func NormalizeText(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// ValidText reports whether a normalized text has at most MaxText characters, all of them
// printable, tabs or line ends.
func ValidText(s string) bool {
	return utf8.RuneCountInString(s) <= MaxText &&
		!strings.ContainsFunc(s, func(c rune) bool { return c != '\n' && c != '\t' && !unicode.IsPrint(c) })
}

// Fill adds an application's decisions and notes to a page. all are its reports, and newest is the newest one; nil if the
// caller has not read it.
func (s *Service) Fill(ctx context.Context, a applications.Application, all []applications.StoredReport, newest pages.Measured,
	v *pages.Deciding, notes *[]pages.Note) (err error) {
	known := map[string][]pages.Reason{} // by the version of the report
	if newest != nil {
		known[a.Report.Version()] = reasons(newest)
	}
	load := func(of applications.StoredReport) ([]pages.Reason, error) {
		if _, ok := known[of.Version()]; !ok {
			held, err := s.read(ctx, a, of)
			if err != nil {
				return nil, err
			}
			known[of.Version()] = reasons(held)
		}
		return known[of.Version()], nil
	}
	if v.Known, err = load(a.Report); err != nil {
		return err
	}
	open, err := s.DB.Vault.Opener(ctx, s.DB.SQL, a.DataKey())
	if err != nil {
		return err
	}
	taken, err := s.all(ctx, s.DB.SQL, open, a.ID)
	if err != nil {
		return err
	}
	written, err := s.notes(ctx, s.DB.SQL, open, a.ID, notesShown)
	if err != nil {
		return err
	}
	var emails map[string]string
	if len(taken)+len(written) > 0 {
		if emails, err = s.Staff.Addresses(ctx, s.DB.SQL); err != nil {
			return err
		}
	}
	v.Taken, v.Seen = nil, int64(len(taken))
	for i := len(taken) - 1; i >= 0; i-- { // newest first
		t := taken[i]
		out := pages.Decision{Decision: t.kind, Text: t.text, By: emails[t.by], At: t.at}
		if len(t.reasons) > 0 {
			given, err := load(basisOf(all, t.at))
			if err != nil {
				return err
			}
			for _, code := range t.reasons {
				out.Reasons = append(out.Reasons, reasonOf(given, code))
			}
		}
		v.Taken = append(v.Taken, out)
	}
	if len(v.Taken) > 0 {
		v.Taken[0].AnsweredAt = a.Decision.AnsweredAt
		if err := s.fillEmails(ctx, s.DB.SQL, a.ID, v.Taken); err != nil {
			return err
		}
	}
	*notes = nil
	for _, n := range written {
		*notes = append(*notes, pages.Note{Text: n.text, By: emails[n.by], At: n.at})
	}
	return nil
}

// reasonOf returns the reason of a code, or the bare code if the report no longer has
// it.
func reasonOf(known []pages.Reason, code string) pages.Reason {
	if i := slices.IndexFunc(known, func(k pages.Reason) bool { return k.Code == code }); i >= 0 {
		return known[i]
	}
	return pages.Reason{Code: code}
}

// scoreOf returns the newest score of a cashflow report, or nil if it has none.
func scoreOf(held pages.Measured) *pages.LetterScore {
	v, ok := held.(pages.ReportView)
	if !ok || v.Report.Meta == nil {
		return nil
	}
	for _, s := range slices.Backward(v.Report.Scores) {
		if s.Value != nil {
			score := &pages.LetterScore{Value: *s.Value, Of: v.Report.Meta.CreatedAt.Time}
			for _, c := range s.AdverseActionCodes {
				score.Factors = append(score.Factors, pages.ScoreReason(c.Code, c.Description))
			}
			return score
		}
	}
	return nil
}

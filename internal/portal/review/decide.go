package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/report"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// Decisions on an application. They are kinds of timeline entries.
const (
	Approved  = journey.Approved
	Declined  = journey.Declined
	MoreAsked = journey.MoreAsked
	Escalated = journey.Escalated
)

const (
	maxReasons  = 4    // maximum number in a letter; more would not help them
	maxWritten  = 2000 // characters of a text by a reviewer
	maxDeciding = 16 << 10
	notesShown  = 200
)

// decision is one row of the decisions. The newest counts.
type decision struct {
	seq      int64
	decision string
	reasons  []string // reason codes of the report
	text     string
	by       string // user ID
	at       time.Time
}

// remark is a reviewer's note to other reviewers.
type remark struct {
	id, text, by string
	at           time.Time
}

// reasons returns the report's adverse reason codes, each once, in the report's
// order.
func reasons(p contract.Product, raw []byte) ([]pages.Reason, error) {
	var out []pages.Reason
	add := func(r pages.Reason) {
		if r.Code != "" && !slices.ContainsFunc(out, func(o pages.Reason) bool { return o.Code == r.Code }) {
			out = append(out, r)
		}
	}
	switch p {
	case contract.Cashflow:
		body, err := report.ParseCashflow(raw)
		if err != nil {
			return nil, errStored
		}
		for i := len(body.Scores) - 1; i >= 0; i-- { // newest version first
			for _, c := range body.Scores[i].AdverseActionCodes {
				add(pages.ScoreReason(c.Code, c.Description))
			}
		}
	case contract.Income:
		body, err := report.ParseIncome(raw)
		if err != nil {
			return nil, errStored
		}
		if body.Income == nil {
			break
		}
		for _, s := range body.Income.Paystubs {
			if s.IrregularityDetection.Status == report.IrregularityNotDetected {
				continue
			}
			for _, code := range s.IrregularityDetection.Reasons {
				add(pages.DocumentReason(code))
			}
		}
	case contract.Eligibility:
		body, err := report.ParseEligibility(raw)
		if err != nil {
			return nil, errStored
		}
		for _, name := range report.CompletenessChecks() {
			if c, ok := body.Checks[name]; ok && c.Value != nil && !*c.Value {
				add(pages.IncompleteReason(name))
			}
		}
	case contract.Passport:
		body, err := report.ParsePassport(raw)
		if err != nil {
			return nil, errStored
		}
		for _, s := range body.Scores {
			for _, f := range s.Reasons {
				add(pages.ScoreReason(f.Code, f.Description))
			}
		}
	}
	return out, nil
}

// reasonsOf returns the reasons of an application's report; none without a report.
func (d *Handler) reasonsOf(ctx context.Context, a applications.Application) ([]pages.Reason, error) {
	if !a.HasReport() {
		return nil, nil
	}
	raw, err := d.Applications.Report(ctx, a.ID)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return reasons(a.Product, raw)
}

// decide stores a decision, unless another was stored since the form's page was
// rendered.
func (d *Handler) decide(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, maxDeciding)
	if err != nil {
		return err
	}
	looked, err := strconv.ParseInt(form.Get("seen"), 10, 64)
	taken := decision{seq: looked + 1, decision: form.Get("decision"), text: written(form.Get("text")), by: by.ID}
	if err != nil || looked < 0 || looked > 1<<20 || !slices.Contains(decisions[:], taken.decision) {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such decision"))
	}
	known, err := d.reasonsOf(r.Context(), a)
	if err != nil {
		return err
	}
	for _, code := range form["reason"] {
		if !slices.ContainsFunc(known, func(k pages.Reason) bool { return k.Code == code }) {
			return httpx.NewError(contract.CodeMalformedBody, errors.New("no reason of the report"))
		}
		if !slices.Contains(taken.reasons, code) {
			taken.reasons = append(taken.reasons, code)
		}
	}
	typed := pages.Deciding{Decision: taken.decision, Reasons: taken.reasons, Text: taken.text}
	again := func(status int, problem pages.DecideProblem) error {
		typed.Problem = problem
		return d.showApplication(w, r, status, by, a, shownParts{deciding: typed})
	}
	switch {
	case !writable(form.Get("text")):
		return again(http.StatusUnprocessableEntity, pages.DecideTooLong)
	case len(taken.reasons) > maxReasons:
		return again(http.StatusUnprocessableEntity, pages.DecideTooMany)
	case taken.decision == Declined && len(taken.reasons) == 0 && taken.text == "":
		return again(http.StatusUnprocessableEntity, pages.DecideNoReason)
	case taken.decision == MoreAsked && taken.text == "":
		return again(http.StatusUnprocessableEntity, pages.DecideNoText)
	}
	mine := false
	var email resume.DecisionEmail
	if slices.Contains(NotifiedDecisions, taken.decision) {
		letter := pages.Decision{Decision: taken.decision, Text: taken.text, At: d.Now()}
		for _, code := range taken.reasons {
			letter.Reasons = append(letter.Reasons, reasonOf(known, code))
		}
		if email, err = d.emailOf(r.Context(), a, letter, taken.seq); err != nil {
			return err
		}
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		taken.at = d.Now()
		if mine, err = d.insertDecision(ctx, tx, a.ID, taken); err != nil || !mine {
			return err
		}
		// Lock the application first, as every other change does, to avoid deadlocks.
		if err := d.Applications.RecordDecision(ctx, tx, a.ID, applications.Decision{Kind: taken.decision,
			Number: taken.seq, Reasons: taken.reasons, At: taken.at}); err != nil {
			return err
		}
		if err := d.tell(ctx, tx, by, email); err != nil {
			return err
		}
		if err := search.SetDecision(ctx, tx, a.ID, taken.decision); err != nil {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: decidedLine, Subject: a.ID, Detail: taken.decision})
	})
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	if !mine {
		return again(http.StatusConflict, pages.DecideLate)
	}
	httpx.SeeOther(w, "/review/applications/"+a.ID+"?done=decided#decision")
	return nil
}

// remark stores a note.
func (d *Handler) remark(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	form, err := httpx.DecodeForm(w, r, maxDeciding)
	if err != nil {
		return err
	}
	n := remark{id: uuid.NewString(), text: written(form.Get("text")), by: by.ID, at: d.Now()}
	if n.text == "" || !writable(form.Get("text")) {
		return d.showApplication(w, r, http.StatusUnprocessableEntity, by, a, shownParts{note: n.text, noteBad: true})
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := d.Applications.Lock(ctx, tx, a.ID); err != nil {
			return err
		}
		if err := d.insertNote(ctx, tx, a.ID, n); err != nil {
			return err
		}
		return d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: noted, Subject: a.ID, Object: n.id})
	})
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeNotFound, err)
	}
	if err != nil {
		return err
	}
	httpx.SeeOther(w, "/review/applications/"+a.ID+"?done=noted#notes")
	return nil
}

// toForms redirects a reload of a form's result to the application's page.
func (d *Handler) toForms(w http.ResponseWriter, r *http.Request, _ staff.User) error {
	a, err := d.get(r)
	if err != nil {
		return err
	}
	httpx.SeeOther(w, "/review/applications/"+a.ID)
	return nil
}

// written returns trimmed text with normalized line ends.
func written(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// writable reports whether a text is short enough and has only printable characters.
func writable(s string) bool {
	s = written(s)
	return s == "" || plain(strings.NewReplacer("\n", "", "\t", "").Replace(s), 0, maxWritten) && len([]rune(s)) <= maxWritten
}

// fillDecisions adds an application's decisions and notes to a page.
func (d *Handler) fillDecisions(ctx context.Context, a applications.Application, v *pages.Deciding, notes *[]pages.Note) error {
	known, err := d.reasonsOf(ctx, a)
	if err != nil {
		return err
	}
	v.Known = known
	return d.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		people, err := d.Staff.Users(ctx, tx, "")
		if err != nil {
			return err
		}
		who := func(id string) string {
			for _, p := range people {
				if p.ID == id {
					return p.Email
				}
			}
			return ""
		}
		taken, err := d.decisionsOf(ctx, tx, a.ID)
		if err != nil {
			return err
		}
		v.Taken, v.Seen = nil, int64(len(taken))
		for i := len(taken) - 1; i >= 0; i-- { // newest first
			t := taken[i]
			out := pages.Decision{Decision: t.decision, Text: t.text, By: who(t.by), At: t.at}
			for _, code := range t.reasons {
				out.Reasons = append(out.Reasons, reasonOf(known, code))
			}
			v.Taken = append(v.Taken, out)
		}
		if len(v.Taken) > 0 {
			v.Taken[0].AnsweredAt = a.Decision.AnsweredAt
		}
		if err := d.fillEmails(ctx, tx, a.ID, v.Taken); err != nil {
			return err
		}
		all, err := d.notesOf(ctx, tx, a.ID, notesShown)
		if err != nil {
			return err
		}
		*notes = nil
		for _, n := range all {
			*notes = append(*notes, pages.Note{Text: n.text, By: who(n.by), At: n.at})
		}
		return nil
	})
}

// reasonOf returns the reason of a code, or the bare code if the report no longer has
// it.
func reasonOf(known []pages.Reason, code string) pages.Reason {
	if i := slices.IndexFunc(known, func(k pages.Reason) bool { return k.Code == code }); i >= 0 {
		return known[i]
	}
	return pages.Reason{Code: code}
}

// scoreOf returns the newest score of a report, or nil if it has none.
func (d *Handler) scoreOf(ctx context.Context, a applications.Application) (*pages.LetterScore, error) {
	if a.Product != contract.Cashflow {
		return nil, nil
	}
	raw, err := d.Applications.Report(ctx, a.ID)
	if err != nil {
		return nil, err
	}
	body, err := report.ParseCashflow(raw)
	if err != nil {
		return nil, errStored
	}
	for i := len(body.Scores) - 1; i >= 0; i-- {
		if v := body.Scores[i].Value; v != nil && body.Meta != nil {
			score := &pages.LetterScore{Value: *v, Of: body.Meta.CreatedAt.Time}
			for _, c := range body.Scores[i].AdverseActionCodes {
				score.Factors = append(score.Factors, pages.ScoreReason(c.Code, c.Description))
			}
			return score, nil
		}
	}
	return nil, nil
}

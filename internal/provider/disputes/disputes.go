// Package disputes has the disputes of consumers about reports: opened by a consumer on
// the access page or by staff, answered by staff within a time that law sets, by a
// corrected report or by finding the report right, with letters of receipt and result.
//
// A dispute is answered once, by one conditional UPDATE. Its texts are encrypted under a
// data key of its own, because the record remains after the report and the consumer are
// deleted, until RecordAge after the answer. Its files are deleted FileAge after it.
package disputes

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/analysis/corrections"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/jobs"
	"vestibule/internal/mail"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/outbox"
	"vestibule/internal/provider/reports"
	"vestibule/internal/provider/sources"
	"vestibule/internal/store"
)

// The times of a dispute. A consumer reporting agency reinvestigates within 30 days, and 15
// more if the consumer sends relevant facts meanwhile (15 U.S.C. 1681i(a)(1)). Claims end
// five years after a violation (15 U.S.C. 1681p).
const (
	Time      = 30 * 24 * time.Hour
	Extension = 15 * 24 * time.Hour
	RecordAge = 5 * 365 * 24 * time.Hour
	FileAge   = 90 * 24 * time.Hour
)

// Limits of what a consumer can send.
const (
	MaxAbout     = 200  // characters
	MaxStatement = 4000 // characters
	MaxWords     = 100  // of the statement in a report
	maxNote      = 1000 // characters of it
	MaxAnswer    = 4000 // characters
	hourly       = 5    // disputes of one person within an hour
	daily        = 10   // and within a day
	open         = 20   // and open at the same time
	accountDaily = 2000 // disputes of one account within a day
	fileBytes    = 500 << 20
)

// Kind is what a dispute is about.
type Kind string

// Kinds lists the kinds in display order.
func Kinds() []Kind {
	return []Kind{"transaction", "account", "employer", "inflow", "figure", "identity", "document"}
}

// State is the state of a dispute.
type State string

// The states.
const (
	Open     State = "open"
	Answered State = "answered"
)

// Result is the result of a dispute.
type Result string

// The results.
const (
	Corrected Result = "corrected"
	Confirmed Result = "confirmed" // the report is right
	Deleted   Result = "deleted"   // the report does not exist any more
)

var (
	// ErrLimit is returned for a dispute beyond a limit of the person, the account, or the day.
	ErrLimit = errors.New("disputes: too many disputes")
	// ErrAnswered is returned for a change of a dispute that is not open.
	ErrAnswered = errors.New("disputes: the dispute is answered")
	// ErrNotCorrected is returned for the result Corrected without a revision for the dispute.
	ErrNotCorrected = errors.New("disputes: the report was not corrected for the dispute")
	// ErrTwice is returned for a form that was sent before; the Dispute has the number that it opened.
	ErrTwice = errors.New("disputes: the form was sent before")
	// ErrExtended is returned for new facts after the time was extended.
	ErrExtended = errors.New("disputes: the time is already extended")
)

// Invalid is the error of an invalid field.
type Invalid struct{ Field string }

func (e Invalid) Error() string { return "disputes: invalid " + e.Field }

// Dispute is a dispute.
type Dispute struct {
	Number      string
	CustomerID  string
	PublicToken string
	ReportKind  contract.Product
	Revision    int // of the report when the dispute was opened
	ConsumerID  string
	Lang        i18n.Lang
	Kind        Kind
	About       string
	Statement   string
	Note        string // statement for the report; empty for none
	Opened      time.Time
	OpenedBy    string // id of the user; empty for the consumer
	Due         time.Time
	Facts       string    // new facts
	FactsAt     time.Time // zero without
	State       State
	Result      Result
	Answer      string
	AnsweredAt  time.Time
	AnsweredBy  string
	Attached    bool   // the answer added Note to the report
	Files       []File // only of Get and Find

	Passing  Passing // to the bureau of a passport
	PassedAt time.Time
	Receipt  sources.DisputeReceipt // of the bureau

	keyID         string
	mailbox, form []byte
}

// Service has the disputes. All fields must be set.
type Service struct {
	DB        *store.DB
	Queue     jobs.Enqueuer
	Now       func() time.Time // the provider's clock
	URL       string           // the provider's public base, without a trailing slash
	Page      string           // path of the consumer's disputes
	Brand     string           // name of the service
	Mailboxes *mail.Mailboxes
	Customers *customers.Service
	Reports   *reports.Service
	Outbox    *outbox.Service
}

// New describes a new dispute.
type New struct {
	CustomerID, PublicToken string
	Mailbox                 []byte // of a consumer's session; nil for one opened by staff
	Kind                    Kind
	About, Statement, Note  string
	Lang                    i18n.Lang
	By                      string // id of the user; empty for the consumer
	Form                    string // random field of a consumer's form; a second dispute of one form is ErrTwice
	Files                   []Upload
}

// letters of a number, without those that look alike.
const letters = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"

// newNumber returns a number, as in D-2026-7KQ2MX.
func newNumber(year int) string {
	var raw [6]byte
	rand.Read(raw[:]) // never fails
	for i, b := range raw {
		raw[i] = letters[int(b)%len(letters)]
	}
	return "D-" + strconv.Itoa(year) + "-" + string(raw[:])
}

// IsNumber reports whether a text has the form of a number.
func IsNumber(s string) bool {
	year, rest, ok := strings.Cut(strings.TrimPrefix(s, "D-"), "-")
	return ok && strings.HasPrefix(s, "D-") && len(year) == 4 && strings.Trim(year, "0123456789") == "" && len(rest) == 6 &&
		strings.Trim(rest, letters) == ""
}

func (n *New) check() error {
	for _, text := range []*string{&n.About, &n.Statement, &n.Note} {
		*text = strings.TrimSpace(strings.ReplaceAll(*text, "\r\n", "\n"))
	}
	switch {
	case !slices.Contains(Kinds(), n.Kind):
		return Invalid{"kind"}
	case n.About == "" || !corrections.IsText(n.About, MaxAbout) || strings.Contains(n.About, "\n"):
		return Invalid{"about"}
	case n.Statement == "" || !corrections.IsText(n.Statement, MaxStatement):
		return Invalid{"statement"}
	case !isNote(n.Note):
		return Invalid{"note"}
	case len(n.Files) > MaxFiles:
		return Invalid{"file"}
	}
	return nil
}

// Prepared is a dispute or an answer with the revision of the report that it makes. It is
// prepared outside of the transaction that stores it.
type Prepared struct {
	Dispute
	files []Upload
	draft *reports.Draft // nil: the report does not change
}

// revise computes the revision of a report that records a dispute; nil if nothing is recorded
// or the report cannot be corrected any more.
func (s *Service) revise(ctx context.Context, d Dispute, reason, by string, made ...corrections.Correction) (*reports.Draft, error) {
	if len(made) == 0 {
		return nil, nil
	}
	now, err := s.Reports.Correcting(ctx, s.DB.SQL, d.CustomerID, d.PublicToken)
	if err != nil {
		return nil, store.OrNone(err)
	}
	draft, err := s.Reports.Draft(ctx, s.DB.SQL, d.CustomerID, d.PublicToken,
		reports.Change{Revision: now.Revision, Corrections: made, Reason: reason, By: by, Dispute: d.Number})
	if errors.Is(err, reports.ErrUnchanged) {
		return nil, nil
	}
	return &draft, err
}

// PrepareNew checks a new dispute. It returns an Invalid, ErrLimit for a person that opened too
// many within an hour, and store.ErrNotFound for a report that is not the customer's or was not
// generated. A passport records the dispute.
func (s *Service) PrepareNew(ctx context.Context, n New) (p Prepared, err error) {
	if err := n.check(); err != nil {
		return p, err
	}
	r, err := s.Reports.Own(ctx, s.DB.SQL, n.CustomerID, n.PublicToken)
	if err == nil && !s.Reports.Correctable(r) {
		err = store.ErrNotFound
	}
	if err != nil {
		return p, err
	}
	if n.Mailbox != nil {
		ok, err := s.Mailboxes.Allow(ctx, "disputes", string(n.Mailbox), hourly)
		if err == nil && !ok {
			err = ErrLimit
		}
		if err != nil {
			return p, err
		}
	} else if to, err := s.address(ctx, s.DB.SQL, r); err != nil {
		return p, err
	} else if to != "" {
		n.Mailbox = s.Mailboxes.Hash(to)
	}
	now := s.Now()
	p = Prepared{files: n.Files, Dispute: Dispute{Number: newNumber(now.UTC().Year()), CustomerID: r.CustomerID, PublicToken: r.PublicToken,
		ReportKind: r.Kind, ConsumerID: r.ConsumerID, mailbox: n.Mailbox, Lang: n.Lang, Kind: n.Kind, About: n.About, Statement: n.Statement,
		Note: n.Note, OpenedBy: n.By, State: Open, Revision: r.Revision()}}
	if n.Form != "" {
		p.form = store.Hash(n.Form)
	}
	if r.Kind == contract.Passport {
		p.Passing = Waiting
		p.draft, err = s.revise(ctx, p.Dispute, "Dispute "+p.Number, "", // it corrects nothing
			corrections.Correction{Target: corrections.Dispute, ID: p.Number, Field: corrections.Text, Value: "OPEN"})
	}
	return p, err
}

// Add stores a new dispute, and writes the letter of receipt. It returns ErrLimit beyond the
// limits of a day and of open disputes, and reports.ErrRevised if the report was revised
// meanwhile.
func (s *Service) Add(ctx context.Context, tx *store.Tx, p Prepared) (Dispute, error) {
	d := p.Dispute
	n, err := counts(ctx, tx, d)
	if err == nil && (n.person >= daily || n.open >= open || n.account >= accountDaily || n.bytes+sizes(p.files) > fileBytes) {
		err = ErrLimit
	}
	if err != nil {
		return d, err
	}
	if d.keyID, err = s.DB.Vault.NewKey(ctx, tx); err != nil {
		return d, err
	}
	d.Opened, d.Due = tx.Now, tx.Now.Add(Time)
	added, err := s.insert(ctx, tx, d)
	if err == nil && !added {
		if d.Number, err = numberOfForm(ctx, tx, d); err == nil {
			err = ErrTwice
		}
	}
	if err != nil {
		return d, err
	}
	if err := s.addFiles(ctx, tx, d, p.files); err != nil {
		return d, err
	}
	if p.draft != nil {
		if _, err := s.Reports.Revise(ctx, tx, *p.draft); err != nil {
			return d, err
		}
	}
	if err := s.enqueuePass(ctx, tx, d, Pass{Number: d.Number}); err != nil {
		return d, err
	}
	return d, s.letter(ctx, tx, d, "email.dispute_receipt.subject", "email.dispute_receipt.body")
}

// AddFacts adds new facts to an open dispute and extends its time, once. by is the id of the
// user; empty for the consumer.
func (s *Service) AddFacts(ctx context.Context, tx *store.Tx, d Dispute, facts string) error {
	facts = strings.TrimSpace(strings.ReplaceAll(facts, "\r\n", "\n"))
	if facts == "" || !corrections.IsText(facts, MaxStatement) {
		return Invalid{"facts"}
	}
	sealed, err := s.DB.Vault.Seal(ctx, tx, d.keyID, cell(d.Number, "facts"), []byte(facts))
	if err != nil {
		return err
	}
	ok, err := extend(ctx, tx, d.Number, sealed)
	switch {
	case err != nil:
		return err
	case !ok && d.State != Open:
		return ErrAnswered
	case !ok:
		return ErrExtended
	}
	if d.Passing != Unsupported {
		if err := s.enqueuePass(ctx, tx, d, Pass{d.Number, true}); err != nil {
			return err
		}
	}
	d.Due = d.Due.Add(Extension)
	return s.letter(ctx, tx, d, "email.dispute_extended.subject", "email.dispute_extended.body")
}

// Reply is an answer to a dispute.
type Reply struct {
	Result Result
	Text   string // to the consumer
	Attach bool   // with Confirmed: add the consumer's statement to the report
	By     string // id of the user
}

// PrepareAnswer checks an answer and computes the revision with the consumer's statement, and
// that of a passport, whose dispute is resolved. It returns an Invalid, ErrAnswered, ErrNotCorrected
// and store.ErrNotFound. customerID "" is any.
func (s *Service) PrepareAnswer(ctx context.Context, customerID, number string, a Reply) (p Prepared, err error) {
	a.Text = strings.TrimSpace(strings.ReplaceAll(a.Text, "\r\n", "\n"))
	if p.Dispute, err = s.Get(ctx, s.DB.SQL, customerID, number); err != nil {
		return p, err
	}
	r, err := s.Reports.Get(ctx, s.DB.SQL, p.PublicToken)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return p, err
	}
	exists := err == nil && s.Reports.Correctable(r)
	revised, err := correctedFor(ctx, s.DB.SQL, number)
	switch {
	case err != nil:
		return p, err
	case p.State != Open:
		return p, ErrAnswered
	case !slices.Contains([]Result{Corrected, Confirmed, Deleted}, a.Result), a.Result == Deleted && exists:
		return p, Invalid{"result"}
	case a.Text == "" || !corrections.IsText(a.Text, MaxAnswer):
		return p, Invalid{"answer"}
	case a.Result == Corrected && !revised:
		return p, ErrNotCorrected
	}
	p.Result, p.Answer, p.AnsweredBy, p.State = a.Result, a.Text, a.By, Answered
	var made []corrections.Correction
	if p.Attached = exists && a.Result == Confirmed && a.Attach && p.Note != ""; p.Attached {
		made = append(made, corrections.Correction{Target: corrections.Statement, ID: number, Field: corrections.Text, Value: p.Note})
	}
	if p.ReportKind == contract.Passport {
		made = append(made, corrections.Correction{Target: corrections.Dispute, ID: number, Field: corrections.Text, Value: "RESOLVED"})
	}
	if exists {
		p.draft, err = s.revise(ctx, p.Dispute, a.Text, a.By, made...)
	}
	return p, err
}

// Answer stores an answer, revises the report, and writes the letter of the result. Of two
// answers at the same time one succeeds and the other returns ErrAnswered.
func (s *Service) Answer(ctx context.Context, tx *store.Tx, p Prepared) error {
	d := p.Dispute
	sealed, err := s.DB.Vault.Seal(ctx, tx, d.keyID, cell(d.Number, "answer"), []byte(d.Answer))
	if err != nil {
		return err
	}
	ok, err := answer(ctx, tx, d, sealed)
	if err == nil && !ok {
		err = ErrAnswered
	}
	if err != nil {
		return err
	}
	if p.draft != nil {
		if _, err := s.Reports.Revise(ctx, tx, *p.draft); err != nil {
			return err
		}
	}
	return s.letter(ctx, tx, d, "email.dispute_result.subject", "email.dispute_result.body")
}

// PrepareNote checks a consumer's statement on a dispute that was answered: the report was found right, and
// has no statement about it yet. It computes the revision with the statement. It returns an Invalid,
// ErrAnswered for another dispute, and store.ErrNotFound for a report that cannot be changed any more.
func (s *Service) PrepareNote(ctx context.Context, d Dispute, note string) (p Prepared, err error) {
	d.Note = strings.TrimSpace(strings.ReplaceAll(note, "\r\n", "\n"))
	if !d.Notable() {
		return p, ErrAnswered
	}
	if d.Note == "" || !isNote(d.Note) {
		return p, Invalid{"note"}
	}
	p.Dispute = d
	p.draft, err = s.revise(ctx, d, "Statement on "+d.Number, "",
		corrections.Correction{Target: corrections.Statement, ID: d.Number, Field: corrections.Text, Value: d.Note})
	if err == nil && p.draft == nil {
		err = store.ErrNotFound
	}
	return p, err
}

// AddNote stores a statement, and revises the report, which then has it. It succeeds once.
func (s *Service) AddNote(ctx context.Context, tx *store.Tx, p Prepared) error {
	sealed, err := s.DB.Vault.Seal(ctx, tx, p.keyID, cell(p.Number, "note"), []byte(p.Note))
	if err != nil {
		return err
	}
	if ok, err := addNote(ctx, tx, p.Number, sealed); err != nil || !ok {
		return cmp.Or(err, ErrAnswered)
	}
	_, err = s.Reports.Revise(ctx, tx, *p.draft)
	return err
}

// Notable reports whether the consumer can add a statement to the report after the answer.
func (d Dispute) Notable() bool { return d.Result == Confirmed && !d.Attached }

func isNote(s string) bool {
	return corrections.IsText(s, maxNote) && len(strings.Fields(s)) <= MaxWords
}

// Sweep deletes the files of disputes that were answered FileAge ago, and the records of
// those answered RecordAge ago.
func (s *Service) Sweep(ctx context.Context) error {
	if err := s.DB.Sweep(ctx, 10, store.Older(FileAge, deleteFiles)); err != nil {
		return err
	}
	return s.DB.Shred(ctx, 50, store.Older(RecordAge, s.deleteRecords))
}

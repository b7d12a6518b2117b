package reports

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/corrections"
	"vestibule/internal/analysis/income"
	"vestibule/internal/compress"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// After a consumer's dispute, staff correct a report: its data, which the engine then
// computes again; figures of an income report; and notices, with the consumer's statement.
// The report is the next revision under the same identifiers. The replaced bodies are stored
// encrypted as long as the report.

var (
	// ErrNotCorrectable is returned for a report that was not generated or is too old. It
	// wraps store.ErrNotFound.
	ErrNotCorrectable = fmt.Errorf("reports: the report cannot be corrected: %w", store.ErrNotFound)
	// ErrRevised is returned for a correction of an older revision.
	ErrRevised = errors.New("reports: the report was corrected meanwhile")
	// ErrUnchanged is returned for corrections that would change nothing in a report.
	ErrUnchanged = errors.New("reports: the corrections change nothing")
	// ErrNothingLeft is returned for corrections after which a report would not be a success.
	ErrNothingLeft = errors.New("reports: the corrections leave no usable data")
	// ErrDataDeleted is returned for corrections of data that are past their retention.
	ErrDataDeleted = errors.New("reports: the data that the report was made from are deleted")
)

// Correctable reports whether a report may be corrected.
func (s *Service) Correctable(r Report) bool {
	return r.Status == contract.StatusSuccess && !s.tooOld(r)
}

// Change is what staff or a dispute change in a report.
type Change struct {
	Revision    int // that the user saw; 0 is the original report
	Corrections []corrections.Correction
	Reason      string // personal data
	By          string // id of the user; empty for the consumer
	Dispute     string // number of the dispute; empty for none
}

// Correcting is a report with what can be corrected in it.
type Correcting struct {
	Report
	Revision int
	InForce  []corrections.Correction
	HasData  bool                 // false after the retention of the data
	Items    []corrections.Item   // without Figures
	Figures  report.RevisedValues // of an income report; nil: the report has no such figure
	Income   bool                 // whether it is an income report, which has figures
	Recent   bool                 // whether the report has figures of recent months
	Currency string               // ISO 4217, of all figures

	Estimated bool // gross figures are estimated from net ones

	in      Input
	body    any    // *report.Income and so on
	current []byte // packed
	raw     []byte
}

// Correcting returns what can be corrected in a customer's report. It returns
// ErrNotCorrectable and, for a report that is not the customer's, store.ErrNotFound.
func (s *Service) Correcting(ctx context.Context, q store.Queryer, customerID, publicToken string) (c Correcting, err error) {
	if c, err = s.correcting(ctx, q, customerID, publicToken); err != nil || !c.HasData {
		return c, err
	}
	subject := c.in.subject(c.Report)
	c.Items = corrections.Items(subject, c.InForce, c.Kind != contract.Cashflow)
	return c, nil
}

// correcting is Correcting without Items.
func (s *Service) correcting(ctx context.Context, q store.Queryer, customerID, publicToken string) (c Correcting, err error) {
	c.Report, err = s.Own(ctx, q, customerID, publicToken)
	if err == nil && !s.Correctable(c.Report) {
		err = ErrNotCorrectable
	}
	if err != nil {
		return c, err
	}
	c.Revision = c.revision
	if c.current, err = s.packedBody(ctx, q, c.Report); err == nil {
		c.raw, c.body, err = parse(c.Kind, c.current)
	}
	if err != nil {
		return c, unreadable(err)
	}
	if c.InForce, err = s.inForce(ctx, q, c.Report); err != nil {
		return c, err
	}
	if body, ok := c.body.(*report.Income); ok {
		c.Figures, c.Income, c.Recent, c.Currency = income.Figures(body), true, income.Recent(body), body.SummaryCurrency()
		c.Estimated = income.Estimated(body)
	}
	if kinds[c.Kind].compute == nil {
		return c, nil
	}
	c.in, err = s.inputOf(ctx, q, c.Report)
	if errors.Is(err, ErrDeleted) {
		return c, nil
	}
	c.InForce = corrections.Merge(c.in.Corrections, c.InForce)
	c.HasData = err == nil && c.in.Data != nil
	return c, unreadable(err)
}

// inForce returns the corrections of all revisions.
func (s *Service) inForce(ctx context.Context, q store.Queryer, r Report) (out []corrections.Correction, err error) {
	if r.revision == 0 {
		return nil, nil
	}
	rows, err := revisions(ctx, q, r.PublicToken)
	if err != nil {
		return nil, err
	}
	for _, row := range slices.Backward(rows) {
		made, err := s.madeBy(ctx, q, r, row)
		if err != nil {
			return nil, err
		}
		out = corrections.Merge(out, made)
	}
	return out, nil
}

// madeBy returns the corrections of one revision. One of an earlier version of the program
// corrected figures alone, and the next body has them.
func (s *Service) madeBy(ctx context.Context, q store.Queryer, r Report, row revisionRow) (out []corrections.Correction, err error) {
	if row.corrections != nil {
		plain, err := s.DB.Vault.Open(ctx, q, r.KeyID, revisionCell(r, row.number, "corrections"), row.corrections)
		if err != nil {
			return nil, unreadable(err)
		}
		return out, json.Unmarshal(plain, &out)
	}
	_, then, err := s.revisionBody(ctx, q, r, row.number)
	if err != nil {
		return nil, err
	}
	_, before, err := s.revisionBody(ctx, q, r, row.number-1)
	if err != nil {
		return nil, err
	}
	is, ok := then.(*report.Income)
	was, _ := before.(*report.Income)
	if !ok {
		return nil, nil
	}
	old, now := income.Figures(was), income.Figures(is)
	for _, name := range report.RevisedNames() {
		if a, b := *old.Figure(name), *now.Figure(name); b != nil && (a == nil || *a != *b) {
			out = append(out, corrections.Correction{Target: corrections.Figures, Field: name, Value: strconv.FormatInt(*b, 10)})
		}
	}
	return out, nil
}

// Draft is a revision that was computed and is not stored.
type Draft struct {
	Differences []report.Difference
	change      Change
	report      Report
	substatus   contract.Substatus
	at          time.Time
	body        []byte // packed
	replaced    []byte
	standing    standing // without Made, if nothing is for later reports
}

// Corrections returns the corrections of the draft.
func (d Draft) Corrections() []corrections.Correction { return d.change.Corrections }

// Draft computes what a change makes of a report. Besides the errors of Correcting it returns
// ErrRevised, ErrUnchanged, ErrNothingLeft, ErrDataDeleted and an income.Unfit.
func (s *Service) Draft(ctx context.Context, q store.Queryer, customerID, publicToken string, c Change) (d Draft, err error) {
	now, err := s.correcting(ctx, q, customerID, publicToken)
	if err == nil && now.Revision != c.Revision {
		err = ErrRevised
	}
	if err != nil {
		return d, err
	}
	d = Draft{change: c, report: now.Report, substatus: now.Substatus, at: s.Now(), replaced: now.current}
	if !now.HasData && corrections.Data(c.Corrections) {
		return d, ErrDataDeleted
	}
	body, err := s.revised(ctx, now, c.Corrections, &d)
	if err == nil {
		d.standing, err = s.standingOf(ctx, q, now, c.Corrections)
	}
	if err != nil {
		return d, err
	}
	raw, err := report.Encode(body)
	if err == nil {
		d.Differences, err = report.Differences(now.raw, raw)
	}
	if err == nil && len(d.Differences) == 0 {
		err = ErrUnchanged
	}
	if err == nil {
		d.body, err = pack(body)
	}
	return d, err
}

// revised returns the body of the next revision. Without data it begins from the present body,
// which has all earlier corrections.
func (s *Service) revised(ctx context.Context, now Correcting, more []corrections.Correction, d *Draft) (any, error) {
	apply, body := more, now.body
	if now.HasData {
		apply = corrections.Merge(now.InForce, more)
		in := now.in
		in.Corrections = apply
		of, err := s.subjectOfBody(ctx, now.Report, in, now.body)
		if err != nil {
			return nil, err
		}
		status, sub, computed, err := s.compute(ctx, of, now.Report, in)
		if err != nil {
			return nil, err
		}
		if status != contract.StatusSuccess {
			return nil, ErrNothingLeft
		}
		body, d.substatus = computed, sub
	}
	number := now.Revision + 1
	switch b := body.(type) {
	case *report.Income:
		v, err := figures(b, apply, now)
		if err != nil {
			return nil, err
		}
		out := income.Revise(*b, v, number, d.at)
		out.Notices = withStatements(out.Notices, apply)
		return out, nil
	case *report.Cashflow:
		out := *b
		out.Meta, out.Notices = b.Meta.Revised(number, d.at), withStatements(b.Notices, apply)
		return out, nil
	case *report.Eligibility:
		out := *b
		out.Meta, out.Notices = b.Meta.Revised(number, d.at), withStatements(b.Notices, apply)
		return out, nil
	case *report.Passport:
		return revisedPassport(*b, apply, number, d.at), nil
	}
	return nil, ErrNotCorrectable
}

// figures returns the figures of an income report with those that staff override. The gross of
// an overridden net is estimated from the data while they are stored.
func figures(b *report.Income, all []corrections.Correction, now Correcting) (report.RevisedValues, error) {
	var v report.RevisedValues
	some := false
	for _, c := range all {
		if c.Target != corrections.Figures {
			continue
		}
		n, err := strconv.ParseInt(c.Value, 10, 64)
		if err != nil && c.Value == "" {
			return v, income.Unfit{Figure: c.Field, Reason: income.UnfitUnknown} // taken back without data
		} else if err != nil {
			return v, income.Unfit{Figure: c.Field, Reason: income.UnfitRange}
		}
		*v.Figure(c.Field), some = &n, true
	}
	if !some {
		return income.Figures(b), nil
	}
	then, err := income.Corrected(b, v, func(net report.RevisedValues) (report.RevisedValues, error) {
		if !now.HasData {
			missing := "gross_annual"
			if net.NetAnnual == nil || net.GrossAnnual != nil {
				missing = "gross_recent"
			}
			return net, income.Unfit{Figure: missing, Reason: income.UnfitUnknown}
		}
		in := now.in
		in.Corrections = all
		return income.Gross(incomeInput(in.corrected(now.Report)), net, now.Retrieved), nil
	})
	if errors.Is(err, income.Unfit{Reason: income.UnfitNone}) {
		return income.Figures(b), nil // the figures are as computed
	}
	return then, err
}

// statementNotice begins a notice with the consumer's statement.
const statementNotice = "Statement of the person whom this report describes: "

// withStatements adds the consumer's statements to the notices of a report.
func withStatements(notices []report.ConsumerNotice, all []corrections.Correction) []report.ConsumerNotice {
	notices = slices.Clone(notices)
	for _, c := range all {
		if c.Target == corrections.Statement && c.Value != "" {
			notices = append(notices, report.ConsumerNotice{Description: statementNotice + c.Value})
		}
	}
	return notices
}

// revisedPassport records disputes and statements in a passport.
func revisedPassport(p report.Passport, all []corrections.Correction, number int, at time.Time) report.Passport {
	p.Meta, p.Disputes, p.Notices = p.Meta.Revised(number, at), slices.Clone(p.Disputes), slices.Clone(p.Notices)
	supplier := supplierOf(p)
	day := report.DateOf(at)
	for _, c := range all {
		switch {
		case c.Target == corrections.Statement && c.Value != "":
			p.Notices = append(p.Notices, report.PassportNotice{Description: statementNotice + c.Value})
		case c.Target == corrections.Dispute:
			about := "Dispute " + c.ID
			i := slices.IndexFunc(p.Disputes, func(d report.PassportDispute) bool { return report.Text(d.Description) == about })
			if i < 0 {
				i = len(p.Disputes)
				p.Disputes = append(p.Disputes, report.PassportDispute{SourceID: supplier, Filed: &day, Description: &about})
			}
			p.Disputes[i].Status = c.Value
		}
	}
	return p
}

func supplierOf(p report.Passport) (code string) {
	for _, s := range p.Sources {
		if s.SourceType == report.SourceCreditBureau || s.SourceType == report.SourceIdentityDocument {
			code = s.SourceID
		}
	}
	return code
}

// PassDispute passes a dispute about a passport to its supplier. It returns store.ErrNotFound for a
// report that cannot be corrected any more.
func (s *Service) PassDispute(ctx context.Context, customerID, publicToken string, d sources.DisputeRequest) (
	sources.DisputeReceipt, error) {
	now, err := s.correcting(ctx, s.DB.SQL, customerID, publicToken)
	if err != nil {
		return sources.DisputeReceipt{}, err
	}
	p, ok := now.body.(*report.Passport)
	if !ok {
		return sources.DisputeReceipt{}, store.ErrNotFound
	}
	env, _, err := s.environment(ctx, now.Report)
	if err != nil {
		return sources.DisputeReceipt{}, err
	}
	d.Reference = publicToken
	return s.Sources.Dispute(ctx, env, supplierOf(*p), d)
}

// Revise stores a draft as the report's next revision and notifies as for a change of status.
// Of concurrent drafts of one revision one succeeds and the others return ErrRevised.
func (s *Service) Revise(ctx context.Context, tx *store.Tx, d Draft) (revision int, err error) {
	r := d.report
	won, err := nextRevision(ctx, tx, r.CustomerID, r.PublicToken, d.change.Revision, d.substatus)
	if err == nil && !won {
		err = ErrRevised
	}
	if err != nil {
		return 0, err
	}
	made, err := json.Marshal(d.change.Corrections)
	if err != nil {
		return 0, err
	}
	row := revisionRow{number: d.change.Revision + 1, at: d.at, by: d.change.By, dispute: d.change.Dispute}
	for _, x := range []struct {
		into  *[]byte
		at    store.Cell
		plain []byte
	}{
		{&row.reason, revisionCell(r, row.number, "reason"), []byte(d.change.Reason)},
		{&row.replaced, revisionCell(r, row.number, "replaced"), d.replaced},
		{&row.corrections, revisionCell(r, row.number, "corrections"), made},
		{&d.body, cell(r, "body"), d.body},
	} {
		if *x.into, err = s.DB.Vault.Seal(ctx, tx, r.KeyID, x.at, x.plain); err != nil {
			return 0, unreadable(err)
		}
	}
	if err := insertRevision(ctx, tx, r.PublicToken, row); err != nil {
		return 0, err
	}
	if err := setBody(ctx, tx, r.PublicToken, nil, d.body); err != nil {
		return 0, err
	}
	d.standing.publicToken, d.standing.row = r.PublicToken, row
	if err := s.stand(ctx, tx, r, d.standing); err != nil {
		return 0, err
	}
	return row.number, s.OnChange(ctx, tx, StatusChange{r.CustomerID, r.PublicToken, r.Status, d.substatus})
}

// Revision is a revision that was made.
type Revision struct {
	Number      int
	At          time.Time
	By          string // id of the user; empty for the consumer
	Reason      string
	Dispute     string // its number; empty for none
	Corrections []corrections.Correction
}

// Revisions lists the revisions of a report, newest first.
func (s *Service) Revisions(ctx context.Context, q store.Queryer, r Report) (out []Revision, err error) {
	rows, err := revisions(ctx, q, r.PublicToken)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		reason, err := s.DB.Vault.Open(ctx, q, r.KeyID, revisionCell(r, row.number, "reason"), row.reason)
		if err != nil {
			return nil, unreadable(err)
		}
		made, err := s.madeBy(ctx, q, r, row)
		if err != nil {
			return nil, err
		}
		out = append(out, Revision{row.number, row.at, row.by, string(reason), row.dispute, made})
	}
	return out, nil
}

// Body returns the body of a revision of a customer's report, from 0, the original. It
// returns store.ErrNotFound for one that does not exist.
func (s *Service) Body(ctx context.Context, q store.Queryer, customerID, publicToken string, revision int) ([]byte, error) {
	r, err := s.Own(ctx, q, customerID, publicToken)
	if err != nil {
		return nil, err
	}
	raw, _, err := s.revisionBody(ctx, q, r, revision)
	return raw, err
}

// revisionBody returns the body of a revision: what the next one replaced, or the present one.
func (s *Service) revisionBody(ctx context.Context, q store.Queryer, r Report, revision int) (raw []byte, body any, err error) {
	var packed []byte
	if revision == r.revision {
		if packed, err = s.packedBody(ctx, q, r); err != nil {
			return nil, nil, unreadable(err)
		}
		return parse(r.Kind, packed)
	}
	sealed, err := replacedBy(ctx, q, r.PublicToken, revision+1)
	if err != nil {
		return nil, nil, err
	}
	if packed, err = s.DB.Vault.Open(ctx, q, r.KeyID, revisionCell(r, revision+1, "replaced"), sealed); err != nil {
		return nil, nil, unreadable(err)
	}
	return parse(r.Kind, packed)
}

// parse parses a packed body. The parsers' errors may quote personal data.
func parse(kind contract.Product, packed []byte) (raw []byte, body any, err error) {
	if raw, err = compress.Unpack(packed); err != nil {
		return nil, nil, err
	}
	meta, err := report.Parse(kind, raw)
	if err != nil {
		return nil, nil, errors.New("reports: a report's body does not read back")
	}
	return raw, meta.Report, nil
}

// subject returns the data that can be corrected.
func (in *Input) subject(r Report) corrections.Subject {
	s := corrections.Subject{Consumer: in.Consumer, Payroll: in.Payroll, Paystubs: in.Paystubs, Fetch: report.DateOf(r.Retrieved)}
	if in.Data != nil {
		s.Bank = *in.Data
	}
	return s
}

func (in Input) corrected(r Report) Input {
	if !corrections.Data(in.Corrections) {
		return in
	}
	s := corrections.Apply(in.subject(r), in.Corrections)
	in.Consumer, in.Payroll, in.Paystubs = s.Consumer, s.Payroll, s.Paystubs
	if in.Data != nil {
		in.Data = &bankdata.Data{Connections: s.Bank.Connections}
	}
	return in
}

// unreadable maps the error for a deleted data key of the consumer to that for missing
// data.
func unreadable(err error) error {
	if errors.Is(err, store.ErrShredded) {
		return errors.Join(store.ErrNotFound, err)
	}
	return err
}

// revisionCell is the encryption context of a revision's columns.
func revisionCell(r Report, number int, name string) store.Cell {
	return store.Cell{Table: "report_revisions", Column: name, Row: r.PublicToken + "/" + strconv.Itoa(number)}
}

package reports

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// After a consumer's dispute, users of the customer may correct figures of an income
// report (API reference: Reports). The report is then generated again, under the same
// identifiers, as its next revision. The replaced values are stored encrypted as long
// as the report, and only their figures are shown. Other kinds of report have no
// values that the API allows to be revised.

var (
	// ErrNotRevisable is returned for a report without figures to correct: one of another
	// kind, or not generated. It wraps store.ErrNotFound.
	ErrNotRevisable = fmt.Errorf("reports: the report has no figures to correct: %w", store.ErrNotFound)
	// ErrRevised is returned for a correction of an older revision.
	ErrRevised = errors.New("reports: the report was corrected meanwhile")
)

// Revisable reports whether the figures of a report may be corrected.
func (s *Service) Revisable(r Report) bool {
	return kinds[r.Kind].correction && r.Status == contract.StatusSuccess && !s.tooOld(r)
}

// Correction holds the values to state in place of a report's figures.
type Correction struct {
	Revision int                  // that the user saw; 0 is the original report
	Values   report.RevisedValues // nil: unchanged
	Reason   string               // personal data
	By       string               // id of the user
}

// Figures are the current figures of a report that can be corrected.
type Figures struct {
	Revision  int
	Now       report.RevisedValues // nil: the report has no such figure
	Recent    bool                 // whether the report has figures of recent months
	Estimated bool                 // gross figures are estimated from net ones
	Currency  string               // ISO 4217, of all of them
}

// Figures returns the figures of a customer's report. It returns ErrNotRevisable and,
// for a report that is not the customer's or too old, store.ErrNotFound.
func (s *Service) Figures(ctx context.Context, q store.Queryer, customerID, publicToken string) (Figures, error) {
	r, body, err := s.revisable(ctx, q, customerID, publicToken)
	if err != nil {
		return Figures{}, err
	}
	return Figures{r.revision, income.Figures(body), income.Recent(body), income.Estimated(body), body.SummaryCurrency()}, nil
}

// PreviewCorrection returns the figures of a report as they would be after a correction. Its
// errors are those of Figures, and an income.Unfit.
func (s *Service) PreviewCorrection(ctx context.Context, q store.Queryer, customerID, publicToken string,
	values report.RevisedValues) (report.RevisedValues, error) {
	r, body, err := s.revisable(ctx, q, customerID, publicToken)
	if err != nil {
		return report.RevisedValues{}, err
	}
	return s.corrected(ctx, q, r, body, values)
}

// Correct creates a report's next revision and notifies as for a change of status. Of
// concurrent corrections of one revision one succeeds and the others return
// ErrRevised; other errors are those of Weigh.
func (s *Service) Correct(ctx context.Context, tx *store.Tx, customerID, publicToken string, c Correction) (revision int, err error) {
	// Lock first, so that concurrent corrections wait here.
	won, err := nextRevision(ctx, tx, customerID, publicToken, c.Revision)
	if err != nil {
		return 0, err
	}
	r, body, err := s.revisable(ctx, tx, customerID, publicToken)
	if err == nil && !won {
		err = ErrRevised
	}
	if err != nil {
		return 0, err
	}
	then, err := s.corrected(ctx, tx, r, body, c.Values)
	if err != nil {
		return 0, err
	}
	replaced, err := pack(body)
	if err != nil {
		return 0, fmt.Errorf("reports: encode: %w", err)
	}
	revised, err := pack(income.Revise(*body, then, r.revision, tx.Now))
	if err != nil {
		return 0, fmt.Errorf("reports: encode: %w", err)
	}
	row := revisionRow{number: r.revision, at: tx.Now, by: c.By}
	for _, x := range []struct {
		into  *[]byte
		at    store.Cell
		plain []byte
	}{
		{&row.reason, revisionCell(r, r.revision, "reason"), []byte(c.Reason)},
		{&row.replaced, revisionCell(r, r.revision, "replaced"), replaced},
		{&revised, cell(r, "body"), revised},
	} {
		if *x.into, err = s.DB.Vault.Seal(ctx, tx, r.KeyID, x.at, x.plain); err != nil {
			return 0, unreadable(err)
		}
	}
	if err := insertRevision(ctx, tx, publicToken, row); err != nil {
		return 0, err
	}
	if err := setBody(ctx, tx, publicToken, nil, revised); err != nil {
		return 0, err
	}
	return r.revision, s.OnChange(ctx, tx, StatusChange{customerID, publicToken, r.Status, r.Substatus})
}

// Revision is a correction that was made.
type Revision struct {
	Number       int
	At           time.Time
	By           string // id of the user
	Reason       string
	Before, Then report.RevisedValues
}

// Revisions lists the corrections of a report, newest first; its errors are those of
// Figures.
func (s *Service) Revisions(ctx context.Context, q store.Queryer, customerID, publicToken string) ([]Revision, error) {
	r, body, err := s.revisable(ctx, q, customerID, publicToken)
	if err != nil {
		return nil, err
	}
	rows, err := revisions(ctx, q, publicToken)
	if err != nil {
		return nil, err
	}
	then := income.Figures(body)
	var out []Revision
	for _, row := range rows {
		reason, err := s.DB.Vault.Open(ctx, q, r.KeyID, revisionCell(r, row.number, "reason"), row.reason)
		if err != nil {
			return nil, unreadable(err)
		}
		replaced, err := s.DB.Vault.Open(ctx, q, r.KeyID, revisionCell(r, row.number, "replaced"), row.replaced)
		if err != nil {
			return nil, unreadable(err)
		}
		before, err := unpackIncome(replaced)
		if err != nil {
			return nil, err
		}
		x := Revision{Number: row.number, At: row.at, By: row.by, Reason: string(reason), Before: income.Figures(before), Then: then}
		out, then = append(out, x), x.Before
	}
	return out, nil
}

// revisable returns a customer's report with its body.
func (s *Service) revisable(ctx context.Context, q store.Queryer, customerID, publicToken string) (Report, *report.Income, error) {
	r, err := s.Own(ctx, q, customerID, publicToken)
	if err == nil && !s.Revisable(r) {
		err = ErrNotRevisable
	}
	if err != nil {
		return r, nil, err
	}
	sealed, wrapped, err := column(ctx, q, publicToken, "body")
	if err == nil && sealed == nil {
		err = ErrDeleted
	}
	if err != nil {
		return r, nil, err
	}
	plain, err := s.decrypt(r, "body", sealed, wrapped)
	if err != nil {
		return r, nil, unreadable(err)
	}
	body, err := unpackIncome(plain)
	return r, body, err
}

func unpackIncome(packed []byte) (*report.Income, error) {
	raw, err := unpack(packed)
	if err != nil {
		return nil, err
	}
	// The parser's error may quote personal data.
	body, err := report.ParseIncome(raw)
	if err != nil {
		return nil, errors.New("reports: an income report's body does not read back")
	}
	return body, nil
}

// unreadable maps the error for a deleted data key of the consumer to that for missing
// data.
func unreadable(err error) error {
	if errors.Is(err, store.ErrShredded) {
		return errors.Join(store.ErrNotFound, err)
	}
	return err
}

// corrected is income.Corrected, with estimates from the report's input while that is
// stored.
func (s *Service) corrected(ctx context.Context, q store.Queryer, r Report, body *report.Income,
	values report.RevisedValues) (report.RevisedValues, error) {
	return income.Corrected(body, values, func(net report.RevisedValues) (report.RevisedValues, error) {
		in, err := s.inputOf(ctx, q, r)
		if errors.Is(err, ErrDeleted) {
			missing := "gross_annual"
			if net.NetAnnual == nil || net.GrossAnnual != nil {
				missing = "gross_recent"
			}
			return net, income.Unfit{Figure: missing, Reason: income.UnfitUnknown}
		}
		if err != nil {
			return net, unreadable(err)
		}
		from := income.Input{Bank: *in.Data}
		if in.Given != nil {
			from.State, from.StatedEmployers = in.Given.State, in.Given.Employers
		}
		return income.Gross(from, net, r.Retrieved), nil
	})
}

// revisionCell is the encryption context of a revision's columns.
func revisionCell(r Report, number int, name string) store.Cell {
	return store.Cell{Table: "report_revisions", Column: name, Row: r.PublicToken + "/" + strconv.Itoa(number)}
}

// unpack decompresses the output of pack.
func unpack(packed []byte) ([]byte, error) {
	z, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(z)
}

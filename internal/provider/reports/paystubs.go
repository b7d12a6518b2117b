package reports

import (
	"context"
	"log/slog"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// StubFile is an uploaded pay stub, or another document.
type StubFile struct {
	Name     string
	Employer string                 // stated employer that it is for; empty for none
	Body     func() ([]byte, error) // the whole file
}

// StubSubject identifies the consumer and report of pay stubs.
type StubSubject struct {
	Consumer *bankdata.Person // nil: no name was typed
	Link     string           // the publicToken
	At       time.Time        // the report's as-of time
}

// StubScenario simulates outcomes for uploaded files in a sandbox.
type StubScenario interface {
	// Open reads the nth pay stub of a report. A non-empty status replaces the document's,
	// which may then be nil. Its errors are those of Body.
	Open(f StubFile, nth int, subject StubSubject) (*paystub.Document, contract.Status, error)
	// Overrule returns the irregularity_detection to use in place of found.
	Overrule(subject StubSubject, d *paystub.Document, found report.IrregularityDetection) report.IrregularityDetection
	// Failing returns the status that the name of another document requests, or "".
	Failing(name string) contract.Status
}

// Scanner reads the text of images and scanned PDF files.
type Scanner interface {
	// Read returns the pages of a file, or an error if it cannot be read.
	Read(ctx context.Context, file []byte) ([]paystub.ScannedPage, error)
}

// StubReader reads pay stubs.
type StubReader struct {
	Scanner  Scanner      // nil: images are listed and not read
	Scenario StubScenario // nil: a pay stub is what can be read in it
	Log      *slog.Logger
}

// Read reads pay stubs in order and returns one result for each.
func (s StubReader) Read(ctx context.Context, files []StubFile, subject StubSubject, bank bankdata.Data) ([]income.Paystub, error) {
	out := make([]income.Paystub, len(files))
	var docs []*paystub.Document
	var at []int // which of the files each document is
	for i, f := range files {
		d, status, err := s.open(ctx, f, i, subject)
		if err != nil {
			return nil, err
		}
		p := &out[i]
		if p.Status = status; d == nil {
			continue
		}
		p.Image = d.IsListed()
		if p.Status == "" {
			p.Status, p.Substatus = d.Status()
		}
		if p.Status == contract.StatusSuccess || p.Image {
			docs, at = append(docs, d), append(at, i)
		}
	}
	stubs := paystub.Report(docs, deposits(bank, subject.At), report.DateOf(subject.At))
	for n, i := range at {
		out[i].Employer, out[i].Stub = docs[n].Employer, stubs[n]
		if s.Scenario != nil {
			out[i].Stub.IrregularityDetection = s.Scenario.Overrule(subject, docs[n], stubs[n].IrregularityDetection)
		}
	}
	return out, nil
}

func (s StubReader) open(ctx context.Context, f StubFile, nth int, subject StubSubject) (d *paystub.Document,
	status contract.Status, err error) {
	var body []byte
	if s.Scenario != nil {
		d, status, err = s.Scenario.Open(f, nth, subject)
	} else if body, err = f.Body(); err == nil {
		d = paystub.Open(body)
	}
	if err != nil || d == nil || status != "" || s.Scanner == nil || !d.Scannable() {
		return d, status, err
	}
	if body == nil {
		if body, err = f.Body(); err != nil {
			return nil, "", err
		}
	}
	pages, err := s.Scanner.Read(ctx, body)
	if ctx.Err() != nil {
		return nil, "", ctx.Err()
	}
	if err != nil {
		s.Log.WarnContext(ctx, "an image was not read", "report", subject.Link, "err", err)
		return d, "", nil
	}
	return d.Scanned(pages), "", nil
}

// documentStatus returns the status of a document other than a pay stub, by whether it is
// readable. Its errors are those of Body.
func documentStatus(f StubFile, by StubScenario) (contract.Status, error) {
	if by != nil {
		if status := by.Failing(f.Name); status != "" {
			return status, nil
		}
	}
	body, err := f.Body()
	if err != nil {
		return "", err
	}
	switch paystub.Open(body).Outcome {
	case paystub.Read, paystub.Image, paystub.Unreadable, paystub.NoText, paystub.NoPayStub:
		return contract.StatusSuccess, nil
	}
	return contract.StatusNotAuthenticated, nil
}

// deposits returns the credits of bank data, as far back as all accounts reach.
func deposits(d bankdata.Data, at time.Time) (out paystub.Bank) {
	for _, c := range d.Connections {
		for _, a := range c.Accounts {
			if a.Type != report.CashEquivalent {
				continue
			}
			oldest, any := a.OldestPosted(report.DateOf(at))
			if any && oldest.After(out.From.Time) {
				out.From = oldest
			}
			for _, t := range a.Transactions {
				if t.Amount > 0 && !t.Posted.IsZero() {
					out.Deposits = append(out.Deposits, paystub.Deposit{Day: t.Posted, Amount: t.Amount})
				}
			}
		}
	}
	if !out.From.IsZero() {
		out.To = report.DateOf(at)
	}
	return out
}

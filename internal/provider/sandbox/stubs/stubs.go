// Package stubs is the sandbox's reader of pay stubs. What becomes of a file its
// name decides, and what the reader says of its genuineness the applicant's name
// (document 3, "Sandbox pay stub upload outcomes"). A file that is recognised is
// read as everywhere. A picture, a file of other text and a few bytes of anything
// stand for a stub that the sandbox writes, which is read in their place, so that any
// file will do in a test; one that is encrypted, too large or broken stands for itself.
package stubs

import (
	"strings"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
	"vestibule/internal/svc"
)

// File is an uploaded file.
type File struct {
	Name     string
	Employer string                 // the stated one that it is for; empty: none in particular
	Body     func() ([]byte, error) // the whole file; asked for at most once
}

// outcome is what a file's name says.
type outcome int

const (
	unrecognised outcome = iota
	recognised
	lacking // fields
	empty
	down
)

// outcomeOf reads a file's name: whatever its case, and with or without spaces,
// dashes and underscores. Of several words the one that fails counts.
func outcomeOf(name string) outcome {
	name = strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(name))
	for _, w := range []struct {
		word string
		outcome
	}{{"down", down}, {"empty", empty}, {"missingfields", lacking}, {"paystub", recognised}} {
		if strings.Contains(name, w.word) {
			return w.outcome
		}
	}
	return unrecognised
}

// fewBytes is how small a file is that nobody could have meant to be read.
const fewBytes = 256

// stands reports whether a file in which no stub was read stands for one.
func stands(o paystub.Outcome, size int) bool {
	switch o {
	case paystub.Image, paystub.NoText, paystub.NoPayStub:
		return true
	case paystub.Malformed, paystub.Unsupported, paystub.Empty:
		return size < fewBytes
	}
	return false
}

// verdicts are what is said of a stub's file when the applicant's first name is
// decisive, by the last name.
var verdicts = map[string]report.IrregularityDetection{
	"pdfTrusted":                {Status: report.IrregularityNotDetected, FileType: report.Null(report.FilePDF), GenuinePDF: yes(true)},
	"pdfHighRisk":               {Status: report.IrregularityDetected, FileType: report.Null(report.FilePDF), GenuinePDF: yes(false), Reasons: []string{paystub.IncrementalUpdate, paystub.EditorProducer}},
	"pdfWarningApproved":        {Status: report.IrregularityReview, FileType: report.Null(report.FilePDF), GenuinePDF: yes(true), Reasons: []string{paystub.DatesDisagree}},
	"imageTrusted":              {Status: report.IrregularityNotDetected, FileType: report.Null(report.FileImage)},
	"imageHighRiskManualReview": {Status: report.IrregularityDetected, FileType: report.Null(report.FileImage), Reasons: []string{paystub.Arithmetic}},
}

const decisive = "getAdaptiveDecisionResult"

func yes(v bool) *bool { return &v }

// Reader reads pay stubs. Names count only in the sandbox; elsewhere a file is what
// can be read in it.
type Reader struct{ Sandbox bool }

// Read reads the files of a report in their order and returns as many, with
// Status, Employer and Stub. Stubs that the sandbox writes are of the person and
// of before the instant. Files are read one after another, and those whose name
// says it all are not; errors are those of reading.
func (r Reader) Read(files []File, who *bankdata.Person, link string, bank bankdata.Data, at time.Time) ([]income.Paystub, error) {
	verdict, decided := report.IrregularityDetection{}, false
	if r.Sandbox && who != nil && who.FirstName == decisive {
		verdict, decided = verdicts[who.LastName]
	}
	out := make([]income.Paystub, len(files))
	var docs []*paystub.Document
	var of []int // which of the files each document is
	for i, f := range files {
		o := recognised
		if r.Sandbox {
			o = outcomeOf(f.Name)
		}
		if o == unrecognised && decided {
			o = recognised
		}
		switch o {
		case down:
			out[i].Status = svc.StatusBureauUnresponsive
		case empty, unrecognised:
			out[i].Status = svc.StatusNotAuthenticated
		default:
			body, err := f.Body()
			if err != nil {
				return nil, err
			}
			d := paystub.Open(body)
			if r.Sandbox && (o == lacking || stands(d.Outcome, len(body))) {
				d = paystub.Open(sample(who, f.Employer, link, i, at, o == lacking))
			}
			if d.Outcome != paystub.Read {
				out[i].Status, _ = d.Status()
				continue
			}
			docs, of = append(docs, d), append(of, i)
		}
	}
	stubs := paystub.Report(docs, deposits(bank, at), report.DateOf(at))
	for n, i := range of {
		out[i] = income.Paystub{Status: svc.StatusSuccess, Employer: docs[n].Employer, Stub: stubs[n]}
		if decided {
			v := verdict
			v.Version, v.Reasons = paystub.Version, append([]string{}, verdict.Reasons...)
			out[i].Stub.IrregularityDetection = v
		}
	}
	return out, nil
}

// Look says whether a document that is no pay stub can be read by people: what it
// says is for them. Of names only those that fail count.
func (r Reader) Look(f File) (svc.Status, error) {
	if r.Sandbox {
		switch outcomeOf(f.Name) {
		case down:
			return svc.StatusBureauUnresponsive, nil
		case empty:
			return svc.StatusNotAuthenticated, nil
		}
	}
	body, err := f.Body()
	if err != nil {
		return "", err
	}
	switch paystub.Open(body).Outcome {
	case paystub.Read, paystub.Image, paystub.NoText, paystub.NoPayStub:
		return svc.StatusSuccess, nil
	}
	return svc.StatusNotAuthenticated, nil
}

// deposits are the credits of bank data, as far back as all accounts reach.
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

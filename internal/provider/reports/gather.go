package reports

import (
	"context"
	"fmt"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/contract"
	"vestibule/internal/provider/sources"
	"vestibule/internal/report"
)

// SignIn is a connection of the consumer at a bank or payroll provider, or a failed one.
type SignIn struct {
	Provider   string             `json:"provider"`             // its id
	Name       string             `json:"name,omitempty"`       // of a bank: its name in the report
	Profile    string             `json:"profile"`              // access by a form; empty with Connection
	Link       string             `json:"link,omitempty"`       // distinguishes it from others of the report; empty: the publicToken
	Accounts   []string           `json:"accounts,omitempty"`   // of a bank: selected ids; nil for all
	Connection string             `json:"connection,omitempty"` // id of the stored access; empty for access by a form
	Employer   string             `json:"employer,omitempty"`   // stated employer that it is for; empty: matched by name
	Status     contract.Status    `json:"status,omitempty"`     // final status of a failed one
	Substatus  contract.Substatus `json:"substatus,omitempty"`
	At         report.Timestamp   `json:"at,omitzero"` // with Status: when
}

func (a SignIn) good() bool { return a.Status == "" }

// retrieve adds the data of the visit's sources to the input and reads the uploaded
// files. Sources that failed are listed as failed; last is the last of them.
func (s *Service) retrieve(ctx context.Context, r Report, in *Input, from origin) (last SignIn, err error) {
	var data bankdata.Data
	same := map[string]int{} // number of connections by institution
	if len(in.Banks) == 0 && from.Data != nil {
		data = from.Data(in.Profile, r.PublicToken, r.Retrieved)
	}
	var added eligibility.Gathered
	for _, at := range in.Banks {
		got, failed := from.dataOf(r, &at)
		if !failed {
			data.Connections = append(data.Connections, connectionOf(r, at, got, same[at.Name]))
			same[at.Name]++
			continue
		}
		last = at
		id := bankdata.SourceID(at.Name, 0)
		in.Failed = append(in.Failed, report.Source{SourceID: id, SourceType: report.SourceBankTransaction, Status: at.Status})
		added.Failed = append(added.Failed, eligibility.Failed{SourceID: id, SourceUUID: DerivedID(r.PublicToken, "failed/"+id),
			Institution: at.Name, Status: at.Status, Substatus: at.Substatus, At: at.At.Time})
	}
	in.Data = &data
	seen := map[string]int{} // number of sign-ins by payroll provider
	for i, at := range in.SignIns {
		got, failed := from.dataOf(r, &at)
		if failed && in.SignIns[i].good() {
			in.SignIns[i], last = at, at
		}
		provider, _ := s.Sources.Catalogue(from.environment).Find(sources.Payroll, at.Provider)
		p := payrollOf(r, at, provider, got)
		n := seen[p.SourceID]
		seen[p.SourceID]++
		p.SourceID = bankdata.SourceID(p.SourceID, n)
		if at.good() {
			in.Payroll = append(in.Payroll, p)
			continue
		}
		in.Failed = append(in.Failed, report.Source{SourceID: p.SourceID, SourceType: report.SourcePayroll, Status: at.Status})
		added.Payroll = append(added.Payroll, eligibility.Connected{Payroll: p,
			Employer: at.Employer, Status: at.Status, Substatus: at.Substatus})
	}
	if in.Documents {
		if added.Documents, err = s.read(ctx, r, in, from.Stubs); err != nil {
			return last, fmt.Errorf("reports: documents: %w", err)
		}
	}
	in.add(added)
	return last, nil
}

// origin is where the data of a report are from.
type origin struct {
	environment contract.Environment
	Sandbox
	fetched map[string]fetched // by source
}

// dataOf returns the data of a sign-in. If there are none, failed is true, and the sign-in has
// the status of a failed one.
func (o origin) dataOf(r Report, at *SignIn) (data sources.Fetched, failed bool) {
	if !at.good() {
		return data, true
	}
	got := o.fetched[r.sourceKey(*at)]
	if got.failed != "" {
		at.Status, at.Substatus = got.failed.Status()
		at.At = report.TimestampOf(r.Retrieved)
	}
	return got.data, got.failed != ""
}

// empty reports whether no source has given any data.
func (in *Input) empty() bool { return len(in.Data.Connections)+len(in.Payroll)+len(in.Paystubs) == 0 }

// add adds data other than bank data to the input of an eligibility report.
func (in *Input) add(more eligibility.Gathered) {
	if len(more.Payroll)+len(more.Documents)+len(more.Failed) == 0 {
		return
	}
	if in.Gathered != nil {
		more.Skipped = in.Gathered.Skipped
		more.Payroll = append(in.Gathered.Payroll, more.Payroll...)
		more.Documents = append(in.Gathered.Documents, more.Documents...)
		more.Failed = append(in.Gathered.Failed, more.Failed...)
	}
	in.Gathered = &more
}

func (r Report) link(at SignIn) string {
	if at.Link != "" {
		return at.Link
	}
	return r.PublicToken
}

// gathered returns the data of an eligibility report other than bank data: retrieved
// payroll connections, pay stubs, and everything else from the visit.
func gathered(in Input) (out eligibility.Gathered) {
	if in.Gathered != nil {
		out = *in.Gathered
	}
	connections := slices.DeleteFunc(slices.Clone(in.SignIns), func(at SignIn) bool { return !at.good() })
	var connected []eligibility.Connected
	for i, p := range in.Payroll {
		c := eligibility.Connected{Payroll: p}
		if i < len(connections) {
			c.Employer = connections[i].Employer
		}
		connected = append(connected, c)
	}
	out.Payroll = append(connected, out.Payroll...)
	var stubs []eligibility.Document
	for i, p := range in.Paystubs {
		d := eligibility.Stub(p)
		if i < len(in.PaystubsFor) {
			d.Employer = in.PaystubsFor[i]
		}
		stubs = append(stubs, d)
	}
	out.Documents = append(stubs, out.Documents...)
	return out
}

// read reads the submitted documents. It adds pay stubs to the input and returns the
// other documents.
func (s *Service) read(ctx context.Context, r Report, in *Input, by StubScenario) (others []eligibility.Document, err error) {
	all, err := s.submittedDocuments(ctx, r)
	if err != nil {
		return nil, err
	}
	var stubs []submittedDocument
	for _, d := range all {
		if d.Kind == PaystubDocument {
			stubs = append(stubs, d)
			continue
		}
		status, err := documentStatus(s.stub(ctx, r, in, d), by)
		if err != nil {
			return nil, err
		}
		others = append(others, eligibility.Document{SourceID: d.source, SourceUUID: d.ID,
			Type: report.VerifiedByDocument, Employer: in.employerAt(d.Employer), Status: status})
	}
	files := make([]StubFile, len(stubs))
	for i, d := range stubs {
		files[i] = s.stub(ctx, r, in, d)
	}
	reader := StubReader{Scenario: by, Log: s.Log}
	if s.Scanner != nil {
		reader.Scanner = outOfTurn{s.Scanner, time.Now().Add(readTime)}
	}
	if in.Paystubs, err = reader.Read(ctx, files, StubSubject{in.Consumer, r.PublicToken, r.Retrieved}, *in.Data); err != nil {
		return nil, err
	}
	for i, d := range stubs {
		p := &in.Paystubs[i]
		p.ID, p.SourceID, p.Path = d.ID, d.source, d.path()
		in.PaystubsFor = append(in.PaystubsFor, in.employerAt(d.Employer))
	}
	return others, nil
}

// employerAt returns the stated employer with a number from 1, or "".
func (in *Input) employerAt(n int) string {
	if in.Given == nil || n < 1 || n > len(in.Given.Employers) {
		return ""
	}
	return in.Given.Employers[n-1]
}

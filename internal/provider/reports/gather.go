package reports

import (
	"context"
	"fmt"
	"slices"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/eligibility"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// SignIn is a connection of the consumer at a mock bank or payroll provider, or a
// failed one.
type SignIn struct {
	Provider   string             `json:"provider"`             // its id
	Name       string             `json:"name,omitempty"`       // of a bank: its name in the report
	Profile    string             `json:"profile"`              // test profile that signed in
	Link       string             `json:"link,omitempty"`       // distinguishes it from others of the report; empty: the publicToken
	Accounts   []string           `json:"accounts,omitempty"`   // of a bank: selected ids; nil for all
	Connection string             `json:"connection,omitempty"` // id of the access to a bank that authorized it; empty for a mock bank
	Employer   string             `json:"employer,omitempty"`   // stated employer that it is for; empty: matched by name
	Status     contract.Status    `json:"status,omitempty"`     // final status of a failed one
	Substatus  contract.Substatus `json:"substatus,omitempty"`
	At         report.Timestamp   `json:"at,omitzero"` // with Status: when
}

func (a SignIn) good() bool { return a.Status == "" }

// retrieve adds the data of the visit's sources to the input and reads the uploaded
// files. fetched are the data of its connections. Sources that failed are listed as
// failed; last is the last of them.
func (s *Service) retrieve(ctx context.Context, r Report, in *Input, fetched map[string]fetched) (last SignIn, err error) {
	env, from, err := s.sourcesOf(ctx, r)
	if err != nil {
		return last, err
	}
	var data bankdata.Data
	same := map[string]int{} // number of connections by institution
	if len(in.Banks) == 0 && from.Bank != nil {
		data = from.Bank.Fetch(in.Profile, r.PublicToken, r.Retrieved)
	}
	var added eligibility.Gathered
	for _, at := range in.Banks {
		if got, ok := fetched[at.Connection]; ok && got.failed != "" {
			at.Status, at.Substatus = got.failed.Status()
			at.At = report.TimestampOf(r.Retrieved)
		} else if ok {
			data.Connections = append(data.Connections, connectionOf(r, at, got.data, same[at.Name]))
			same[at.Name]++
			continue
		}
		if at.good() && from.Bank == nil {
			continue
		}
		if at.good() {
			present := from.Bank.Fetch(at.Profile, r.link(at), r.Retrieved).Only(at.Accounts).At(at.Name)
			data.Connections = append(data.Connections, present.Connections...)
			continue
		}
		last = at
		id := bankdata.SourceID(at.Name, 0)
		in.Failed = append(in.Failed, report.Source{SourceID: id, SourceType: report.SourceBankTransaction, Status: at.Status})
		added.Failed = append(added.Failed, eligibility.Failed{SourceID: id, SourceUUID: derivedID(r.PublicToken, "failed/"+id),
			Institution: at.Name, Status: at.Status, Substatus: at.Substatus, At: at.At.Time})
	}
	in.Data = &data
	seen := map[string]int{} // number of sign-ins by payroll provider
	for i, at := range in.SignIns {
		p, ok := s.connectedPayroll(env, r, at)
		got, asked := fetched[at.Connection]
		switch {
		case asked && got.failed != "":
			at.Status, at.Substatus = got.failed.Status()
			at.At = report.TimestampOf(r.Retrieved)
			in.SignIns[i], last = at, at
		case asked:
			p = payrollOf(p, r, at, got.data)
		case !ok && from.Payroll == nil:
			continue
		case !ok:
			p = from.Payroll.Fetch(at.Provider, at.Profile, r.link(at), r.Retrieved)
		}
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

// empty reports whether no source has given any data.
func (in *Input) empty() bool {
	return len(in.Data.Connections)+len(in.Payroll)+len(in.Paystubs) == 0
}

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
	made := slices.DeleteFunc(slices.Clone(in.SignIns), func(at SignIn) bool { return !at.good() })
	var connected []eligibility.Connected
	for i, p := range in.Payroll {
		c := eligibility.Connected{Payroll: p}
		if i < len(made) {
			c.Employer = made[i].Employer
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
			Type: report.VerifiedByDocument, Employer: in.stated(d.Employer), Status: status})
	}
	files := make([]StubFile, len(stubs))
	for i, d := range stubs {
		files[i] = s.stub(ctx, r, in, d)
	}
	reader := StubReader{Scanner: s.Scanner, Scenario: by, Log: s.Log}
	if in.Paystubs, err = reader.Read(ctx, files, StubsOf{in.Consumer, r.PublicToken, r.Retrieved}, *in.Data); err != nil {
		return nil, err
	}
	for i, d := range stubs {
		p := &in.Paystubs[i]
		p.ID, p.SourceID, p.Path = d.ID, d.source, d.path()
		in.PaystubsFor = append(in.PaystubsFor, in.stated(d.Employer))
	}
	return others, nil
}

// stated returns the stated employer with a number from 1, or "".
func (in *Input) stated(n int) string {
	if in.Given == nil || n < 1 || n > len(in.Given.Employers) {
		return ""
	}
	return in.Given.Employers[n-1]
}

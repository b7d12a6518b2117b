// Package eligibility computes the eligibility report (API reference: Reports) from
// bank data, payroll connections, documents and an as-of date. It takes values and
// returns values: the same input gives the same report, byte for byte, whatever the
// order of its transactions. The report's workflow determines what is verified, and
// therefore its nodes; nothing is extrapolated. docs/explanation/analytics.md,
// "Eligibility", describes the computation.
package eligibility

import (
	"cmp"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Input is the input of a report.
type Input struct {
	report.Envelope
	Workflow        report.Workflow // default report.IncomeAndAssets
	Consumer        *bankdata.Person
	StatedEmployers []string                // as typed; empty and duplicate names are ignored
	Notices         []report.ConsumerNotice // returned unchanged
	Bank            bankdata.Data           // of a workflow with assets
	Gathered
	Files []report.EligibilityDocument // documents of the files endpoint, returned unchanged
}

// Gathered holds the data that a visit collects besides bank data.
type Gathered struct {
	Payroll   []Connected       `json:"payroll,omitempty"` // in the order of connection
	Documents []Document        `json:"documents,omitempty"`
	Skipped   map[string]string `json:"skipped,omitempty"` // stated employer to one of report.SkippedReasons
	Failed    []Failed          `json:"failed,omitempty"`
}

// Document is an uploaded document or pay stub for a stated employer.
type Document struct {
	SourceID   string             `json:"sourceId"`
	SourceUUID string             `json:"sourceUuid"`
	Type       string             `json:"type"`               // report.VerifiedByDocument or VerifiedByPaystub
	Employer   string             `json:"employer,omitempty"` // the stated one; "" to match the name on the pay stub
	Status     contract.Status    `json:"status"`             // SUCCESS if readable
	Substatus  contract.Substatus `json:"substatus,omitempty"`
	Paystub    *income.Paystub    `json:"paystub,omitempty"` // the content of a pay stub
}

// Stub returns a pay stub as a Document.
func Stub(p income.Paystub) Document {
	return Document{SourceID: p.SourceID, SourceUUID: p.ID, Type: report.VerifiedByPaystub,
		Status: p.Status, Substatus: p.Substatus, Paystub: &p}
}

// Failed is a bank whose connection failed.
type Failed struct {
	SourceID    string             `json:"sourceId"`
	SourceUUID  string             `json:"sourceUuid"`
	Institution string             `json:"institution"`
	Status      contract.Status    `json:"status"`
	Substatus   contract.Substatus `json:"substatus,omitempty"`
	At          time.Time          `json:"at"`
}

func (in *Input) workflow() report.Workflow { return cmp.Or(in.Workflow, report.IncomeAndAssets) }

// Outcome returns the report's status and substatus; the best source decides. A payment
// of the last 12 months, a readable document or usable bank data give SUCCESS; a payroll
// connection without a payment gives SUCCESS with NO_RECENT_USABLE_INFORMATION;
// otherwise bank data decide as for an income report, and without them the first
// failure does. A report of income without any source is SUCCESS with
// NO_RECENT_USABLE_INFORMATION: it contains the stated employers.
func Outcome(in Input, asOf time.Time) (contract.Status, contract.Substatus) {
	in = in.forWorkflow()
	w := in.workflow()
	bank, sub := contract.Status(""), contract.Substatus("")
	if len(in.Bank.Connections) > 0 || !w.Income() && len(in.Failed) == 0 {
		bank, sub = in.Bank.Outcome(asOf)
	}
	good, paid := in.verified(report.DateOf(asOf))
	switch {
	case paid, bank == contract.StatusSuccess && sub == "":
		return contract.StatusSuccess, ""
	case good:
		return contract.StatusSuccess, contract.SubNoRecentInformation
	case bank != "":
		return bank, sub
	case len(in.Payroll) > 0:
		return in.Payroll[0].sourceStatus()
	case len(in.Documents) > 0 && w.Income():
		return in.Documents[0].Status, in.Documents[0].Substatus
	case len(in.Failed) > 0:
		return in.Failed[0].Status, in.Failed[0].Substatus
	}
	return contract.StatusSuccess, contract.SubNoRecentInformation
}

// forWorkflow returns the input without the data that its workflow does not use.
func (in Input) forWorkflow() Input {
	if !in.workflow().Assets() {
		in.Bank, in.Failed = bankdata.Data{}, nil
	}
	if !in.workflow().Income() {
		in.Payroll = nil
	}
	return in
}

// verified reports whether any source of income or employment was readable, and whether one
// shows a payment.
func (in *Input) verified(fetch report.Date) (good, paid bool) {
	for i := range in.Payroll {
		c := &in.Payroll[i]
		if !c.successful() {
			continue
		}
		good = true
		for _, j := range c.jobs() {
			_, _, some := j.Year(fetch)
			paid = paid || some
		}
	}
	read := in.workflow().Income() && slices.ContainsFunc(in.Documents, func(d Document) bool { return d.Status == contract.StatusSuccess })
	return good || read, paid || read
}

// Build makes the report. asOf is the time at which the data were retrieved; its UTC day is
// the fetch date.
func Build(in Input, asOf time.Time) report.Eligibility {
	w := in.workflow()
	status, sub := Outcome(in, asOf)
	in = in.forWorkflow()
	r := report.Eligibility{
		Meta:       in.Meta(report.EligibilityVersion, status, sub, asOf),
		Product:    &in.Product,
		Identities: in.identities(),
		Documents:  in.Files,
	}
	fetch := report.DateOf(asOf)
	if w.Income() {
		r.StatedEmployers, r.Employment, r.Income = in.stated(), in.employment(), in.income(fetch)
	}
	if w.Assets() {
		r.Assets = in.assets(asOf)
		r.Checks = in.checks(&r, fetch)
	}
	if w.Income() && w.Assets() {
		r.Notices = in.Notices
	}
	return r
}

// identities lists the consumer's or customer's input, then the banks' account owners, then
// the employees of payroll connections and pay stubs. Only the consumer's input has the
// matching, if there is another identity. A source matches if one of its identities does.
func (in *Input) identities() []report.EligibilityIdentity {
	var out []report.EligibilityIdentity
	if in.Consumer != nil {
		out = append(out, identity(in.InputSource, in.InputUUID, *in.Consumer))
	}
	m := report.NewAgreement[report.ConnectionRef]()
	source := func(id, uuid string, people ...bankdata.Person) {
		same := false
		for _, p := range people {
			out = append(out, identity(id, uuid, p))
			same = same || in.Consumer != nil && in.Consumer.Is(p.FullName())
		}
		if len(people) > 0 {
			m.Add(same, report.ConnectionRef{SourceID: id, SourceUUID: contract.Null(uuid)})
		}
	}
	for _, c := range in.Bank.Connections {
		var owners []bankdata.Person
		for _, o := range c.Owners {
			owners = append(owners, o.Person)
		}
		source(c.SourceID, c.ID, owners...)
	}
	for i := range in.Payroll {
		if p := &in.Payroll[i].Payroll; in.Payroll[i].successful() && p.Owner.FullName() != "" {
			source(p.SourceID, p.ID, p.Owner.Person)
		}
	}
	for _, p := range in.stubs() {
		if who, ok := p.Employee(); ok {
			source(p.SourceID, p.ID, who)
		}
	}
	if in.Consumer != nil && in.InputSource == report.ConsumerInput && len(out) > 1 {
		out[0].Matching = &report.EligibilityMatching{FullName: m}
	}
	return out
}

func identity(source, uuid string, p bankdata.Person) report.EligibilityIdentity {
	return report.EligibilityIdentity{
		SourceID:   source,
		SourceUUID: contract.Null(uuid),
		FirstName:  contract.Null(p.FirstName),
		LastName:   contract.Null(p.LastName),
		FullName:   contract.Null(p.FullName()),
		Emails:     append([]string{}, p.Emails...),
	}
}

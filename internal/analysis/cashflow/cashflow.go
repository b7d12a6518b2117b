// Package cashflow computes the cashflow report (API reference: Reports) from bank data
// and an as-of date. It takes values and returns values: the same input gives the same
// report, byte for byte. It leaves out accounts that are not cash equivalents, pending
// transactions, and transactions older than two years. Every attribute is an exact
// number of cents, days or times, or a quotient of two, and is rounded once, half away
// from zero, when it is written. docs/explanation/analytics.md describes the computation.
package cashflow

import (
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Input is the input of a report.
type Input struct {
	report.Envelope
	Consumer *bankdata.Person // nil if no name was entered
	Bank     bankdata.Data
	Failed   []report.Source // banks that could not be read beside them
	Options  Options
}

// Options selects what a report contains besides sources, identities and accounts.
type Options struct {
	Attributes bool // the universal attributes, score v2.0 and the properties of its data
	Deprecated bool // with Attributes: the deprecated family too
	ScoreV1    bool // with Attributes: score v1.0 too
	ScoreV21   bool // with Attributes: score v2.1 too
}

// Build makes the report. asOf is the time at which the data were retrieved; its UTC day is
// the fetch date.
func Build(in Input, asOf time.Time) report.Cashflow {
	status, sub := in.Bank.Outcome(asOf)
	r := report.Cashflow{
		Meta:           in.Meta(report.CashflowVersion, status, sub, asOf),
		Product:        &in.Product,
		Sources:        sources(in),
		Identities:     identities(in),
		AccountDetails: accounts(in.Bank, report.DateOf(asOf)),
	}
	if in.Options.Attributes {
		l := bankdata.Read(in.Bank, report.DateOf(asOf))
		in.Options.analyze(&r, l, in.Bank.Banks(l.Currency))
	}
	return r
}

// analyze adds the parts that are computed from the ledger.
func (o Options) analyze(r *report.Cashflow, l *bankdata.Ledger, sources []string) {
	f := newFacts(l)
	v := newValues(f)
	r.Attributes = make([]report.Attribute, 0, len(universal)+len(deprecated))
	r.Attributes = attributes(r.Attributes, universal[:], v[:], sources)
	if o.Deprecated {
		r.Attributes = attributes(r.Attributes, deprecated[:], oldValues(f), sources)
	}
	for _, version := range o.versions() {
		r.Scores = append(r.Scores, version.score(f, v, sources))
	}
	r.Properties = properties(f)
}

func sources(in Input) []report.Source {
	var out []report.Source
	if in.Consumer != nil {
		out = append(out, in.EnteredSource())
	}
	for _, c := range in.Bank.Connections {
		out = append(out, report.Source{SourceID: c.SourceID, SourceType: report.SourceBankTransaction, Status: c.Status})
	}
	return append(out, in.Failed...)
}

// identities lists the consumer's input, then every owner known to a bank. The input has
// the matching, unless there is no other identity.
func identities(in Input) []report.Identity {
	var out []report.Identity
	if in.Consumer != nil {
		out = append(out, identity(in.InputSource, in.InputUUID, in.InputRecordID, *in.Consumer))
	}
	m := report.Matching{FullName: report.NewAgreement[report.SourceRef]()}
	for _, c := range in.Bank.Connections {
		for _, o := range c.Owners {
			id := identity(c.SourceID, c.ID, o.RecordID, o.Person)
			ref := report.SourceRef{SourceID: id.SourceID, SourceUUID: id.SourceUUID, SourceRecordID: id.SourceRecordID}
			m.FullName.Add(in.Consumer != nil && in.Consumer.Is(o.FullName()), ref)
			out = append(out, id)
		}
	}
	if in.Consumer != nil && len(out) > 1 {
		out[0].Matching = &m
	}
	return out
}

func identity(source, sourceUUID, record string, p bankdata.Person) report.Identity {
	return report.Identity{
		SourceID:       source,
		SourceUUID:     contract.Null(sourceUUID),
		SourceRecordID: contract.Null(record),
		FirstName:      contract.Null(p.FirstName),
		LastName:       contract.Null(p.LastName),
		FullName:       contract.Null(p.FullName()),
		Emails:         append([]string{}, p.Emails...),
	}
}

func accounts(d bankdata.Data, fetch report.Date) []report.Account {
	currency := d.Currency(fetch)
	var out []report.Account
	for _, c := range d.Connections {
		for _, a := range c.Accounts {
			if a.Type != report.CashEquivalent {
				continue
			}
			balance := a.Balance
			out = append(out, report.Account{
				SourceID:             c.SourceID,
				AccountID:            a.ID,
				MonthsAvailable:      a.MonthsAvailable(fetch),
				OwnerFullName:        contract.Null(a.Owner),
				InstitutionName:      contract.Null(a.Institution),
				AccountName:          contract.Null(a.Name),
				AccountType:          a.Type,
				AccountSubtype:       contract.Null(a.Subtype),
				DateOpened:           a.Opened,
				TruncatedNumber:      contract.Null(a.Mask()),
				Responsibility:       contract.Null(a.Responsibility),
				LastStatementEndDate: a.StatementEnd,
				Addresses:            addresses(a.Addresses),
				CurrentBalance:       &balance,
				BalanceTerms:         a.Terms(currency, fetch),
			})
		}
	}
	return out
}

func addresses(known []bankdata.Address) []report.Address {
	out := []report.Address{}
	for _, a := range known {
		out = append(out, report.Address{
			AddressID: a.ID,
			Address:   contract.Null(a.Line()),
			Street:    contract.Null(a.Street),
			City:      contract.Null(a.City),
			ZIPCode:   contract.Null(a.ZIP),
			State:     contract.Null(a.State),
		})
	}
	return out
}

package passport

import (
	"cmp"
	"slices"
	"time"
	"unicode"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

// Input is the input of a report.
type Input struct {
	report.Envelope
	Consumer *Consumer // nil if no name was entered
	File     File
	Quote    *Quote // nil if no rate is known; a rate of another currency is ignored
}

// Outcome returns the report's status and substatus. If the supplier does not know the
// person, the report has no credit and is SUCCESS with NO_RECENT_USABLE_INFORMATION.
func Outcome(f File) (contract.Status, contract.Substatus) {
	if !f.Found {
		return contract.StatusSuccess, contract.SubNoRecentInformation
	}
	return contract.StatusSuccess, ""
}

// Build makes the report. asOf is the time at which the file was retrieved.
func Build(in Input, asOf time.Time) report.Passport {
	status, sub := Outcome(in.File)
	r := report.Passport{
		Meta:    in.Meta(report.PassportVersion, status, sub, asOf),
		Product: &in.Product,
	}
	supplier, _ := report.SupplierOf(in.File.Supplier)
	if in.Consumer != nil {
		r.Sources = append(r.Sources, in.EnteredSource())
	}
	kind := report.SourceCreditBureau
	if in.File.Supplier == report.DocumentSupplier {
		kind = report.SourceIdentityDocument
	}
	r.Sources = append(r.Sources, report.Source{SourceID: in.File.Supplier, SourceType: kind, Status: status})
	r.Identities = identities(&in, supplier.Fields)
	if !in.File.Found {
		r.Notices = []report.PassportNotice{{SourceID: &in.File.Supplier, Description: "The supplier has no file on a person of this name."}}
		return r
	}
	b := builder{&in.File, report.DateOf(asOf)}
	b.credit(&r)
	b.life(&r)
	r.Currencies = b.currencies(r.Tradelines, in.Quote)
	r.Notices = b.notices(supplier.Fields)
	return r
}

// builder converts a file to the report's types.
type builder struct {
	*File
	day report.Date
}

// amount rounds an amount to the currency's decimals.
func (f *File) amount(c *report.Cents) *report.Cents {
	if c == nil {
		return nil
	}
	return new(Round(*c, f.Currency))
}

// currency returns the file's currency, or nil without an amount.
func (f *File) currency(c *report.Cents) *string {
	if c == nil {
		return nil
	}
	return &f.Currency
}

func date(d report.Date) *report.Date {
	if d.IsZero() {
		return nil
	}
	return &d
}

// latest orders dates from late to early, unknown dates last.
func latest(a, b *report.Date) int {
	switch {
	case a == nil || b == nil:
		return cmp.Compare(known(b), known(a))
	default:
		return b.Compare(a.Time)
	}
}

func known[T any](p *T) int {
	if p == nil {
		return 0
	}
	return 1
}

// lastFour truncates a number to its last four letters and digits.
func lastFour(s string) *string {
	r := slices.DeleteFunc([]rune(s), func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	if len(r) > 4 {
		r = r[len(r)-4:]
	}
	return contract.Null(string(r))
}

func (b builder) credit(r *report.Passport) {
	for _, s := range b.Scores {
		if s.Maximum <= s.Minimum || s.Value < s.Minimum || s.Value > s.Maximum {
			continue // bureaus write a missing score as a value beyond the scale
		}
		r.Scores = append(r.Scores, report.PassportScore{SourceID: b.Supplier, Type: s.Name,
			Value: s.Value, Minimum: s.Minimum, Maximum: s.Maximum,
			Date: date(s.Date), Reasons: append([]report.ScoreFactor{}, s.Reasons...)})
	}
	slices.SortStableFunc(r.Scores, func(x, y report.PassportScore) int {
		return cmp.Or(latest(x.Date, y.Date), cmp.Compare(x.Type, y.Type))
	})
	for _, t := range b.Tradelines {
		r.Tradelines = append(r.Tradelines, b.tradeline(t))
	}
	slices.SortFunc(r.Tradelines, func(x, y report.Tradeline) int {
		return cmp.Or(closed(x)-closed(y), latest(x.Closed, y.Closed), latest(x.Opened, y.Opened), cmp.Compare(x.AccountID, y.AccountID))
	})
	for _, q := range b.Inquiries {
		r.Inquiries = append(r.Inquiries, report.PassportInquiry{SourceID: b.Supplier, Date: date(q.Date), Inquirer: contract.Null(q.Inquirer),
			Purpose: contract.Null(q.Purpose), Currency: b.currency(q.Amount), Amount: b.amount(q.Amount)})
	}
	slices.SortFunc(r.Inquiries, func(x, y report.PassportInquiry) int {
		return cmp.Or(latest(x.Date, y.Date), cmp.Compare(report.Text(x.Inquirer), report.Text(y.Inquirer)), compareCents(x.Amount, y.Amount))
	})
	for _, p := range b.PublicRecords {
		status := "FILED"
		if !p.Resolved.IsZero() {
			status = "RESOLVED"
		}
		r.PublicRecords = append(r.PublicRecords, report.PublicRecord{SourceID: b.Supplier,
			Type: p.Type, Court: contract.Null(p.Court), Filed: date(p.Filed),
			Resolved: date(p.Resolved), Status: status, Currency: b.currency(p.Amount), Amount: b.amount(p.Amount)})
	}
	slices.SortFunc(r.PublicRecords, func(x, y report.PublicRecord) int {
		return cmp.Or(latest(x.Filed, y.Filed), cmp.Compare(x.Type, y.Type), compareCents(x.Amount, y.Amount))
	})
	for _, c := range b.Collections {
		status := "OPEN"
		if c.Balance != nil && *c.Balance == 0 {
			status = "PAID"
		}
		r.Collections = append(r.Collections, report.Collection{SourceID: b.Supplier,
			Agency: contract.Null(c.Agency), Creditor: contract.Null(c.Creditor),
			Assigned: date(c.Assigned), Status: status, Currency: b.currency(cmp.Or(c.Original, c.Balance)),
			Original: b.amount(c.Original), Balance: b.amount(c.Balance)})
	}
	slices.SortFunc(r.Collections, func(x, y report.Collection) int {
		return cmp.Or(latest(x.Assigned, y.Assigned), cmp.Compare(report.Text(x.Agency), report.Text(y.Agency)),
			compareCents(x.Original, y.Original))
	})
	for _, n := range b.NSF {
		r.NSF = append(r.NSF, report.NonsufficientFunds{SourceID: b.Supplier, Institution: contract.Null(n.Institution), Date: date(n.Date),
			Currency: b.currency(n.Amount), Amount: b.amount(n.Amount)})
	}
	slices.SortFunc(r.NSF, func(x, y report.NonsufficientFunds) int {
		return cmp.Or(latest(x.Date, y.Date), cmp.Compare(report.Text(x.Institution), report.Text(y.Institution)),
			compareCents(x.Amount, y.Amount))
	})
	for _, d := range b.Disputes {
		status := "OPEN"
		if d.Resolved {
			status = "RESOLVED"
		}
		r.Disputes = append(r.Disputes, report.PassportDispute{SourceID: b.Supplier, AccountID: contract.Null(d.AccountID), Filed: date(d.Filed),
			Status: status, Description: contract.Null(d.Description)})
	}
	slices.SortFunc(r.Disputes, func(x, y report.PassportDispute) int {
		return cmp.Or(latest(x.Filed, y.Filed), cmp.Compare(report.Text(x.Description), report.Text(y.Description)))
	})
}

func closed(t report.Tradeline) int {
	if t.Status == report.TradelineClosed {
		return 1
	}
	return 0
}

func compareCents(a, b *report.Cents) int {
	if a == nil || b == nil {
		return known(a) - known(b)
	}
	return cmp.Compare(*a, *b)
}

package passport

import (
	"cmp"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/personname"
	"vestibule/internal/report"
)

// identities lists the consumer's input, then the supplier's record. The input has the
// matching if there is a record.
func identities(in *Input, fields report.IdentityFields) []report.PassportIdentity {
	var out []report.PassportIdentity
	m := report.IncomeMatching{FullName: report.NewAgreement[report.RecordRef]()}
	if c := in.Consumer; c != nil {
		out = append(out, report.PassportIdentity{
			SourceID: in.InputSource, SourceRecordID: contract.Null(in.InputRecordID), FirstName: contract.Null(c.First),
			LastName: contract.Null(c.Last),
			FullName: contract.Null(strings.TrimSpace(c.First + " " + c.Last)), OtherNames: []string{}, Emails: append([]string{}, c.Emails...),
			DateOfBirth: date(c.Born), Telephones: []string{}, Documents: []report.IdentityDocument{},
		})
	}
	if in.File.Found {
		id := identity(in.File.Person, fields)
		id.SourceID, id.SourceRecordID = in.File.Supplier, contract.Null(in.File.RecordID)
		c := in.Consumer
		m.FullName.Add(c != nil && (SameName(*c, report.Text(id.FullName)) || SameName(*c, report.Text(id.TransliteratedName))),
			report.RecordRef{SourceID: id.SourceID, SourceRecordID: id.SourceRecordID})
		out = append(out, id)
	}
	if in.Consumer != nil && len(out) > 1 {
		out[0].Matching = &m
	}
	return out
}

// identity returns only the fields of a person that the supplier provides.
func identity(p Person, f report.IdentityFields) report.PassportIdentity {
	text := func(provided bool, s string) *string {
		if !provided {
			return nil
		}
		return contract.Null(s)
	}
	list := func(provided bool, s []string) []string {
		if !provided {
			return []string{}
		}
		return append([]string{}, s...)
	}
	out := report.PassportIdentity{
		FirstName: text(f.FirstName, p.First), LastName: text(f.LastName, p.Last), FullName: text(f.FullName, p.Full),
		MiddleName: text(f.MiddleName, p.Middle), TransliteratedName: text(f.TransliteratedName, p.Transliterated),
		OtherNames: list(f.OtherNames, p.Others), Emails: list(f.Emails, p.Emails), Telephones: list(f.Telephones, p.Telephones),
		Documents: []report.IdentityDocument{},
	}
	if f.DateOfBirth {
		out.DateOfBirth = date(p.Born)
	}
	if f.IsDeceased {
		out.IsDeceased = new(p.Deceased)
	}
	if f.DateOfDeath && p.Deceased {
		out.DateOfDeath = date(p.Died)
	}
	if f.Documents {
		for _, d := range p.Documents {
			out.Documents = append(out.Documents, report.IdentityDocument{Type: d.Type, TruncatedNumber: lastFour(d.Number),
				Country: contract.Null(d.Country), Issued: date(d.Issued), Expires: date(d.Expires)})
		}
	}
	return out
}

// SameName reports whether a full name can be that of the person with the entered first and last name.
func SameName(c Consumer, full string) bool {
	_, same := personname.Compare(c.First, c.Last, full)
	return same && c.First != "" && c.Last != ""
}

// life adds addresses, employers, other incomes, identifiers and bank accounts.
func (b builder) life(r *report.Passport) {
	for _, a := range b.Addresses {
		r.Addresses = append(r.Addresses, report.PassportAddress{SourceID: b.Supplier,
			Address: contract.Null(a.Line), Street: contract.Null(a.Street),
			City: contract.Null(a.City), Region: contract.Null(a.Region), Postcode: contract.Null(a.Postcode), Country: contract.Null(a.Country),
			First: date(a.First), Last: date(a.Last)})
	}
	slices.SortFunc(r.Addresses, func(x, y report.PassportAddress) int {
		return cmp.Or(latest(x.Last, y.Last), latest(x.First, y.First), cmp.Compare(report.Text(x.Address), report.Text(y.Address)))
	})
	for _, e := range b.Employers {
		r.Employers = append(r.Employers, report.PassportEmployer{SourceID: b.Supplier, Name: contract.Null(e.Name),
			JobTitle: contract.Null(e.Job),
			Start:    date(e.Start), End: date(e.End), Currency: b.currency(e.Monthly), MonthlyIncome: b.amount(e.Monthly), Last: date(e.Last)})
	}
	slices.SortFunc(r.Employers, func(x, y report.PassportEmployer) int {
		return cmp.Or(latest(x.Last, y.Last), latest(x.Start, y.Start), cmp.Compare(report.Text(x.Name), report.Text(y.Name)))
	})
	for _, o := range b.OtherIncomes {
		r.OtherIncomes = append(r.OtherIncomes, report.PassportIncome{SourceID: b.Supplier, Type: o.Type, Currency: b.currency(o.Amount),
			Amount: b.amount(o.Amount), Frequency: contract.Null(o.Frequency), Reported: date(o.Reported)})
	}
	slices.SortFunc(r.OtherIncomes, func(x, y report.PassportIncome) int {
		return cmp.Or(latest(x.Reported, y.Reported), cmp.Compare(x.Type, y.Type), compareCents(x.Amount, y.Amount))
	})
	for _, i := range b.Identifiers {
		r.Identifiers = append(r.Identifiers, report.PassportIdentifier{SourceID: b.Supplier, Type: i.Type,
			Truncated: lastFour(i.Value), Country: contract.Null(i.Country)})
	}
	slices.SortFunc(r.Identifiers, func(x, y report.PassportIdentifier) int {
		return cmp.Or(cmp.Compare(x.Type, y.Type), cmp.Compare(report.Text(x.Truncated), report.Text(y.Truncated)))
	})
	for _, a := range b.BankAccounts {
		r.BankAccounts = append(r.BankAccounts, report.PassportBankAccount{SourceID: b.Supplier,
			Institution: contract.Null(a.Institution), Type: contract.Null(a.Type),
			Truncated: lastFour(a.Number), Opened: date(a.Opened), Closed: date(a.Closed), Currency: contract.Null(b.Currency)})
	}
	slices.SortFunc(r.BankAccounts, func(x, y report.PassportBankAccount) int {
		return cmp.Or(known(x.Closed)-known(y.Closed), latest(x.Opened, y.Opened),
			cmp.Compare(report.Text(x.Truncated), report.Text(y.Truncated)))
	})
}

// notices returns the supplier's notices, after a prominent one about deceased persons.
func (b builder) notices(f report.IdentityFields) (out []report.PassportNotice) {
	if f.IsDeceased && b.Person.Deceased {
		out = append(out, report.PassportNotice{SourceID: &b.Supplier, Description: "The supplier reports that this person has died."})
	}
	for _, n := range b.Notices {
		out = append(out, report.PassportNotice{SourceID: &b.Supplier, Description: n})
	}
	return out
}

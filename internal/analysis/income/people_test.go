package income

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

func TestMatching(t *testing.T) {
	typed := &bankdata.Person{FirstName: "José", LastName: "Núñez"}
	alone := Build(Input{Consumer: typed, Envelope: report.Envelope{InputSource: report.ConsumerInput}, Bank: bank(cash())}, asOf)
	if len(alone.Identities) != 1 || alone.Identities[0].Matching != nil {
		t.Errorf("a single identity has %+v", alone.Identities)
	}
	data := bank(cash())
	data.Connections[0].Owners = []bankdata.Owner{
		{RecordID: "r1", Person: bankdata.Person{FirstName: "JOSE", LastName: "NUNEZ"}},
		{RecordID: "r2", Person: bankdata.Person{FirstName: "Ana", LastName: "Núñez"}},
	}
	both := Build(Input{Consumer: typed, Envelope: report.Envelope{InputSource: report.ConsumerInput}, Bank: data}, asOf)
	got, err := report.Encode(both.Identities[0].Matching)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"full_name":{"matched_sources":[{"source_id":"BANK","source_record_id":"r1"}],` +
		`"unmatched_sources":[{"source_id":"BANK","source_record_id":"r2"}]}}`
	if string(got) != want {
		t.Errorf("matching is %s", got)
	}
	given := Build(Input{Consumer: typed, Envelope: report.Envelope{InputSource: report.CustomerInput}, Bank: data}, asOf)
	for _, i := range given.Identities {
		if i.Matching != nil || len(given.Identities) != 3 {
			t.Errorf("what the customer gave is matched: %+v", given.Identities)
		}
	}
	unnamed := Build(Input{Bank: data}, asOf)
	if len(unnamed.Sources) != 1 || len(unnamed.Identities) != 2 || unnamed.Identities[0].Matching != nil ||
		unnamed.Identities[1].Matching != nil {
		t.Errorf("without input there are %+v of %+v", unnamed.Identities, unnamed.Sources)
	}
}

func TestSourceStatus(t *testing.T) {
	d := bank(cash())
	d.Connections = append(d.Connections, bankdata.Connection{SourceID: "OTHER", Status: contract.StatusSupplierUnresponsive})
	got := Build(Input{Consumer: &bankdata.Person{}, Envelope: report.Envelope{InputSource: report.CustomerInput}, Bank: d}, asOf).Sources
	want := []report.Source{
		{SourceID: "CUSTOMER_INPUT", SourceType: "MANUAL", Status: "SUCCESS"},
		{SourceID: "BANK", SourceType: "BANK_TRANSACTION", Status: "SUCCESS"},
		{SourceID: "OTHER", SourceType: "BANK_TRANSACTION", Status: "SUPPLIER_UNRESPONSIVE"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestNoticesOfIncome checks that a notice about a bank needs a deposit that is income.
func TestNoticesOfIncome(t *testing.T) {
	all := bank(joined(each("2025-04", "2026-02", 3, 900_00, globex)))
	other := bank(joined(each("2025-04", "2026-02", 3, -9_00, groceries))).Connections[0]
	other.SourceID = "OTHER"
	all.Connections = append(all.Connections, other)
	of := func(id string) report.ConsumerNotice {
		return report.ConsumerNotice{Description: id, SourceReference: &id}
	}
	want := []report.ConsumerNotice{{Description: "You may dispute."}, of("BANK")}
	got := Build(Input{Bank: all, Notices: append(want[:2:2], of("OTHER"))}, asOf).Notices
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyFieldsAreNull(t *testing.T) {
	a := joined(each("2025-04", "2026-02", 3, 900_00, globex), each("2025-01", "2025-01", 3, -1_00, groceries))
	invested := bankdata.Account{ID: "b", Type: report.Investment, Balance: 5}
	r := Build(Input{Envelope: report.Envelope{PublicToken: "t"}, Bank: bank(a, invested),
		Notices: []report.ConsumerNotice{{Description: "You may dispute."}}}, asOf)
	got, err := report.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	account := `{"source_id":"BANK","account_id":"%s","owner_full_name":null,` +
		`"institution_name":null,"account_name":null,"account_type":"%s",` +
		`"date_opened":null,"truncated_account_number":null,"responsibility":null,"addresses":[],"current_balance":%s}`
	for _, want := range []string{
		`"employment":[{"source_id":"BANK","source_record_id":"` + identifier("t", "employer",
			"GLOBEX WIDGETS PAYROLL") + `","employer_name":"GLOBEX WIDGETS",` +
			`"employer_address_line_1":null,"employer_address_line_2":null,"employer_city":null,"employer_state":null,"employment_type":null,` +
			`"employment_status":"active","job_title":null,"hire_date":null,"estimated_hire_date":"2025-04-03"}]`,
		`"account_details":[` + fill(account, "a", "CASH_EQUIVALENT", "0.00") + `,` + fill(account, "b", "INVESTMENT", "0.05") + `]`,
		`"consumer_notices":[{"description":"You may dispute.","source_reference":null}]`,
		`"source_ids":["BANK"]`,
	} {
		if !bytes.Contains(got, []byte(want)) {
			t.Errorf("the report has no %s:\n%s", want, got)
		}
	}
	if bytes.Contains(got, []byte("identities")) || bytes.Contains(got, []byte("paystubs")) || bytes.Contains(got, []byte("revised")) {
		t.Errorf("a node without data was returned: %s", got)
	}
	if !contract.IsUUID(*r.Employment[0].SourceRecordID) {
		t.Errorf("%s is not a UUID", *r.Employment[0].SourceRecordID)
	}
}

// fill replaces each %s by a word.
func fill(form string, words ...string) string {
	for _, w := range words {
		before, after, _ := bytes.Cut([]byte(form), []byte("%s"))
		form = string(before) + w + string(after)
	}
	return form
}

func TestHireDateNeedsHistory(t *testing.T) {
	for name, c := range map[string]struct {
		quiet string // day of a purchase before the first payment
		want  string
	}{
		"paid from the beginning of the history":      {"2025-05-01", ""},
		"a payment may be missing before the history": {"2025-03-14", ""},
		"a month and a half and five days":            {"2025-03-12", "2025-05-03"},
		"long before":                                 {"2024-06-01", "2025-05-03"},
	} {
		a := joined(each("2025-05", "2026-02", 3, 900_00, globex),
			[]bankdata.Transaction{{ID: "q", Posted: day(c.quiet), Amount: -5_00, Description: groceries}})
		e := build(bank(a)).Employment
		got := ""
		if len(e) == 1 && e[0].EstimatedHireDate != nil {
			got = e[0].EstimatedHireDate.String()
		}
		if got != c.want {
			t.Errorf("%s: hired %q, want %q", name, got, c.want)
		}
	}
	// What another account shows of that time says nothing about this one.
	other := joined(each("2024-06", "2026-02", 7, -5_00, groceries))
	other.ID = "b"
	if e := build(bank(joined(each("2025-05", "2026-02", 3, 900_00, globex)), other)).Employment; e[0].EstimatedHireDate != nil {
		t.Errorf("by another account's history, hired %s", e[0].EstimatedHireDate)
	}
}

// TestHireDateIsFirstPayment checks that a raise, another account and another wording do
// not change the hire date.
func TestHireDateIsFirstPayment(t *testing.T) {
	quiet := func(on string) []bankdata.Transaction {
		return []bankdata.Transaction{{ID: "q", Posted: day(on), Amount: -5_00, Description: groceries}}
	}
	// A wage every other Friday from a day on, raised in February 2025, with
	// commissions, so that only equal amounts keep a rhythm.
	raised := func(from string) (out []bankdata.Transaction) {
		for k, d := 0, day(from).Time; d.Before(day("2026-03-10").Time); k, d = k+1, d.AddDate(0, 0, 14) {
			wage := report.Cents(2000_00)
			if d.After(day("2025-02-20").Time) {
				wage = 2100_00
			}
			out = append(out, bankdata.Transaction{ID: fmt.Sprint("w", k), Posted: report.Date{Time: d}, Amount: wage, Description: northwind},
				bankdata.Transaction{ID: fmt.Sprint("c", k), Posted: report.Date{Time: d.AddDate(0, 0, 3)},
					Amount: report.Cents(300_00 + k*137), Description: northwind})
		}
		return out
	}
	year := each("2025-05", "2026-02", 3, 900_00, northwind)
	for name, c := range map[string]struct {
		accounts [][]bankdata.Transaction
		want     string
	}{
		"a raise, paid from the beginning of the history": {[][]bankdata.Transaction{raised("2024-03-15"), quiet("2024-03-11")}, ""},
		"a raise, in the same account":                    {[][]bankdata.Transaction{append(raised("2024-03-15"), quiet("2024-03-11")...)}, ""},
		"a raise of an employee hired within the history": {
			[][]bankdata.Transaction{append(raised("2024-09-13"), quiet("2024-03-11")...)}, "2024-09-13"},
		"one payment long before": {
			[][]bankdata.Transaction{append(append(quiet("2024-04-01"), each("2024-08", "2024-08", 3, 250_00, northwind)...), year...)},
			"2024-08-03"},
		"one payment at the history's beginning": {
			[][]bankdata.Transaction{append(each("2024-04", "2024-04", 3, 250_00, northwind), year...)}, ""},
		"an earlier stream with another description": {
			[][]bankdata.Transaction{append(append(quiet("2024-04-01"), each("2024-07", "2024-12", 9, 700_00,
				"NORTHWIND LOGISTICS LLC PAYROLL")...), year...)}, "2024-07-09"},
		"another employer before": {[][]bankdata.Transaction{
			append(append(quiet("2024-04-01"), each("2024-07", "2024-12", 9, 700_00, globex)...), year...)}, "2025-05-03"},
		"paid into another account before, without older transactions": {
			[][]bankdata.Transaction{append(quiet("2024-04-01"), each("2025-10", "2026-02", 3, 900_00, northwind)...),
				each("2025-05", "2025-09", 3, 900_00, northwind)}, ""},
		"paid into another account before, with older transactions": {
			[][]bankdata.Transaction{append(quiet("2024-04-01"), each("2025-10", "2026-02", 3, 900_00, northwind)...),
				append(quiet("2024-09-01"), each("2025-05", "2025-09", 3, 900_00, northwind)...)}, "2025-05-03"},
		"also paid into an account with a shorter history": {
			[][]bankdata.Transaction{append(quiet("2024-04-01"), year...), each("2025-10", "2026-02", 3, 100_00, northwind)}, ""},
		"an account with a shorter history that the employer does not pay into": {
			[][]bankdata.Transaction{append(quiet("2024-04-01"), year...), each("2025-10", "2026-02", 3, 100_00, benefit)}, "2025-05-03"},
		"a refund with the same words is not a wage": {
			[][]bankdata.Transaction{append(append(quiet("2024-04-01"), each("2024-08", "2024-08", 3, 20_00,
				"PURCHASE RETURN NORTHWIND LOGISTICS")...), year...)}, "2025-05-03"},
	} {
		var all []bankdata.Account
		for i, txs := range c.accounts {
			a := cash(txs...)
			a.ID = fmt.Sprint(i)
			all = append(all, a)
		}
		got := "no employer"
		for _, e := range build(bank(all...)).Employment {
			if *e.EmployerName == "NORTHWIND LOGISTICS" {
				got = ""
				if e.EstimatedHireDate != nil {
					got = e.EstimatedHireDate.String()
				}
			}
		}
		if got != c.want {
			t.Errorf("%s: hired %q, want %q", name, got, c.want)
		}
	}
}

func TestEmployment(t *testing.T) {
	type item struct{ Source, Name, Status, Matched, Unmatched string }
	for name, c := range map[string]struct {
		account bankdata.Account
		stated  []string
		want    []item
	}{
		"none": {joined(each("2025-01", "2026-02", 3, 900_00, benefit)), nil, nil},
		"stated only: no matching": {
			joined(each("2025-01", "2026-02", 3, 900_00, benefit)), []string{"Northwind"},
			[]item{{"CONSUMER_INPUT", "Northwind", "", "", ""}},
		},
		"paid only: no matching": {
			joined(each("2025-01", "2026-02", 3, 900_00, northwind)), nil,
			[]item{{"BANK", "NORTHWIND LOGISTICS", "active", "", ""}},
		},
		"a job that has ended has no status": {
			joined(each("2025-01", "2025-08", 3, 900_00, northwind), each("2025-09", "2026-02", 1, -1_00, groceries)), nil,
			[]item{{"BANK", "NORTHWIND LOGISTICS", "", "", ""}},
		},
		"a job that ended before the year is not listed": {
			joined(each("2024-04", "2025-02", 3, 900_00, northwind), each("2025-03", "2026-02", 1, -1_00, groceries)), nil, nil,
		},
		"a payroll company is not an employer": {
			joined(each("2025-01", "2026-02", 3, 900_00, "GUSTO DES:PAY 123456 INDN:PAT DOE CO ID:91")), nil, nil,
		},
		"one of two": {
			joined(each("2025-01", "2026-02", 3, 900_00, northwind), each("2025-01", "2026-02", 3, 500_00, globex)), []string{"Globex Widgets LLC"},
			[]item{{"CONSUMER_INPUT", "Globex Widgets LLC", "", "GLOBEX WIDGETS", "NORTHWIND LOGISTICS"},
				{"BANK", "NORTHWIND LOGISTICS", "active", "", ""}, {"BANK", "GLOBEX WIDGETS", "active", "", ""}},
		},
		"two, one of which pays": {
			joined(each("2025-01", "2026-02", 3, 900_00, northwind)), []string{"Initech", "Northwind"},
			[]item{{"CONSUMER_INPUT", "Initech", "", "", "NORTHWIND LOGISTICS"}, {"CONSUMER_INPUT", "Northwind", "",
				"NORTHWIND LOGISTICS", ""}, {"BANK", "NORTHWIND LOGISTICS", "active", "", ""}},
		},
		"two, neither of which pays": {
			joined(each("2025-01", "2026-02", 3, 900_00, benefit)), []string{"Initech", "Northwind"},
			[]item{{"CONSUMER_INPUT", "Initech", "", "-", ""}, {"CONSUMER_INPUT", "Northwind", "", "-", ""}},
		},
	} {
		names := map[string]string{}
		var got []item
		all := build(bank(c.account), c.stated...).Employment
		for _, e := range all {
			names[*e.SourceRecordID] = *e.EmployerName
		}
		if len(names) != len(all) {
			t.Errorf("%s: %d records have %d ids", name, len(all), len(names))
		}
		for _, e := range all {
			it := item{Source: e.SourceID, Name: *e.EmployerName, Status: report.Text(e.Status)}
			if m := e.Matching; m != nil {
				for _, r := range m.EmployerName.Matched {
					it.Matched += names[*r.SourceRecordID]
				}
				for _, r := range m.EmployerName.Unmatched {
					it.Unmatched += names[*r.SourceRecordID]
				}
				if it.Matched+it.Unmatched == "" {
					it.Matched = "-"
				}
			}
			got = append(got, it)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

func TestMatchedIncome(t *testing.T) {
	amount := int64(40_000)
	a := joined(
		each("2024-04", "2026-02", 3, 900_00, northwind),
		each("2024-04", "2026-02", 17, 300_00, "ADP WAGE NORTHWIND LOGISTICS WEST"),
		each("2024-04", "2026-02", 9, 500_00, globex),
	)
	for name, c := range map[string]struct {
		stated  []string
		matched string // employer, description and whole dollars of the year
		sources int
	}{
		"none stated":          {nil, "", 0},
		"none that pays":       {[]string{"Initech"}, "", 0},
		"one with two inflows": {[]string{"Northwind Logistics Inc"}, "Northwind Logistics Inc, NORTHWIND LOGISTICS, 14400", 2},
		"the larger of two":    {[]string{"Globex", "Northwind"}, "Northwind, NORTHWIND LOGISTICS, 14400", 3},
		"each inflow matches one employer": {[]string{"Northwind Logistics", "Northwind Logistics West"},
			"Northwind Logistics, NORTHWIND LOGISTICS, 10800", 2},
	} {
		r := Build(Input{Envelope: report.Envelope{PublicToken: "t", InputSource: report.ConsumerInput}, State: "TX",
			StatedEmployers: c.stated, StatedAnnualIncome: &amount, Bank: bank(a),
			Options: Options{Suite: Suite20, Inflows: true}}, asOf)
		m, got := model(t, r), ""
		if x := m.MatchedIncome; x != nil {
			got = *x.StatedEmployer + ", " + *x.Description + ", " + (report.Cents(*x.Net * 100)).String()[:5]
			if *x.StatedAnnualIncome != amount || *x.Gross <= *x.Net {
				t.Errorf("%s: stated %d, gross %d", name, *x.StatedAnnualIncome, *x.Gross)
			}
		}
		if got != c.matched || len(m.MatchedIncomeSources) != c.sources {
			t.Errorf("%s: %q of %d inflows, want %q of %d", name, got, len(m.MatchedIncomeSources), c.matched, c.sources)
		}
		ids := map[string]bool{}
		for _, x := range m.Inflows {
			ids[x.InflowID] = true
		}
		for _, x := range m.MatchedIncomeSources {
			if !ids[x.MatchedInflowID] {
				t.Errorf("%s: no inflow %s", name, x.MatchedInflowID)
			}
			delete(ids, x.MatchedInflowID)
		}
	}
}

// TestStatedEmployersCreditsAreWages checks recurring credits whose words only name the
// employer.
func TestStatedEmployersCreditsAreWages(t *testing.T) {
	a := joined(each("2024-04", "2026-02", 3, 900_00, "VANDELAY 99812"), each("2024-04", "2026-02", 5, -1_00, groceries))
	if r := build(bank(a)); r.Income != nil || r.Employment != nil {
		t.Errorf("not stated, it is %+v", r.Income)
	}
	r := build(bank(a), "Vandelay Industries")
	m := model(t, r)
	if *m.NetAnnual != 10_800 || *m.GrossAnnual <= 10_800 || m.MatchedIncome == nil || len(m.Inflows) != 1 ||
		len(r.Employment) != 2 || !m.PrimaryAccountDetected {
		t.Errorf("stated, it is %+v", m)
	}
	if m.JobIrregularityRisk == nil || *m.JobIrregularityRisk != report.RiskLow {
		t.Errorf("its risk is %v", m.JobIrregularityRisk)
	}
	// A benefit stays one, whatever was stated, and so does a person's transfer.
	for _, text := range []string{benefit, "ZELLE PAYMENT FROM VANDELAY"} {
		b := joined(each("2024-04", "2026-02", 3, 900_00, text), each("2024-04", "2026-02", 5, -1_00, groceries))
		if r := build(bank(b), "SSA Treas Soc", "Vandelay"); r.Income != nil && model(t, r).MatchedIncome != nil {
			t.Errorf("%q is a wage of %s", text, *model(t, r).MatchedIncome.StatedEmployer)
		}
	}
}

// TestStatedCompanyIsNotSelfEmployment checks credits whose words have only the employer's
// name with a legal form, or the marker of a payment between companies.
func TestStatedCompanyIsNotSelfEmployment(t *testing.T) {
	for _, text := range []string{"VANDELAY INC", "VANDELAY INDUSTRIES LLC", "VANDELAY CORP 99812",
		"ACH CREDIT VANDELAY INDUSTRIES CCD", "VANDELAY CO ID:99812 CCD"} {
		a := joined(each("2024-04", "2026-02", 3, 4_199_17, text), each("2024-04", "2026-02", 5, -1_00, groceries))
		wages := joined(each("2024-04", "2026-02", 3, 4_199_17, "VANDELAY PAYROLL"), each("2024-04", "2026-02", 5, -1_00, groceries))
		m, want := model(t, build(bank(a), "Vandelay Industries")), model(t, build(bank(wages), "Vandelay Industries"))
		if *m.NetAnnual != *want.NetAnnual || *m.GrossAnnual != *want.GrossAnnual || len(m.Inflows) != 1 ||
			m.MatchedIncome == nil || *m.MatchedIncome.Gross != *want.MatchedIncome.Gross {
			t.Errorf("%q: net %d, gross %d, want %d and %d: %+v", text, *m.NetAnnual, *m.GrossAnnual, *want.NetAnnual, *want.GrossAnnual, m.Inflows)
		}
	}
}

func TestPrimaryAccount(t *testing.T) {
	spending := each("2024-04", "2026-02", 5, -1_00, groceries)
	half := each("2024-04", "2026-02", 3, 900_00, northwind)
	for name, c := range map[string]struct {
		accounts []bankdata.Account
		want     bool
	}{
		"income and spending":      {[]bankdata.Account{joined(half, spending)}, true},
		"income without spending":  {[]bankdata.Account{joined(half)}, false},
		"spending in two of three": {[]bankdata.Account{joined(half, each("2026-01", "2026-02", 5, -1_00, groceries))}, false},
		"half of the income":       {[]bankdata.Account{joined(half, spending), joined(half)}, true},
		"a third of the income":    {[]bankdata.Account{joined(half, spending), joined(half), joined(half)}, false},
		"the incomplete month does not count": {[]bankdata.Account{joined(half, spending, each("2026-03", "2026-03", 3, 9_000_00, northwind)),
			joined(half), joined(half)}, false},
		"no income in three months": {[]bankdata.Account{joined(each("2024-04", "2025-10", 3, 900_00, northwind), spending)}, false},
	} {
		for i := range c.accounts {
			c.accounts[i].ID = string(rune('a' + i))
		}
		if got := model(t, build(bank(c.accounts...))).PrimaryAccountDetected; got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func TestJobIrregularityRisk(t *testing.T) {
	uneven := func(text string, amounts ...report.Cents) []bankdata.Transaction {
		all := each("2025-03", "2026-02", 3, 0, text)
		for i := range all {
			all[i].Amount = amounts[i%len(amounts)]
		}
		return all
	}
	gaps := func(text string, days ...string) (out []bankdata.Transaction) {
		for _, d := range days {
			out = append(out, bankdata.Transaction{ID: d, Posted: day(d), Amount: 500_00, Description: text})
		}
		return out
	}
	for name, c := range map[string]struct {
		account bankdata.Account
		want    string // empty: null
	}{
		"no job": {joined(each("2025-03", "2026-02", 3, 900_00, benefit)), ""},
		"a job that has ended": {joined(each("2025-03", "2025-10", 3, 900_00, northwind),
			each("2025-11", "2026-02", 3, -1_00, groceries)), ""},
		"even":                         {joined(each("2025-03", "2026-02", 3, 900_00, northwind)), "LOW"},
		"amounts just under a quarter": {joined(uneven(northwind, 751_00, 1_249_00)), "LOW"},
		"amounts of a quarter":         {joined(uneven(northwind, 750_00, 1_250_00)), "MEDIUM"},
		"amounts just under a half":    {joined(uneven(northwind, 501_00, 1_499_00)), "MEDIUM"},
		"amounts of a half":            {joined(uneven(northwind, 500_00, 1_500_00)), "HIGH"},
		"two payments of one day are one": {joined(each("2025-03", "2026-02", 3, 900_00, northwind),
			each("2025-03", "2026-02", 3, 9_00, northwind)), "LOW"},
		"a gig of any day": {joined(gaps("UBER PAYOUT", "2025-11-01", "2025-11-03", "2025-11-20",
			"2025-11-21", "2025-12-24", "2026-01-02", "2026-02-20", "2026-02-21", "2026-03-08")), "HIGH"},
		"a wage before a larger gig": {joined(each("2025-03", "2026-02", 3, 100_00, northwind),
			gaps("UBER PAYOUT", "2025-11-01", "2025-11-03", "2025-12-24", "2026-02-20", "2026-02-21", "2026-03-08")), "LOW"},
		"the larger of two wages": {joined(uneven(northwind, 500_00, 1_500_00),
			each("2025-03", "2026-02", 9, 2_000_00, globex)), "LOW"},
		"a year ago is forgotten": {joined(each("2024-04", "2024-12", 3, 9_000_00, northwind),
			each("2025-01", "2026-02", 3, 900_00, northwind)), "LOW"},
		"a benefit is no job, however regular": {joined(uneven(northwind, 500_00, 1_500_00),
			each("2025-03", "2026-02", 9, 2_000_00, benefit)), "HIGH"},
	} {
		got := report.Text(model(t, build(bank(c.account))).JobIrregularityRisk)
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

package cashflow

import (
	"bytes"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

var asOf = time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)

func day(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.Date{Time: t}
}

func bank(accounts ...bankdata.Account) bankdata.Data {
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK", Status: contract.StatusSuccess, Accounts: accounts}}}
}

func cash(transactions ...bankdata.Transaction) bankdata.Account {
	return bankdata.Account{ID: "a", Type: report.CashEquivalent, Transactions: transactions}
}

func TestOutcome(t *testing.T) {
	for name, c := range map[string]struct {
		data bankdata.Data
		want contract.Status
		sub  contract.Substatus
	}{
		"no connection": {bankdata.Data{}, contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		"no account":    {bank(), contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		"only an investment": {bank(bankdata.Account{Type: report.Investment}),
			contract.StatusNotAuthenticated, contract.SubIncompatibleAccounts},
		"no transaction": {bank(cash()), contract.StatusSuccess, contract.SubNoRecentInformation},
		"one pending transaction": {bank(cash(bankdata.Transaction{Posted: day("2026-03-10"), Pending: true})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
		"one transaction, more than two years ago": {bank(cash(bankdata.Transaction{Posted: day("2024-03-09")})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
		"one transaction, more than 12 months ago": {bank(cash(bankdata.Transaction{Posted: day("2025-03-09")})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
		"one transaction, exactly 12 months ago": {bank(cash(bankdata.Transaction{Posted: day("2025-03-10")})), contract.StatusSuccess, ""},
		"one of today":                           {bank(cash(bankdata.Transaction{Posted: day("2026-03-10")})), contract.StatusSuccess, ""},
		"one of tomorrow": {bank(cash(bankdata.Transaction{Posted: day("2026-03-11")})),
			contract.StatusSuccess, contract.SubNoRecentInformation},
	} {
		if st, sub := c.data.Outcome(asOf); st != c.want || sub != c.sub {
			t.Errorf("%s: %s %s, want %s %s", name, st, sub, c.want, c.sub)
		}
	}
}

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
	m := both.Identities[0].Matching
	if m == nil || len(m.FullName.Matched) != 1 || *m.FullName.Matched[0].SourceRecordID != "r1" ||
		len(m.FullName.Unmatched) != 1 || *m.FullName.Unmatched[0].SourceRecordID != "r2" {
		t.Errorf("matching is %+v", m)
	}
	for _, id := range both.Identities[1:] {
		if id.Matching != nil {
			t.Error("a bank's identity has a matching")
		}
	}
	if given := Build(Input{Consumer: typed, Envelope: report.Envelope{InputSource: report.CustomerInput}, Bank: data},
		asOf); given.Identities[0].Matching == nil {
		t.Error("what the customer gave is not matched")
	}
	unnamed := Build(Input{Bank: data}, asOf)
	if len(unnamed.Sources) != 1 || len(unnamed.Identities) != 2 || unnamed.Identities[0].Matching != nil {
		t.Errorf("without input there are %+v of %+v", unnamed.Identities, unnamed.Sources)
	}
}

func TestEmptyFieldsAreNull(t *testing.T) {
	r := Build(Input{Envelope: report.Envelope{PublicToken: "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001"}, Bank: bank(cash())}, asOf)
	got, err := report.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	want := `"account_details":[{"source_id":"BANK","account_id":"a","months_available":0,"owner_full_name":null,` +
		`"institution_name":null,"account_name":null,"account_type":"CASH_EQUIVALENT","account_subtype":null,"date_opened":null,` +
		`"truncated_account_number":null,"responsibility":null,"last_statement_end_date":null,"addresses":[],"current_balance":0.00}]}`
	if !bytes.HasSuffix(got, []byte(want)) {
		t.Errorf("the report is %s", got)
	}
	if bytes.Contains(got, []byte("identities")) {
		t.Error("a node without data was returned")
	}
	if *r.Meta.Substatus != contract.SubNoRecentInformation {
		t.Errorf("substatus is %v", r.Meta.Substatus)
	}
}

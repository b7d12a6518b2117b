package eligibility

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/report"
)

var asOf = time.Date(2026, 3, 10, 15, 0, 0, 0, time.UTC)

const link = "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001"

var labels = report.Envelope{PublicToken: link}

func day(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.Date{Time: t}
}

func bank(accounts ...bankdata.Account) bankdata.Data {
	return bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK", Institution: "Harbor National Bank",
		Status: contract.StatusSuccess, Accounts: accounts}}}
}

func cash(transactions ...bankdata.Transaction) bankdata.Account {
	return bankdata.Account{ID: "a", Type: report.CashEquivalent, Subtype: report.Checking, Institution: "Harbor National Bank",
		Number: "000412887301", Transactions: transactions}
}

// posted returns a transaction of a day. Its ID depends on the day and text.
func posted(date string, amount report.Cents, text string) bankdata.Transaction {
	return bankdata.Transaction{ID: date + text, Posted: day(date), Amount: amount, Description: text}
}

// works returns a payroll connection with one job for each employer, paid once a month
// since January of the previous year.
func works(id string, employers ...string) Connected {
	c := Connected{Payroll: income.Payroll{ID: id, SourceID: strings.ToUpper(id), Provider: "Paywright", Type: income.ProviderPayroll,
		Owner: bankdata.Owner{RecordID: "r" + id, Person: bankdata.Person{FirstName: "Ana", LastName: "Núñez"}}}}
	hired := day("2020-05-04")
	for _, e := range employers {
		j := income.Job{Employer: e, Status: report.EmploymentActive, Type: report.EmploymentFullTime, Hired: &hired,
			Rate: 24_000_00, RatePer: income.PerYear, Frequency: report.PayMonthly}
		for m := day("2026-02-01"); m.Year() > 2024; m = (report.Date{Time: m.AddDate(0, -1, 0)}) {
			n := report.Cents(m.Month())
			j.Statements = append(j.Statements, income.Statement{PayDate: report.Date{Time: m.AddDate(0, 1, -1)},
				Start: m, End: report.Date{Time: m.AddDate(0, 1, -1)},
				Hours: 160_00, Gross: 2_000_00, GrossYTD: 2_000_00 * n, Net: 1_500_00, NetYTD: 1_500_00 * n})
		}
		c.Payroll.Jobs = append(c.Payroll.Jobs, j)
	}
	return c
}

func full(w report.Workflow) Input {
	data := bank(cash(posted("2025-01-15", 900_00, "PAYROLL"), posted("2026-03-01", 2_00, "INTEREST PAYMENT")))
	data.Connections[0].Owners = []bankdata.Owner{{RecordID: "o", Person: bankdata.Person{FirstName: "ANA", LastName: "NUNEZ"}}}
	return Input{
		Envelope: report.Envelope{PublicToken: link, InputSource: report.ConsumerInput, InputUUID: "u"}, Workflow: w,
		Consumer:        &bankdata.Person{FirstName: "Ana", LastName: "Núñez"},
		StatedEmployers: []string{"Globex", "Initech"}, Bank: data, Notices: []report.ConsumerNotice{{Description: "You may dispute."}},
		Gathered: Gathered{Payroll: []Connected{works("p", "Globex Widgets")},
			Failed: []Failed{{SourceID: "OTHER", SourceUUID: "2", Institution: "Other Bank",
				Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired, At: asOf}}},
		Files: []report.EligibilityDocument{{SourceID: "BANK", SourceUUID: "1", DocumentType: report.BankTransactionsDocument,
			DocumentID: "d", SourceFilepath: "1/t"}},
	}
}

// keys returns the keys of the encoded report.
func keys(t *testing.T, r report.Eligibility) []string {
	t.Helper()
	raw, err := report.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(maps.Keys(all))
}

func TestNodesOfWorkflows(t *testing.T) {
	for w, want := range map[report.Workflow]string{
		report.IncomeOnly: `meta product stated_employers identities employment income documents`,
		report.AssetsOnly: `meta product identities assets documents application_completeness_checks`,
		report.IncomeAndAssets: `meta product stated_employers identities employment assets ` +
			`income documents application_completeness_checks consumer_notices`,
		"": `meta product stated_employers identities employment assets income documents application_completeness_checks consumer_notices`,
	} {
		expected := strings.Fields(want)
		slices.Sort(expected)
		r := Build(full(w), asOf)
		if diff := cmp.Diff(expected, keys(t, r)); diff != "" {
			t.Errorf("workflow %q: %s", w, diff)
		}
		// What a workflow does not verify says nothing of the consumer either.
		sources := map[string]bool{}
		for _, i := range r.Identities {
			sources[i.SourceID] = true
		}
		if sources["BANK"] != (w != report.IncomeOnly) || sources["P"] != (w != report.AssetsOnly) {
			t.Errorf("workflow %q has identities of %v", w, sources)
		}
		for _, e := range r.Employment {
			if (e.Matching.DirectDeposits != nil) != (w != report.IncomeOnly) {
				t.Errorf("workflow %q: direct deposits are %v", w, e.Matching.DirectDeposits)
			}
		}
	}
	// Without data, no workflow has other nodes.
	empty := Build(Input{Envelope: labels}, asOf)
	if diff := cmp.Diff([]string{"application_completeness_checks", "meta", "product"}, keys(t, empty)); diff != "" {
		t.Errorf("without data: %s", diff)
	}
}

func TestOutcome(t *testing.T) {
	wage, nothing := bank(cash(posted("2026-02-02", 5_00, "PAYROLL"))), bank(cash())
	invested := bank(bankdata.Account{Type: report.Investment})
	idle := works("p", "Globex")
	idle.Payroll.Jobs[0].Statements = nil
	failed := Connected{Status: contract.StatusNotAuthenticated, Substatus: contract.SubMFARequired}
	incomplete := works("p", "")
	read := Document{Type: report.VerifiedByPaystub, Status: contract.StatusSuccess}
	unread := Document{Type: report.VerifiedByDocument, Status: contract.StatusNotAuthenticated}
	down := Failed{Status: contract.StatusSupplierUnresponsive}
	for name, c := range map[string]struct {
		workflow report.Workflow
		bank     bankdata.Data
		gathered Gathered
		want     string
	}{
		"assets":                      {report.AssetsOnly, wage, Gathered{}, "SUCCESS "},
		"assets without transactions": {report.AssetsOnly, nothing, Gathered{}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
		"assets, investments only": {report.AssetsOnly, invested, Gathered{},
			"NOT_AUTHENTICATED INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED"},
		"assets, a bank that failed": {report.AssetsOnly, bankdata.Data{},
			Gathered{Failed: []Failed{down}}, "SUPPLIER_UNRESPONSIVE "},
		"assets, nothing": {report.AssetsOnly, bankdata.Data{}, Gathered{},
			"NOT_AUTHENTICATED INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED"},
		"payroll does not replace assets": {report.AssetsOnly, invested,
			Gathered{Payroll: []Connected{works("p", "Globex")}, Documents: []Document{read}},
			"NOT_AUTHENTICATED INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED"},
		"income": {report.IncomeOnly, bankdata.Data{},
			Gathered{Payroll: []Connected{works("p", "Globex")}}, "SUCCESS "},
		"income, a document": {report.IncomeOnly, bankdata.Data{},
			Gathered{Documents: []Document{unread, read}}, "SUCCESS "},
		"income, a document that cannot be read": {report.IncomeOnly, bankdata.Data{},
			Gathered{Documents: []Document{unread}}, "NOT_AUTHENTICATED "},
		"income without a payment": {report.IncomeOnly, bankdata.Data{},
			Gathered{Payroll: []Connected{idle}}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
		"income, the first sign-in failed": {report.IncomeOnly, bankdata.Data{},
			Gathered{Payroll: []Connected{failed, works("p", "Globex")}}, "SUCCESS "},
		"income, the only sign-in failed": {report.IncomeOnly, bankdata.Data{},
			Gathered{Payroll: []Connected{failed}}, "NOT_AUTHENTICATED MFA_REQUIRED_ON_FETCH"},
		"income, a provider without names": {report.IncomeOnly, bankdata.Data{},
			Gathered{Payroll: []Connected{incomplete}}, "ERROR INCOMPLETE_INFORMATION"},
		"income, all skipped": {report.IncomeOnly, bankdata.Data{},
			Gathered{Skipped: map[string]string{"Globex": "OTHER"}}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
		"a bank does not replace income": {report.IncomeOnly, wage, Gathered{}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
		"income, a bank that failed": {report.IncomeOnly, bankdata.Data{},
			Gathered{Failed: []Failed{down}}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
		"both, only a bank": {report.IncomeAndAssets, wage, Gathered{Payroll: []Connected{failed}}, "SUCCESS "},
		"both, only payroll": {report.IncomeAndAssets, bankdata.Data{},
			Gathered{Payroll: []Connected{works("p", "Globex")}, Failed: []Failed{down}}, "SUCCESS "},
		"both, no payment and no transactions": {report.IncomeAndAssets, nothing,
			Gathered{Payroll: []Connected{idle}}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
		"both, investments and a failed sign-in": {report.IncomeAndAssets, invested, Gathered{Payroll: []Connected{failed}},
			"NOT_AUTHENTICATED INCOMPATIBLE_ACCOUNT_TYPES_SUBMITTED"},
		"both, a bank that failed": {report.IncomeAndAssets, bankdata.Data{}, Gathered{Failed: []Failed{down}}, "SUPPLIER_UNRESPONSIVE "},
		"both, nothing":            {report.IncomeAndAssets, bankdata.Data{}, Gathered{}, "SUCCESS NO_RECENT_USABLE_INFORMATION"},
	} {
		in := Input{Envelope: labels, Workflow: c.workflow, Bank: c.bank, Gathered: c.gathered, StatedEmployers: []string{"Globex"}}
		status, sub := Outcome(in, asOf)
		if got := string(status) + " " + string(sub); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
		r := Build(in, asOf)
		if r.Meta.Status != status || report.Text(r.Meta.Substatus) != string(sub) {
			t.Errorf("%s: its meta says %s %s", name, r.Meta.Status, report.Text(r.Meta.Substatus))
		}
	}
}

func TestMatchingBySource(t *testing.T) {
	in := full(report.IncomeAndAssets)
	in.Bank.Connections[0].Owners = append(in.Bank.Connections[0].Owners,
		bankdata.Owner{RecordID: "q", Person: bankdata.Person{FirstName: "Jo", LastName: "Park"}})
	other := works("q", "Initech")
	other.Payroll.Owner.FirstName = "Other"
	ownerless := works("n", "Hooli")
	ownerless.Payroll.Owner = bankdata.Owner{}
	refused := works("r", "Umbrella")
	refused.Status = contract.StatusNotAuthenticated
	in.Payroll = append(in.Payroll, other, ownerless, refused)
	r := Build(in, asOf)
	if len(r.Identities) != 5 {
		t.Fatalf("identities are %+v", r.Identities)
	}
	got, err := report.Encode(r.Identities[0].Matching)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"full_name":{"matched_sources":[{"source_id":"BANK","source_uuid":"1"},{"source_id":"P",` +
		`"source_uuid":"p"}],"unmatched_sources":[{"source_id":"Q","source_uuid":"q"}]}}`
	if string(got) != want {
		t.Errorf("matching is %s", got)
	}
	for _, i := range r.Identities[1:] {
		if i.Matching != nil || i.SourceUUID == nil {
			t.Errorf("%s has %+v", i.SourceID, i)
		}
	}
	alone := Build(Input{Consumer: in.Consumer, Envelope: report.Envelope{InputSource: report.ConsumerInput}}, asOf)
	if len(alone.Identities) != 1 || alone.Identities[0].Matching != nil {
		t.Errorf("a single identity has %+v", alone.Identities)
	}
	in.InputSource = report.CustomerInput
	if given := Build(in, asOf); len(given.Identities) != 5 || given.Identities[0].Matching != nil {
		t.Errorf("what the customer gave is matched: %+v", given.Identities)
	}
	unnamed := Build(Input{Bank: in.Bank}, asOf)
	if len(unnamed.Identities) != 2 || unnamed.Identities[0].Matching != nil {
		t.Errorf("without input: %+v", unnamed.Identities)
	}
}

func TestEmptyFieldsAreNull(t *testing.T) {
	in := Input{Envelope: report.Envelope{PublicToken: link, InputSource: report.ConsumerInput}, StatedEmployers: []string{"Globex"},
		Bank: bankdata.Data{Connections: []bankdata.Connection{{ID: "1", SourceID: "BANK",
			Status: contract.StatusSuccess, Accounts: []bankdata.Account{
				{ID: "a", Type: report.CashEquivalent}, {ID: "b", Type: report.Investment, Subtype: "BROKERAGE", Balance: 5}}}}},
		Gathered: Gathered{Payroll: []Connected{{Payroll: income.Payroll{ID: "p", SourceID: "P", Jobs: []income.Job{{Employer: "Initech"}}}}}}}
	got, err := report.Encode(Build(in, asOf))
	if err != nil {
		t.Fatal(err)
	}
	account := func(id, kind, balance string) string {
		return `{"source_id":"BANK","source_uuid":"1","account_id":"` + id +
			`","owner_full_name":null,"institution_name":null,"account_name":null,"account_type":"` + kind +
			`","account_subtype":null,"date_first_transaction":null,"last_statement_end_date":null,` +
			`"truncated_account_number":null,"responsibility":null,"addresses":[],"current_balance":` +
			balance + `,"six_months_average_balance":null,"twelve_months_income_from_assets":null}`
	}
	for _, want := range []string{
		`"stated_employers":[{"name":"Globex","input_method":"CONSUMER_INPUT","verification_sources":[],"skipped_reason":null}]`,
		`"employment":[{"source_id":"P","source_uuid":"p","employer_name":"Initech","employer_address_line_1":null,` +
			`"employer_address_line_2":null,"employer_city":null,"employer_state":null,` +
			`"employment_type":null,"employment_status":null,"job_title":null,"hire_date":null,` +
			`"termination_date":null,"base_pay_rate":null,"base_pay_period":null,` +
			`"matching":{"employer_name":{"matched_employer_name":[],"unmatched_employer_name":[{"stated_employer":"Globex"}]},` +
			`"direct_deposit_accounts":{"matched_direct_deposit_accounts":[],"unmatched_direct_deposit_accounts":[]}}}]`,
		`"assets":{"account_details":[` + account("a", "CASH_EQUIVALENT", "0.00") + `,` + account("b", "INVESTMENT", "0.05") +
			`],"inflows":[],"matched_income_sources":[],"failed_connections":[]}`,
		`"income":{"payroll":[{"source_id":"P","source_uuid":"p","provider_name":null,"provider_type":null,` +
			`"annual_gross_income":null,"annual_net_income":null,"pay_frequency":null,` +
			`"gigs_annual_gross_earnings":null,"gigs_annual_deposited_amount":null,` +
			`"gigs_annual_net_earnings":null,"gig_summaries":[],"statements":[]}]}`,
	} {
		if !strings.Contains(string(got), want) {
			t.Errorf("the report has no %s:\n%s", want, got)
		}
	}
}

// deposit returns a deposit to an account at the tests' bank.
func deposit(last4 string) income.Deposit {
	return income.Deposit{Institution: "Harbor National Bank", Mask: last4}
}

package report

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEligibilityKeys compares the keys of each node with the API reference.
func TestEligibilityKeys(t *testing.T) {
	for _, c := range []struct {
		of   any
		keys string
	}{
		{Eligibility{}, `meta product stated_employers identities employment assets income ` +
			`documents application_completeness_checks consumer_notices`},
		{StatedEmployer{}, `name input_method verification_sources skipped_reason`},
		{VerificationSource{}, `source_id source_uuid source_type status substatus`},
		{EligibilityIdentity{}, `source_id source_uuid first_name last_name full_name emails matching`},
		{EligibilityMatching{}, `full_name`},
		{ConnectionMatching{}, `matched_sources unmatched_sources`},
		{ConnectionRef{}, `source_id source_uuid`},
		{EligibilityEmployment{}, `source_id source_uuid employer_name employer_address_line_1 employer_address_line_2
			employer_city employer_state
			employment_type employment_status job_title hire_date termination_date base_pay_rate base_pay_period matching`},
		{EmployerMatches{}, `employer_name direct_deposit_accounts`},
		{EmployerNameMatching{}, `matched_employer_name unmatched_employer_name`},
		{StatedName{}, `stated_employer`},
		{DirectDepositsMatching{}, `matched_direct_deposit_accounts unmatched_direct_deposit_accounts`},
		{MatchedDeposit{}, `matched_account_id truncated_account_number institution_name`},
		{UnmatchedDeposit{}, `truncated_account_number institution_name`},
		{Assets{}, `account_details inflows matched_income_sources failed_connections`},
		{AssetAccount{}, `source_id source_uuid account_id owner_full_name institution_name account_name account_type
			account_subtype date_first_transaction
			last_statement_end_date truncated_account_number responsibility addresses current_balance
			six_months_average_balance twelve_months_income_from_assets
			currency left_out_of_figures balance_date`},
		{FailedConnection{}, `source_id source_uuid institution_name status substatus failed_at`},
		{EligibilityIncome{}, `payroll`},
		{EligibilityPayroll{}, `source_id source_uuid provider_name provider_type annual_gross_income annual_net_income
			pay_frequency gigs_annual_gross_earnings
			gigs_annual_deposited_amount gigs_annual_net_earnings gig_summaries calendar_summary statements`},
		{GigSummary{}, `platform_name period_start period_end gig_count hours_worked gross_earnings tips bonuses fees deposited_amount`},
		{CalendarYear{}, `year calendar_year_gross_income calendar_year_net_income`},
		{EligibilityStatement{}, `pay_date pay_period_start pay_period_end hours_worked gross_total_earnings_amount_current
			gross_total_earnings_amount_ytd
			net_total_earnings_amount_current net_total_earnings_amount_ytd`},
		{EligibilityDocument{}, `source_id source_uuid document_type document_id available_date source_filepath`},
		{Check{}, `boolean_value`},
	} {
		got, want := keysOf(reflect.TypeOf(c.of)), strings.Fields(c.keys)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T: %s", c.of, diff)
		}
	}
	want := strings.Fields(`EMPLOYERS_VERIFIED_OR_SKIPPED ASSET_ACCOUNT_CONNECTED DIRECT_DEPOSIT_ACCOUNTS_CONNECTED
		SIX_MONTHS_HISTORY_AVAILABLE NO_FAILED_CONNECTIONS DOCUMENTS_READABLE`)
	if diff := cmp.Diff(want, CompletenessChecks()); diff != "" {
		t.Errorf("checks: %s", diff)
	}
}

func TestParseEligibility(t *testing.T) {
	r, err := ParseEligibility([]byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	if b, _ := Encode(r); string(b) != minimal {
		t.Errorf("a report without data is %s", b)
	}
	more := strings.TrimSuffix(minimal, "}")
	r, err = ParseEligibility([]byte(more + `,"assets":{"account_details":[{"six_months_average_balance":12.5,` +
		`"new":1}],"inflows":[]},"income":{"payroll":[{"statements":[{"hours_worked":80.25}]}]},"new":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if a := r.Assets.AccountDetails[0]; *a.AverageBalance != 12_50 || a.IncomeFromAssets != nil || r.Assets.Inflows == nil {
		t.Errorf("read %+v of %+v", a, r.Assets)
	}
	if s := r.Income.Payroll[0].Statements[0]; *s.HoursWorked != 80_25 || s.GrossTotal != nil {
		t.Errorf("read %+v", s)
	}
	for name, raw := range map[string]string{
		"an array":        `[]`,
		"no meta":         `{}`,
		"a foreign token": `{"meta":{"public_token":"x"}}`,
		"text for money":  more + `,"assets":{"account_details":[{"current_balance":"12"}]}}`,
		"a year of three": more + `,"income":{"payroll":[{"calendar_summary":[{"year":202}]}]}}`,
		"no date":         more + `,"employment":[{"termination_date":"2026-02-30"}]}`,
	} {
		if _, err := ParseEligibility([]byte(raw)); err == nil {
			t.Errorf("%s: was read", name)
		}
	}
}

// TestParseEligibilityOmitsMalformedParts checks that elements of another shape are left
// out and listed in LeftOut, where the API reference leaves the shape open.
func TestParseEligibilityOmitsMalformedParts(t *testing.T) {
	more := strings.TrimSuffix(minimal, "}")
	body := func(failed, gigs, checks string) string {
		return more + `,"assets":{"account_details":[],"failed_connections":` + failed +
			`},"income":{"payroll":[{"source_id":"a","gig_summaries":[]},{"source_id":"b","gig_summaries":` +
			gigs + `}]},"application_completeness_checks":` + checks + `}`
	}
	failed, gig := withMembers(FailedConnection{}, `"source_id":"bank","status":"ERROR"`), withMembers(GigSummary{}, `"gig_count":3`)
	for name, c := range map[string]struct {
		raw                  string
		failed, gigs, checks int
		want                 []string
	}{
		"ours":            {body("["+failed+"]", "["+gig+"]", `{"DOCUMENTS_READABLE":{"boolean_value":true}}`), 1, 1, 1, nil},
		"null":            {body("null", "null", "null"), 0, 0, 0, nil},
		"checks in a row": {body("["+failed+"]", "["+gig+"]", `["DOCUMENTS_READABLE"]`), 1, 1, 0, []string{"application_completeness_checks"}},
		"checks as words": {body("[]", "[]", `{"DOCUMENTS_READABLE":{"boolean_value":true},"OTHER":"PASSED"}`),
			0, 0, 1, []string{"application_completeness_checks"}},
		"names for banks": {body(`["Harbor",`+failed+`]`, "[]", `{}`), 1, 0, 0, []string{"assets.failed_connections"}},
		"other gigs": {body("[]", `[{"platform":"Rides","total":"12.00"},`+gig+`]`, `{}`),
			0, 1, 0, []string{"income.payroll.gig_summaries"}},
		"one gig": {body("[]", `{"platform":"Rides"}`, `{}`), 0, 0, 0, []string{"income.payroll.gig_summaries"}},
		"all of them else": {body("{}", "1", `false`), 0, 0, 0, []string{"assets.failed_connections",
			"income.payroll.gig_summaries", "application_completeness_checks"}},
	} {
		r, err := ParseEligibility([]byte(c.raw))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, r.LeftOut); diff != "" || len(r.Income.Payroll) != 2 ||
			len(r.Assets.Failed) != c.failed || len(r.Income.Payroll[1].Gigs) != c.gigs || len(r.Checks) != c.checks {
			t.Errorf("%s: read %+v and %+v, left out (-want +got):\n%s", name, r.Assets, r.Checks, diff)
		}
	}
}

// TestWorkflows checks that every workflow verifies something, and only IncomeAndAssets
// verifies both.
func TestWorkflows(t *testing.T) {
	for _, w := range Workflows() {
		if !w.Valid() || !w.Income() && !w.Assets() || (w == IncomeAndAssets) != (w.Income() && w.Assets()) {
			t.Errorf("%s: income %v, assets %v", w, w.Income(), w.Assets())
		}
	}
	for _, w := range []Workflow{"", "income"} {
		if w.Valid() {
			t.Errorf("%q is a workflow", w)
		}
	}
}

package report

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseIncomeWithoutData(t *testing.T) {
	r, err := ParseIncome([]byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	b, err := Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(minimal, string(b)); diff != "" {
		t.Error(diff)
	}
}

func TestParseIncomeRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"an array":        `[]`,
		"no meta":         `{}`,
		"a foreign token": `{"meta":{"public_token":"x"}}`,
		"text for income": strings.TrimSuffix(minimal, "}") + `,"income":{"summary":{"annual_net_income":"12"}}}`,
		"half a dollar":   strings.TrimSuffix(minimal, "}") + `,"income":{"financial_accounts":[{"net_annual":12.5}]}}`,
		"no date":         strings.TrimSuffix(minimal, "}") + `,"employment":[{"hire_date":"2026-02-30"}]}`,
	} {
		if _, err := ParseIncome([]byte(raw)); err == nil {
			t.Errorf("%s: was read", name)
		}
	}
}

func TestParseIncomeAcceptsUnknownMembers(t *testing.T) {
	r, err := ParseIncome([]byte(strings.TrimSuffix(minimal, "}") + `,"income":{"summary":{"annual_net_income":12.5},` +
		`"financial_accounts":[{"net_annual":12,"inflows":[],"new":1}]},"new":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	a := r.Income.FinancialAccounts[0]
	if *r.Income.Summary.AnnualNet != 12_50 || *a.NetAnnual != 12 || a.IncomeSuite2 == nil || a.Inflows == nil {
		t.Errorf("read %+v", a)
	}
}

// TestIncomeKeys compares the keys of each node with the API reference.
func TestIncomeKeys(t *testing.T) {
	amounts := ""
	for _, item := range strings.Fields(
		`net_total_earnings gross_total_earnings regular_pay_earnings bonus_earnings overtime_earnings commission_earnings
		paid_time_off_earnings vacation_earnings paid_time_off_deductions vacation_deductions medicare_tax_deductions
			social_security_deductions fica_tax_deductions`) {
		amounts += " " + item + "_amount_current " + item + "_amount_ytd"
	}
	for _, c := range []struct {
		of   any
		keys string
	}{
		{Income{}, `meta product sources identities employment income account_details consumer_notices`},
		{IncomeIdentity{}, `source_id source_record_id first_name last_name full_name emails matching`},
		{RecordMatching{}, `matched_sources unmatched_sources`},
		{RecordRef{}, `source_id source_record_id`},
		{Employment{}, `source_id source_record_id employer_name employer_address_line_1 employer_address_line_2
			employer_city employer_state employment_type
			employment_status job_title hire_date estimated_hire_date matching`},
		{IncomeNode{}, `summary financial_accounts paystubs payroll revised_report_values`},
		{IncomeSummary{}, `annual_gross_income annual_net_income`},
		{FinancialAccount{}, `source_ids model_version model_type descriptions is_consistent net_recent gross_recent
			net_annual gross_annual matched_income history
			primary_account_detected job_irregularity_risk inflows matched_income_sources`},
		{MatchedIncome{}, `stated_employer stated_annual_income description net_income gross_income`},
		{IncomeYear{}, `year gross net`},
		{Inflow{}, `inflow_id description deposited_annual_income deposited_recent_income account_id`},
		{MatchedIncomeSource{}, `stated_employer matched_inflow_id`},
		{RevisedValues{}, `gross_annual net_annual gross_recent net_recent`},
		{Paystub{}, `source_id source_record_id source_filepath employee_name employee_address_line_1
			employee_address_line_2 employee_city employee_state employee_zip
			pay_frequency paystub_provider pay_period_start pay_period_end pay_date hire_date insights consistency_checks
			irregularity_detection document_positions` + amounts},
		{Positions{}, `pages marks`},
		{PageSize{}, `width height`},
		{Mark{}, `page x y width height field reason`},
		{PaystubInsights{}, `annual_gross_income annual_net_income`},
		{ConsistencyCheck{}, `boolean_value`},
		{IrregularityDetection{}, `status reasons file_type genuine_pdf version`},
		{Payroll{}, `source_id provider_name annual_salary_rate estimated_gross_annual_income ` +
			`estimated_net_annual_income pay_period_start pay_period_end pay_frequency statements`},
		{Statement{}, `pay_date gross_total_earnings_amount_current gross_total_earnings_amount_ytd ` +
			`net_total_earnings_amount_current net_total_earnings_amount_ytd`},
		{IncomeAccount{}, `source_id account_id owner_full_name institution_name account_name account_type date_opened
			truncated_account_number responsibility addresses current_balance
			currency left_out_of_figures balance_date`},
		{IncomeAddress{}, `address_id address street city zipcode state`},
		{ConsumerNotice{}, `description source_reference`},
	} {
		got, want := keysOf(reflect.TypeOf(c.of)), strings.Fields(c.keys)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T: %s", c.of, diff)
		}
	}
	if n := len(PaystubChecks()); n != 14 {
		t.Errorf("%d checks of a pay stub, want 14", n)
	}
}

// keysOf lists the JSON keys of a struct, embedded ones included.
func keysOf(t reflect.Type) (out []string) {
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			of := f.Type
			if of.Kind() == reflect.Pointer {
				of = of.Elem()
			}
			out = append(out, keysOf(of)...)
			continue
		}
		if key, _, _ := strings.Cut(f.Tag.Get("json"), ","); key != "-" {
			out = append(out, key)
		}
	}
	return out
}

// TestPaystubsSurviveJSON checks a stub with every amount and one with none.
func TestPaystubsSurviveJSON(t *testing.T) {
	full := `{"source_id":"S","source_record_id":"R","source_filepath":"f"`
	var empty Paystub
	b, err := Encode(empty)
	if err != nil {
		t.Fatal(err)
	}
	var keys map[string]json.RawMessage
	if err := json.Unmarshal(b, &keys); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		if strings.Contains(k, "_amount_") {
			if string(keys[k]) != "null" {
				t.Errorf("%s of an empty stub is %s", k, keys[k])
			}
			n++
			full += fmt.Sprintf(`,%q:%d.25`, k, n)
		}
	}
	if n != 26 {
		t.Errorf("%d amounts, want 26", n)
	}
	var p Paystub
	if err := json.Unmarshal([]byte(full+"}"), &p); err != nil {
		t.Fatal(err)
	}
	b, _ = Encode(p)
	for i := 1; i <= n; i++ {
		if want := fmt.Sprintf(":%d.25,", i); strings.Count(string(b), want) != 1 {
			t.Errorf("an amount %s is not there once: %s", want, b)
		}
	}
}

package report

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/testutil/proptest"
)

// matrix is the API's table of suppliers and identity fields; a line may have several
// codes.
const matrix = `
MITEK YYYNNNYNNNNY
AUS_EFX YYYYNYYYNNYN
CAN_TU YYYYNNYYYNYN
CAN_EFX YYYNNNYYNYYN
GBR_EFX YYYNNNYYNNYN
IND_CHM YYYNNNYYYNYN
IND_CIBIL NNYNNNYYYNYN
MEX_CDC YYYNNNYYYYYN
MEX_BDC YYYNNYYYNYYN
KOR_NICE NNYNYNYYNNYN
NGA_CRC YYYNNNYYNNYN
BRA_XP NNYNNYYNYNYN
CHN_CCX NNYNYNYYYNYN
KEN_CI YYYNNNYYYNYN
DOM_TU YYYYNYYYYNYN
PHL_CRIF YYYYNYYYYNYY
ESP_EFX NNYNNNYYNNNY
AUT_CRIF,DEU_CRIF,CHE_CRIF YYYYNNYYNNYY
PHL_TU YYYYNYYYYNNY
USA_XP YYYYNNYYYNNY
UKR_CI YYYNYNYYNNNN
ZAF_TU,GHA_XDS YYYNNNYYNNNN
COL_TU NNYNNYNNNNNN`

// flagNames are the API's names of the twelve flags, in its order.
var flagNames = []string{"first_name", "last_name", "full_name", "middle_name", "transliterated_full_name", "other_names",
	"date_of_birth", "emails", "telephones", "is_deceased", "date_of_death", "documents"}

func TestSuppliersMatchAPI(t *testing.T) {
	var codes []string
	for line := range strings.Lines(strings.TrimSpace(matrix)) {
		row, flags, _ := strings.Cut(strings.TrimSpace(line), " ")
		for code := range strings.SplitSeq(row, ",") {
			codes = append(codes, code)
			s, ok := SupplierOf(code)
			if !ok {
				t.Errorf("%s is not known", code)
				continue
			}
			v := reflect.ValueOf(s.Fields)
			for i := range v.NumField() {
				if name := v.Type().Field(i).Tag.Get("json"); name != flagNames[i] || v.Field(i).Bool() != (flags[i] == 'Y') {
					t.Errorf("%s: flag %d, %s, is %v", code, i+1, name, v.Field(i).Bool())
				}
			}
		}
	}
	var got []string
	for _, s := range Suppliers() {
		got = append(got, s.Code)
		if s.Name == "" || (s.Country == nil) != (s.Code == DocumentSupplier) || s.Country != nil && len(*s.Country) != 3 {
			t.Errorf("%s is called %q, of %q", s.Code, s.Name, Text(s.Country))
		}
		if same, _ := SupplierOf(s.Code); !reflect.DeepEqual(same, s) {
			t.Errorf("%s is another one by its code", s.Code)
		}
	}
	if diff := cmp.Diff(codes, got); diff != "" || len(got) != 26 {
		t.Errorf("%d codes: %s", len(got), diff)
	}
	if _, ok := SupplierOf("XXX_YY"); ok {
		t.Error("an unknown code has a supplier")
	}
}

func TestParsePassportWithoutData(t *testing.T) {
	r, err := ParsePassport([]byte(minimal))
	if err != nil {
		t.Fatal(err)
	}
	if b, err := Encode(r); err != nil || string(b) != minimal {
		t.Errorf("%v: %s", err, cmp.Diff(minimal, string(b)))
	}
}

func TestParsePassportRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"an array":        `[]`,
		"no meta":         `{}`,
		"a foreign token": `{"meta":{"public_token":"x"}}`,
	} {
		if _, err := ParsePassport([]byte(raw)); err == nil {
			t.Errorf("%s: was read", name)
		}
	}
}

func TestParsePassportAcceptsUnknownMembers(t *testing.T) {
	r, err := ParsePassport([]byte(strings.TrimSuffix(minimal, "}") + `,"tradelines":[` +
		withMembers(Tradeline{}, `"balance":12.5,"new":1,"status":"NEW"`) +
		`],"currencies":[` + withMembers(PassportCurrency{}, `"usd_rate":7.2e-4`) + `],"new":{}}`))
	if err != nil {
		t.Fatal(err)
	}
	if l := r.Tradelines[0]; *l.Balance != 12_50 || l.Status != "NEW" || *r.Currencies[0].Rate != 720_000 || r.LeftOut != nil {
		t.Errorf("read %+v, %+v, left out %q", l, r.Currencies[0], r.LeftOut)
	}
}

// withMembers returns a value as a JSON object in which the members of more replace its own.
func withMembers(of any, more string) string {
	var members, given map[string]json.RawMessage
	raw, _ := json.Marshal(of)
	json.Unmarshal(raw, &members)
	json.Unmarshal([]byte("{"+more+"}"), &given)
	maps.Copy(members, given)
	raw, _ = json.Marshal(members)
	return string(raw)
}

// TestParsePassportOmitsMalformedParts checks that elements of another shape are left out
// and listed in LeftOut.
func TestParsePassportOmitsMalformedParts(t *testing.T) {
	good := withMembers(Tradeline{}, `"status":"OPEN"`)
	for name, c := range map[string]struct {
		nodes string
		want  []string
	}{
		"an amount of text": {`"tradelines":[` + withMembers(Tradeline{}, `"balance":"12"`) + `,` + good + `]`, []string{"tradelines"}},
		"a rate of nothing": {`"tradelines":[` + good + `],"currencies":[` +
			withMembers(PassportCurrency{}, `"usd_rate":0`) + `]`, []string{"currencies"}},
		"a rate below zero": {`"tradelines":[` + good + `],"currencies":[` +
			withMembers(PassportCurrency{}, `"usd_rate":-1.5`) + `]`, []string{"currencies"}},
		"no date": {`"tradelines":[` + good + `],"inquiries":[` + withMembers(PassportInquiry{},
			`"inquiry_date":"2026-02-30"`) + `]`, []string{"inquiries"}},
		"a score with a half": {`"tradelines":[` + good + `],"scores":[` +
			withMembers(PassportScore{}, `"value":7.5`) + `]`, []string{"scores"}},
		"a score of no value": {`"tradelines":[` + good + `],"scores":[{"source_id":"X","score_type":"Y","minimum_value":1,` +
			`"maximum_value":2,"score_date":null,"reasons":[]}]`, []string{"scores"}},
		"members of others": {`"tradelines":[` + good + `,{"lender":"X","owed":12}]`, []string{"tradelines"}},
		"objects for lists": {`"tradelines":[` + good + `],"scores":{"cdc":650},"notices":"none","addresses":7`,
			[]string{"scores", "addresses", "notices"}},
		"nothing":               {`"tradelines":[` + good + `],"scores":null,"notices":[]`, nil},
		"elements of all sorts": {`"tradelines":[null,1,"x",[],` + good + `]`, []string{"tradelines"}},
	} {
		r, err := ParsePassport([]byte(strings.TrimSuffix(minimal, "}") + "," + c.nodes + "}"))
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if diff := cmp.Diff(c.want, r.LeftOut); diff != "" || len(r.Tradelines) != 1 || r.Tradelines[0].Status != "OPEN" {
			t.Errorf("%s: tradelines %+v, left out (-want +got):\n%s", name, r.Tradelines, diff)
		}
	}
}

// TestPassportScoreNames checks that a score's type and value are written under present
// and former names, and read under either.
func TestPassportScoreNames(t *testing.T) {
	score := PassportScore{SourceID: "MEX_CDC", Type: "CDC score", Value: 650, Minimum: 400, Maximum: 850, Reasons: []ScoreFactor{}}
	raw, err := json.Marshal(score)
	if err != nil {
		t.Fatal(err)
	}
	const rest = `"minimum_value":400,"maximum_value":850,"score_date":null,"reasons":[]}`
	const now, former = `"score_type":"CDC score","value":650,`, `"score_name":"CDC score","score_value":650,`
	if want := `{"source_id":"MEX_CDC",` + now + former + rest; string(raw) != want {
		t.Errorf("written as %s, want %s", raw, want)
	}
	for _, names := range []string{now, former, now + former} {
		var got Loose[PassportScore]
		if err := json.Unmarshal([]byte(`[{"source_id":"MEX_CDC",`+names+rest+`]`), &got); err != nil ||
			!reflect.DeepEqual(got, Loose[PassportScore]{score}) {
			t.Errorf("read from %s: %+v, %v", names, got, err)
		}
	}
}

// TestPassportKeys compares the keys with docs/divergences.md.
func TestPassportKeys(t *testing.T) {
	for _, c := range []struct {
		of   any
		keys string
	}{
		{Passport{}, `meta product sources identities scores currencies tradelines addresses employers other_incomes
			inquiries identifiers bank_accounts public_records
			collections nonsufficient_funds disputes notices`},
		{PassportIdentity{}, `source_id source_record_id matching ` + strings.Join(flagNames, " ")},
		{IdentityFields{}, strings.Join(flagNames, " ")},
		{Supplier{}, `code country name identity_fields`},
		{Tradeline{}, `source_id account_id type status opened_date closed_date currency ` +
			`credit_limit balance monthly_payment past_due payment_history`},
		{PaymentMonth{}, `month status`},
		{PassportCurrency{}, `source_id currency usd_rate rate_date rate_source totals totals_usd`},
	} {
		got, want := keysOf(reflect.TypeOf(c.of)), strings.Fields(c.keys)
		slices.Sort(got)
		slices.Sort(want)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%T: %s", c.of, diff)
		}
	}
}

// TestPassportFieldsArePresent checks that empty fields of a node are not omitted.
func TestPassportFieldsArePresent(t *testing.T) {
	for _, node := range []any{PassportIdentity{}, IdentityDocument{}, PassportScore{}, PassportCurrency{},
		TradelineTotals{}, Tradeline{}, PaymentMonth{}, PassportAddress{},
		PassportEmployer{}, PassportIncome{}, PassportInquiry{}, PassportIdentifier{}, PassportBankAccount{},
		PublicRecord{}, Collection{}, NonsufficientFunds{},
		PassportDispute{}, PassportNotice{}} {
		of := reflect.TypeOf(node)
		for i := range of.NumField() {
			tag := of.Field(i).Tag.Get("json")
			// A score may have either of two names; see TestPassportScoreNames.
			if tag == "score_type,omitempty" || tag == "value,omitempty" {
				continue
			}
			if strings.Contains(tag, "omit") != (tag == "matching,omitempty") {
				t.Errorf("%s.%s is %q", of.Name(), of.Field(i).Name, tag)
			}
		}
	}
}

func TestRatesSurviveJSON(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		r := Rate(rapid.Int64Range(1, 1_000_000*int64(RateUnit)).Draw(t, "rate"))
		b, _ := r.MarshalJSON()
		var back Rate
		if err := back.UnmarshalJSON(b); err != nil || back != r {
			t.Fatalf("%s reads back as %d, %v; want %d", b, back, err, r)
		}
	})
}

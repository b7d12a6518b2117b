package prefill_test

import (
	"bytes"
	"encoding/json"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/prefill/prefilljson"
	"vestibule/internal/testutil/prefilltest"
	"vestibule/internal/testutil/proptest"
)

var today = prefill.Date{Year: 2026, Month: 11, Day: 21}

func TestCases(t *testing.T) {
	names := map[string]bool{}
	for _, c := range prefilltest.Cases(t) {
		if names[c.Name] {
			t.Errorf("two cases are called %q", c.Name)
		}
		names[c.Name] = true
		o, err := prefilljson.Decode(c.Prefill)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		fields, problems := c.Rules(t).Check(o)
		if d := cmp.Diff(c.Problems, prefilltest.Lines(problems)); d != "" {
			t.Errorf("%s (-want +got):\n%s", c.Name, d)
		}
		for _, p := range problems {
			if i18n.T(i18n.English, p.Text) == i18n.T(i18n.Spanish, p.Text) {
				t.Errorf("%s: no words for %s %s", c.Name, p.Field, p.Code)
			}
		}
		if len(problems) > 0 {
			continue
		}
		// A valid object passes a second check unchanged.
		again, problems := c.Rules(t).Check(fields.Object())
		if d := cmp.Diff(fields, again); d != "" || len(problems) > 0 {
			t.Errorf("%s: checked again: %v\n%s", c.Name, problems, d)
		}
		sent, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		o, err = prefilljson.Decode(sent)
		if err != nil {
			t.Fatal(err)
		}
		if sentFields, problems := c.Rules(t).Check(o); len(problems) > 0 || !cmp.Equal(fields, sentFields) {
			t.Errorf("%s: sent as %s: %v", c.Name, sent, problems)
		}
	}
	if len(names) < 500 {
		t.Errorf("%d cases, want hundreds", len(names))
	}
}

// TestCasesReachEveryCode checks that the table reaches every prefill error type.
func TestCasesReachEveryCode(t *testing.T) {
	reached := map[contract.WidgetError]bool{}
	for _, c := range prefilltest.Cases(t) {
		reached[c.Code()] = true
	}
	for _, e := range contract.WidgetErrors() {
		if strings.HasPrefix(string(e.Type), "INVALID_PREFILL") && !reached[e.Type] {
			t.Errorf("no case answers %s", e.Type)
		}
	}
	if !reached[""] {
		t.Error("no case passes")
	}
}

func TestFirst(t *testing.T) {
	p := func(codes ...contract.WidgetError) (out []prefill.Problem) {
		for _, c := range codes {
			out = append(out, prefill.Problem{Code: c})
		}
		return out
	}
	rows := []struct {
		in   []prefill.Problem
		want contract.WidgetError
	}{
		{nil, ""},
		{p(contract.WidgetPrefillZIP), contract.WidgetPrefillZIP},
		{p(contract.WidgetPrefillFirstName, contract.WidgetPrefillZIP), contract.WidgetPrefillFirstName},
		{p(contract.WidgetPrefillFirstName, contract.WidgetPIIMissing), contract.WidgetPIIMissing},
		{p(contract.WidgetPrefillKey, contract.WidgetPIIMissing), contract.WidgetPrefillKey},
	}
	for _, r := range rows {
		if got := prefill.First(r.in); got != r.want {
			t.Errorf("First(%v) = %s, want %s", r.in, got, r.want)
		}
	}
}

func TestPartial(t *testing.T) {
	r := prefill.Rules{Today: today, Partial: true}
	f, problems := r.Check(prefill.Object{{Key: prefill.Phone, Value: prefill.String("1")},
		{Key: prefill.StatedEmployerNames, Value: prefill.Value{Kind: prefill.List, List: []prefill.Value{prefill.String("Acme")}}},
		{Key: prefill.StatedEmployerName, Value: prefill.String("Acme")}})
	if len(problems) != 0 || f.Phone != "1" || f.StatedEmployerName != "Acme" || len(f.StatedEmployerNames) != 1 {
		t.Errorf("a part = %+v, %v", f, problems)
	}
	if _, problems := r.Check(prefill.Object{{Key: prefill.ZIP, Value: prefill.String("1")}}); len(problems) != 1 {
		t.Errorf("a wrong part = %v, want one problem", problems)
	}
}

func TestFromForm(t *testing.T) {
	full := "firstName= Ana &lastName=Pérez&email=ana@example.com"
	n := func(i int64) *int64 { return &i }
	rows := []struct {
		name, product, form string
		want                prefill.Fields
		problems            []string
	}{
		{"spaces around a value", "cashflow", full + "&dob=1990-06-15", prefill.Fields{FirstName: "Ana",
			LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15"}, nil},
		{"the date in three parts", "cashflow", full + "&dob-year=1990&dob-month=6&dob-day=5",
			prefill.Fields{FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-05"}, nil},
		{"a date without a day", "cashflow", full + "&dob-year=1990&dob-month=6&dob-day=", prefill.Fields{}, []string{"dob INVALID_PREFILL_DOB"}},
		{"a year of two digits", "cashflow", full + "&dob-year=90&dob-month=6&dob-day=15", prefill.Fields{}, []string{"dob INVALID_PREFILL_DOB"}},
		{"a month by name", "cashflow", full + "&dob-year=1990&dob-month=Jun&dob-day=15", prefill.Fields{}, []string{"dob INVALID_PREFILL_DOB"}},
		{"empty fields are absent", "cashflow",
			full + "&dob-year=&dob-month=&dob-day=&dob=&phone=+&zip=&statedAnnualIncome=&address=",
			prefill.Fields{}, []string{"dob INVALID_PREFILLS_PII_MISSING"}},
		{"a state in lower case", "cashflow", full + "&address=1 A St&city=B&state=ca&zip=94105",
			prefill.Fields{FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com",
				Address: "1 A St", City: "B", State: "CA", ZIP: "94105"}, nil},
		{"an income with sign and comma", "cashflow", full + "&dob=1990-06-15&statedAnnualIncome=$ 52,000",
			prefill.Fields{FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15", StatedAnnualIncome: n(52000)}, nil},
		{"an income of zero", "cashflow", full + "&dob=1990-06-15&statedAnnualIncome=0",
			prefill.Fields{FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15", StatedAnnualIncome: n(0)}, nil},
		{"other fields", "cashflow", full + "&dob=1990-06-15&mode=embedded&consent=yes",
			prefill.Fields{FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15"}, nil},
		{"employers with an empty one", "eligibility",
			full + "&dob=1990-06-15&state=CA&statedEmployerNames=Acme&statedEmployerNames=&statedEmployerNames= Globex ",
			prefill.Fields{FirstName: "Ana", LastName: "Pérez", Email: "ana@example.com", DOB: "1990-06-15",
				State: "CA", StatedEmployerNames: []string{"Acme", "Globex"}}, nil},
		{"no employer", "eligibility", full + "&dob=1990-06-15&state=CA&statedEmployerNames=&statedEmployerNames=",
			prefill.Fields{}, []string{"statedEmployerNames INVALID_PREFILLS_PII_MISSING"}},
	}
	for _, r := range rows {
		form, err := url.ParseQuery(strings.ReplaceAll(r.form, "&statedEmployerNames= ", "&statedEmployerNames=+"))
		if err != nil {
			t.Fatal(err)
		}
		f, problems := prefill.Rules{Product: contract.Product(r.product), Today: today}.Check(prefill.FromForm(form))
		if r.problems == nil {
			r.problems = []string{}
		}
		if d := cmp.Diff(r.problems, prefilltest.Lines(problems)); d != "" {
			t.Errorf("%s (-want +got):\n%s", r.name, d)
		}
		if len(problems) == 0 && !cmp.Equal(f, r.want) {
			t.Errorf("%s (-want +got):\n%s", r.name, cmp.Diff(r.want, f))
		}
	}
}

func TestIncomeTyped(t *testing.T) {
	rows := map[string]bool{"0": true, "00": true, "52000": true, "$52000": true, "$ 52,000": true, "1,000,000": true, "2,147,483,647": true,
		"2,147,483,648": false, "-1": false, "+1": false, "52.000": false, "52,000.00": true,
		"52000.00": true, "52,000.50": false, "1,5": false,
		"1e9": false, ".00": false, "1.5k": false,
		"5e4": false, "0x10": false, "52,00": false, ",000": false,
		"1000,000": false, "$": false, "$$5": false, "52k": true, "$50K": true, "50 k": true,
		"k": false, "1,5k": false, "3000000k": false, "９": false, "99999999999999999999999": false, "1 000": false}
	for typed, want := range rows {
		_, problems := prefill.Rules{Today: today, Partial: true}.Check(
			prefill.FromForm(map[string][]string{prefill.StatedAnnualIncome: {typed}}))
		if got := len(problems) == 0; got != want {
			t.Errorf("income typed as %q: accepted %v, want %v", typed, got, want)
		}
	}
}

// TestTextsSayWhatToWrite holds the texts for values that people type.
func TestTextsSayWhatToWrite(t *testing.T) {
	for _, c := range []struct {
		key, typed string
		want       i18n.Key // "" if it is accepted
	}{
		{prefill.LastName, "O’Brien-Smith", ""},
		{prefill.LastName, "O'Brien", ""},
		{prefill.FirstName, "María José", ""},
		{prefill.LastName, "Smith Jr.", ""},
		{prefill.LastName, "Smith, Jr.", "prefill.name.comma"},
		{prefill.LastName, "Smith 3rd", "prefill.name.numeral"},
		{prefill.LastName, "3rd", "prefill.name.numeral"},
		{prefill.FirstName, "-", "prefill.name.letterless"},
		{prefill.FirstName, "Ana_Lee", "prefill.first_name.invalid"},
		{prefill.DOB, "2190-01-01", "prefill.dob.future"},
		{prefill.DOB, "2026-11-21", "prefill.dob.too_young"},
		{prefill.StatedAnnualIncome, "1e9", "prefill.income.invalid"},
		{prefill.StatedAnnualIncome, "1,5", "prefill.income.invalid"},
		{prefill.StatedAnnualIncome, "$50k", ""},
	} {
		_, problems := prefill.Rules{Today: today, Partial: true}.Check(prefill.FromForm(map[string][]string{c.key: {c.typed}}))
		var got i18n.Key
		if len(problems) > 0 {
			got = problems[0].Text
		}
		if got != c.want {
			t.Errorf("%s %q: %q, want %q", c.key, c.typed, got, c.want)
		}
	}
}

// TestOpen checks that a problem is open exactly if more typing can fix it.
func TestOpen(t *testing.T) {
	good := map[string]string{prefill.FirstName: "J. O’Neil-Ñandú", prefill.Email: "ana.b@mail.example.com", prefill.DOB: "1990-06-15",
		prefill.Address: "12 Main St", prefill.State: "CA", prefill.ZIP: "94105-1234",
		prefill.StatedAnnualIncome: "$1,252,000", prefill.City: "St. Louis"}
	r := prefill.Rules{Today: today, Partial: true}
	for key, whole := range good {
		for i := range whole {
			_, problems := r.Check(prefill.FromForm(map[string][]string{key: {whole[:i]}}))
			for _, p := range problems {
				if !p.Open {
					t.Errorf("%s: %q is final on the way to %q: %s", key, whole[:i], whole, p.Text)
				}
			}
		}
	}
	for key, never := range map[string]string{prefill.FirstName: "An4", prefill.Email: "ana b", prefill.ZIP: "9410x", prefill.State: "XX",
		prefill.StatedAnnualIncome: "1e9", prefill.City: strings.Repeat("a", 101), prefill.DOB: "2030-01-01"} {
		_, problems := r.Check(prefill.FromForm(map[string][]string{key: {never}}))
		if len(problems) != 1 || problems[0].Open {
			t.Errorf("%s: %q = %v, want a final problem", key, never, problems)
		}
	}
}

func TestStates(t *testing.T) {
	s := prefill.States()
	if len(s) != 57 || s[0] != "AK" || s[len(s)-1] != "WY" {
		t.Errorf("%d states from %s to %s, want 50, DC and 6 territories", len(s), s[0], s[len(s)-1])
	}
}

func TestKeys(t *testing.T) {
	for _, p := range contract.Products() {
		takes := map[string]bool{}
		for _, k := range prefill.Keys(p) {
			takes[k] = true
		}
		if takes[prefill.StatedEmployerNames] != (p == contract.Eligibility || p == contract.Income) ||
			takes[prefill.StatedEmployerName] == (p == contract.Eligibility) {
			t.Errorf("%s takes %v", p, prefill.Keys(p))
		}
		for _, k := range prefill.Keys("") {
			if r := (prefill.Rules{Product: p}); r.Requires(k) && !takes[k] {
				t.Errorf("%s requires %s but does not take it", p, k)
			}
		}
	}
}

// TestDates compares calendar and ages with package time, which package prefill must not
// import.
func TestDates(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		day := func(name string, from, years int) time.Time {
			return time.Date(from, 1, 1+rapid.IntRange(0, 366*years).Draw(t, name), 0, 0, 0, 0, time.UTC)
		}
		now, born := day("today", 1990, 60), day("born", 1860, 200)
		_, problems := prefill.Rules{Today: prefill.DateOf(now.Date()), Partial: true}.
			Check(prefill.Object{{Key: prefill.DOB, Value: prefill.String(born.Format(time.DateOnly))}})
		want := !now.Before(born.AddDate(1, 0, 0)) && now.Before(born.AddDate(111, 0, 0))
		if got := len(problems) == 0; got != want {
			t.Fatalf("born %s, today %s: accepted %v, want %v", born.Format(time.DateOnly), now.Format(time.DateOnly), got, want)
		}
	})
	for y := 1850; y < 2150; y++ {
		for m := range 14 {
			for d := range 33 {
				s := time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006-") +
					string([]byte{'0' + byte(m/10), '0' + byte(m%10), '-', '0' + byte(d/10), '0' + byte(d%10)})
				_, err := time.Parse(time.DateOnly, s)
				if _, ok := prefill.ParseDate(s); ok != (err == nil) {
					t.Fatalf("ParseDate(%q) = %v, want %v", s, ok, err == nil)
				}
			}
		}
	}
}

func TestDecode(t *testing.T) {
	for _, raw := range []string{`[]`, `"x"`, `7`, `true`, `{`, `{"a":1`, `{"a":1,}`, `{"a":1} x`, `{"a":1}{}`,
		`{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `{a:1}`, `{"a":01}`} {
		if o, err := prefilljson.Decode([]byte(raw)); err == nil {
			t.Errorf("Decode(%s) = %v, want an error", raw, o)
		}
	}
	for _, raw := range []string{``, ` `, `null`, ` null `} {
		if o, err := prefilljson.Decode([]byte(raw)); err != nil || o != nil {
			t.Errorf("Decode(%q) = %v, %v; want no object", raw, o, err)
		}
	}
	if o, err := prefilljson.Decode([]byte(`{}`)); err != nil || o == nil {
		t.Errorf("Decode({}) = %v, %v; want an empty object", o, err)
	}
}

// FuzzCheck checks that every object has either problems with a text and a valid code, or
// fields within their bounds, which pass a second check unchanged.
func FuzzCheck(f *testing.F) {
	for _, c := range prefilltest.Cases(f) {
		f.Add([]byte(c.Prefill), string(c.Product))
	}
	f.Fuzz(func(t *testing.T, raw []byte, product string) {
		o, err := prefilljson.Decode(raw)
		if err != nil {
			return
		}
		r := prefill.Rules{Product: contract.Product(product), Today: today}
		fields, problems := r.Check(o)
		for _, p := range problems {
			if p.Text == "" || !p.Code.Valid() {
				t.Fatalf("%s: %+v", raw, p)
			}
		}
		if len(problems) > 0 {
			return
		}
		for _, s := range []string{fields.FirstName, fields.LastName, fields.Email, fields.Address, fields.City} {
			if bytes.ContainsAny([]byte(s), "\x00\n\r<") && s != fields.Address && s != fields.City {
				t.Fatalf("%s passed with %q", raw, s)
			}
			if len([]rune(s)) > prefill.MaxName {
				t.Fatalf("%s passed with %d characters", raw, len([]rune(s)))
			}
		}
		again, problems := r.Check(fields.Object())
		if len(problems) > 0 || !cmp.Equal(fields, again) {
			t.Fatalf("%s passed as %+v, and again as %+v, %v", raw, fields, again, problems)
		}
	})
}

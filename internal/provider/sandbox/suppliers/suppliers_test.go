package suppliers

import (
	"bytes"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/analysis/passport"
	"vestibule/internal/report"
	"vestibule/internal/testutil/golden"
	"vestibule/internal/testutil/proptest"
)

const link = "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11"

func codes() (out []string) {
	for _, s := range report.Suppliers() {
		out = append(out, s.Code)
	}
	return out
}

// applicants draws what people type: names of every country's pool, the names that
// choose a file, and names from nowhere.
func applicants(t *rapid.T) *passport.Consumer {
	country := countries()[rapid.SampledFrom(slices.Sorted(keys(countries()))).Draw(t, "country")]
	given, latin := spelling(rapid.SampledFrom(country.GivenNames).Draw(t, "given"))
	family, _ := spelling(rapid.SampledFrom(country.FamilyNames).Draw(t, "family"))
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return nil
	case 1:
		family = rapid.SampledFrom([]string{"Delinquent", "ThinFile", "NoFile", "deceased"}).Draw(t, "file")
	case 2:
		given = latin
	}
	who := passport.Consumer{First: given, Last: family,
		Emails: []string{fmt.Sprintf("a%d@mail.example", rapid.IntRange(0, 999).Draw(t, "mail"))}}
	if rapid.Bool().Draw(t, "says his age") {
		who.Born = report.Date{Time: time.Date(2008, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, -rapid.IntRange(0, 30_000).Draw(t, "born"))}
	}
	return &who
}

func keys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

func days(t *rapid.T) time.Time {
	return time.Date(2026, 1, 1, 13, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(-1200, 1200).Draw(t, "day"))
}

// TestFilesAreConsistent holds the files of all suppliers to what must be true of
// credit, as the report shows it.
func TestFilesAreConsistent(t *testing.T) {
	for _, code := range codes() {
		t.Run(code, func(t *testing.T) {
			proptest.Check(t, func(t *rapid.T) {
				who, at := applicants(t), days(t)
				file := Bureaus{}.Fetch(code, link, who, at)
				if again := (Bureaus{}).Fetch(code, link, who, at.Add(2*time.Hour)); !reflect.DeepEqual(file, again) {
					t.Fatalf("the same day gave another file: %s", cmp.Diff(file, again))
				}
				r := passport.Build(passport.Input{Envelope: report.Envelope{PublicToken: link}, File: file, Consumer: who,
					Quote: Bureaus{}.Quote(file.Currency, at)}, at)
				consistent(t, r, file, report.DateOf(at))
			})
		})
	}
}

func consistent(t *rapid.T, r report.Passport, file passport.File, day report.Date) {
	if !file.Found || file.Supplier == report.DocumentSupplier {
		if r.Tradelines != nil || r.Scores != nil || r.Currencies != nil || r.Inquiries != nil {
			t.Fatalf("a supplier without a file has credit")
		}
		return
	}
	if len(r.Tradelines) == 0 || len(r.Inquiries) == 0 && !file.Person.Deceased || len(r.Currencies) != 1 || r.Currencies[0].Rate == nil {
		t.Fatalf("%d tradelines, %d inquiries, currencies %+v", len(r.Tradelines), len(r.Inquiries), r.Currencies)
	}
	ids := map[string]bool{}
	grown := report.Date{Time: file.Person.Born.AddDate(18, 0, -31)} // ages are counted in months
	for _, l := range r.Tradelines {
		if ids[l.AccountID] {
			t.Fatalf("two tradelines have the id %s", l.AccountID)
		}
		ids[l.AccountID] = true
		if l.Opened.Before(grown.Time) {
			t.Fatalf("a credit of %s, of a person born on %s", l.Opened, file.Person.Born)
		}
		consistentAmounts(t, l)
		consistentHistory(t, l)
	}
	consistentMarks(t, file)
	for _, s := range r.Scores {
		if s.Value < s.Minimum || s.Value > s.Maximum || s.Minimum != scales[file.Supplier][0] || s.Maximum != scales[file.Supplier][1] {
			t.Fatalf("score %+v is beyond the supplier's scale", s)
		}
	}
	if len(r.Scores) != len(file.Scores) {
		t.Fatalf("%d of %d scores are in the report", len(r.Scores), len(file.Scores))
	}
	for _, c := range r.Collections {
		if *c.Balance > *c.Original {
			t.Fatalf("an agency collects more than was owed: %+v", c)
		}
	}
	for _, d := range r.Disputes {
		if !ids[*d.AccountID] {
			t.Fatalf("a dispute about nothing: %+v", d)
		}
	}
	for _, e := range r.Employers {
		if e.Start.Before(grown.Time) {
			t.Fatalf("a job since %s, of a person born on %s", e.Start, file.Person.Born)
		}
	}
	raw, err := report.Encode(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range pastDate.FindAllSubmatch(raw, -1) {
		if string(m[2]) > day.String() {
			t.Fatalf("%s is %s, after %s", m[1], m[2], day)
		}
	}
}

// pastDate is a date of a report; those of events have names that end so.
var pastDate = regexp.MustCompile(`"((?:opened|closed|score|inquiry|filed|resolved|assigned|event|start|end)_date)":"([\d-]+)"`)

// consistentAmounts compares a tradeline's amounts with each other and with its status.
func consistentAmounts(t *rapid.T, l report.Tradeline) {
	latest := l.History[0].Status
	switch {
	case *l.Balance < 0 || *l.PastDue < 0 || *l.MonthlyPayment < 0 || *l.CreditLimit <= 0:
		t.Fatalf("an amount below zero: %+v", l)
	case *l.Balance > *l.CreditLimit:
		t.Fatalf("balance %s over the limit %s", *l.Balance, *l.CreditLimit)
	case *l.PastDue > *l.Balance:
		t.Fatalf("past due %s of %s", *l.PastDue, *l.Balance)
	case *l.MonthlyPayment > *l.Balance:
		t.Fatalf("a payment of %s on %s", *l.MonthlyPayment, *l.Balance)
	case l.Status == report.TradelineClosed && (*l.Balance != 0 || *l.PastDue != 0 || l.Closed == nil):
		t.Fatalf("closed with a balance: %+v", l)
	case l.Status == report.TradelineOpen && (*l.PastDue != 0 || latest != nil && *latest != report.PaidOK):
		t.Fatalf("open, and not paid: %+v", l)
	case l.Status == report.TradelineDelinquent && (*l.PastDue == 0 || latest == nil ||
		*latest == report.PaidOK || *latest == report.PaidChargedOff):
		t.Fatalf("delinquent, and not so last month: %+v", l)
	case l.Status == report.TradelineChargedOff && (latest == nil || *latest != report.PaidChargedOff):
		t.Fatalf("charged off, and not so last month: %+v", l)
	}
}

// consistentHistory checks that a tradeline is paid from its opening to its closing.
func consistentHistory(t *rapid.T, l report.Tradeline) {
	if l.Closed != nil && l.Closed.Before(l.Opened.Time) {
		t.Fatalf("closed on %s, opened on %s", l.Closed, l.Opened)
	}
	if len(l.History) != report.HistoryMonths {
		t.Fatalf("%d months of history", len(l.History))
	}
	for _, m := range l.History {
		if m.Status != nil && (m.Month < l.Opened.String()[:7] || l.Closed != nil && m.Month > l.Closed.String()[:7]) {
			t.Fatalf("paid in %s what was open from %s to %v", m.Month, l.Opened, l.Closed)
		}
	}
}

// consistentMarks checks that 60 days late requires 30 days late a month before.
func consistentMarks(t *rapid.T, file passport.File) {
	for _, l := range file.Tradelines {
		for i, m := range l.Marks {
			before := 0
			if i+1 < len(l.Marks) {
				before = l.Marks[i+1].Days
			}
			if m.Days > before+30 || i+1 < len(l.Marks) && monthsBetween(l.Marks[i+1].Month, m.Month) != 1 {
				t.Fatalf("%d days late in %s, after %d: %+v", m.Days, m.Month.Format("2006-01"), before, l)
			}
		}
	}
}

// TestIdentityHasTheMatrixFields: all fields that a supplier provides are
// there, and no others, for living and deceased persons.
func TestIdentityHasTheMatrixFields(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC)
	for _, s := range report.Suppliers() {
		for _, last := range []string{"Melnyk", "Deceased"} {
			deceased := last == "Deceased"
			r := passport.Build(passport.Input{File: Bureaus{}.Fetch(s.Code, link, &passport.Consumer{First: "Oleksandr", Last: last}, at)}, at)
			id := r.Identities[0]
			got := report.IdentityFields{FirstName: id.FirstName != nil, LastName: id.LastName != nil,
				FullName: id.FullName != nil, MiddleName: id.MiddleName != nil,
				TransliteratedName: id.TransliteratedName != nil, OtherNames: len(id.OtherNames) > 0,
				DateOfBirth: id.DateOfBirth != nil, Emails: len(id.Emails) > 0,
				Telephones: len(id.Telephones) > 0, IsDeceased: id.IsDeceased != nil,
				DateOfDeath: id.DateOfDeath != nil, Documents: len(id.Documents) > 0}
			want := s.Fields
			want.DateOfDeath = want.DateOfDeath && deceased
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s: %s", s.Code, last, diff)
			}
			if id.IsDeceased != nil && *id.IsDeceased != deceased {
				t.Errorf("%s: is_deceased of %s is %v", s.Code, last, *id.IsDeceased)
			}
		}
	}
}

func TestNamesUseScriptOfCountry(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC)
	for code, script := range map[string]*unicode.RangeTable{"KOR_NICE": unicode.Hangul, "CHN_CCX": unicode.Han,
		"UKR_CI": unicode.Cyrillic, "MEX_BDC": unicode.Latin, "USA_XP": unicode.Latin} {
		f := Bureaus{}.Fetch(code, link, nil, at)
		for _, text := range []string{f.Person.Full, f.Addresses[0].Line, f.Employers[0].Name, f.Inquiries[0].Inquirer} {
			if !strings.ContainsFunc(text, func(r rune) bool { return unicode.Is(script, r) }) {
				t.Errorf("%s writes %q", code, text)
			}
		}
		if t1 := f.Person.Transliterated; !latin(t1) || !strings.Contains(t1, " ") {
			t.Errorf("%s spells %s as %s", code, f.Person.Full, t1)
		}
	}
}

// TestPersonInTheFile: the person typed, in either script, or else another who
// does not match.
func TestPersonInTheFile(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		code, first, last, full string // full empty: another person
	}{
		{"KOR_NICE", "Minjun", "Kim", "김민준"},
		{"KOR_NICE", "min-jun", "KIM", "김민준"},
		{"KOR_NICE", "민준", "김", "김민준"},
		{"KOR_NICE", "Ana", "Kim", ""},
		{"CHN_CCX", "Si Yuan", "Ouyang", "欧阳思远"},
		{"UKR_CI", "Olena", "Kovalenko", "Коваленко Олена"},
		{"UKR_CI", "Олена", "Коваленко", "Коваленко Олена"},
		{"USA_XP", "Ana", "Pérez", "ANA"},
		{"DEU_CRIF", "Ana", "Pérez", "Ana"},
		{"ESP_EFX", "Ana", "Pérez", "Ana Pérez"},
		{"DEU_CRIF", "민준", "김", ""},
	} {
		who := passport.Consumer{First: c.first, Last: c.last, Emails: []string{"mine@mail.example"}}
		file := Bureaus{}.Fetch(c.code, link, &who, at)
		r := passport.Build(passport.Input{Envelope: report.Envelope{InputSource: report.ConsumerInput}, Consumer: &who, File: file}, at)
		matched := len(r.Identities[0].Matching.FullName.Matched) == 1
		if matched != (c.full != "") || !strings.HasPrefix(file.Person.Full, c.full) {
			t.Errorf("%s has %s for %s %s, matched %v", c.code, file.Person.Full, c.first, c.last, matched)
		}
		if mine := slices.Contains(file.Person.Emails, "mine@mail.example"); mine != matched {
			t.Errorf("%s has the typed address: %v, though matched is %v", c.code, mine, matched)
		}
	}
}

// TestTypedDateOfBirth: it is that of the person in the file, if that is the
// one who was typed, whatever the supplier provides; and a bureau does not know the
// young.
func TestTypedDateOfBirth(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC)
	born := report.Date{Time: time.Date(1987, 2, 3, 0, 0, 0, 0, time.UTC)}
	for _, s := range report.Suppliers() {
		who := passport.Consumer{First: "Olena", Last: "Kovalenko", Born: born}
		file := Bureaus{}.Fetch(s.Code, link, &who, at)
		r := passport.Build(passport.Input{Envelope: report.Envelope{InputSource: report.ConsumerInput}, Consumer: &who, File: file}, at)
		typed, theirs := r.Identities[0], r.Identities[1]
		matched := len(typed.Matching.FullName.Matched) == 1
		if typed.DateOfBirth == nil || *typed.DateOfBirth != born || (file.Person.Born == born) != matched ||
			(theirs.DateOfBirth != nil) != s.Fields.DateOfBirth {
			t.Errorf("%s: typed %v, in the file %s, shown %v; matched %v", s.Code, typed.DateOfBirth, file.Person.Born, theirs.DateOfBirth, matched)
		}
	}
	for _, c := range []struct {
		born  string
		found bool
		lines int // at most
	}{{"2016-01-01", false, 0}, {"2008-06-01", false, 0}, {"2007-01-01", true, 1}, {"1990-01-01", true, 9}} {
		day, _ := time.Parse(time.DateOnly, c.born)
		who := passport.Consumer{First: "Ana", Last: "Delinquent", Born: report.Date{Time: day}}
		file := Bureaus{}.Fetch("GBR_EFX", link, &who, at)
		if file.Found != c.found || len(file.Tradelines) > c.lines || c.found && len(file.Tradelines) == 0 {
			t.Errorf("born on %s: found %v, %d credits", c.born, file.Found, len(file.Tradelines))
		}
		if documents := (Bureaus{}).Fetch(report.DocumentSupplier, link, &who, at); !documents.Found || documents.Person.Born != who.Born {
			t.Errorf("born on %s: documents say %+v", c.born, documents.Person)
		}
	}
}

// TestFilesByApplicantName holds the last names of the documentation to what they
// give, for every supplier with credit.
func TestFilesByApplicantName(t *testing.T) {
	at := time.Date(2026, 7, 14, 9, 0, 0, 0, time.UTC)
	for _, code := range codes()[1:] {
		of := func(last string) report.Passport {
			who := passport.Consumer{First: "Ana", Last: last}
			return passport.Build(passport.Input{Envelope: report.Envelope{InputSource: report.ConsumerInput}, Consumer: &who,
				File: Bureaus{}.Fetch(code, link, &who, at)}, at)
		}
		bad := of("Delinquent")
		has := func(status string) bool {
			return slices.ContainsFunc(bad.Tradelines, func(l report.Tradeline) bool { return l.Status == status })
		}
		if !has(report.TradelineDelinquent) || !has(report.TradelineChargedOff) || len(bad.Collections) == 0 ||
			len(bad.PublicRecords) == 0 || len(bad.NSF) == 0 {
			t.Errorf("%s: the delinquent file has no %+v", code, bad.Tradelines)
		}
		if thin := of("ThinFile"); len(thin.Tradelines) != 1 || len(thin.Inquiries) > 1 {
			t.Errorf("%s: a thin file has %d tradelines", code, len(thin.Tradelines))
		}
		if none := of("NoFile"); len(none.Identities) != 1 || none.Tradelines != nil || none.Meta.Substatus == nil || len(none.Notices) != 1 {
			t.Errorf("%s: no file is %+v", code, none)
		}
	}
}

// TestSupplierPassports holds whole reports against golden files.
func TestSupplierPassports(t *testing.T) {
	for code, who := range map[string]passport.Consumer{
		"KOR_NICE": {First: "Minjun", Last: "Kim", Emails: []string{"minjun@mail.example"}},
		"UKR_CI":   {First: "Olena", Last: "Kovalenko", Emails: []string{"olena@mail.example"}},
		"MEX_BDC":  {First: "Sofía", Last: "Delinquent", Emails: []string{"sofia@mail.example"}},
		"MITEK":    {First: "Ana", Last: "Pérez", Emails: []string{"ana@mail.example"}},
	} {
		t.Run(code, func(t *testing.T) {
			at := time.Date(2026, 7, 14, 9, 30, 15, 123e6, time.UTC)
			file := Bureaus{}.Fetch(code, link, &who, at)
			got, err := report.Encode(passport.Build(passport.Input{Envelope: report.Envelope{PublicToken: link,
				ExternalID:  "application-18",
				Product:     report.Product{Name: "Credit passport", ProductID: "2c8b1f57-6d0b-4a0a-a2f1-2f5a6e0d9b11", InquiryType: "PERSONAL"},
				InputSource: report.ConsumerInput, InputRecordID: "f15055cf-6c30-5125-a3f6-43d31ad5d57f"},

				Consumer: &who,
				File:     file, Quote: Bureaus{}.Quote(file.Currency, at)}, at))
			if err != nil {
				t.Fatal(err)
			}
			golden.CompareJSON(t, "testdata/"+code+".json", " ", got)
			back, err := report.ParsePassport(got)
			if err != nil {
				t.Fatal(err)
			}
			if again, _ := report.Encode(back); !bytes.Equal(got, again) {
				t.Errorf("read and written again it differs:\n%s", cmp.Diff(string(got), string(again)))
			}
		})
	}
}

func TestSuppliersMatchContract(t *testing.T) {
	for _, s := range report.Suppliers()[1:] {
		if _, ok := scales[s.Code]; !ok {
			t.Errorf("%s has no scale", s.Code)
		}
		c, ok := countryOf(*s.Country)
		if !ok || !strings.HasPrefix(s.Code, *s.Country+"_") || (Bureaus{}).Quote(c.Currency, time.Now()) == nil {
			t.Errorf("%s is of %s, which the sandbox knows: %v", s.Code, *s.Country, ok)
		}
	}
	if (Bureaus{}).Fetch("XXX_YY", link, nil, time.Now()).Found || (Bureaus{}).Quote("XXX", time.Now()) != nil {
		t.Error("an unknown supplier is known")
	}
}

package passport

import (
	"fmt"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

const token = "5c9d3f52-7a2b-4f0e-8f0e-3a6a3d1f0a11"

var labels = report.Envelope{PublicToken: token}

var asOf = time.Date(2026, 7, 14, 9, 30, 0, 0, time.UTC)

func on(y int, m time.Month, d int) report.Date {
	return report.Date{Time: time.Date(y, m, d, 0, 0, 0, 0, time.UTC)}
}

func cents(c int64) *report.Cents { v := report.Cents(c); return &v }

func TestHistory(t *testing.T) {
	at := func(y int, m time.Month, d, days int) Mark { return Mark{Month: on(y, m, d), Days: days} }
	marks := []Mark{
		at(2026, 7, 1, 90),                     // the current month
		at(2026, 6, 30, 0), at(2026, 6, 1, 29), // the worst of a month
		at(2026, 5, 1, 30), at(2026, 4, 1, 59), //
		at(2026, 3, 1, 60), at(2026, 2, 1, 119), //
		at(2026, 1, 1, 120), at(2025, 12, 31, 900), //
		{Month: on(2025, 11, 5), Days: 0, ChargedOff: true},
		at(2025, 10, 1, -5), at(2025, 10, 1, 0), // paid ahead
		at(2024, 7, 1, 1),    // the oldest month
		at(2024, 6, 30, 120), // too old
		at(2031, 1, 1, 120),  // in the future
	}
	want := map[string]string{"2026-06": report.PaidLate1, "2026-05": report.PaidLate30,
		"2026-04": report.PaidLate30, "2026-03": report.PaidLate60,
		"2026-02": report.PaidLate90, "2026-01": report.PaidLate120, "2025-12": report.PaidLate120,
		"2025-11": report.PaidChargedOff, "2025-10": report.PaidOK, "2024-07": report.PaidLate1}
	got := History(marks, report.DateOf(asOf))
	if len(got) != 24 || got[0].Month != "2026-06" || got[23].Month != "2024-07" {
		t.Fatalf("%d months, %s to %s", len(got), got[0].Month, got[23].Month)
	}
	for _, m := range got {
		if status := report.Text(m.Status); status != want[m.Month] {
			t.Errorf("%s is %q, want %q", m.Month, status, want[m.Month])
		}
	}
}

// TestHistoryIsTheLast24Months checks that the history has each month once, whatever the day
// and the marks.
func TestHistoryIsTheLast24Months(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		day := report.Date{Time: on(2020, 1, 1).AddDate(0, 0, rapid.IntRange(0, 4000).Draw(t, "day"))}
		var marks []Mark
		for range rapid.IntRange(0, 40).Draw(t, "n") {
			marks = append(marks, Mark{Month: report.Date{Time: day.AddDate(0, -rapid.IntRange(-3, 40).Draw(t, "ago"), 0)},
				Days: rapid.IntRange(-1, 200).Draw(t, "days")})
		}
		got := History(marks, day)
		first := time.Date(day.Year(), day.Month(), 1, 0, 0, 0, 0, time.UTC)
		for i, m := range got {
			if want := first.AddDate(0, -1-i, 0).Format("2006-01"); m.Month != want {
				t.Fatalf("month %d is %s, want %s", i, m.Month, want)
			}
		}
		if len(got) != 24 {
			t.Fatalf("%d months", len(got))
		}
	})
}

func TestTradelineStatus(t *testing.T) {
	b := builder{&File{Supplier: "KOR_NICE", Currency: "KRW"}, report.DateOf(asOf)}
	for want, line := range map[string]Tradeline{
		report.TradelineOpen:       {PastDue: cents(0)},
		report.TradelineDelinquent: {PastDue: cents(100)},
		report.TradelineClosed:     {Closed: on(2026, 1, 1), PastDue: cents(100)},
		report.TradelineChargedOff: {Closed: on(2026, 1, 1), ChargedOff: true},
	} {
		if got := b.tradeline(line).Status; got != want {
			t.Errorf("%+v is %s, want %s", line, got, want)
		}
	}
	if got := b.tradeline(Tradeline{}); got.Status != report.TradelineOpen || got.Balance != nil || got.Opened != nil {
		t.Errorf("of nothing: %+v", got)
	}
}

func TestRound(t *testing.T) {
	for _, c := range []struct {
		in       report.Cents
		currency string
		want     report.Cents
	}{{149, "KRW", 100}, {150, "KRW", 200}, {-150, "KRW", -200}, {-149, "KRW", -100}, {149, "MXN", 149}, {0, "KRW", 0}} {
		if got := Round(c.in, c.currency); got != c.want {
			t.Errorf("Round(%d, %s) = %d, want %d", c.in, c.currency, got, c.want)
		}
	}
}

// TestConvertMatchesBigInt checks rounding and range.
func TestConvertMatchesBigInt(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		c := report.Cents(rapid.Int64Range(-1e15, 1e15).Draw(t, "cents"))
		r := report.Rate(rapid.Int64Range(1, 1e15).Draw(t, "rate"))
		want := new(big.Int).Mul(big.NewInt(max(int64(c), -int64(c))), big.NewInt(int64(r)))
		want.Add(want, big.NewInt(int64(report.RateUnit)/2)).Quo(want, big.NewInt(int64(report.RateUnit)))
		if c < 0 {
			want.Neg(want)
		}
		got, ok := Convert(c, r)
		if inside := new(big.Int).Abs(want).Cmp(big.NewInt(1<<62)) <= 0; ok != inside || ok && want.Cmp(big.NewInt(int64(got))) != 0 {
			t.Fatalf("Convert(%d, %d) = %d %v, want %s", c, r, got, ok, want)
		}
	})
}

func TestCurrencies(t *testing.T) {
	file := File{Supplier: "KOR_NICE", Found: true, Currency: "KRW", Tradelines: []Tradeline{
		{ID: "a", Balance: cents(1_000_000_00), PastDue: cents(0)}, {ID: "b", Balance: cents(500_049)},
		{ID: "c", Balance: cents(9_00), Closed: on(2026, 1, 1)}}}
	of := func(q *Quote) report.PassportCurrency {
		r := Build(Input{Envelope: labels, File: file, Quote: q}, asOf)
		if len(r.Currencies) != 1 {
			t.Fatalf("%d currencies", len(r.Currencies))
		}
		return r.Currencies[0]
	}
	c := of(&Quote{Currency: "KRW", Rate: 720_000, Day: on(2026, 7, 13), Source: "OTHER"})
	if *c.Totals.Balance != 1_005_000_00 || c.Totals.CreditLimit != nil || *c.TotalsUSD.Balance != 723_60 || c.TotalsUSD.CreditLimit != nil ||
		*c.Rate != 720_000 || c.RateDate.String() != "2026-07-13" || *c.RateSource != "OTHER" {
		t.Errorf("%+v", c)
	}
	for name, q := range map[string]*Quote{"no quote": nil, "another currency's": {Currency: "JPY", Rate: 1}, "none": {Currency: "KRW"}} {
		if c := of(q); c.Rate != nil || c.TotalsUSD.Balance != nil || *c.Totals.Balance != 1_005_000_00 {
			t.Errorf("%s: %+v", name, c)
		}
	}
	file.Currency = "USD"
	if c := of(nil); *c.Rate != report.RateUnit || *c.TotalsUSD.Balance != *c.Totals.Balance {
		t.Errorf("dollars: %+v", c)
	}
}

// whole returns a file with every field of a person.
func whole(code string) File {
	died := on(2026, 2, 1)
	return File{Supplier: code, RecordID: "r", Found: true, Currency: "EUR",
		Person: Person{First: "Ana", Last: "Pérez", Full: "Ana María Pérez López", Middle: "María",
			Transliterated: "Ana Maria Perez Lopez", Others: []string{"A. P."},
			Born: on(1990, 4, 12), Emails: []string{"ana@mail.example"}, Telephones: []string{"+34 600"}, Deceased: true, Died: died,
			Documents: []Document{{Type: "PASSPORT", Number: "X1234567", Country: "ESP", Expires: on(2030, 1, 1)}}},
		Identifiers: []Identifier{{Type: "TAX_ID", Value: "123", Country: "ESP"}, {Type: "NATIONAL_ID", Value: "12345678Z", Country: "ESP"}},
	}
}

// TestIdentityHasTheSuppliersFields checks that a report has exactly the fields that the
// supplier provides, for each supplier.
func TestIdentityHasTheSuppliersFields(t *testing.T) {
	for _, s := range report.Suppliers() {
		id := Build(Input{Envelope: labels, File: whole(s.Code)}, asOf).Identities[0]
		got := report.IdentityFields{FirstName: id.FirstName != nil, LastName: id.LastName != nil,
			FullName: id.FullName != nil, MiddleName: id.MiddleName != nil,
			TransliteratedName: id.TransliteratedName != nil, OtherNames: len(id.OtherNames) > 0,
			DateOfBirth: id.DateOfBirth != nil, Emails: len(id.Emails) > 0,
			Telephones: len(id.Telephones) > 0, IsDeceased: id.IsDeceased != nil,
			DateOfDeath: id.DateOfDeath != nil, Documents: len(id.Documents) > 0}
		if diff := cmp.Diff(s.Fields, got); diff != "" {
			t.Errorf("%s: %s", s.Code, diff)
		}
		if id.OtherNames == nil || id.Emails == nil || id.Telephones == nil || id.Documents == nil {
			t.Errorf("%s: an array is null", s.Code)
		}
		living := whole(s.Code)
		living.Person.Deceased = false
		if id := Build(Input{Envelope: labels, File: living}, asOf).Identities[0]; id.DateOfDeath != nil ||
			id.IsDeceased != nil && *id.IsDeceased {
			t.Errorf("%s: a living person has the date of death %v", s.Code, id.DateOfDeath)
		}
	}
}

func TestNumbersAreTruncated(t *testing.T) {
	r := Build(Input{Envelope: labels, File: whole("ESP_EFX")}, asOf)
	if got := *r.Identities[0].Documents[0].TruncatedNumber; got != "4567" {
		t.Errorf("a document's number is %q", got)
	}
	for number, want := range map[string]string{"123 456 792": "6792", "12.345-6": "3456", "QQ 12 34 56 C": "456C", "12": "12", "-": ""} {
		if got := report.Text(lastFour(number)); got != want {
			t.Errorf("of %q there is %q, want %q", number, got, want)
		}
	}
	if *r.Identifiers[0].Truncated != "678Z" || *r.Identifiers[1].Truncated != "123" {
		t.Errorf("identifiers: %+v", r.Identifiers)
	}
}

func TestSameName(t *testing.T) {
	for _, c := range []struct {
		first, last, full string
		want              bool
	}{
		{"Ana", "Pérez", "ANA MARIA PEREZ LOPEZ", true},
		{"Ana", "Pérez", "Pérez, Ana", true},
		{"Jean-Luc", "O’Brien", "OBRIEN JEAN LUC", true},
		{"민준", "김", "김민준", true},
		{"Yutong", "Ouyang", "ouyang yutong", true},
		{"Ana", "Pérez", "Ana Gómez", false},
		{"Ana María", "Pérez", "Ana Pérez", true},
		{"Ana María", "Pérez", "Ana Luisa Pérez", false},
		{"Ana", "", "Ana", false},
		{"", "Pérez", "Pérez", false},
		{"Ana", "Pérez", "", false},
		{"Ann", "Perez", "Ana Perez", false},
		{"...", "---", "Ana", false},
	} {
		if got := SameName(Consumer{First: c.first, Last: c.last}, c.full); got != c.want {
			t.Errorf("SameName(%s %s, %s) = %v", c.first, c.last, c.full, got)
		}
	}
}

func TestMatching(t *testing.T) {
	of := func(first string, found bool) report.Passport {
		f := whole("ESP_EFX")
		f.Found = found
		return Build(Input{Envelope: report.Envelope{PublicToken: token, InputSource: report.ConsumerInput, InputRecordID: "typed"},
			Consumer: &Consumer{First: first, Last: "Pérez"}, File: f}, asOf)
	}
	if m := of("Ana", true).Identities[0].Matching; m == nil || len(m.FullName.Matched) != 1 ||
		m.FullName.Matched[0].SourceID != "ESP_EFX" || len(m.FullName.Unmatched) != 0 {
		t.Errorf("the same: %+v", m)
	}
	if m := of("Eva", true).Identities[0].Matching; m == nil || len(m.FullName.Unmatched) != 1 || m.FullName.Matched == nil {
		t.Errorf("another: %+v", m)
	}
	none := of("Ana", false)
	if len(none.Identities) != 1 || none.Identities[0].Matching != nil || none.Identifiers != nil ||
		report.Text(none.Meta.Substatus) != string(contract.SubNoRecentInformation) || len(none.Notices) != 1 {
		t.Errorf("unknown person: %+v", none)
	}
}

// TestScoresBeyondTheirScale checks that such scores are left out, because bureaus write a
// missing score so.
func TestScoresBeyondTheirScale(t *testing.T) {
	f := File{Supplier: "USA_XP", Found: true, Currency: "USD",
		Scores: []Score{{Name: "a", Value: 9002, Minimum: 300, Maximum: 850}, {Name: "b", Value: 0, Maximum: 0},
			{Name: "c", Value: 300, Minimum: 300, Maximum: 850}}}
	if got := Build(Input{Envelope: labels, File: f}, asOf).Scores; len(got) != 1 || got[0].Type != "c" || got[0].Reasons == nil {
		t.Errorf("%+v", got)
	}
}

// TestBuildIgnoresInputOrder builds a report from the same file in two orders.
func TestBuildIgnoresInputOrder(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		f := File{Supplier: "MEX_BDC", Found: true, Currency: "MXN", Person: Person{Full: "Ana"}}
		day := func() report.Date {
			return report.Date{Time: on(2020, 1, 1).AddDate(0, 0, rapid.IntRange(0, 60).Draw(t, "day"))}
		}
		for i := range rapid.IntRange(0, 6).Draw(t, "n") {
			name := fmt.Sprint("n", i)
			f.Tradelines = append(f.Tradelines, Tradeline{ID: name, Opened: day(), Balance: cents(int64(i))})
			f.Inquiries = append(f.Inquiries, Inquiry{Date: day(), Inquirer: name})
			f.Addresses = append(f.Addresses, Address{Line: name, Last: day()})
			f.Employers = append(f.Employers, Employer{Name: name, Last: day()})
			f.PublicRecords = append(f.PublicRecords, PublicRecord{Type: name, Filed: day()})
			f.Collections = append(f.Collections, Collection{Agency: name, Assigned: day()})
			f.NSF = append(f.NSF, NSF{Institution: name, Date: day()})
			f.Disputes = append(f.Disputes, Dispute{Description: name, Filed: day()})
			f.Identifiers = append(f.Identifiers, Identifier{Type: "TAX_ID", Value: name})
			f.BankAccounts = append(f.BankAccounts, BankAccount{Number: name, Opened: day()})
			f.OtherIncomes = append(f.OtherIncomes, OtherIncome{Type: name, Reported: day()})
			f.Scores = append(f.Scores, Score{Name: name, Value: 5, Maximum: 10, Date: day()})
		}
		g := f
		g.Tradelines, g.Inquiries = rapid.Permutation(f.Tradelines).Draw(t, "t"), rapid.Permutation(f.Inquiries).Draw(t, "i")
		g.Addresses, g.Employers = rapid.Permutation(f.Addresses).Draw(t, "a"), rapid.Permutation(f.Employers).Draw(t, "e")
		g.PublicRecords, g.Collections = rapid.Permutation(f.PublicRecords).Draw(t, "p"), rapid.Permutation(f.Collections).Draw(t, "c")
		g.NSF, g.Disputes = rapid.Permutation(f.NSF).Draw(t, "s"), rapid.Permutation(f.Disputes).Draw(t, "d")
		g.Identifiers, g.BankAccounts = rapid.Permutation(f.Identifiers).Draw(t, "n"), rapid.Permutation(f.BankAccounts).Draw(t, "b")
		g.OtherIncomes, g.Scores = rapid.Permutation(f.OtherIncomes).Draw(t, "o"), rapid.Permutation(f.Scores).Draw(t, "r")
		one, _ := report.Encode(Build(Input{Envelope: labels, File: f}, asOf))
		two, _ := report.Encode(Build(Input{Envelope: labels, File: g}, asOf))
		if diff := cmp.Diff(string(one), string(two)); diff != "" {
			t.Fatal(diff)
		}
	})
}

package bankdata

import (
	"encoding/json"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

func day(s string) report.Date {
	t, err := time.Parse(time.DateOnly, s)
	if err != nil {
		panic(err)
	}
	return report.Date{Time: t}
}

func TestMonthsBefore(t *testing.T) {
	for _, c := range []struct {
		from string
		n    int
		want string
	}{
		{"2026-03-31", 1, "2026-02-28"},
		{"2024-03-31", 1, "2024-02-29"},
		{"2024-02-29", 24, "2022-02-28"},
		{"2024-02-29", 12, "2023-02-28"},
		{"2026-01-15", 1, "2025-12-15"},
		{"2026-01-01", 24, "2024-01-01"},
		{"2026-05-31", 0, "2026-05-31"},
	} {
		if got := MonthsBefore(day(c.from), c.n); got.String() != c.want {
			t.Errorf("MonthsBefore(%s, %d) = %s, want %s", c.from, c.n, got, c.want)
		}
	}
}

func TestHistory(t *testing.T) {
	a := Account{Transactions: []Transaction{
		{ID: "5", Posted: day("2026-03-02")},
		{ID: "4", Posted: day("2026-03-01"), Pending: true},
		{ID: "3", Posted: day("2026-03-01")},
		{ID: "2", Posted: day("2024-03-01")},
		{ID: "1", Posted: day("2024-02-29")},
	}}
	var ids string
	for _, tx := range a.History(day("2026-03-01")) {
		ids += tx.ID
	}
	if ids != "23" {
		t.Errorf("history has %s, want 2 (exactly two years before) and 3 (the fetch date)", ids)
	}
}

func TestMonthsAvailable(t *testing.T) {
	for _, c := range []struct {
		oldest string
		want   int
	}{
		{"2026-03-10", 1},
		{"2026-02-11", 1},
		{"2026-02-10", 2},
		{"2025-03-11", 12},
		{"2024-03-12", 24},
		{"2024-03-10", 24},
		{"2024-03-09", 0},
		{"2026-03-11", 0},
	} {
		a := Account{Transactions: []Transaction{{Posted: day(c.oldest)}}}
		if got := a.MonthsAvailable(day("2026-03-10")); got != c.want {
			t.Errorf("oldest %s: %d months, want %d", c.oldest, got, c.want)
		}
	}
}

// TestOlderPersons reads the name of a document of version 0.1.0, which has no middle name and no suffix.
func TestOlderPersons(t *testing.T) {
	var old Person
	if err := json.Unmarshal([]byte(`{"firstName":"Jane Q","lastName":"Doe Jr","emails":["jane@mail.example"]}`), &old); err != nil {
		t.Fatal(err)
	}
	now := Person{FirstName: "Jane", MiddleName: "Q", LastName: "Doe", Suffix: "Jr"}
	if notes, same := old.Compare(now.FullName()); !same || len(notes) > 0 || old.FullName() != "Jane Q Doe Jr" {
		t.Errorf("%q and %q: %v %v", old.FullName(), now.FullName(), notes, same)
	}
	if (Person{FirstName: "Jane", LastName: "Doe", Suffix: "Sr"}).Is(now.FullName()) {
		t.Error("a junior is a senior")
	}
}

func TestHistoryIgnoresInputOrder(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "n")
		var a, b Account
		for i := range n {
			tx := Transaction{ID: string(rune('a' + i)), Posted: day("2026-01-01"), Amount: report.Cents(i)}
			tx.Posted.Time = tx.Posted.AddDate(0, 0, rapid.IntRange(0, 3).Draw(t, "day"))
			a.Transactions = append(a.Transactions, tx)
		}
		b.Transactions = rapid.Permutation(a.Transactions).Draw(t, "shuffled")
		x, y := a.History(day("2026-02-01")), b.History(day("2026-02-01"))
		for i := range x {
			if x[i].ID != y[i].ID {
				t.Fatalf("transaction %d is %s and, shuffled, %s", i, x[i].ID, y[i].ID)
			}
		}
	})
}

func TestSourceID(t *testing.T) {
	for n, want := range []string{"ANVIL_OAK_TRUST", "ANVIL_OAK_TRUST_2"} {
		if got := SourceID("Anvil & Oak Trust", n); got != want {
			t.Errorf("the source_id of connection %d is %s, want %s", n, got, want)
		}
	}
}

func TestDataOnly(t *testing.T) {
	d := Data{Connections: []Connection{{Accounts: []Account{{ID: "1"}, {ID: "2"}}}}}
	if got := d.Only([]string{"2", "9"}).Connections[0].Accounts; len(got) != 1 || got[0].ID != "2" {
		t.Errorf("Only(2, 9) kept %+v", got)
	}
	if got := d.Only([]string{}).Connections[0].Accounts; len(got) != 0 {
		t.Errorf("choosing none kept %+v", got)
	}
	if got := d.Only(nil).Connections[0].Accounts; len(got) != 2 {
		t.Errorf("not choosing kept %+v", got)
	}
}

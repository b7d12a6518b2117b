package reports

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/compress"
	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

// TestPackRoundTrip checks that unpacking a packed input gives the same input, and that a
// truncated one is refused.
func TestPackRoundTrip(t *testing.T) {
	day := rapid.Custom(func(t *rapid.T) report.Date {
		return report.DateOf(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(-40_000, 1000).Draw(t, "day")))
	})
	transaction := rapid.Custom(func(t *rapid.T) bankdata.Transaction {
		out := bankdata.Transaction{ID: rapid.String().Draw(t, "id"), Pending: rapid.Bool().Draw(t, "pending"),
			Debit:  rapid.Bool().Draw(t, "debit"),
			Amount: report.Cents(rapid.Int64().Draw(t, "amount")), Description: rapid.String().Draw(t, "description"),
			Merchant: rapid.String().Draw(t, "merchant"), Memo: rapid.String().Draw(t, "memo")}
		if rapid.Bool().Draw(t, "posted") {
			out.Posted = day.Draw(t, "date")
		}
		return out
	})
	account := rapid.Custom(func(t *rapid.T) bankdata.Account {
		a := bankdata.Account{ID: rapid.StringMatching(`[a-z]{1,5}`).Draw(t, "id"), Type: report.CashEquivalent, Currency: "USD", Balance: 7}
		if all := rapid.SliceOfN(transaction, 0, 5).Draw(t, "transactions"); len(all) > 0 {
			a.Transactions = all
		}
		return a
	})
	proptest.Check(t, func(t *rapid.T) {
		in := Input{Consumer: &bankdata.Person{FirstName: "Ana", Emails: []string{"a@example.com"}}, Source: report.CustomerInput}
		if rapid.Bool().Draw(t, "with data") {
			in.Data = &bankdata.Data{Connections: []bankdata.Connection{
				{ID: "c", Status: contract.StatusSuccess, Accounts: rapid.SliceOfN(account, 1, 3).Draw(t, "accounts")},
				{ID: "d", Accounts: rapid.SliceOfN(account, 1, 2).Draw(t, "accounts of another")},
			}}
		}
		raw, err := packInput(in)
		if err != nil {
			t.Fatal(err)
		}
		got, err := unpackInput(raw)
		if err != nil || !reflect.DeepEqual(got, in) {
			t.Fatalf("packed %+v, unpacked %+v, %v", in, got, err)
		}
		if _, err := unpackInput(raw[:rapid.IntRange(0, len(raw)-1).Draw(t, "cut")]); err == nil {
			t.Fatal("a part unpacks")
		}
	})
}

// An input that a former version stored, without compression, is read.
func TestUnpackFormerInput(t *testing.T) {
	want := household(3)
	packed, err := packInput(want)
	if err != nil {
		t.Fatal(err)
	}
	former, err := compress.Unpack(packed)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := unpackInput(former); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("unpacked %+v, %v", got, err)
	}
}

func FuzzUnpack(f *testing.F) {
	raw, _ := packInput(household(3))
	f.Add(raw)
	f.Fuzz(func(t *testing.T, raw []byte) {
		in, err := unpackInput(raw)
		if err != nil {
			return
		}
		again, err := packInput(in)
		if err != nil {
			t.Fatal(err)
		}
		if back, err := unpackInput(again); err != nil || !reflect.DeepEqual(back, in) {
			t.Fatalf("%+v became %+v, %v", in, back, err)
		}
	})
}

func household(n int) Input {
	a := bankdata.Account{ID: "a", Type: report.CashEquivalent, Currency: "USD"}
	for i := range n {
		a.Transactions = append(a.Transactions, bankdata.Transaction{ID: fmt.Sprintf("T%06d", i),
			Posted: report.DateOf(time.Unix(1_700_000_000-int64(i)*20_000, 0)),
			Amount: report.Cents(i * 7), Description: fmt.Sprintf("POS PURCHASE CORNER MARKET SAN DIEGO CA %06d", i), Merchant: "Corner Market"})
	}
	return Input{Data: &bankdata.Data{Connections: []bankdata.Connection{{ID: "c", Accounts: []bankdata.Account{a}}}}}
}

func BenchmarkPack(b *testing.B) {
	in := household(3000)
	for b.Loop() {
		if _, err := packInput(in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkUnpack(b *testing.B) {
	raw, _ := packInput(household(3000))
	b.ReportMetric(float64(len(raw)), "bytes")
	for b.Loop() {
		if _, err := unpackInput(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkPackAsJSON(b *testing.B) {
	in := household(3000)
	for b.Loop() {
		if _, err := pack(in); err != nil {
			b.Fatal(err)
		}
	}
}

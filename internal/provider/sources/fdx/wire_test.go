package fdx

import (
	"encoding/json"
	"math/big"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/report"
)

func TestMoney(t *testing.T) {
	for raw, want := range map[string]report.Cents{
		`0`: 0, `-0`: 0, `0.00`: 0, `1`: 100, `12.5`: 1250, `-12.05`: -1205, `1e2`: 10000, `1.5E+1`: 1500, `150e-1`: 1500, `1.2300`: 123,
		`0.1000000000000000000000000000000`: 10, `1e-2`: 1, `0e400`: 0, `10000000000000`: 1e15, `1e13`: 1e15,
		`-10000000000000.00`: -1e15, `"12.34"`: 1234, `"-3"`: -300, `100e-4`: 1, `00.10e1`: 100,
		`300.29999999999995`: 30030, `-300.29999999999995`: -30030, `100.50000000000001`: 10050, `2.8421709430404007e-14`: 0,
		`0.9999999999`: 100,
	} {
		var m money
		if err := m.UnmarshalJSON([]byte(raw)); err != nil || m.state != valid || m.cents != want {
			t.Errorf("%s is %+v, %v, want %d", raw, m, err, want)
		}
	}
	for _, raw := range []string{`1.005`, `0.001`, `0.0099999`, `1.000001`, `1.0099999`, `10000000000000.0099999999`,
		`9999999999999.99999999999e9`, `1e400`, `1e99999999999`, `1e-3`, `10000000000000.01`, `1e14`, `99999999999999999999`,
		`"1,000.00"`, `"$5"`, `"five"`, `" 1"`, `"NaN"`, `"0x10"`, `"1."`, `".5"`, `"1e"`, `"--1"`, `"1.2.3"`, `true`, `{}`, `[1]`} {
		var m money
		if err := m.UnmarshalJSON([]byte(raw)); err != nil || m.state != invalid {
			t.Errorf("%s is %+v, %v, want none", raw, m, err)
		}
	}
	for _, raw := range []string{`null`, `""`} {
		var m money
		if err := m.UnmarshalJSON([]byte(raw)); err != nil || m.state != missing {
			t.Errorf("%s is %+v, %v, want it missing", raw, m, err)
		}
	}
}

func TestDay(t *testing.T) {
	for raw, want := range map[string]string{
		`"2026-03-01"`:                    "2026-03-01",
		`"2024-02-29T23:59:59.999-05:00"`: "2024-02-29",
		`"2026-03-01 04:05:06"`:           "2026-03-01",
		`"2026-12-31T00:00:00Z"`:          "2026-12-31",
		`"2026-03-01Z"`:                   "2026-03-01",
		`"2026-03-01-05:00"`:              "2026-03-01",

		`"2026-03-01T04:05:06.123456789+0000"`: "2026-03-01",
	} {
		var d day
		if err := d.UnmarshalJSON([]byte(raw)); err != nil || d.state != valid || d.date.String() != want {
			t.Errorf("%s is %v, %v, want %s", raw, d, err, want)
		}
	}
	for _, raw := range []string{`"2026-02-29"`, `"2026-13-01"`, `"2026-00-10"`, `"2026-01-00"`, `"2026-1-1"`, `"01/02/2026"`, `"20260301"`,
		`"2026-03-01x"`, `"0000-01-01"`, `1767225600`, `{}`, `"2026-03-01T` + strings.Repeat("0", 40) + `"`} {
		var d day
		if err := d.UnmarshalJSON([]byte(raw)); err != nil || d.state != invalid || d.ptr() != nil {
			t.Errorf("%s is %v, %v, want none", raw, d, err)
		}
	}
}

func TestClean(t *testing.T) {
	for s, want := range map[string]string{
		"":                                  "",
		"KROGER #418 AUSTIN TX":             "KROGER #418 AUSTIN TX",
		"  two \t spaces\r\n":               "two spaces",
		"AT&amp;T":                          "AT&T",
		"<script>alert(1)</script>Joe":      "alert(1) Joe",
		"&lt;b&gt;Joe":                      "Joe",
		"A < B > C":                         "A < B > C",
		"Jos\u00e9 \u202eN\u00fa\u00f1ez":   "José Núñez",
		"zero\u200bwidth\x00\x1b[31m":       "zerowidth[31m",
		"bad \xff bytes":                    "bad bytes",
		strings.Repeat("é", 300):            strings.Repeat("é", 200),
		strings.Repeat("x", 300):            strings.Repeat("x", 200),
		strings.Repeat("<b>", 500) + "name": "name",
	} {
		if got := clean(s, maxName); got != want {
			t.Errorf("clean(%q) = %q, want %q", s, got, want)
		}
	}
}

// FuzzMoney compares amounts with exact rational arithmetic: they differ by a millionth of a cent
// at most.
func FuzzMoney(f *testing.F) {
	for _, s := range []string{"0", "-12.05", "1e400", "1.5E+1", "0.10000", "1e-2", "10000000000000", "9e12"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) > 60 || !json.Valid([]byte(s)) || strings.ContainsAny(s[:1], "\"[{tfn \t\r\n") {
			return
		}
		var m money
		if err := m.UnmarshalJSON([]byte(strings.TrimSpace(s))); err != nil {
			t.Fatal(err)
		}
		if i := strings.IndexAny(s, "eE"); i >= 0 && len(s)-i > 6 {
			return // too large for the other way
		}
		r, ok := new(big.Rat).SetString(strings.TrimSpace(s))
		if !ok {
			return
		}
		r.Mul(r, big.NewRat(100, 1))
		exact := r.IsInt() && r.Num().CmpAbs(big.NewInt(maxCents)) <= 0
		if exact && r.Sign() != 0 && m.state != valid {
			t.Errorf("%s is %+v, exactly %s", s, m, r)
		}
		if off := new(big.Rat).Sub(r, big.NewRat(int64(m.cents), 1)); m.state == valid && off.Abs(off).Cmp(big.NewRat(1, 1_000_000)) > 0 {
			t.Errorf("%s is %+v, exactly %s", s, m, r)
		}
	})
}

// FuzzBodies reads arbitrary bodies as every kind of answer.
func FuzzBodies(f *testing.F) {
	f.Add(`{"accounts":[{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"1","currency":{"currencyCode":"USD"}}],"page":{"nextOffset":5}}`)
	f.Add(`{"accounts":[{"depositAccount":{"accountId":1,"currency":"USD","currentBalance":"1"}}],"links":{"next":{"href":"/accounts?x=2"}}}`)
	f.Add(`{"accounts":[{"transactionId":"1","amount":1e400,"debitCreditMemo":"DEBIT"}],"links":[{"rel":"next","href":"x"}]}`)
	f.Add(`{"accounts":[{"holders":[{"name":{"first":"J"}},{"name":"Jane Doe"}],"emails":"a@b.example","addresses":[{"line1":1}]}]}`)
	c, err := New([]Institution{{ID: "f", Name: "F", Issuer: "https://f.example", BaseURL: "https://f.example", Version: "6",
		ClientID: "c", Authentication: SecretPost, Secret: "s"}}, Options{})
	if err != nil {
		f.Fatal(err)
	}
	b, today := c.banks["f"], date("2026-03-10")
	f.Fuzz(func(t *testing.T, body string) {
		_, _, err := readPage(strings.NewReader(body), "accounts", func(d *json.Decoder) error {
			var raw json.RawMessage
			if err := decode(d, &raw); err != nil {
				return err
			}
			var a accountElement
			_ = decode(json.NewDecoder(strings.NewReader(string(raw))), &a)
			out := a.get().toReport(b, today)
			var people contact
			_ = decode(json.NewDecoder(strings.NewReader(string(raw))), &people)
			people.apply(b, &out)
			l := &ledger{fetch: &fetch{bank: b, from: date("2024-01-01"), to: today, today: today, left: 10, textLeft: 1000}, into: &out,
				kind: deposit, index: map[string]int{}, alike: map[string]int{}}
			var e transactionElement
			_ = decode(json.NewDecoder(strings.NewReader(string(raw))), &e)
			_, _ = l.add(e.get())
			for _, tx := range out.Transactions {
				checkText(t, tx.Description, maxDescription)
			}
			checkText(t, out.Owner, maxHolders*(2*maxName+10)*2)
			checkText(t, out.Name, maxName)
			return nil
		})
		if err != nil && !json.Valid([]byte(body)) && strings.Contains(err.Error(), "invalid character") {
			t.Errorf("the error quotes the body: %v", err)
		}
	})
}

func checkText(t *testing.T, s string, limit int) {
	t.Helper()
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) > limit || strings.ContainsFunc(s, unicode.IsControl) {
		t.Errorf("%q is not a clean text of at most %d characters", s, limit)
	}
}

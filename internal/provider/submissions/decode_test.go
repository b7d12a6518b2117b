package submissions

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"pgregory.net/rapid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
	"vestibule/internal/testutil/proptest"
)

var now = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const seed = "4f1c2d0e-7b1f-4a57-9c0b-0d1f5b8f3a11"

type object = map[string]any

// valid returns a submission with every field.
func valid() object {
	return object{
		"userArgs": "args", "externalId": "ext-1", "pullDate": "2026-11-20T10:00:00.000Z", "applicationDate": "2026-11-01T00:00:00.000Z",
		"personal": object{"firstName": "Ana", "lastName": "Pérez", "dob": "1990-06-15", "email": "ana@example.com", "phone": "555-010-0123"},
		"address":  object{"street": "12 Main Street", "city": "San Diego", "state": "CA", "postalCode": "92101"},
		"accounts": []any{object{
			"id": "A1", "institutionName": "Amber Coast Bank", "accountType": "CHECKING", "currentBalance": json.Number("1204.05"),
			"dateBalanceLastUpdated": "2026-11-20T09:00:00.000Z", "dateAccountOpened": "2019-02-28T00:00:00.000Z", "currency": "USD",
			"transactions": []any{
				object{"id": "T1", "status": "POSTED", "datePosted": "2026-11-19T23:59:59.999Z", "amount": json.Number("12.50"),
					"description": "Café «Sol»", "merchant": "Cafe Sol 7", "memo": "", "creditOrDebit": "DEBIT"},
				object{"id": "T2", "status": "PENDING", "amount": json.Number("3"), "description": "deposit", "creditOrDebit": "CREDIT"},
			},
		}},
	}
}

// put sets the member at a path, or removes it if v is absent. A path is like
// accounts[0].transactions[1].amount.
func put(in object, path string, v any) object {
	var at any = in
	parts := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	for i, p := range parts {
		last := i == len(parts)-1
		switch o := at.(type) {
		case object:
			if last && v == absent {
				delete(o, p)
			} else if last {
				o[p] = v
			}
			at = o[p]
		case []any:
			var n int
			fmt.Sscan(p, &n)
			if last {
				o[n] = v
			}
			at = o[n]
		}
	}
	return in
}

var absent any = new(int)

func read(t testing.TB, body any) (Submission, []string, error) {
	t.Helper()
	raw, ok := body.(string)
	if !ok {
		b, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		raw = string(b)
	}
	s, details, err := Read(strings.NewReader(raw), Terms{Now: now, Sandbox: true, Seed: seed})
	var fields []string
	for _, d := range details {
		fields = append(fields, d.Field)
	}
	// The result does not depend on how the bytes arrive.
	again, details2, err2 := Read(iotest.OneByteReader(strings.NewReader(raw)), Terms{Now: now, Sandbox: true, Seed: seed})
	if !reflect.DeepEqual(again, s) || !reflect.DeepEqual(details2, details) || !errors.Is(err2, err) {
		t.Errorf("read byte by byte: %v %v %v; in one read: %v %v %v", again, details2, err2, s, details, err)
	}
	return s, fields, err
}

func TestRead(t *testing.T) {
	s, fields, err := read(t, valid())
	if err != nil {
		t.Fatalf("refused: %v", fields)
	}
	if s.ExternalID != "ext-1" || s.UserArgs != "args" || !s.PullDate.Equal(time.Date(2026, 11, 20, 10, 0, 0, 0, time.UTC)) ||
		*s.Personal.LastName != "Pérez" || *s.Personal.PostalCode != "92101" {
		t.Errorf("read as %+v", s)
	}
	c := s.Data.Connections[0]
	a := c.Accounts[0]
	if a.BalanceDate == nil || a.BalanceDate.String() != "2026-11-20" || a.Currency != "USD" {
		t.Errorf("a balance of %v in %s", a.BalanceDate, a.Currency)
	}
	if c.SourceID != "AMBER_COAST_BANK" || a.Balance != 120405 || a.Type != report.CashEquivalent || a.Subtype != report.Checking ||
		a.Opened.String() != report.DateOf(time.Date(2019, 2, 28, 0, 0, 0, 0, time.UTC)).String() {
		t.Errorf("account: %+v", a)
	}
	want := []bankdata.Transaction{
		{ID: "T1", Posted: report.DateOf(time.Date(2026, 11, 19, 0, 0, 0, 0, time.UTC)),
			Amount: -1250, Description: "Café «Sol»", Merchant: "Cafe Sol 7"},
		{ID: "T2", Pending: true, Amount: 300, Description: "deposit"},
	}
	for i := range want {
		if a.Transactions[i] != want[i] {
			t.Errorf("transaction %d: %+v, want %+v", i, a.Transactions[i], want[i])
		}
	}
}

func TestCreditOrDebit(t *testing.T) {
	for _, c := range []struct {
		amount, direction string
		want              report.Cents
	}{{"5.01", "CREDIT", 501}, {"5.01", "DEBIT", -501}, {"-5.01", "CREDIT", 501}, {"-5.01", "DEBIT", -501}, {"0", "DEBIT", 0}} {
		in := put(put(valid(), "accounts[0].transactions[0].amount", json.Number(c.amount)),
			"accounts[0].transactions[0].creditOrDebit", c.direction)
		s, fields, err := read(t, in)
		if err != nil {
			t.Fatal(fields)
		}
		tx := s.Data.Connections[0].Accounts[0].Transactions[0]
		if tx.Out() != (c.direction == "DEBIT") {
			t.Errorf("%s %s is out: %v", c.amount, c.direction, tx.Out())
		}
		if got := tx.Amount; got != c.want {
			t.Errorf("%s %s is %d cents, want %d", c.amount, c.direction, got, c.want)
		}
	}
}

// TestReadBoundsSumOfAmounts checks the bound of the sum of absolute balances and
// amounts. The first field that exceeds it is rejected.
func TestReadBoundsSumOfAmounts(t *testing.T) {
	const balance, first, last = "accounts[0].currentBalance", "accounts[0].transactions[0].amount", "accounts[0].transactions[1].amount"
	body := func(of ...string) object {
		in := valid()
		for i, path := range []string{balance, first, last} {
			put(in, path, json.Number(of[i]))
		}
		return in
	}
	for _, c := range []struct {
		of   []string
		want string // the rejected field
	}{
		{[]string{"9999999999999.99", "0", "0"}, ""},
		{[]string{"-9999999999999.98", "0.01", "0.00"}, ""},
		{[]string{"3333333333333.33", "3333333333333.33", "3333333333333.33"}, ""},
		{[]string{"9999999999999.99", "0", "0.01"}, last},
		{[]string{"9999999999999.99", "0.01", "0.01"}, first}, // reported once
		{[]string{"-9999999999999.99", "-0.01", "0"}, first},
		{[]string{"0", "5000000000000", "-5000000000000"}, last},
		{[]string{"10000000000000", "1", "1"}, balance},
	} {
		// The body has the balance before the transactions.
		_, fields, err := read(t, body(c.of...))
		if c.want == "" && err != nil || c.want != "" && !reflect.DeepEqual(fields, []string{c.want}) {
			t.Errorf("%v: named %v, want %q", c.of, fields, c.want)
		}
	}
	// The sum does not overflow.
	var txs []any
	for i := range 20_000 {
		txs = append(txs, object{"id": fmt.Sprint("T", i), "status": "POSTED", "datePosted": "2026-11-19T00:00:00.000Z",
			"amount":      json.Number("9999999999999.99"),
			"description": "x", "creditOrDebit": "DEBIT"})
	}
	if _, fields, err := read(t, put(valid(), "accounts[0].transactions", txs)); err == nil || len(fields) != 1 {
		t.Errorf("20,000 of the largest amount: %v, named %v", err, fields)
	}
}

func TestReadBoundsAccounts(t *testing.T) {
	for n, want := range map[int][]string{MaxAccounts: nil, MaxAccounts + 1: {"accounts"}, MaxAccounts + 2000: {"accounts"}} {
		var accounts []any
		for i := range n {
			accounts = append(accounts, object{"id": fmt.Sprint("A", i), "institutionName": "B",
				"accountType": "SAVINGS", "currentBalance": 1, "currency": "USD"})
		}
		if _, fields, _ := read(t, put(valid(), "accounts", accounts)); !reflect.DeepEqual(fields, want) {
			t.Errorf("of %d accounts: named %v, want %v", n, fields, want)
		}
	}
}

// TestReadIsLinearInBanks counts allocations, because each candidate for a source id
// needs one: many banks with names of one source id must not need quadratic work, nor
// banks with names of the source ids of others.
func TestReadIsLinearInBanks(t *testing.T) {
	names := map[string]func(i int) string{
		"names that differ in dots": func(i int) string {
			return "A" + strings.NewReplacer("0", ".", "1", "-").Replace(fmt.Sprintf("%016b", i)) + "B"
		},
		"names with the numbers of others": func(i int) string {
			if i%2 == 0 {
				return fmt.Sprint("A ", i/2+2)
			}
			return "A" + strings.NewReplacer("0", ".", "1", "-").Replace(fmt.Sprintf("%016b", i))
		},
	}
	for what, name := range names {
		work := func(n int) float64 {
			var accounts []any
			for i := range n {
				accounts = append(accounts, object{"id": fmt.Sprint("A", i), "institutionName": name(i),
					"accountType": "SAVINGS", "currentBalance": 1, "currency": "USD"})
			}
			raw, _ := json.Marshal(put(valid(), "accounts", accounts))
			return testing.AllocsPerRun(1, func() {
				s, details, err := Read(bytes.NewReader(raw), Terms{Now: now, Seed: seed})
				if err != nil {
					t.Fatal(details)
				}
				seen := map[string]bool{}
				for _, c := range s.Data.Connections {
					if seen[c.SourceID] {
						t.Fatalf("%s: %s is the source id of two banks", what, c.SourceID)
					}
					seen[c.SourceID] = true
				}
				if len(seen) != n {
					t.Fatalf("%s: %d banks of %d", what, len(seen), n)
				}
			})
		}
		if a, b := work(200), work(MaxAccounts); b > 8*a {
			t.Errorf("%s: 200 banks take %.0f allocations, %d take %.0f", what, a, MaxAccounts, b)
		}
	}
}

const (
	ofAccount     = "accounts[0]."
	ofTransaction = "accounts[0].transactions[0]."
)

func long(s string, n int) string { return strings.Repeat(s, n) }

// fieldValues are values of every field that are read, and others that are refused.
var fieldValues = []struct {
	path      string
	good, bad []any
}{
	{"userArgs", []any{absent, nil, long("é", 255)}, []any{"", long("é", 256), 7, "a\x00b", "a\nb"}},
	{"externalId", []any{absent, long("x", 64)}, []any{"", long("x", 65), object{}}},
	{"pullDate", []any{"2026-11-21T12:00:00.000Z", "2026-11-20T09:00:00.000Z"},
		[]any{absent, nil, "2026-11-21T12:00:00.001Z", "2026-10-22T11:59:59.999Z", "2026-11-20T10:00:00Z", "2026-11-20T10:00:00.000+00:00",
			"2026-11-20", "2026-02-29T10:00:00.000Z", "2026-11-20T24:00:00.000Z", 1, "2026-11-20T08:59:59.999Z"}},
	{"applicationDate", []any{absent, "2026-11-21T12:00:00.000Z"}, []any{"2026-11-21T12:00:00.001Z", "yesterday"}},
	{"sandboxReportId", []any{"4F1C2D0E-7b1f-4a57-9c0b-0d1f5b8f3a11", nil}, []any{"nope", 5}},
	{"personal", []any{absent}, []any{"Ana"}},
	{"personal.firstName", []any{absent, long("x", 5000)}, []any{5}},
	{"personal.middleName", nil, []any{"B"}},
	{"personal.dob", []any{"soon"}, nil},
	{"personal.phone", nil, []any{[]any{}}},
	{"address", []any{absent}, []any{[]any{}}},
	{"address.state", []any{"ZZ"}, []any{true}},
	{"address.country", nil, []any{"US"}},
	{"accounts", nil, []any{absent, []any{}, object{}, nil}},
	{ofAccount + "id", []any{long("a", 50)}, []any{absent, "", long("a", 51), "a-b", "é"}},
	{ofAccount + "institutionName", []any{long("ü", 100)}, []any{absent, "", long("ü", 101)}},
	{ofAccount + "accountType", []any{"SAVINGS"}, []any{absent, "checking", "OTHER", false}},
	{ofAccount + "currentBalance", []any{0, json.Number("-250.10"), json.Number("-9999999999984.49")},
		[]any{absent, nil, json.Number("1.005"), json.Number("1e2"), "12.50", json.Number("10000000000000"), json.Number(long("9", 500))}},
	{ofAccount + "dateBalanceLastUpdated", []any{absent, "2026-11-20T10:00:00.000Z"},
		[]any{"2026-11-20T10:00:00.001Z", "2026-11-21T12:00:00.001Z", "x"}},
	{ofAccount + "dateAccountOpened", []any{absent, "2026-11-21T11:59:59.999Z"},
		[]any{"2026-11-21T12:00:00.000Z", "2019-02-29T00:00:00.000Z"}},
	{ofAccount + "currency", []any{"CAD"}, []any{absent, "usd", "US", "USDX", "QQQ", "D A"}},
	{ofAccount + "transactions", []any{absent, []any{}, nil}, []any{"none"}},
	{ofAccount + "colour", nil, []any{"blue"}},
	{ofTransaction + "id", []any{long("9", 50)}, []any{absent, long("9", 51), "t 1"}},
	{ofTransaction + "status", []any{"PENDING"}, []any{absent, "SETTLED"}},
	{ofTransaction + "datePosted", []any{"2026-11-20T10:00:00.000Z"},
		[]any{absent, nil, "2026-11-20T10:00:00.001Z", "2026-13-01T00:00:00.000Z"}},
	{"accounts[0].transactions[1].datePosted", []any{"2026-11-20T10:00:00.000Z"}, []any{"2026-11-20T10:00:00.001Z"}},
	{ofTransaction + "amount", []any{json.Number("0.01")}, []any{absent, json.Number("12.505"), "12.50", nil}},
	{ofTransaction + "description", []any{long("字", 255)}, []any{absent, "", long("字", 256)}},
	{ofTransaction + "merchant", []any{absent, long("M", 100), "Ñandú 24"}, []any{"", long("M", 101), "A&B!", "  "}},
	{ofTransaction + "memo", []any{absent, "", long("m", 255)}, []any{long("m", 256)}},
	{ofTransaction + "creditOrDebit", []any{"CREDIT"}, []any{absent, "credit"}},
	{"iban", nil, []any{"x"}},
	{"UserArgs", nil, []any{"x"}},
}

// TestReadValidatesFields checks the bounds of every field. An invalid value is reported
// for its path.
func TestReadValidatesFields(t *testing.T) {
	for _, c := range fieldValues {
		for _, value := range c.good {
			if _, fields, err := read(t, put(valid(), c.path, value)); err != nil {
				t.Errorf("%s = %.40v: refused for %v", c.path, shown(value), fields)
			}
		}
		for _, value := range c.bad {
			refused(t, c.path, value, c.path)
		}
	}
	refused(t, "accounts", []any{7}, "accounts[0]")
	refused(t, ofAccount+"transactions", []any{[]any{}}, ofAccount+"transactions[0]")
	refused(t, ofTransaction+"id", "T2", ofAccount+"transactions[1].id")
}

// shown is a value for people.
func shown(value any) any {
	if value == absent {
		return "absent"
	}
	return value
}

// refused checks that a value is refused, and a field named.
func refused(t *testing.T, path string, value any, named string) {
	t.Helper()
	if _, fields, err := read(t, put(valid(), path, value)); !errors.Is(err, ErrRefused) || !slices.Contains(fields, named) {
		t.Errorf("%s = %.40v: %v naming %v, want %s named", path, shown(value), err, fields, named)
	}
}

func TestReadRejectsDuplicateIDs(t *testing.T) {
	in := valid()
	first := in["accounts"].([]any)[0]
	second, _ := json.Marshal(first)
	var other object
	json.Unmarshal(second, &other)
	in["accounts"] = []any{first, put(other, "id", "A2")}
	if _, fields, err := read(t, in); err != nil {
		t.Errorf("the same transaction ids in two accounts: refused for %v", fields)
	}
	put(other, "id", "A1")
	if _, fields, _ := read(t, in); !slices.Contains(fields, "accounts[1].id") {
		t.Errorf("an account's id twice: named %v", fields)
	}
}

func TestPullDateAfterOtherDates(t *testing.T) {
	raw, _ := json.Marshal(put(valid(), "pullDate", absent))
	body := strings.TrimSuffix(string(raw), "}") + `,"pullDate":"2026-11-19T23:59:59.998Z"}`
	_, fields, err := read(t, body)
	want := []string{"pullDate", "accounts[0].dateBalanceLastUpdated", "accounts[0].transactions[0].datePosted"}
	if !errors.Is(err, ErrRefused) || fmt.Sprint(fields) != fmt.Sprint(want) {
		t.Errorf("%v naming %v, want %v", err, fields, want)
	}
}

func TestSandboxReportWithoutData(t *testing.T) {
	in := put(put(valid(), "accounts", absent), "pullDate", absent)
	in["sandboxReportId"] = seed
	if s, fields, err := read(t, in); err != nil || s.SandboxReportID != seed {
		t.Errorf("refused for %v", fields)
	}
	raw, _ := json.Marshal(in)
	_, details, err := Read(bytes.NewReader(raw), Terms{Now: now})
	if !errors.Is(err, ErrRefused) || len(details) != 2 {
		t.Errorf("outside of the sandbox: %v %v, want pullDate and accounts required", err, details)
	}
	in = put(valid(), "sandboxReportId", 17)
	raw, _ = json.Marshal(in)
	if _, details, err := Read(bytes.NewReader(raw), Terms{Now: now}); err != nil {
		t.Errorf("a sandboxReportId outside of the sandbox is not ignored: %v", details)
	}
}

func TestUploadAcceptsOldPullDate(t *testing.T) {
	for _, pulled := range []any{absent, "2020-01-02T03:04:05.000Z"} {
		in := put(put(valid(), "pullDate", pulled), "accounts[0].transactions", []any{})
		raw, _ := json.Marshal(put(in, "accounts[0].dateBalanceLastUpdated", absent))
		if _, details, err := Read(bytes.NewReader(raw), Terms{Now: now, Upload: true}); err != nil {
			t.Errorf("%v: %v", pulled, details)
		}
		if _, details, err := Read(bytes.NewReader(raw), Terms{Now: now}); err == nil || details[0].Field != "pullDate" {
			t.Errorf("%v, submitted: %v", pulled, details)
		}
	}
}

func TestReadRejectsInvalidJSON(t *testing.T) {
	for _, body := range []string{"", " ", "nul", "null", "[]", `"x"`, "{", `{"a"`, `{"a":}`,
		`{"personal":{}`, `{} {}`, `{},`, `{"userArgs":"x",}`,
		`{"userArgs":"` + "\xff" + `"}`, `{"userArgs":"\ud800"}`, `{"userArgs":"\ud800A"}`, `{"userArgs":"\x"}`, `{"userArgs":"a` + "\n" + `b"}`,
		`{"accounts":[{"currentBalance":01}]}`, `{"accounts":[{"currentBalance":1.}]}`,
		`{"accounts":[{"currentBalance":-}]}`, `{"accounts":[1,]}`,
		`{"x":` + strings.Repeat("[", 10000), "\xef\xbb\xbf{}", "{\x00}"} {
		if _, fields, err := read(t, body); !errors.Is(err, ErrRefused) || len(fields) == 0 {
			t.Errorf("%.40q: %v %v", body, err, fields)
		}
	}
	raw, _ := json.Marshal(valid())
	for _, after := range []string{"\x00", " \x00", "x", "{}", "]", ","} {
		if _, fields, err := read(t, string(raw)+after); !errors.Is(err, ErrRefused) || len(fields) != 1 {
			t.Errorf("%q after a valid body: %v %v", after, err, fields)
		}
	}
	if _, fields, _ := read(t, `{"accounts":[{},{"id":"A","id":"B"}]}`); !slices.Contains(fields, "accounts[1].id") {
		t.Errorf("a member twice: named %v", fields)
	}
}

func TestReadBoundsDetails(t *testing.T) {
	body := `{"accounts":[` + strings.Repeat("{},", 5000) + `{}]}`
	s, fields, err := read(t, body)
	if !errors.Is(err, ErrRefused) || len(fields) != MaxDetails || len(s.Data.Connections) > 0 {
		t.Errorf("%v, %d details, %d connections kept", err, len(fields), len(s.Data.Connections))
	}
}

func TestReadReturnsStreamErrors(t *testing.T) {
	broken := errors.New("broken")
	raw, _ := json.Marshal(valid())
	_, details, err := Read(io.MultiReader(bytes.NewReader(raw[:len(raw)/2]), iotest.ErrReader(broken)), Terms{Now: now})
	if !errors.Is(err, broken) || details != nil {
		t.Errorf("%v %v", err, details)
	}
}

// TestWriteReadRoundTrip checks that a body of many accounts is read as it was written,
// and that an invalid transaction is the one that is reported.
func TestWriteReadRoundTrip(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		accounts := rapid.IntRange(1, 4).Draw(t, "accounts")
		in := valid()
		var all []any
		counts := make([]int, accounts)
		for i := range accounts {
			counts[i] = rapid.IntRange(1, 40).Draw(t, "transactions")
			var txs []any
			for j := range counts[i] {
				txs = append(txs, object{"id": fmt.Sprint("t", j), "status": "POSTED", "datePosted": "2026-11-19T00:00:00.000Z",
					"amount":        json.Number(report.Cents(rapid.Int64Range(0, 6_000_000_000_000).Draw(t, "cents")).String()),
					"description":   rapid.StringN(1, 255, -1).Filter(func(s string) bool { return !strings.Contains(s, "\x00") }).Draw(t, "description"),
					"creditOrDebit": rapid.SampledFrom([]string{"CREDIT", "DEBIT"}).Draw(t, "direction")})
			}
			all = append(all, object{"id": fmt.Sprint("a", i), "institutionName": fmt.Sprint("Bank ", i%2), "accountType": "CHECKING",
				"currentBalance": 1, "currency": "USD", "transactions": txs})
		}
		in["accounts"] = all
		raw, _ := json.Marshal(in)
		s, details, err := Read(bytes.NewReader(raw), Terms{Now: now, Seed: seed})
		if err != nil {
			t.Fatal(details)
		}
		read := 0
		for i, c := range s.Data.Connections {
			for k, a := range c.Accounts {
				source := all[k*2+i].(object)["transactions"].([]any)
				for j, tx := range a.Transactions {
					want := source[j].(object)
					amount := tx.Amount
					if want["creditOrDebit"] == "DEBIT" {
						amount = -amount
					}
					if amount.String() != string(want["amount"].(json.Number)) || tx.Description != want["description"] {
						t.Fatalf("read %+v, written %v", tx, want)
					}
				}
				read++
			}
		}
		if read != accounts {
			t.Fatalf("%d accounts, want %d", read, accounts)
		}
		i := rapid.IntRange(0, accounts-1).Draw(t, "invalid account")
		j := rapid.IntRange(0, counts[i]-1).Draw(t, "invalid transaction")
		path := fmt.Sprintf("accounts[%d].transactions[%d].amount", i, j)
		raw, _ = json.Marshal(put(in, path, "x"))
		_, details, _ = Read(bytes.NewReader(raw), Terms{Now: now, Seed: seed})
		if len(details) != 1 || details[0].Field != path {
			t.Fatalf("named %v, want %s", details, path)
		}
	})
}

func FuzzRead(f *testing.F) {
	raw, _ := json.Marshal(valid())
	f.Add(raw)
	f.Add([]byte(`{"accounts":[{"transactions":[{"amount":1e5}]}],"x":[[{}]]}`))
	f.Add([]byte(`{"personal":{"firstName":"\ud83d\ude00"}}`))
	f.Add([]byte(`{"sandboxReportId":"7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001","personal":null,` +
		`"address":{"street":"1 A St","city":"B","state":"OH","postalCode":"12345-6789"}}`))
	f.Add([]byte(`{"pullDate":"2026-02-29T24:00:60.000Z","pullDate":null,"applicationDate":"x","externalId":"","userArgs":0}`))
	f.Add([]byte(`{"accounts":[{"id":"A","id":"A"},{"id":"A","transactions":[{"id":"T",` +
		`"amount":-0.005},{"id":"T","amount":1E+400,"datePosted":[[]]}]}]}`))
	f.Add([]byte("\ufeff{\"accounts\":[{\"institutionName\":\"\xff\\u0000\"}]} {}"))
	f.Add([]byte(strings.Repeat(`{"accounts":[`, 40)))
	f.Fuzz(func(t *testing.T, raw []byte) {
		s, details, err := Read(bytes.NewReader(raw), Terms{Now: now, Sandbox: true, Seed: seed})
		if (err == nil) != (details == nil) || err != nil && !errors.Is(err, ErrRefused) || len(details) > MaxDetails+1 {
			t.Fatalf("%v %v", err, details)
		}
		if err != nil {
			return
		}
		if !json.Valid(raw) {
			t.Fatalf("accepted invalid JSON: %q", raw)
		}
		if s.SandboxReportID == "" && (s.PullDate.IsZero() || len(s.Data.Connections) == 0) {
			t.Fatalf("accepted a submission without data: %q", raw)
		}
		if s.PullDate.After(now) {
			t.Fatalf("accepted a pullDate in the future: %q", raw)
		}
	})
}

func BenchmarkRead(b *testing.B) {
	raw := bodyOf(3000)
	b.SetBytes(int64(len(raw)))
	b.ReportAllocs()
	for b.Loop() {
		if _, details, err := Read(bytes.NewReader(raw), Terms{Now: now, Seed: seed}); err != nil {
			b.Fatal(details)
		}
	}
}

// bodyOf returns a valid body of n transactions.
func bodyOf(n int) []byte {
	in := valid()
	var txs []any
	for i := range n {
		txs = append(txs, object{"id": fmt.Sprint("T", i), "status": "POSTED",
			"datePosted":  now.AddDate(0, 0, -2-i%700).Format("2006-01-02T15:04:05.000Z"),
			"amount":      json.Number(fmt.Sprintf("%d.%02d", i%900, i%100)),
			"description": fmt.Sprintf("POS PURCHASE %d CORNER MARKET SAN DIEGO CA", i), "merchant": "Corner Market", "creditOrDebit": "DEBIT"})
	}
	raw, _ := json.Marshal(put(in, "accounts[0].transactions", txs))
	return raw
}

package report

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"vestibule/internal/testutil/proptest"
)

func TestParseCents(t *testing.T) {
	for _, c := range []struct {
		in   string
		want Cents
		ok   bool
	}{
		{"0", 0, true},
		{"-0", 0, true},
		{"12.3", 1230, true},
		{"-12.345", -1235, true},
		{"12.344999", 1234, true},
		{"0.005", 1, true},
		{"0.004", 0, true},
		{"1.0E7", 1_000_000_000, true},
		{"1e-1", 10, true},
		{"1.5e-2", 2, true},
		{"5e-3", 1, true},
		{"5e-4", 0, true},
		{"0e400", 0, true},
		{"10000000000000", maxCents, true},
		{"10000000000000.01", 0, false},
		{"1e300", 0, false},
		{"1e999999999999", 0, false},
		{"null", 0, false},
		{`"1"`, 0, false},
		{"1,000", 0, false},
		{"", 0, false},
		{" 1", 0, false},
		{"-12.05", -1205, true},
		{"0.10", 10, true},
		{"-0.00", 0, true},
		{"9999999999999.99", 999_999_999_999_999, true},
		{"00.10", 0, false},
		{".10", 0, false},
		{"-.10", 0, false},
		{"1.1x", 0, false},
		{"--1.10", 0, false},
		{"1..10", 0, false},
		{"01", 0, false},
		{"NaN", 0, false},
	} {
		got, err := ParseCents(c.in)
		if got != c.want || (err == nil) != c.ok {
			t.Errorf("ParseCents(%q) = %d, %v; want %d, ok %v", c.in, got, err, c.want, c.ok)
		}
	}
}

func TestCentsString(t *testing.T) {
	for c, want := range map[Cents]string{
		0: "0.00", 5: "0.05", -5: "-0.05", 99: "0.99", 100: "1.00", -1205: "-12.05", 123456789: "1234567.89",
		math.MaxInt64: "92233720368547758.07", math.MinInt64: "-92233720368547758.08",
	} {
		raw, err := c.MarshalJSON()
		if got := c.String(); got != want || string(raw) != want || err != nil {
			t.Errorf("%d is %s, in JSON %s, %v; want %s", int64(c), got, raw, err, want)
		}
	}
}

func TestCentsSurviveJSON(t *testing.T) {
	proptest.Check(t, func(t *rapid.T) {
		c := Cents(rapid.Int64Range(-maxCents, maxCents).Draw(t, "cents"))
		b, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		var back Cents
		if err := json.Unmarshal(b, &back); err != nil || back != c {
			t.Fatalf("%s reads back as %d, %v; want %d", b, back, err, c)
		}
	})
}

func FuzzParseCents(f *testing.F) {
	for _, s := range []string{"1", "-1.5", "1e9", "0.0000001"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, err := ParseCents(s)
		if err == nil && (c > maxCents+1 || c < -maxCents-1) {
			t.Fatalf("ParseCents(%q) = %d", s, c)
		}
	})
}

const minimal = `{"meta":{"public_token":"7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001","user_args":null,` +
	`"created_at":"2026-03-01T12:00:00.000Z","api_version":"2.0.0","svc_report_revision":null,` +
	`"svc_report_revision_created_at":null,"external_id":null,"status":"SUCCESS",` +
	`"substatus":null,"consumer_id":null,"consumer_external_id":null}}`

func TestParseCashflowWithoutData(t *testing.T) {
	r, err := ParseCashflow([]byte(minimal))
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

func TestParseCashflowAcceptsIdentity(t *testing.T) {
	raw := strings.TrimSuffix(minimal, "}") + `,"identity":[{"source_id":"CONSUMER_INPUT","emails":[]}],"brand_new":1}`
	r, err := ParseCashflow([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Identities) != 1 || r.Identities[0].SourceID != ConsumerInput {
		t.Errorf("identities = %+v, want the one under identity", r.Identities)
	}
}

func TestParseCashflowRefuses(t *testing.T) {
	for name, raw := range map[string]string{
		"an array":         `[]`,
		"no meta":          `{}`,
		"a foreign token":  `{"meta":{"public_token":"x"}}`,
		"text for balance": `{"meta":{"public_token":"7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001"},"account_details":[{"current_balance":"12"}]}`,
	} {
		if _, err := ParseCashflow([]byte(raw)); err == nil {
			t.Errorf("%s: was read", name)
		}
	}
}

func TestPropertyValue(t *testing.T) {
	for _, in := range []string{`{"field_name":"A","value":12}`, `{"field_name":"A","value":false}`} {
		var p ConsumerDataProperty
		if err := json.Unmarshal([]byte(in), &p); err != nil {
			t.Fatal(err)
		}
		if b, _ := json.Marshal(p); string(b) != in {
			t.Errorf("%s came back as %s", in, b)
		}
	}
	var v PropertyValue
	for _, in := range []string{"null", `"1"`, "1.5"} {
		if json.Unmarshal([]byte(in), &v) == nil {
			t.Errorf("%s was read", in)
		}
	}
}

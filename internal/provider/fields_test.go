package provider_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/storetest"
)

// field is a row of testdata/fields.txt, which describes its format.
type field struct {
	kind     string
	nullable bool // may be null
	optional bool // may be left out
	seen     bool // a report had a value
	members  map[string]*field
}

// kinds are the patterns of values. Other kinds are a list of words, true, object, and
// array.
var kinds = map[string]*regexp.Regexp{
	"text":      regexp.MustCompile(`^"(\\.|[^"\\])+"$`),
	"uuid":      regexp.MustCompile(`^"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"$`),
	"timestamp": regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z"$`),
	"date":      regexp.MustCompile(`^"\d{4}-\d\d-\d\d"$`),
	"month":     regexp.MustCompile(`^"\d{4}-\d\d"$`),
	"year":      regexp.MustCompile(`^"\d{4}"$`),
	"digits":    regexp.MustCompile(`^"[0-9A-Z]{1,4}"$`),
	"state":     regexp.MustCompile(`^"[A-Z]{2}"$`),
	"country":   regexp.MustCompile(`^"[A-Z]{3}"$`),
	"money":     regexp.MustCompile(`^-?\d+\.\d\d$`),
	"rate":      regexp.MustCompile(`^\d+\.\d{9}$`),
	"integer":   regexp.MustCompile(`^-?\d+$`),
	"boolean":   regexp.MustCompile(`^(true|false)$`),
	"figure":    regexp.MustCompile(`^-?\d+(\.\d{2}|\.\d{5})?$`),
	"property":  regexp.MustCompile(`^(\d+|true|false)$`),
	"code":      regexp.MustCompile(`^"(0[1-9]|[1-9]\d)"$`),
	"version":   regexp.MustCompile(`^"v\d+(\.\d+)*"$`),
}

// child returns a member of the field, and adds it if it is missing.
func (f *field) child(name string) *field {
	if f.members[name] == nil {
		f.members[name] = &field{kind: "object", members: map[string]*field{}}
	}
	return f.members[name]
}

// fieldsOf reads the table of a product.
func fieldsOf(t *testing.T, product contract.Product) *field {
	t.Helper()
	raw, err := os.ReadFile("testdata/fields.txt")
	if err != nil {
		t.Fatal(err)
	}
	root := &field{kind: "object", members: map[string]*field{}}
	of := ""
	for line := range strings.Lines(string(raw)) {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 1:
			of = strings.TrimSuffix(words[0], ":")
		case len(words) > 1 && of == string(product):
			root.row(words[0], words[1], words[2:])
		}
	}
	return root
}

// row adds a line of the table.
func (f *field) row(path, kind string, more []string) {
	before, last, nested := strings.Cut(path, "{")
	if !nested {
		at := strings.LastIndexByte(path, '.') + 1
		before, last = path[:at], path[at:]
	}
	for step := range strings.SplitSeq(strings.TrimSuffix(before, "."), ".") {
		name, array := strings.CutSuffix(step, "[]")
		if name == "" {
			continue
		}
		if f = f.child(name); array {
			f = f.child("[]")
		}
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(last, "}"), "|") {
		name, array := strings.CutSuffix(name, "[]")
		one := f.child(name)
		one.optional = slices.Contains(more, "optional")
		one.seen = slices.Contains(more, "elsewhere")
		if array {
			one.kind = "array"
			one = one.child("[]")
			one.seen = slices.Contains(more, "elsewhere")
		}
		if one.kind, one.nullable = kind, slices.Contains(more, "null"); kind == "check" {
			one.kind = "object"
			one.members["boolean_value"] = &field{kind: "boolean", nullable: true}
		}
	}
}

// check checks a value against a field, and the members of the value against its members.
func (f *field) check(t *testing.T, path string, raw json.RawMessage) {
	t.Helper()
	raw = bytes.TrimSpace(raw)
	if string(raw) == "null" {
		if !f.nullable {
			t.Errorf("%s is null", path)
		}
		return
	}
	switch f.kind {
	case "array":
		var all []json.RawMessage
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Errorf("%s is not an array: %.80s", path, raw)
			return
		}
		f.seen = f.seen || len(all) > 0
		for _, one := range all {
			f.members["[]"].check(t, path+"[]", one)
		}
	case "object":
		var all map[string]json.RawMessage
		if err := json.Unmarshal(raw, &all); err != nil {
			t.Errorf("%s is not an object: %.80s", path, raw)
			return
		}
		f.seen = true
		for _, name := range slices.Sorted(maps.Keys(all)) {
			m := f.members[name]
			if m == nil {
				t.Errorf("%s.%s is an unknown field", path, name)
				continue
			}
			m.check(t, path+"."+name, all[name])
		}
		for name, m := range f.members {
			if _, there := all[name]; !there && !m.optional {
				t.Errorf("%s has no %s", path, name)
			}
		}
	default:
		f.seen = true
		pattern, known := kinds[f.kind]
		if known && pattern.Match(raw) {
			return
		}
		var word string
		if known || json.Unmarshal(raw, &word) != nil || !slices.Contains(strings.Split(f.kind, "|"), word) {
			t.Errorf("%s is %.80s, want %s", path, raw, f.kind)
		}
	}
}

// unseen returns the paths of the fields without a value in any report.
func (f *field) unseen(path string) (out []string) {
	if !f.seen {
		return []string{path}
	}
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		out = append(out, f.members[name].unseen(path+"."+name)...)
	}
	return out
}

// fieldsServer is a provider whose reports are held against the tables of their products.
type fieldsServer struct {
	*testServer
	tables map[contract.Product]*field
}

// check completes a visit and checks its report, which it returns.
func (b fieldsServer) check(p contract.Product, name string, prefill, how map[string]any) (raw []byte) {
	b.t.Helper()
	done := b.tryComplete(b.begin("productId", b.seed.Products[p], "prefill", prefill,
		"externalId", uuid.NewString(), "userArgs", "ours"), how)
	a := b.get(reportPaths[p], b.named(done.text("publicToken")))
	if done.text("status") != "SUCCESS" || a.status != 200 {
		b.t.Fatalf("%s %s: %s: %d %s", p, name, done.raw, a.status, a.raw)
	}
	b.t.Run(string(p)+" "+name, func(t *testing.T) { b.tables[p].check(t, string(p), a.raw) })
	return a.raw
}

func (b fieldsServer) checkCashflow() {
	for _, username := range []string{"default", "multi", "joint", "no_transactions"} {
		b.check(contract.Cashflow, "of "+username, resident, map[string]any{"username": username})
	}
	b.want("both families", b.assign(b.configurations()["Cashflow with AV attributes and score v1.0"],
		"product", b.seed.Products[contract.Cashflow]), 200, "")
	b.check(contract.Cashflow, "of both families", applicant, map[string]any{})
}

func (b fieldsServer) checkIncome() {
	earner := with(resident, "statedEmployerName", "Northwind Logistics, Inc.", "statedAnnualIncome", 90_000)
	for _, username := range []string{"default", "multi", "joint", "no_transactions"} {
		b.check(contract.Income, "of "+username, earner, map[string]any{"username": username})
	}
	files := []string{"missingfields.pdf", "%PDF-1.4", "holiday.pdf", "%PDF-1.4"}
	draw, layouts := rand.New(rand.NewPCG(11, 3)).IntN, paystubtest.Layouts()
	for n := range 7 {
		stub := paystubtest.Random(draw)
		files = append(files, "paystub.pdf", string(stub.Printed(draw, layouts[n%len(layouts)])))
	}
	files = append(files, "paystub.pdf", string(paystubtest.Forge(draw, 0, layouts[0], paystubtest.Year(draw, 2))[0]))
	b.check(contract.Income, "of payroll and pay stubs", earner, with(stubs(files...),
		"payroll", map[string]any{"provider": "northwind-logistics"}))
	// Only suite 2.0 with inflows has these fields.
	for _, alias := range []string{"Income, suite 2.0 without inflows", "Income, suite 1.2"} {
		b.want(alias, b.assign(b.configurations()[alias], "product", b.seed.Products[contract.Income]), 200, "")
		raw := string(b.check(contract.Income, alias, earner, map[string]any{}))
		says(b.t, alias, raw, []string{`"model_version":"` + strings.Fields(alias)[2] + `"`}, `"primary_account_detected"`,
			`"job_irregularity_risk"`, `"inflows"`, `"matched_income_sources"`)
	}
}

func (b fieldsServer) checkEligibility() {
	stated := with(resident, "statedEmployerNames", []string{"Dashwood Deliveries",
		"Northwind Logistics, Inc.", "Great Lakes Medical", "Globex", "Initech"})
	payroll := func(provider, username string) map[string]any {
		return map[string]any{"payroll": map[string]any{"provider": provider, "username": username}}
	}
	b.check(contract.Eligibility, "of everything", stated, map[string]any{
		"banks": []any{map[string]any{"username": "multi"}, map[string]any{"bank": "Kestrel Bank", "username": "e_banking_unsupported"}},
		"employers": []any{payroll("dashwood-deliveries", ""), payroll("northwind-logistics", "hourly"), payroll("great-lakes-medical", "mfa"),
			with(stubs("paystub.pdf", "%PDF-1.4"), "documents", stubs("letter.pdf", "%PDF-1.4")["payStubs"]),
			map[string]any{"skip": "NO_LONGER_EMPLOYED"}},
	})
	b.check(contract.Eligibility, "of a job that ended", stated, map[string]any{"bank": "Harbor National Bank", "username": "default",
		"employers": []any{payroll("northwind-logistics", "terminated"), payroll("great-lakes-medical", "default")}})
}

func (b fieldsServer) checkPassport() {
	for _, last := range []string{"Harper", "delinquent", "deceased", "thinfile", "nofile"} {
		for _, supplier := range report.Suppliers() {
			if last != "delinquent" && supplier.Code != "MEX_CDC" && supplier.Code != report.DocumentSupplier {
				continue
			}
			how := map[string]any{"supplier": supplier.Code}
			if supplier.Fields.Documents {
				how["documents"] = stubs("passport.pdf", "%PDF-1.4")["payStubs"]
			}
			b.check(contract.Passport, "of "+last+" at "+supplier.Code, applicantNamed("Ana", last), how)
		}
	}
}

// TestReportFields checks reports of all kinds of sources against testdata/fields.txt: the
// name, type, and format of each field, and that no field is missing or unknown. Every
// field has a value in one of the reports.
func TestReportFields(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	t.Parallel()
	b := fieldsServer{newTestServer(t, storetest.SQLite(t, store.Provider)), map[contract.Product]*field{}}
	for _, p := range contract.Products() {
		b.tables[p] = fieldsOf(t, p)
	}
	b.checkCashflow()
	b.checkIncome()
	b.checkEligibility()
	b.checkPassport()
	for p, table := range b.tables {
		if left := table.unseen(string(p)); len(left) > 0 {
			t.Errorf("no report of this test has a value of %s", strings.Join(left, ", "))
		}
	}
}

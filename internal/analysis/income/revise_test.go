package income

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// wages returns a report of a person with 26,000 a year net and a benefit of 2,600, and its
// input.
func wages() (Input, report.Income) {
	in := Input{Envelope: report.Envelope{PublicToken: "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001", InputSource: report.ConsumerInput}, State: "TX",
		Bank: bank(joined(each("2024-12", "2026-03", 5, 2_166_67, northwind), each("2024-12", "2026-03", 6, 216_67, benefit)))}
	return in, Build(in, asOf)
}

func jobs() report.Income {
	d := day("2026-02-27")
	return Build(Input{Envelope: report.Envelope{PublicToken: "7f7c1f1e-54a9-4a0c-9a2e-6f6c6f6f0001"},
		Payroll: []Payroll{{ID: "p", SourceID: "P", Provider: "P", Jobs: []Job{{
			Employer: "Globex", Status: report.EmploymentActive,
			Statements: []Statement{{PayDate: d, Start: d, End: d, Gross: 1_000_10, Net: 800_20}}}}}}}, asOf)
}

func figures(grossAnnual, netAnnual, grossRecent, netRecent int64) (v report.RevisedValues) {
	for i, n := range []int64{grossAnnual, netAnnual, grossRecent, netRecent} {
		if n >= 0 {
			*v.Figure(report.RevisedNames()[i]) = &n
		}
	}
	return v
}

func figuresText(v report.RevisedValues) string {
	var out []string
	for _, name := range report.RevisedNames() {
		if n := *v.Figure(name); n != nil {
			out = append(out, fmt.Sprint(name, " ", *n))
		}
	}
	return strings.Join(out, ", ")
}

func none(report.RevisedValues) (report.RevisedValues, error) {
	return report.RevisedValues{}, Unfit{"gross_annual", UnfitUnknown}
}

// TestCorrectionChanges uses -1 for an unchanged figure.
func TestCorrectionChanges(t *testing.T) {
	in, banked := wages()
	estimate := func(v report.RevisedValues) (report.RevisedValues, error) { return Gross(in, v, asOf), nil }
	if got, want := figuresText(Figures(&banked)), "gross_annual 32245, net_annual 28600, gross_recent 32245, net_recent 28600"; got != want {
		t.Fatalf("the report says %s, want %s", got, want)
	}
	for name, c := range map[string]struct {
		of       report.Income
		stated   report.RevisedValues
		estimate func(report.RevisedValues) (report.RevisedValues, error)
		want     string
	}{
		"all four": {banked, figures(60_000, 48_000, 62_000, 50_000), none,
			"gross_annual 60000, net_annual 48000, gross_recent 62000, net_recent 50000"},
		"gross alone": {banked, figures(33_000, -1, -1, -1), none,
			"gross_annual 33000, net_annual 28600, gross_recent 32245, net_recent 28600"},
		"net alone, the gross estimated": {banked, figures(-1, 57_200, -1, -1), estimate,
			"gross_annual 67204, net_annual 57200, gross_recent 32245, net_recent 28600"},
		"both net": {banked, figures(-1, 57_200, -1, 14_300), estimate,
			"gross_annual 67204, net_annual 57200, gross_recent 15377, net_recent 14300"},
		"net, the gross stated again": {banked, figures(32_245, 30_000, -1, -1), none,
			"gross_annual 32245, net_annual 30000, gross_recent 32245, net_recent 28600"},
		"nothing":                       {banked, figures(-1, -1, -1, -1), none, UnfitNone},
		"what it says already":          {banked, figures(32_245, 28_600, -1, -1), none, UnfitNone},
		"more net than gross":           {banked, figures(-1, -1, 20_000, -1), none, "net_recent: " + UnfitNet},
		"less gross than net":           {banked, figures(28_599, -1, -1, -1), none, "net_annual: " + UnfitNet},
		"a figure below zero":           {banked, report.RevisedValues{NetAnnual: new(int64(-5))}, none, "net_annual: " + UnfitRange},
		"too large a figure":            {banked, figures(1<<31, -1, -1, -1), none, "gross_annual: " + UnfitRange},
		"the data are deleted":          {banked, figures(-1, 20_000, -1, -1), none, "gross_annual: " + UnfitUnknown},
		"payroll":                       {jobs(), figures(-1, 900, -1, -1), none, "gross_annual 1000, net_annual 900"},
		"payroll has no recent figures": {jobs(), figures(-1, -1, 5_000, -1), none, "gross_recent: " + UnfitAbsent},
		"no income was found": {Build(Input{Bank: bank(cash())}, asOf),
			figures(9_000, 8_000, -1, -1), none, "gross_annual 9000, net_annual 8000"},
		"no income, and half of it": {Build(Input{Bank: bank(cash())}, asOf),
			figures(9_000, -1, -1, -1), none, "net_annual: " + UnfitMissing},
		"no income, half of the recent": {Build(Input{Bank: bank(cash())}, asOf),
			figures(9_000, 8_000, -1, 8_000), none, "gross_recent: " + UnfitMissing},
	} {
		then, err := Corrected(&c.of, c.stated, c.estimate)
		got := figuresText(then)
		if err != nil {
			var no Unfit
			if !errors.As(err, &no) {
				t.Errorf("%s: %v", name, err)
			}
			if got = no.Reason; no.Figure != "" {
				got = no.Figure + ": " + no.Reason
			}
		}
		if got != c.want {
			t.Errorf("%s is %s, want %s", name, got, c.want)
		}
	}
}

// TestRevise checks that a revised report is consistent, has no other changes, and leaves
// the previous one unchanged.
func TestRevise(t *testing.T) {
	in, banked := wages()
	before, err := report.Encode(banked)
	if err != nil {
		t.Fatal(err)
	}
	then, err := Corrected(&banked, figures(-1, 57_200, -1, -1),
		func(v report.RevisedValues) (report.RevisedValues, error) { return Gross(in, v, asOf), nil })
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 4, 1, 8, 30, 0, 0, time.UTC)
	revised := Revise(banked, then, 1, at)
	if after, _ := report.Encode(banked); string(after) != string(before) {
		t.Error("the report before was changed")
	}
	var changed []string
	a := model(t, revised)
	for name, same := range map[string]bool{
		"revision": report.Text(revised.Meta.Revision) == "1" && revised.Meta.RevisionCreatedAt.Equal(at),
		"creation": revised.Meta.CreatedAt == banked.Meta.CreatedAt,
		"summary":  *revised.Income.Summary.AnnualNet == 57_200_00 && *revised.Income.Summary.AnnualGross == 67_204_00,
		"model":    *a.NetAnnual == 57_200 && *a.GrossAnnual == 67_204 && *a.NetRecent == 28_600,
		"revised values": figuresText(*revised.Income.Revised) == figuresText(Figures(&revised)) &&
			figuresText(then) == figuresText(Figures(&revised)),
		"history":          cmp.Equal(a.History, model(t, banked).History),
		"inflows and rest": cmp.Equal(a.Descriptions, model(t, banked).Descriptions) && a.IsConsistent,
	} {
		if !same {
			changed = append(changed, name)
		}
	}
	if changed != nil {
		t.Errorf("of the revised report these are wrong: %v", changed)
	}
	// The next revision has the next number and keeps figures that it does not state.
	again, err := Corrected(&revised, figures(-1, -1, 30_000, -1), none)
	if err != nil {
		t.Fatal(err)
	}
	second := Revise(revised, again, 2, at)
	if report.Text(second.Meta.Revision) != "2" || *second.Income.Summary.AnnualGross != 67_204_00 ||
		figuresText(*second.Income.Revised) != "gross_annual 67204, net_annual 57200, gross_recent 30000, net_recent 28600" {
		t.Errorf("the second revision says %s, %v", figuresText(*second.Income.Revised), second.Income.Summary)
	}
	for name, r := range map[string]report.Income{"of payroll": jobs(), "of nothing": Build(Input{Bank: bankdata.Data{}}, asOf)} {
		then, err := Corrected(&r, figures(9_000, 8_000, -1, -1), none)
		if err != nil {
			t.Fatal(err)
		}
		got := Revise(r, then, 1, at)
		if *got.Income.Summary.AnnualGross != 9_000_00 || *got.Income.Summary.AnnualNet != 8_000_00 ||
			got.Income.Revised.GrossRecent != nil || !cmp.Equal(got.Income.Payroll, payrollOf(r)) {
			t.Errorf("a report %s, revised: %+v", name, got.Income)
		}
	}
}

func payrollOf(r report.Income) []report.Payroll {
	if r.Income == nil {
		return nil
	}
	return r.Income.Payroll
}

// TestGrossOfCorrectedNet checks that an unchanged net has the same gross within a dollar,
// and that a higher net never has a lower gross.
func TestGrossOfCorrectedNet(t *testing.T) {
	for name, employers := range map[string][]bankdata.Transaction{
		"wages and a benefit":   append(each("2024-12", "2026-03", 5, 2_166_67, northwind), each("2024-12", "2026-03", 6, 216_67, benefit)...),
		"wages of three months": each("2025-12", "2026-03", 5, 3_000_00, globex),
		"a benefit alone":       each("2024-12", "2026-03", 6, 1_216_67, benefit),
	} {
		in := Input{State: "CA", Bank: bank(cash(employers...))}
		made := Build(in, asOf)
		now := Figures(&made)
		got := Gross(in, now, asOf)
		if d := *got.GrossAnnual - *now.GrossAnnual; d < -1 || d > 1 {
			t.Errorf("%s: the same net has the gross %d, want %d", name, *got.GrossAnnual, *now.GrossAnnual)
		}
		if now.GrossRecent != nil {
			if d := *got.GrossRecent - *now.GrossRecent; d < -1 || d > 1 {
				t.Errorf("%s: the same recent net has the gross %d, want %d", name, *got.GrossRecent, *now.GrossRecent)
			}
		}
		last := int64(-1)
		for net := int64(0); net <= largestRevised; net = net*3 + 1_000 {
			v := *Gross(in, report.RevisedValues{NetAnnual: &net}, asOf).GrossAnnual
			if v < last || v < net {
				t.Errorf("%s: a net of %d has a gross of %d, but a lower net has %d", name, net, v, last)
			}
			last = v
		}
	}
}

package paystub_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"vestibule/internal/analysis/paystub"
	"vestibule/internal/report"
	"vestibule/internal/testutil/paystubtest"
	"vestibule/internal/testutil/paystubtest/pages"
	"vestibule/internal/testutil/tools"
)

const ownPages = "testdata/pages"

// pagesDir is the folder of stubs that Chromium printed. The command in paystubtest/pages
// prints the same layouts for other persons.
var pagesDir = flag.String("pages", ownPages, "folder of printed pages")

// whenRead is the date of the reports on printed pages.
var whenRead = report.DateOf(time.Date(2026, 12, 31, 0, 0, 0, 0, time.UTC))

// printed is a page that Chromium printed, and its content.
type printed struct {
	name   string
	layout string
	person int
	file   []byte
	truth  map[string]string
}

func printedPages(t *testing.T) (out []printed) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(*pagesDir, "*.json"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d pages, %v", len(files), err)
	}
	for _, name := range files {
		raw, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		p := printed{name: strings.TrimSuffix(filepath.Base(name), ".json")}
		if p.layout = p.name; !slices.Contains(pages.Names(), p.name) {
			at := strings.LastIndexByte(p.name, '-')
			p.layout = p.name[:at]
			p.person, _ = strconv.Atoi(p.name[at+1:])
		}
		if err := json.Unmarshal(raw, &p.truth); err != nil {
			t.Fatal(err)
		}
		if p.file, err = os.ReadFile(strings.TrimSuffix(name, ".json") + ".pdf"); err != nil {
			t.Fatal(err)
		}
		out = append(out, p)
	}
	return out
}

// fieldsOf returns the fields of a document that are not null, by the contract's names, and
// employer_name.
func fieldsOf(t *testing.T, d *paystub.Document) map[string]string {
	t.Helper()
	raw, err := json.Marshal(d.Stub)
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for k, v := range all {
		switch v := v.(type) {
		case string:
			if !strings.HasPrefix(k, "source_") {
				out[k] = v
			}
		case float64:
			out[k] = fmt.Sprintf("%.2f", v)
		}
	}
	if d.Employer != "" {
		out["employer_name"] = d.Employer
	}
	return out
}

// TestPrintedPages measures how many fields are read correctly from stubs like those of
// payroll companies, governments and line printers. A field counts if the page shows it, or
// if it was read although the page does not show it.
func TestPrintedPages(t *testing.T) {
	type count struct{ right, all, stubs, alarmed, detected int }
	sum := map[string]*count{}
	for _, set := range sets {
		sum[set] = &count{}
	}
	for _, p := range printedPages(t) {
		c := sum[setOf(p.name)]
		c.stubs++
		d := paystub.Open(p.file)
		got := fieldsOf(t, d)
		names := maps.Clone(p.truth)
		maps.Copy(names, got)
		wrong := []string{}
		for _, k := range slices.Sorted(maps.Keys(names)) {
			c.all++
			if got[k] == p.truth[k] {
				c.right++
			} else {
				wrong = append(wrong, fmt.Sprintf("%s: %q, want %q", k, got[k], p.truth[k]))
			}
		}
		v := paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0].IrregularityDetection
		if v.Status != report.IrregularityNotDetected {
			c.alarmed++
			wrong = append(wrong, v.Status+" "+strings.Join(v.Reasons, " "))
		}
		if v.Status == report.IrregularityDetected {
			c.detected++
		}
		if len(wrong) > 0 {
			t.Logf("%s (%s):\n\t%s", p.name, d.Outcome, strings.Join(wrong, "\n\t"))
		}
	}
	var table strings.Builder
	table.WriteString("| layouts | fields | right | `REVIEW` | `DETECTED` |\n|---|---|---|---|---|\n")
	for _, set := range sets {
		c := sum[set]
		fmt.Fprintf(&table, "| %d, %s | %d | %.1f%% | %d | %d |\n", c.stubs, set, c.all, share(c.right, c.all), c.alarmed-c.detected, c.detected)
		if share(c.right, c.all) < 95 || share(c.alarmed, c.stubs) > 5 || c.detected > 0 {
			t.Errorf("%s: want 95%% of fields at least, 5%% alarmed at most and none detected", set)
		}
	}
	t.Log("\n" + table.String())
	if *pagesDir == ownPages {
		docsTable(t, "printed pages", table.String())
	}
}

// sets lists the sets of layouts. The rules were developed with the first set, and evaluated
// with the others.
var sets = []string{"first set", "second set", "third set", "fourth set", "fifth set", "sixth set", "seventh set"}

func setOf(name string) string {
	for _, set := range sets[1:] {
		if strings.HasPrefix(name, strings.TrimSuffix(set, " set")+"-") {
			return set
		}
	}
	return sets[0]
}

// TestFalsifiedPrintedPages measures how many of the printed pages are found if they are
// falsified in each of the eight ways. Pages that cannot be falsified in a way are skipped.
// Outside of make test-full, each way is tried on a quarter of the pages.
func TestFalsifiedPrintedPages(t *testing.T) {
	if testing.Short() {
		t.Skip("takes many seconds")
	}
	const times = 3
	all, every := printedPages(t), 4
	if tools.Full() || *update {
		every = 1
	}
	stubs, opened := make([]*paystubtest.Stub, len(all)), make([]*paystubtest.PrintedPage, len(all))
	for i, p := range all {
		stub, err := pages.Make(p.layout, p.person)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(pages.Truth(p.truth), stub.Truth); diff != "" {
			t.Fatalf("%s is of another time; print it again (-file +layout):\n%s", p.name, diff)
		}
		stubs[i], opened[i] = &stub.Stub, paystubtest.OpenPrinted(p.file)
	}
	var table strings.Builder
	table.WriteString("| kind | pages | found | as `DETECTED` |\n|---|---|---|---|\n")
	for k := range paystubtest.Kinds {
		draw := source(3000 + uint64(k))
		made, found, grave := 0, 0, 0
		missed := map[string]int{}
		for i := int(k) % every; i < len(all); i += every {
			p := all[i]
			for range times {
				forged := opened[i].Forge(draw, k, stubs[i])
				if forged == nil {
					continue
				}
				made++
				d := paystub.Open(forged)
				if d.Outcome != paystub.Read {
					t.Fatalf("%s, %s: %s", p.name, k, d.Outcome)
				}
				switch paystub.Report([]*paystub.Document{d}, paystub.Bank{}, whenRead)[0].IrregularityDetection.Status {
				case report.IrregularityNotDetected:
					missed[p.name]++
				case report.IrregularityDetected:
					grave++
					found++
				default:
					found++
				}
			}
		}
		fmt.Fprintf(&table, "| %s | %d | %.1f%% | %.1f%% |\n", k, made, share(found, made), share(grave, made))
		if made < len(all)/every*times/2 || share(found, made) < 95 {
			t.Errorf("%s: %d of %d are found, want 95%%; missed %v", k, found, made, missed)
		}
	}
	t.Log("\n" + table.String())
	if every == 1 && *pagesDir == ownPages {
		docsTable(t, "falsified pages", table.String())
	}
}

package bankdata

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

//go:generate go test -vet=off -run ^TestCategoriesAreDocumented$ -update .

var update = flag.Bool("update", false, "write the categories into docs/explanation/analytics.md")

const (
	docsBegin = "<!-- categories: written by go generate ./internal/analysis/bankdata -->\n"
	docsEnd   = "<!-- end of categories -->\n"
)

// TestCategoriesAreDocumented compares the categories in docs/explanation/analytics.md with
// the code.
func TestCategoriesAreDocumented(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "explanation", "analytics.md")
	raw, err := os.ReadFile(path)
	if err != nil && !(*update && os.IsNotExist(err)) {
		t.Fatal(err)
	}
	doc := string(raw)
	before, rest, found := strings.Cut(doc, docsBegin)
	_, after, ended := strings.Cut(rest, docsEnd)
	if found != ended {
		t.Fatalf("%s has one of the two marks around the categories", path)
	}
	if !found {
		if !*update {
			t.Fatalf("%s has no section of categories: go generate ./internal/analysis/bankdata", path)
		}
		if doc == "" {
			before = "# Cashflow analytics\n\n"
		} else {
			before = strings.TrimRight(doc, "\n") + "\n\n"
		}
	}
	want := before + docsBegin + categoriesSection() + docsEnd + after
	if want == doc {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the code says about categories: go generate ./internal/analysis/bankdata", path)
	}
	if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func categoriesSection() string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Categories

Each posted transaction of a cash-equivalent account gets one of %d categories,
in %d groups. What decided is kept with it:

1. **direction**: money that comes from a shop is a refund, except by an ACH
   entry; the other leg in another account makes an own transfer (equal amount,
   opposite sign, within %d days, and on both sides the words of a transfer,
   words that say nothing, or a pattern of cash or checks; within %d days where
   one is a check and the other a deposit of checks, or one is cash that was
   drawn and the other cash that was deposited afterwards).
2. **mechanism**: how the money moved, as the bank or the payer's bank says it:
   fees, interest, returned payments, benefits, payroll, loans, transfers. Words
   for a transfer between accounts count more than words in the accounts' names,
   and a platform's payout to its worker is no refund.
3. **merchant**: a dictionary of merchants, lenders and platforms. The longest
   name that is found counts. A shop's credit by ACH is a wage where the entry is
   one to a person, and a sale where it is one to a business (CCD, CTX, EDI).
4. **pattern**: words that businesses of a kind have in their names.
5. **other**: nothing of this, and the category is OTHER.

Words are compared after normalization: capitals, no accents or punctuation, and
without digits, masks and codes. The words of merchant, description and memo are
read, %d at most. The words of a street address name no merchant: a number between
spaces and up to three words, of which the last is a word such as ST or AVE. An
amount of 0 counts on the side that it is stated on.

The rules are the files in internal/analysis/bankdata/rules, which describe
their form.

The rules name mechanisms, merchants and trades, not persons or places. They see
one descriptor and one direction, so that they are wrong where the words are:
nothing tells a rent that is paid by an unnamed transfer from any other.

The columns count the phrases that may lead to a category, for money in and
money out together.

| category | holds | mechanism | merchant | pattern |
|---|---|---|---|---|
`, len(Leaves()), groupEnd, pairDays, paperDays, maxWords)
	for _, l := range Leaves() {
		var n [tierEnd]int
		for _, r := range rules() {
			if r.in == l || r.out == l {
				n[r.tier] += len(splitTrim(r.phrases, ","))
			}
		}
		if l == LeafOther {
			n = [tierEnd]int{}
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", l, l.About(), count(n[TierMechanism]), count(n[TierMerchant]), count(n[TierPattern]))
	}
	fmt.Fprintf(&b, `
**NSF and overdraft events.** A fee is an event, dated by the fee. A returned
payment is one too, unless it goes with a fee of the same account within %d
days. A fee goes with one returned payment: banks charge each, so that one fee
and two returned payments are two events. A fee whose amount the bank gives
back within %d days does not count, nor does the returned payment that goes with it.

**Streams.** At least %d payments of one counterparty in one direction and
category, of which three quarters of the gaps are those of one rhythm: weekly %s,
biweekly %s, semi-monthly (days around the 1st and 15th, or the 15th and last) or
monthly %s days. Where they are not, the payments of each exact amount are tried
by themselves. Gig, rental, person-to-person and cash income is a stream without
a rhythm. A stream is active while the last payment is no older than one and a
half intervals and five days. Its mean leaves out what lies more than one and a
half interquartile ranges outside the quartiles.
`, returnDays, reversalDays, minStream, span(Weekly), span(Biweekly), span(Monthly))
	return b.String()
}

func count(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func span(c Cadence) string { return fmt.Sprintf("%d–%d", cadences[c].low, cadences[c].high) }

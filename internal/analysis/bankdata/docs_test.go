package bankdata

import (
	"fmt"
	"strings"
	"testing"

	"vestibule/internal/testutil/golden"
)

//go:generate go test -vet=off -run ^TestCategoriesAreDocumented$ -update .

// TestCategoriesAreDocumented compares the categories in docs/explanation/analytics.md with
// the code.
func TestCategoriesAreDocumented(t *testing.T) {
	golden.CompareTables(t, "../../../docs/explanation/analytics.md", map[string]string{"categories": categoriesSection()})
}

func categoriesSection() string {
	var b strings.Builder
	fmt.Fprintf(&b, `## Categories

Each posted transaction of a cash-equivalent account has one of %d categories, in %d groups. The engine
also records which of these steps decided, in this order:

1. **direction**: a credit from a store is a refund, except by an ACH entry. A debit and a credit in two accounts
   are an own transfer if the amounts are equal, if they are at most %d days apart, and if the words of each side
   are those of a transfer, say nothing, or are a pattern of cash or checks. A check and a deposit of checks, or
   withdrawn cash and cash deposited afterwards, can be %d days apart.
2. **mechanism**: how the money moved, by the words of the bank or of the payer's bank: fees, interest, returned
   payments, benefits, payroll, loans, transfers. Words for a transfer between accounts precede words in the
   accounts' names. A platform's payout to its worker is not a refund.
3. **merchant**: a dictionary of merchants, lenders and platforms. The longest name that matches decides. A
   store's credit by ACH is a wage if the entry is one to a person, and a sale if it is one to a business (CCD,
   CTX, EDI).
4. **pattern**: words that businesses of a kind have in their names.
5. **other**: if no step decides, the category is OTHER.

Words are compared in capital letters, without accents, punctuation, digits, masks and codes. The engine reads up
to %d words of merchant, description and memo. The words of a street address never name a merchant: a number
between spaces and up to three words that end with one such as ST or AVE. An amount of 0 counts on the side that
it is stated on.

The files in internal/analysis/bankdata/rules contain the rules and describe their form. The rules name
mechanisms, merchants and trades, not persons or places. They see one description and one direction. A description that
says too little gives a wrong category: a rent that is paid by an unnamed transfer looks like any other transfer.

The columns count the phrases that can lead to a category, for money in and money out together.

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
**NSF and overdraft events.** A fee is an event on its day. A returned payment is an event unless it belongs to a
fee of the same account within %d days. Banks charge for each returned payment, so a fee belongs to one of them:
one fee and two returned payments are two events. If the bank credits a fee's amount within %d days, the fee does
not count, nor does its returned payment.

**Streams.** A stream has at least %d payments of one counterparty in one direction and category. Three quarters of
the gaps must fit one frequency: weekly (%s days), biweekly (%s), semi-monthly (days around the 1st and 15th, or the
15th and last) or monthly (%s). If they do not, the engine tries the payments of each exact amount separately. Gig,
rental, person-to-person and cash income are streams without a frequency. A stream is active for one and a half
intervals and five days after its last payment. Its mean leaves out amounts more than one and a half interquartile
ranges outside the quartiles.
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

package bankdata

import (
	"strings"
	"testing"
)

func TestParseRulesRefuses(t *testing.T) {
	for _, c := range []struct{ name, file, want string }{
		{"an unknown category", "[INCOME.LOTTERY / -]\na", "unknown category"},
		{"nothing said", "[- / -]\na", "unknown category"},
		{"half a header", "[INCOME.GIG]\na", "must be [CREDIT / DEBIT]"},
		{"an unknown word in a header", "[INCOME.GIG / - strong]\na", "must be [CREDIT / DEBIT]"},
		{"an unknown definition", "[INCOME.GIG / -]\n{fee} + a", "unknown definition"},
		{"a late definition", "[INCOME.GIG / -]\na\nfee = b", "a definition after a rule"},
		{"a phrase without a rule", "a, b", "a phrase before any rule"},
		{"a missing comma", "[INCOME.GIG / -]\na\nb", "no comma"},
	} {
		if _, err := parseRules(TierMechanism, c.file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	rs, err := parseRules(TierPattern, "# c\nx = a|b\ny = {x}|c\n\n[INCOME.GIG / FEE.ATM weak]\n{y} + d,\ne\n")
	if err != nil || len(rs) != 1 || rs[0] != (rule{TierPattern, LeafGig, LeafATMFee, true, "a|b|c + d,e"}) {
		t.Errorf("%+v, %v", rs, err)
	}
}

// TestEveryPhraseDecides checks that no phrase is hidden by earlier rules of its tier with
// the same phrase.
func TestEveryPhraseDecides(t *testing.T) {
	type key struct {
		tier   Tier
		phrase string
	}
	in, out := map[key]bool{}, map[key]bool{}
	for _, r := range rules() {
		for _, p := range splitTrim(r.phrases, ",") {
			k := key{r.tier, p}
			idle := (r.in == LeafOther || in[k]) && (r.out == LeafOther || out[k])
			if idle || r.tier == TierMerchant && (in[k] || out[k]) {
				t.Errorf("%v: %q in [%v / %v] is too late", r.tier, p, r.in, r.out)
			}
			in[k], out[k] = in[k] || r.in != LeafOther, out[k] || r.out != LeafOther
		}
	}
}

// TestPartsOfWords checks that a long beginning of a word does not hide a shorter one, and
// that an end is found if no beginning is.
func TestPartsOfWords(t *testing.T) {
	l := compile([]rule{
		{tier: TierMerchant, out: LeafGrocery, phrases: "acme foot*"},
		{tier: TierMerchant, out: LeafDining, phrases: "footstool*"},
		{tier: TierMechanism, in: LeafTaxRefund, phrases: "*taxrfd"},
		{tier: TierMerchant, out: LeafRetail, phrases: "barnes noble"},
	})
	for _, c := range []struct {
		text    string
		in, out Leaf
	}{
		{"ACME FOOTSTOOLS", LeafRefund, LeafGrocery},
		{"FOOTSTOOLS", LeafRefund, LeafDining},
		{"CASTTAXRFD", LeafTaxRefund, LeafOther},
		{"TAXRFDS", LeafOther, LeafOther},
		{"BARNESNOBLE 13712", LeafRefund, LeafRetail},
		{"BARNESNOBLECOM", LeafRefund, LeafRetail},
	} {
		r := &reader{lex: l}
		r.read(&Transaction{Description: c.text})
		if in, out := r.verdicts(); in.Leaf != c.in || out.Leaf != c.out {
			t.Errorf("%q is %v, %v, want %v, %v", c.text, in.Leaf, out.Leaf, c.in, c.out)
		}
	}
}

package bankdata

import (
	_ "embed"
	"fmt"
	"strings"
)

// The rules, in the order of their precedence within a tier. They name mechanisms,
// merchants and words of trades, never single transactions, persons or places.
// rules/README.md describes the format.
var (
	//go:embed rules/mechanism.txt
	mechanismRules string
	//go:embed rules/merchant.txt
	merchantRules string
	//go:embed rules/lender.txt
	lenderRules string
	//go:embed rules/pattern.txt
	patternRules string
	//go:embed rules/words.txt
	wordLists string
)

// rules returns all rules. It panics on an error in the embedded files.
func rules() []rule {
	var all []rule
	for _, f := range []struct {
		tier Tier
		text string
	}{{TierMechanism, mechanismRules}, {TierMerchant, merchantRules}, {TierMerchant, lenderRules}, {TierPattern, patternRules}} {
		rs, err := parseRules(f.tier, f.text)
		if err != nil {
			panic(fmt.Sprintf("bankdata: %v rules: %v", f.tier, err))
		}
		all = append(all, rs...)
	}
	return all
}

func parseRules(tier Tier, file string) ([]rule, error) {
	leaves := map[string]Leaf{"-": LeafOther}
	for _, l := range Leaves()[:leafEnd-1] {
		leaves[l.String()] = l
	}
	var out []rule
	var names []string // of definitions, each followed by its words
	for n, line := range strings.Split(file, "\n") {
		line = strings.TrimSpace(line)
		fail := func(problem string) ([]rule, error) { return nil, fmt.Errorf("line %d: %s: %q", n+1, problem, line) }
		if name, words, ok := strings.Cut(line, " = "); ok {
			if len(out) > 0 {
				return fail("a definition after a rule")
			}
			names = append(names, "{"+name+"}", strings.NewReplacer(names...).Replace(words))
			continue
		}
		header, isHeader := strings.CutPrefix(line, "[")
		switch {
		case line == "", line[0] == '#':
		case isHeader:
			col := strings.Fields(strings.TrimSuffix(header, "]"))
			if len(col) < 3 || len(col) > 4 || col[1] != "/" || len(col) == 4 && col[3] != "weak" {
				return fail("must be [CREDIT / DEBIT] or [CREDIT / DEBIT weak]")
			}
			in, ok1 := leaves[col[0]]
			out1, ok2 := leaves[col[2]]
			if !ok1 || !ok2 || in == LeafOther && out1 == LeafOther {
				return fail("unknown category")
			}
			out = append(out, rule{tier: tier, in: in, out: out1, weak: len(col) == 4})
		case len(out) == 0:
			return fail("a phrase before any rule")
		default:
			if strings.Contains(line, "{") {
				line = strings.NewReplacer(names...).Replace(line)
			}
			if strings.ContainsAny(line, "{}") {
				return fail("unknown definition")
			}
			last := &out[len(out)-1]
			if last.phrases != "" && !strings.HasSuffix(last.phrases, ",") {
				return fail("no comma at the end of the line before")
			}
			last.phrases += line
		}
	}
	return out, nil
}

// parseWords parses the lists of words with a flag, in the order of the flags.
func parseWords(file string) [][]string {
	var lists [][]string
	for _, line := range strings.Split(file, "\n") {
		switch line = strings.TrimSpace(line); {
		case line == "", line[0] == '#':
		case line[0] == '[':
			lists = append(lists, nil)
		default:
			lists[len(lists)-1] = append(lists[len(lists)-1], strings.Fields(line)...)
		}
	}
	return lists
}

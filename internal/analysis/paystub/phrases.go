package paystub

import (
	"slices"
	"strings"
)

// wordKind is a set of kinds of the words in labels and column headers. A word may have
// several kinds.
type wordKind uint32

const (
	joinWord   wordKind = 1 << iota // does not change the meaning of a label
	dateWord                        // date, day
	payWord                         // pay, check, advice
	periodWord                      // period, week
	beginWord                       // begin, from
	endWord                         // end, through
	hireWord                        // hire, employment
	workerWord                      // employee, associate
	payerWord                       // employer, company
	nameWord                        // name
	numberWord                      // number, id, code
	nowWord                         // current, this
	yearWord                        // ytd
	amountWord                      // amount, total, earnings
	hourWord                        // hours, units
	rateWord                        // rate
	otherWord                       // taxable, employer's, limit
)

// wordKinds has the kinds of words; the lists of the vocabulary are in the order of the constants.
var wordKinds = func() map[string]wordKind {
	out := map[string]wordKind{}
	for i, name := range strings.Fields("join date pay period begin end hire worker payer name number now year amount hour rate other") {
		for _, w := range wordList("kind " + name) {
			out[w] |= 1 << i
		}
	}
	return out
}()

// madeOf returns the kinds of a label's words, and whether each word is of one of the kinds
// in some.
func madeOf(words []string, some wordKind) (kinds wordKind, all bool) {
	all = true
	for _, w := range words {
		k := wordKinds[w]
		kinds |= k
		all = all && k&some != 0
	}
	return kinds, all
}

// phrase returns the field of a label that is not in the vocabulary, from the kinds of its
// words.
func phrase(words []string) field {
	if len(words) < 2 || len(words) > 7 {
		return noField
	}
	kinds, _ := madeOf(words, 0)
	last := wordKinds[words[len(words)-1]]
	only := func(some wordKind) bool { _, all := madeOf(words, some|joinWord); return all }
	has := func(some wordKind) bool { return kinds&some != 0 }
	count := func(some wordKind) (n int) {
		for _, w := range words {
			if k := wordKinds[w]; k&some != 0 && k&(joinWord|dateWord) == 0 {
				n++
			}
		}
		return n
	}
	named := func(all ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return slices.Contains(all, w) })
	}
	switch {
	case last&numberWord != 0 && len(words) < 5:
		return fieldOther
	case has(dateWord) && named("hire", "hired", "hiring", "rehire", "rehired", "employment",
		"employed", "service") && only(hireWord|dateWord):
		return fieldHire
	case has(dateWord) && count(payWord) > 0 && only(payWord|dateWord):
		return fieldPay
	case only(periodWord|beginWord|endWord|dateWord) && (named("period", "periods", "half", "pp", "payperiod", "week", "wk",
		"workweek", "cycle", "prd", "pd", "per") || has(dateWord) && (has(beginWord) || has(endWord)) && has(periodWord)):
		switch {
		case has(beginWord) && has(endWord):
			return fieldPeriod
		case has(beginWord):
			return fieldStart
		case has(endWord):
			return fieldEnd
		case count(periodWord) > 1 || has(dateWord) || named("covered", "covers", "covering"):
			return fieldPeriod
		}
	case only(dateWord|beginWord|endWord) && has(beginWord) && has(endWord):
		return fieldPeriod
	case has(workerWord) && has(nameWord) && only(workerWord|nameWord), named("name") && named("last") &&
		named("first") && only(nameWord|workerWord|beginWord|endWord):
		return fieldEmployee
	case has(payerWord) && has(nameWord) && only(payerWord|nameWord):
		return fieldEmployer
	}
	return noField
}

// periodPhrase returns the period of a column header that is not in the vocabulary, from the
// kinds of its words.
func periodPhrase(words []string) period {
	if len(words) < 2 || len(words) > 6 {
		return noPeriod
	}
	kinds, all := madeOf(words, nowWord|yearWord|amountWord|hourWord|rateWord|otherWord)
	has := func(some wordKind) bool { return kinds&some != 0 }
	if !all || !has(nowWord|yearWord|hourWord|rateWord) {
		return noPeriod
	}
	core := 0 // a single column has only one of these
	for _, kind := range []wordKind{yearWord, hourWord, rateWord} {
		if has(kind) {
			core++
		}
	}
	for i, w := range words {
		switch {
		case slices.Contains(words[:i], w):
			return noPeriod // two columns
		case i > 0 && words[i-1] == "amount" && amountTitles[w]:
			return noPeriod
		case w == "current" && core > 0 && !has(hourWord), has(nowWord) && has(yearWord) && len(words) > 2,
			has(hourWord|rateWord) && (w == "amount" || w == "amounts" ||
				w == "dollars" || w == "usd" || w == "earnings" || w == "deductions"):
			return noPeriod
		}
	}
	switch {
	case has(otherWord):
		return foreign
	case has(hourWord) && has(yearWord):
		return foreign
	case core > 1:
		return noPeriod
	case has(hourWord):
		return notMoney
	case has(rateWord):
		return rated
	case has(yearWord):
		return ytd
	}
	return current
}

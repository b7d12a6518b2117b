package bankdata

import (
	"math/bits"
	"slices"
)

// Verdict is a category and the step that decided it.
type Verdict struct {
	Leaf Leaf
	Tier Tier
}

// word is one word of a descriptor, text.buf[start:end], with its lexicon entry.
type word struct {
	start, end int32
	id         uint16    // the lexicon's number of the word, or 0
	parts      [2]uint16 // the numbers of its longest known beginning and end
	flags      uint16
}

// reader applies the lexicon to the words of one descriptor after the other.
type reader struct {
	lex    *lexicon
	text   text
	words  []word // of text, set by judge
	credit hits
	debit  hits
	seen   partSet
	phrase [2]int32 // the merchant's phrase, words[from:to]
	rank   uint32   // of that phrase

	named, described int    // where in words the merchant's name and the descriptor end
	name             []byte // the counterparty
	kept             []word
}

func newReader() *reader { return &reader{lex: ruled()} }

// hits is the best rule so far, by tier, for one direction. A lower score is
// better.
type hits struct {
	mechanism, merchant, pattern hit
}

type hit struct {
	score   uint32
	leaf    Leaf // LeafOther if no rule applies
	weak    bool
	derived bool // a merchant's or business's leaf for the other direction, read as a refund
}

const noScore = ^uint32(0)

// verdicts decides both directions at once, because categorize caches a descriptor's judgment.
func (r *reader) verdicts() (credit, debit Verdict) {
	r.credit = hits{hit{score: noScore}, hit{score: noScore}, hit{score: noScore}}
	r.debit = r.credit
	r.seen, r.phrase, r.rank = partSet{}, [2]int32{}, noScore
	r.lookUp()
	for i := range r.words {
		w := &r.words[i]
		if w.flags&flagAddress != 0 {
			continue
		}
		if w.id != 0 {
			if n := r.lex.roots[w.id]; n != 0 {
				r.walk(n, i, i+1)
			}
		}
		for _, part := range w.parts {
			for ; part != 0; part = r.lex.wider[part] {
				if n := r.lex.roots[part]; n != 0 {
					r.walk(n, i, i+1)
				}
			}
		}
	}
	for i := range r.seen {
		for b := r.seen[i] & r.lex.conj[i]; b != 0; b &= b - 1 {
			of := r.lex.compounds[i<<6+bits.TrailingZeros64(b)]
			for n := range of {
				if k := &of[n]; r.seen.fits(k) {
					r.apply(k.rule, 0, 0)
				}
			}
		}
	}
	if p := r.debit.pattern; p.leaf != LeafOther && r.credit.pattern.leaf == LeafOther && r.seen.has(r.lex.card) {
		r.credit.pattern = hit{leaf: LeafRefund, derived: true}
	}
	r.entry()
	return r.credit.verdict(), r.debit.verdict()
}

// entry interprets a shop's credit that is an ACH entry: for a person it is a wage, for
// a business the price of sold goods.
func (r *reader) entry() {
	m := &r.credit.merchant
	g := r.debit.merchant.leaf.Group()
	shop := g == GroupLiving || g == GroupLeisure
	if !m.derived || r.credit.mechanism.leaf != LeafOther || !shop && g != GroupBill {
		return
	}
	switch {
	case r.seen.has(r.lex.wage) && r.credit.pattern.leaf == LeafPayroll:
		*m = hit{leaf: LeafPayroll}
	case !shop:
	case r.seen.has(r.lex.business):
		*m = hit{leaf: LeafSelfEmployed}
	case r.seen.has(r.lex.entry):
		*m = hit{leaf: LeafPayroll}
	}
}

// lookUp looks the text's words up in the lexicon.
func (r *reader) lookUp() {
	words, start := r.words[:0], int32(0)
	for _, end := range r.text.ends[:r.text.count] {
		w := word{start: start, end: end}
		w.id, w.parts[0], w.parts[1], w.flags = r.lex.lookup(r.text.buf[start:end])
		if w.id|w.parts[0]|w.parts[1] == 0 {
			r.splitAttached(&w)
		}
		words = append(words, w)
		start = end + 1
	}
	r.words = words
	for i, set := range r.text.houseNumbers {
		for ; set != 0; set &= set - 1 {
			r.address(i<<6 + bits.TrailingZeros64(set))
		}
	}
}

// splitAttached removes what some banks attach to a shop's name without a space: PUR before it, or
// a state after it. The lexicon must know the rest.
func (r *reader) splitAttached(w *word) {
	const before, state, rest = "PUR", 2, 4
	buf := r.text.buf[w.start:w.end]
	if len(buf) < state+rest {
		return
	}
	short := *w
	if string(buf[:len(before)]) == before {
		short.start += int32(len(before))
	} else if _, _, _, flags := r.lex.lookup(buf[len(buf)-state:]); flags&flagState != 0 {
		short.end -= state
	} else {
		return
	}
	short.id, short.parts[0], short.parts[1], short.flags = r.lex.lookup(r.text.buf[short.start:short.end])
	if short.end-short.start >= rest && short.id|short.parts[0]|short.parts[1] != 0 {
		*w = short
	}
}

// maxStreet is the maximum number of words in a street's name.
const maxStreet = 4

// address marks the words of a street address that may begin at words[from], because they
// do not name a merchant.
func (r *reader) address(from int) {
	for i := from + 1; i < min(from+maxStreet, len(r.words)); i++ {
		if r.words[i].flags&flagStreet == 0 {
			continue
		}
		if i+1 < len(r.words) && r.words[i+1].flags&flagSaint != 0 {
			return
		}
		for j := from; j <= i; j++ {
			r.words[j].flags |= flagAddress
		}
		return
	}
}

// walk applies the phrases that begin at words[start] and continue from node n at
// words[at].
func (r *reader) walk(n uint16, start, at int) {
	nd := r.lex.nodes[n]
	for _, a := range r.lex.acts[nd.first : nd.first+nd.count] {
		if a.part >= 0 {
			r.seen.set(a.part)
		} else {
			r.apply(a.rule, start, at)
		}
	}
	if at == len(r.words) || !nd.more {
		return
	}
	w := &r.words[at]
	if w.id != 0 {
		if m := r.lex.next(n, w.id); m != 0 {
			r.walk(m, start, at+1)
		}
	}
	for _, part := range w.parts {
		for ; part != 0; part = r.lex.wider[part] {
			if m := r.lex.next(n, part); m != 0 {
				r.walk(m, start, at+1)
			}
		}
	}
}

// apply records a rule's hit. Among mechanisms and among patterns the earlier rule
// wins; among merchants the longest phrase, then the first in the text. A weak merchant
// loses to any other.
func (r *reader) apply(n int16, start, end int) {
	ru := &r.lex.rules[n]
	if ru.tier != TierMechanism && ru.out.Group() == GroupLending && end > 0 && end < len(r.words) && r.words[end].flags&flagTrade != 0 {
		return // UPSTART COFFEE
	}
	if ru.lender() && ru.out != LeafBNPLOut && (end == start+1 || end == 0 && ru.tier != TierMechanism) &&
		slices.ContainsFunc(r.words[end:], func(w word) bool { return w.flags&flagTrade != 0 }) {
		return // LOAN OAK WINERY
	}
	score := uint32(n)
	credit, debit := &r.credit.mechanism, &r.debit.mechanism
	switch ru.tier {
	case TierMerchant:
		score |= uint32(maxWords-(end-start))<<24 | uint32(start)<<16
		if ru.weak {
			score |= 1 << 31
		}
		if score < r.rank {
			r.rank, r.phrase = score, [2]int32{int32(start), int32(end)}
		}
		credit, debit = &r.credit.merchant, &r.debit.merchant
	case TierPattern:
		credit, debit = &r.credit.pattern, &r.debit.pattern
	}
	if score < debit.score && ru.out != LeafOther {
		*debit = hit{score: score, leaf: ru.out, weak: ru.weak}
	}
	if score < credit.score {
		switch {
		case ru.in != LeafOther:
			*credit = hit{score: score, leaf: ru.in, weak: ru.weak}
		case ru.tier == TierMerchant:
			*credit = hit{score: score, leaf: LeafRefund, derived: true}
		}
	}
}

// verdict returns the hit of the first tier that has one.
func (h *hits) verdict() Verdict {
	m := &h.mechanism
	if m.leaf != LeafOther && !(m.weak && h.merchant.overrides(m.leaf)) {
		return Verdict{m.leaf, TierMechanism}
	}
	if h.merchant.leaf != LeafOther {
		return h.merchant.verdict(TierMerchant)
	}
	if h.pattern.leaf != LeafOther {
		return h.pattern.verdict(TierPattern)
	}
	return Verdict{LeafOther, TierOther}
}

// overrides reports whether a merchant's hit is better than a mechanism's weak leaf. Only a
// lender overrides words of a loan or a card, because insurers and brokers lend too.
func (h *hit) overrides(weak Leaf) bool {
	if weak == LeafLoanProceeds || weak == LeafPersonalLoan || weak == LeafCardPayment {
		return h.leaf.Group() == GroupLending
	}
	return h.leaf != LeafOther && !h.derived
}

// verdict returns the hit's verdict: the direction decides an incoming purchase.
func (h *hit) verdict(t Tier) Verdict {
	if h.derived {
		t = TierDirection
	}
	return Verdict{h.leaf, t}
}

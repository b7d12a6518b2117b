package bankdata

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
	"sync"
)

// rule gives the categories of descriptors in which its phrases occur.
type rule struct {
	tier Tier
	in   Leaf // for credits; LeafOther if it does not apply to them
	out  Leaf // for debits; likewise
	weak bool // a merchant may override it
	// separated by commas. A phrase is consecutive words. "a*" is the beginning of a word, "*a"
	// the end of one; "a|b" is either; "a + b" is both, anywhere; "a - b" is a without b.
	phrases string
}

// Flags of words, most of which are left out of a counterparty's name.
const (
	flagNoise   = 1 << iota // says how money moved, not with whom
	flagState               // a state's two letters
	flagCity                // the first word of a city's name of two words
	flagPerson              // precedes the account holder's name, which ends at a flagEntry
	flagEntry               // the class of an ACH entry, or the company's number
	flagStreet              // ends a street's name
	flagSaint               // follows ST in a city's name
	flagTrade               // a business that a lender's name before it also names
	flagAddress             // part of a street address in this descriptor
)

// lexicon holds the compiled rules: a hash table of words, and a trie of phrases over the
// words' numbers. It is built once and then only read.
type lexicon struct {
	slots []uint32    // open addressing: 16 bits of a word's hash, and its place in words
	words []knownWord // abbreviations have the number of their word
	stems []stemSlot  // open addressing by the first four letters, longer stems first
	tails []stemSlot  // the same by the last four letters
	lasts [256]bool   // the last letters of tails
	wider []uint16    // by the number of a stem: the next shorter one, or 0
	edges []edgeSlot
	roots []uint16 // the trie's first step, by the word's number
	nodes []node
	acts  []action

	compounds [][]compound // by their first required part
	conj      partSet      // the first parts of compounds
	rules     []rule

	// The parts of the lists of words below.
	card, entry, wage, business, check, cash int16
}

type knownWord struct {
	word           string
	id, stem, tail uint16
	flags          uint16
}

// stemSlot is the beginning of words, or their end.
type stemSlot struct {
	stem []byte
	head uint32 // its first four letters, of an end the last four
	id   uint16
}

type edgeSlot struct {
	from, id, to uint16
}

type node struct {
	first, count uint16 // a range of lexicon.acts
	more         bool   // longer phrases continue here
}

// action happens at the end of a phrase: it applies rule or marks part.
type action struct {
	rule int16 // -1 for none
	part int16 // -1 for none
}

// compound is a phrase of several parts: the one by which it is listed, all of need, and
// none of not.
type compound struct {
	rule      int16
	need, not []int16
}

type partSet [12]uint64

func (b *partSet) set(i int16) { b[i>>6] |= 1 << (i & 63) }

func (b *partSet) has(i int16) bool { return b[i>>6]&(1<<(i&63)) != 0 }

// fits reports whether all required parts of a compound are present and all excluded
// parts are absent.
func (b *partSet) fits(k *compound) bool {
	for _, i := range k.need {
		if !b.has(i) {
			return false
		}
	}
	for _, i := range k.not {
		if b.has(i) {
			return false
		}
	}
	return true
}

// cardWords mark a card transaction. If only a pattern names the business, a credit with
// these words is a refund.
const cardWords = "purchase|card|checkcard|ckcd|pos|visa|mastercard|crd|credit voucher"

// entryWords mark a credit as an ACH entry to a person. A shop refunds to the card; a
// payment by ACH is a wage.
const entryWords = "ppd|indn|direct dep|direct deposit|dir dep|dirdep|ach credit|ach " +
	"deposit|electronic deposit|ach electronic credit|deposit from"

// wageWords mark a company's credit that the words above do not decide as a possible
// wage, if the patterns agree.
const wageWords = "pay|py|sal|hr|personnel|staffing"

// businessWords mark an ACH entry to a business.
const businessWords = "ccd|ctx|edi"

// checkWords and cashWords name the means of a payment.
const (
	checkWords = "check|checks|chk|draft|drafts"
	cashWords  = "cash|currency|coin|atm"
)

// ruled returns the lexicon of all rules, which the first call builds.
var ruled = sync.OnceValue(func() *lexicon { return compile(rules()) })

// compile builds a lexicon. The order of the rules is their precedence.
func compile(rs []rule) *lexicon {
	const words = 1 << 14 // about the number of words
	c := compiler{
		lex: &lexicon{rules: rs}, ids: make(map[string]uint16, words), flags: map[string]uint16{},
		names: make([]string, 0, words), edges: make(map[edgeSlot]uint16, words), steps: make([]edgeSlot, 0, words),
		ends: make([]pathEnd, 0, words), parts: map[string]int16{},
	}
	c.ids[""] = 0
	lists := parseWords(wordLists)
	for _, pair := range lists[len(lists)-1] { // MTR=MOTOR
		short, word, _ := strings.Cut(strings.ToUpper(pair), "=")
		c.ids[short] = c.id(word)
		c.names = append(c.names, short)
	}
	for flag, list := range lists[:len(lists)-1] {
		for _, w := range list {
			c.id(strings.ToUpper(w))
			c.flags[strings.ToUpper(w)] |= 1 << flag
		}
	}
	for i, r := range rs {
		for p := range strings.SplitSeq(strings.ToUpper(r.phrases), ",") {
			if p = strings.TrimSpace(p); p != "" {
				c.phrase(p, int16(i))
			}
		}
	}
	c.lex.card = c.part(cardWords)
	c.lex.entry = c.part(entryWords)
	c.lex.wage = c.part(wageWords)
	c.lex.business = c.part(businessWords)
	c.lex.check = c.part(checkWords)
	c.lex.cash = c.part(cashWords)
	return c.finish()
}

type compiler struct {
	lex   *lexicon
	ids   map[string]uint16 // by word, stems with their *
	names []string          // by id, in the order of the ids
	flags map[string]uint16
	edges map[edgeSlot]uint16 // by {from, id}
	steps []edgeSlot          // the edges, by the node that they lead to, counted from 1
	ends  []pathEnd
	parts map[string]int16
}

// pathEnd is an action at the node where its phrase ends.
type pathEnd struct {
	node uint16
	action
}

func (c *compiler) phrase(p string, rule int16) {
	if !strings.Contains(p, " + ") && !strings.Contains(p, " - ") {
		for alt := range strings.SplitSeq(p, "|") {
			a := action{rule: rule, part: -1}
			alt = strings.Join(strings.Fields(alt), " ")
			c.path(alt, a)
			c.variants(alt, c.lex.rules[rule].tier == TierMerchant, a)
		}
		return
	}
	k := compound{rule: rule}
	all := strings.Split(p, " - ")
	parts := strings.Split(all[0], " + ")
	// Lists it by the part with the fewest alternatives, which occurs least.
	slices.SortStableFunc(parts, func(a, b string) int { return cmp.Compare(strings.Count(a, "|"), strings.Count(b, "|")) })
	for _, part := range parts {
		k.need = append(k.need, c.part(part))
	}
	for _, part := range all[1:] {
		k.not = append(k.not, c.part(part))
	}
	first := k.need[0]
	k.need = k.need[1:]
	c.lex.compounds[first] = append(c.lex.compounds[first], k)
	c.lex.conj.set(first)
}

// minGlued is the minimum length of a phrase that is also found when written as one
// word, a merchant's name also with COM appended.
const minGlued = 8

// Lengths at which banks cut texts.
var (
	entryCuts = []int{10, 16}         // the description and the company of an ACH entry
	nameCuts  = []int{16, 22, 23, 25} // the company of an ACH entry and the merchant of a card payment
)

// lender reports whether the rule's merchants lend, other than by credit cards.
func (r *rule) lender() bool { return r.out.Group() == GroupLending && r.out != LeafCardPayment }

// shortWords are other forms in which banks write the last word of a lender's name, mostly short ones.
var shortWords = map[string][]string{
	"ACCEPTANCE": {"ACCEPT", "ACC"}, "ADV": {"ADVANCE"}, "ADVANCE": {"ADV"}, "CAP": {"CAPITAL"}, "CAPITAL": {"CAP"},
	"CREDIT": {"CRED", "CR"}, "FIN": {"FINANCE", "FINANCIAL"}, "FINANCE": {"FIN"}, "FINANCIAL": {"FIN"}, "FUND": {"FUNDING"},
	"FUNDING": {"FUND", "FUNDS", "FND"}, "LENDING": {"LEND", "LN"}, "LOAN": {"LN"}, "LOANS": {"LN", "LNS"}, "MANAGEMENT": {"MGMT", "MGT"},
	"MGMT": {"MANAGEMENT"}, "MORTGAGE": {"MTG", "MTGE"}, "MTG": {"MORTGAGE"}, "SERV": {"SERVICES", "SERVICE", "SVCS"},
	"SERVICES": {"SERVICE", "SERV", "SVCS", "SVC"}, "SERVICING": {"SERV", "SVC"}, "SOL": {"SOLUTIONS"}, "SOLUTIONS": {"SOL"},
}

// variants adds a phrase of several words to the trie as one word, and as cut by a bank
// within its last word; a lender's name also with a short last word, and with one letter cut off or left.
func (c *compiler) variants(phrase string, merchant bool, a action) {
	joined := strings.ReplaceAll(phrase, " ", "")
	if strings.Contains(phrase, "*") {
		return
	}
	lender, cutAt := merchant && c.lex.rules[a.rule].lender(), nameCuts[0]
	if lender && len(joined) >= minGlued { // ACME LOANS as ACMELOANSLLC
		c.path(joined+"*", a)
	}
	if merchant && c.lex.rules[a.rule].out.Group() == GroupLending {
		if len(joined) >= minGlued && (lender || joined != phrase) {
			c.path(joined[:min(len(joined), cutAt)], a)
		}
		if len(phrase) > cutAt && phrase[cutAt] != ' ' && phrase[cutAt-1] != ' ' && strings.Contains(phrase[:cutAt], " ") {
			c.path(phrase[:cutAt], a)
		}
		begin := strings.LastIndexByte(phrase, ' ') + 1
		for _, short := range shortWords[phrase[begin:]] {
			if begin > 0 {
				c.path(phrase[:begin]+short, a)
				c.path(strings.ReplaceAll(phrase[:begin], " ", "")+short, a)
			}
		}
	}
	if joined == phrase {
		return
	}
	cuts := entryCuts
	if merchant {
		cuts = nameCuts
	}
	for _, n := range cuts {
		if len(phrase) > n+1 && !strings.Contains(phrase[n-2:n+2], " ") { // the cut removes more than a plural's S
			c.path(phrase[:n], a)
		}
	}
	if len(joined) < minGlued || lender {
		return
	}
	c.path(joined, a)
	if merchant {
		c.path(joined+"COM", a)
	}
}

// part returns the number of a compound's part, which is given by its alternatives.
func (c *compiler) part(alternatives string) int16 {
	alternatives = strings.ToUpper(alternatives)
	n, known := c.parts[alternatives]
	if known {
		return n
	}
	n = int16(len(c.parts))
	if int(n) >= 64*len(partSet{}) {
		panic("bankdata: too many parts of phrases")
	}
	c.parts[alternatives] = n
	c.lex.compounds = append(c.lex.compounds, nil)
	for alt := range strings.SplitSeq(alternatives, "|") {
		a := action{rule: -1, part: n}
		c.path(alt, a)
		c.variants(strings.TrimSpace(alt), false, a)
	}
	return n
}

func (c *compiler) path(phrase string, a action) {
	at := uint16(0)
	for w := range strings.FieldsSeq(phrase) {
		key := edgeSlot{from: at, id: c.id(w)}
		next, known := c.edges[key]
		if !known {
			next = uint16(len(c.steps) + 1)
			c.steps = append(c.steps, edgeSlot{key.from, key.id, next})
			c.edges[key] = next
		}
		at = next
	}
	c.ends = append(c.ends, pathEnd{at, a})
}

func (c *compiler) id(w string) uint16 {
	n, known := c.ids[w]
	if !known {
		n = uint16(len(c.ids))
		c.ids[w] = n
		c.names = append(c.names, w)
	}
	return n
}

// finish builds the tables. It fills slots by number, so that the order of maps does not
// matter.
func (c *compiler) finish() *lexicon {
	l := c.lex
	var stems, tails []string
	for _, w := range c.names {
		s, isStem := strings.CutSuffix(w, "*")
		tail, isTail := strings.CutPrefix(w, "*")
		switch {
		case isStem && isTail, (isStem || isTail) && len(w) < 5:
			panic("bankdata: a part of a word with less than four letters or two stars: " + w)
		case isStem:
			stems = append(stems, s)
		case isTail:
			tails = append(tails, tail)
			l.lasts[tail[len(tail)-1]] = true
		}
	}
	l.stems = stemTable(stems, func(s string) (uint32, uint16) { return headOf(s), c.ids[s+"*"] })
	l.tails = stemTable(tails, func(s string) (uint32, uint16) { return headOf(s[len(s)-4:]), c.ids["*"+s] })
	l.wider = make([]uint16, len(c.ids))
	for _, s := range stems {
		for n := len(s) - 1; n >= 4 && l.wider[c.ids[s+"*"]] == 0; n-- {
			l.wider[c.ids[s+"*"]] = c.ids[s[:n]+"*"]
		}
	}
	for _, s := range tails {
		for n := 1; n <= len(s)-4 && l.wider[c.ids["*"+s]] == 0; n++ {
			l.wider[c.ids["*"+s]] = c.ids["*"+s[n:]]
		}
	}
	l.slots = make([]uint32, tableSize(len(c.names)))
	l.words = make([]knownWord, len(c.names))
	for n, w := range c.names {
		if strings.Contains(w, "*") {
			continue
		}
		l.words[n] = knownWord{word: w, id: c.ids[w], stem: l.stemOf([]byte(w)), tail: l.tailOf([]byte(w)), flags: c.flags[w]}
		h := hashOf([]byte(w))
		i := h
		for ; l.slots[i&uint32(len(l.slots)-1)] != 0; i++ {
		}
		l.slots[i&uint32(len(l.slots)-1)] = h&^0xFFFF | uint32(n+1)
	}
	l.layTrie(c)
	return l
}

// stemTable builds the hash table of parts of words, longer ones first.
func stemTable(stems []string, of func(string) (head uint32, id uint16)) []stemSlot {
	slices.SortStableFunc(stems, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	table := make([]stemSlot, tableSize(len(stems)))
	mask := uint32(len(table) - 1)
	for _, s := range stems {
		head, id := of(s)
		i := headHash(head)
		for ; table[i&mask].id != 0; i++ {
		}
		table[i&mask] = stemSlot{[]byte(s), head, id}
	}
	return table
}

func (l *lexicon) layTrie(c *compiler) {
	slices.SortStableFunc(c.ends, func(a, b pathEnd) int { return cmp.Compare(a.node, b.node) })
	l.nodes = make([]node, len(c.steps)+1)
	l.acts = make([]action, len(c.ends))
	for i, e := range c.ends {
		l.acts[i] = e.action
		n := &l.nodes[e.node]
		if n.count++; n.count == 1 {
			n.first = uint16(i)
		}
	}
	l.edges = make([]edgeSlot, tableSize(len(c.steps)))
	l.roots = make([]uint16, len(c.ids))
	for _, e := range c.steps {
		l.nodes[e.from].more = true
		if e.from == 0 {
			l.roots[e.id] = e.to
			continue
		}
		i := edgeHash(e.from, e.id)
		for ; l.edges[i&uint32(len(l.edges)-1)].to != 0; i++ {
		}
		l.edges[i&uint32(len(l.edges)-1)] = e
	}
}

func tableSize(n int) int {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return size
}

// hashOf hashes the length and the first and last eight letters of a word.
func hashOf(w []byte) uint32 {
	n := len(w)
	var a, b uint64
	switch {
	case n >= 8:
		a, b = binary.LittleEndian.Uint64(w), binary.LittleEndian.Uint64(w[n-8:])
	case n >= 4:
		a, b = uint64(binary.LittleEndian.Uint32(w)), uint64(binary.LittleEndian.Uint32(w[n-4:]))
	case n > 0:
		a, b = uint64(w[0])|uint64(w[n/2])<<8, uint64(w[n-1])
	}
	h := (a*0x9E3779B97F4A7C15 ^ (b + uint64(n))) * 0xD6E8FEB86659FD93
	return uint32(h >> 32)
}

func headOf(s string) uint32 { return binary.LittleEndian.Uint32([]byte(s)) }

func headHash(head uint32) uint32 { return head * 2654435761 >> 12 }

func edgeHash(from, id uint16) uint32 { return (uint32(from)<<16 | uint32(id)) * 2654435761 >> 8 }

// lookup returns the id, beginning, end and flags of a word.
func (l *lexicon) lookup(w []byte) (id, stem, tail, flags uint16) {
	hash := hashOf(w)
	mask := uint32(len(l.slots) - 1)
	for i := hash; ; i++ {
		s := l.slots[i&mask]
		if s == 0 {
			return 0, l.stemOf(w), l.tailOf(w), 0
		}
		if (s^hash)>>16 == 0 {
			if k := &l.words[s&0xFFFF-1]; k.word == string(w) {
				return k.id, k.stem, k.tail, k.flags
			}
		}
	}
}

// stemOf and tailOf return the numbers of the longest known beginning and end of a word; 0 for none.
func (l *lexicon) stemOf(w []byte) uint16 {
	if len(w) < 4 {
		return 0
	}
	return part(l.stems, w, 0, bytes.HasPrefix)
}

func (l *lexicon) tailOf(w []byte) uint16 {
	if len(w) < 4 || !l.lasts[w[len(w)-1]] {
		return 0
	}
	return part(l.tails, w, len(w)-4, bytes.HasSuffix)
}

// part returns the number of the longest part in a table that a word has, by four letters of the word.
func part(table []stemSlot, w []byte, at int, has func(w, part []byte) bool) uint16 {
	head, mask := binary.LittleEndian.Uint32(w[at:]), uint32(len(table)-1)
	for i := headHash(head); ; i++ {
		s := &table[i&mask]
		if s.id == 0 || s.head == head && has(w, s.stem) {
			return s.id
		}
	}
}

// next returns the trie's step from a node other than the root; 0 if there is no step.
func (l *lexicon) next(from, id uint16) uint16 {
	mask := uint32(len(l.edges) - 1)
	for i := edgeHash(from, id); ; i++ {
		e := &l.edges[i&mask]
		if e.to == 0 || e.from == from && e.id == id {
			return e.to
		}
	}
}

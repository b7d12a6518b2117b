// Package personname compares the names of people, as they write them and as banks, payroll
// providers, pay stubs and bureaus do.
package personname

import (
	_ "embed"
	"html"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/unicode/norm"
)

// Note says in what two names of one person differ.
type Note string

const (
	MiddleName    Note = "middle_name"    // one lacks it, or has only its initial
	Suffix        Note = "suffix"         // one lacks it
	Order         Note = "order"          // one has the family name first
	Nickname      Note = "nickname"       // of a given name
	Initial       Note = "initial"        // of a given name
	SecondSurname Note = "second_surname" // one lacks it
	Spelling      Note = "spelling"       // accents, hyphens, apostrophes, particles, transliteration
	Truncated     Note = "truncated"      // the end of a long text is missing
	Joint         Note = "joint"          // the text names several people
)

// Notes lists all notes.
var Notes = []Note{MiddleName, Suffix, Order, Nickname, Initial, SecondSurname, Spelling, Truncated, Joint}

// Compare reports whether a text that a source has names the person with the stated given and family
// names, alone or among others, and in what they differ. One given and one family name must agree, and
// no other one contradict. Without a stated family name, given has the whole name.
func Compare(given, family, found string) (notes []Note, same bool) {
	if family == "" {
		given, family, _ = Split(given)
	}
	mine, rest := parse(given, givenPart), parse(family, familyPart)
	mine.words, mine.rank = append(mine.words, rest.words...), max(mine.rank, rest.rank)
	all := people(found)
	for _, forms := range all {
		for _, p := range forms {
			c := comparison{mine: mine.words, theirs: p.words, notes: map[Note]bool{}}
			c.notes[Order], c.notes[Suffix], c.notes[Joint] = p.rotated, mine.rank != p.rank, len(all) > 1
			switch {
			case p.company:
				same = letters(mine.words) == letters(p.words)
			case mine.rank == p.rank || min(mine.rank, p.rank) == 0:
				same = c.same()
			}
			if same {
				return slices.DeleteFunc(slices.Clone(Notes), func(n Note) bool { return !c.notes[n] }), true
			}
		}
	}
	return nil, false
}

// Split divides a full name. The words before a comma, or the last word, are the family name.
func Split(full string) (given, family, suffix string) {
	given, family = rotate(full)
	if family == "" {
		words := strings.Fields(full)
		for len(words) > 1 && suffix == "" && ranks[strings.TrimSpace(fold(words[len(words)-1]))] > 0 {
			suffix, words = words[len(words)-1], words[:len(words)-1]
		}
		n := max(len(words)-1, min(len(words), 1))
		given, family = strings.Join(words[:n], " "), strings.Join(words[n:], " ")
	}
	return strings.Trim(given, ", "), strings.Trim(family, ", "), suffix
}

// rotate divides a name such as SMITH, JOHN A at its comma. It returns any other text as given.
func rotate(s string) (given, family string) {
	s = withoutDegrees(s, 2)
	before, after, ok := strings.Cut(s, ",")
	next, _, _ := strings.Cut(strings.TrimSpace(fold(after)), " ")
	if !ok || next == "" || ranks[next] > 0 || behind[next] {
		return s, ""
	}
	return after, before
}

// withoutDegrees returns a text with at least n words and without the titles and degrees behind a name.
func withoutDegrees(s string, n int) string {
	words := strings.Fields(s)
	for len(words) > n && behind[strings.ReplaceAll(fold(words[len(words)-1]), " ", "")] {
		words = words[:len(words)-1]
	}
	return strings.Join(words, " ")
}

type part int8

const (
	anyPart part = iota
	givenPart
	familyPart
)

type word struct {
	text   string // in lower case, without accents and apostrophes
	german string // with the umlauts as AE, OE and UE
	raw    string // as written, in lower case, with a hyphen before it
	part   part
	atEnd  bool // the last word of a text that is long enough to be truncated
}

func (w word) isInitial() bool { return len(w.text) == 1 }

// name is the name of one person or company.
type name struct {
	words   []word
	rank    int // generation of the suffix; 0 without one
	rotated bool
	company bool
}

var (
	ranks     = map[string]int{"sr": 1, "snr": 1, "jr": 2, "jnr": 2, "ii": 2, "2nd": 2, "iii": 3, "3rd": 3, "iv": 4, "4th": 4}
	titles    = setOf("mr mrs ms miss mx dr prof rev hon sr sra srta dra lic ing")
	unknown   = setOf("fnu lnu") // instead of a given or family name
	behind    = setOf("md phd esq cpa dds dmd jd rn bsn mr mrs ms miss dr ttee trustee cust custodian jtwros jt ten utma ugma")
	particles = setOf("de la las los del da das do dos di van von der den ter y bin ibn al el le")
	companies = setOf("llc inc corp corporation ltd company lp llp pllc pc trust estate enterprises holdings sons son bros associates " +
		"offices office group partners services consulting construction plumbing roofing landscaping cleaning catering trucking properties " +
		"solutions ventures investments foundation")
	notOwners = setOf("pod tod dba itf fbo for poa cust custodian") // precede a name that is not an owner's
)

func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for w := range strings.FieldsSeq(list) {
		out[w] = true
	}
	return out
}

var (
	whole   = strings.NewReplacer("ł", "l", "ø", "o", "æ", "ae", "œ", "oe", "ß", "ss", "đ", "d", "ð", "d", "þ", "th", "ı", "i")
	umlauts = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "ø", "oe", "å", "aa")
)

func lower(s string) string { return strings.ToLower(strings.ToUpper(norm.NFC.String(s))) }

// fold returns letters and digits in lower case, without accents. Other characters become spaces.
func fold(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(unicode.ToUpper(r))
		case unicode.IsMark(r), strings.ContainsRune("'’‘ʼ`´", r):
			return -1
		}
		return ' '
	}, norm.NFKD.String(whole.Replace(lower(s))))
}

var separators = strings.NewReplacer(".", " ", ",", " ", "(", " ", ")", " ", "-", " -", "‐", " -", "‑", " -", "–", " -")

func parse(s string, of part) (n name) {
	if of == familyPart {
		s = withoutDegrees(s, 1)
	}
	given, family := rotate(s)
	n.rotated = family != ""
	for _, raw := range strings.Fields(separators.Replace(lower(given + " " + family))) {
		if t := strings.ReplaceAll(fold(raw), " ", ""); t != "" {
			atEnd := of == anyPart && utf8.RuneCountInString(s) >= 20 && strings.HasSuffix(lower(s), raw)
			n.words = append(n.words, word{t, fold(umlauts.Replace(raw)), raw, of, atEnd})
		}
	}
	for i := 0; i < len(n.words); i++ {
		w, last := n.words[i].text, i == len(n.words)-1
		rank := ranks[w]
		if last && i > 1 && (w == "junior" || w == "senior") {
			rank = ranks[w[:1]+"r"]
		}
		n.company = n.company || companies[w]
		switch isSuffix := rank > 0 && (i > 0 || of == familyPart && !last); {
		case i > 0 && notOwners[w]:
			n.words = n.words[:i]
		case isSuffix || unknown[w] || i == 0 && titles[w] && (len(n.words) > 2 || of == givenPart && !last):
			if isSuffix {
				n.rank = rank
			}
			n.words = slices.Delete(n.words, i, i+1)
			i--
		}
	}
	return n
}

var conjunctions = strings.NewReplacer(" c/o ", " fbo ", " d/b/a ", " dba ", " a/k/a ", "\n", " f/k/a ", "\n", " and/or ", "\n",
	"&", "\n", "+", "\n", "/", "\n", ";", "\n", " and ", "\n", " or ", "\n", " aka ", "\n")

// people returns the people that a text names, each in its possible forms: the family name of JOHN in
// JOHN & JANE SMITH is that of JANE.
func people(s string) (all [][]name) {
	if utf, err := charmap.Windows1252.NewEncoder().String(s); err == nil && utf8.ValidString(utf) {
		s = utf // was UTF-8 that a bank read as Windows-1252
	}
	if s = html.UnescapeString(s); norm.NFC.IsNormalString(s) && strings.ToUpper(s) == s {
		s = lower(s)
	}
	var texts []string
	for t := range strings.SplitSeq(conjunctions.Replace(s), "\n") {
		words := strings.Fields(t)
		// Divides JUAN PEREZ Y MARIA LOPEZ, but not JOSE ORTEGA Y GASSET.
		if y := slices.IndexFunc(words, func(w string) bool { return strings.EqualFold(w, "y") }); y > 0 && y < len(words)-2 {
			texts, t = append(texts, strings.Join(words[:y], " ")), strings.Join(words[y+1:], " ")
		}
		if len(words) > 0 {
			texts = append(texts, t)
		}
	}
	for i, t := range texts {
		forms := []name{parse(t, anyPart)}
		if forms[0].company && len(forms[0].words) == 1 && len(texts) > 1 { // & Associates, & Sons
			return nil
		}
		if full := slices.DeleteFunc(slices.Clone(forms[0].words), word.isInitial); len(full) == 1 && len(texts) > 1 {
			n := len(texts) - 1
			if i == n {
				n = 0
			}
			for _, w := range parse(texts[n], anyPart).words {
				forms = append(forms, parse(t+" "+w.raw, anyPart))
			}
		}
		all = append(all, forms)
	}
	return all
}

// pair says how two words agree, from the best to the worst.
type pair int8

const (
	equalWords pair = iota
	alikeWords
	nicknames
	truncated
	initials
	different
)

//go:embed forms.tsv
var formLines string

// forms has the numbers of the lines of forms.tsv by name; those of nicknames are negative.
var forms = func() map[string][]int {
	out, n := map[string][]int{}, 0
	for line := range strings.Lines(formLines) {
		fields := strings.Fields(line)
		if n++; fields[0] == "nickname" {
			n = -n
		}
		for _, w := range fields[1:] {
			out[w] = append(out[w], n)
		}
		n = max(n, -n)
	}
	return out
}()

// pairOf compares a stated word with a found one.
func pairOf(a, b word) pair {
	best := different
	if a.text == b.text || a.german == b.text || a.text == b.german {
		return equalWords
	} else if b.atEnd && len(b.text) > 2 && strings.HasPrefix(a.text, b.text) {
		best = truncated
	} else if a.part == givenPart && a.isInitial() != b.isInitial() && a.text[0] == b.text[0] {
		best = initials
	}
	if lostLetters(a.raw, b.raw) {
		return alikeWords
	}
	for _, n := range forms[a.text] {
		switch {
		case !slices.Contains(forms[b.text], n):
		case n > 0:
			return alikeWords
		case a.part == givenPart:
			best = nicknames
		}
	}
	return best
}

// lostLetters reports whether found has question marks where a bank lost letters such as Ñ.
func lostLetters(stated, found string) bool {
	return strings.ContainsAny(found, "?\uFFFD") && strings.ReplaceAll(found, "\uFFFD", "?") == strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return '?'
		}
		return r
	}, stated)
}

// join joins consecutive words of a that are one word of b, such as DE LA CRUZ and DELACRUZ.
func join(a, b []word) []word {
	for i := range a {
		for n := min(3, len(a)-i); n > 1; n-- {
			w := word{text: letters(a[i : i+n]), part: a[i].part}
			if a[i+n-1].part == w.part && len(w.text) > 3 && slices.ContainsFunc(b, func(x word) bool { return x.text == w.text }) {
				return join(slices.Replace(slices.Clone(a), i, i+n, w), b)
			}
		}
	}
	return a
}

// spell divides a first word such as AJ into initials, where b begins with two words with these letters.
func spell(a, b []word) []word {
	if len(a) < 2 || len(a[0].text) != 2 || len(b) < 3 || b[1].part == familyPart || b[0].text[:1]+b[1].text[:1] != a[0].text {
		return a
	}
	w := a[0]
	return append([]word{{text: w.text[:1], part: w.part}, {text: w.text[1:], part: w.part}}, a[1:]...)
}

func letters(words []word) string {
	var b strings.Builder
	for _, w := range words {
		b.WriteString(w.text)
	}
	return b.String()
}

// comparison compares the words of a stated name with those of a found one.
type comparison struct {
	mine, theirs []word
	notes        map[Note]bool
}

func (c *comparison) same() bool {
	g := 0
	for g < len(c.mine) && c.mine[g].part == givenPart {
		g++
	}
	if all := letters(c.theirs); len(c.theirs) == 1 && all != "" { // in scripts without spaces, or the only name
		c.notes[Order] = c.notes[Order] || all != letters(c.mine)
		mine, names := letters(c.mine[:g]), letters(c.mine[g:])
		return all == mine+names || all == names+mine || all == mine && all == names
	}
	c.mine, c.theirs = spell(c.mine, c.theirs), spell(c.theirs, c.mine)
	c.mine, c.theirs = join(c.mine, c.theirs), join(c.theirs, c.mine)
	pairs := c.match()
	given, family := -1, -1 // the first words of theirs with a stated name
	for j, i := range pairs {
		switch {
		case i < 0 || len(c.theirs) > 2 && particles[c.theirs[j].text]:
		case c.mine[i].part == givenPart && given < 0:
			given = j
		case c.mine[i].part == familyPart && family < 0:
			family = j
		}
	}
	if given < 0 || family < 0 {
		return false
	}
	reversed := family < given
	c.notes[Order] = c.notes[Order] || reversed
	var mine, theirs [familyPart + 1]bool // whether unmatched words are given or family names
	for i, w := range c.mine {
		if !slices.Contains(pairs, i) {
			c.left(&mine, w, w.part)
		}
	}
	for j, w := range c.theirs {
		if pairs[j] < 0 {
			of := givenPart
			before := -1 // the stated word before the one that follows here
			if j+1 < len(pairs) {
				before = pairs[j+1] - 1
			}
			if !reversed && j > family || reversed && j < given ||
				before >= 0 && c.mine[before].part == familyPart && !slices.Contains(pairs, before) {
				of = familyPart
			}
			c.left(&theirs, w, of)
		}
	}
	return !(mine[givenPart] && theirs[givenPart]) && !(mine[familyPart] && theirs[familyPart])
}

// match returns the index of the stated word of each found one, or -1. The best pairs come first.
func (c *comparison) match() []int {
	pairs := slices.Repeat([]int{-1}, len(c.theirs))
	for level := equalWords; level < different; level++ {
		for i, a := range c.mine {
			for j, b := range c.theirs {
				if pairs[j] >= 0 || slices.Contains(pairs, i) || pairOf(a, b) != level {
					continue
				}
				pairs[j] = i
				switch {
				case level == initials && i > 0:
					c.notes[MiddleName] = true
				case level == initials:
					c.notes[Initial] = true
				case level == nicknames:
					c.notes[Nickname] = true
				case level == truncated:
					c.notes[Truncated] = true
				case a.raw != b.raw:
					c.notes[Spelling] = true
				}
			}
		}
	}
	return pairs
}

// left notes a word that the other side lacks.
func (c *comparison) left(has *[familyPart + 1]bool, w word, of part) {
	switch {
	case particles[w.text]:
		c.notes[Spelling] = true
	case of == familyPart && !w.isInitial():
		has[of], c.notes[SecondSurname] = true, true
	default:
		has[givenPart], c.notes[MiddleName] = true, true
	}
}

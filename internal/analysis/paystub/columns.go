package paystub

import (
	"slices"
	"strings"
)

// period identifies the kind of amount in a column or beside a label.
type period int

const (
	noPeriod period = iota
	current
	ytd
	notMoney // hours, balances
	rated    // rates of pay
	foreign  // other amounts: the employer's share, taxable wages, a limit
	describe // labels
)

// periodWords holds the kinds by the words of column headers, in the form that plain returns.
var periodWords = inverted(map[period][]string{
	current:  wordList("column this period"),
	ytd:      wordList("column year to date"),
	notMoney: wordList("column hours or balance"),
	rated:    wordList("column rate"),
	foreign:  wordList("column other amounts"),
	describe: wordList("column description"),
})

// periodOf returns the kind of the amounts below a column header or beside a label.
func periodOf(words string) period {
	if p, known := periodWords[words]; known {
		return p
	}
	if len(words) > 40 || !strings.Contains(words, " ") {
		return periodWords[shortened[words]]
	}
	if len(words) < 6 && strings.ReplaceAll(words, " ", "") == "ytd" {
		return ytd // "Y-TD", as in scans
	}
	all := strings.Fields(words)
	for i, w := range all {
		if long, known := shortened[w]; known {
			all[i] = long
		}
	}
	whole := strings.Join(all, " ")
	if p, known := periodWords[whole]; known {
		return p
	}
	if slices.ContainsFunc(yearSigns, func(sign string) bool { return strings.Contains(whole, sign) }) {
		all = strings.Fields(yearToDate.Replace(whole))
	}
	if p := periodPhrase(all); p != noPeriod {
		return p
	}
	if strings.HasSuffix(words, " rate") && len(words) < 24 {
		return rated
	}
	if rest, found := removeWords(words, "usd"); found && rest != "" {
		return periodWords[rest]
	}
	return noPeriod
}

// shortened maps abbreviations in column headers to the words.
var shortened = map[string]string{"curr": "current", "cur": "current", "amt": "amount", "hrs": "hours", "prd": "period",
	"per": "period", "yr": "year", "earn": "earnings", "deds": "deductions"}

// yearToDate replaces the phrases for the year to date with "ytd".
var yearToDate = strings.NewReplacer("year to date", "ytd", "y t d", "ytd", "yr to date", "ytd", "year todate", "ytd",
	"calendar ytd", "ytd", "calendar year", "ytd", "tax year", "ytd", "to date", "ytd")

// yearSigns are parts of the phrases that yearToDate replaces.
var yearSigns = []string{"date", "year", "ytd", "y t d"}

// isAmounts reports whether a header is over a column of amounts without naming a period.
func isAmounts(words string) bool { return amountColumns[words] }

// mayBeAmounts is like isAmounts, but also accepts words that may be a title.
func mayBeAmounts(words string) bool {
	return isAmounts(words) || amountTitles[words]
}

// column is the position and the kind of a column.
type column struct {
	x0, x1  float64
	kind    period
	unknown bool // the header is not in the vocabulary
}

// segment is one of the tables below a header; tables may be side by side.
type segment struct {
	from, to float64 // position of labels and amounts
	columns  []column
	names    column  // the column of descriptions, if another column is before it
	net      bool    // the table shows how the net pay is distributed
	moved    float64 // the right edge of the period's amounts if it is not that of their column
	in       section
	n, title int // index among the header's tables; number of titles within the table so far
}

// header is a row of column headers.
type header struct {
	page     int
	y        float64
	n        int // number of the header, from 1
	segments []segment
}

// headers reads the column headers of a row: of the whole row or, where tables are side by
// side, of the tables that have no amounts in this row. It returns the other cells as rest.
func (s *sheet) headers(n int) (out []header, rest row) {
	r := s.rows[n]
	if !slices.ContainsFunc(r, func(c *cell) bool { return c.number }) {
		if h, ok := s.headerAt(n, r); ok {
			return append(out, h), nil
		}
		return nil, r
	}
	for i := 0; i < len(r); {
		k := i
		for k < len(r) && !r[k].number {
			k++
		}
		words := r[i:k]
		if k < len(r) && len(words) > 0 {
			words = words[:len(words)-1] // the last is the label of what follows
		}
		// Of two consecutive titles, the first belongs to another table.
		for len(words) > 2 && sectionOf(words[0].words) != noSection && sectionOf(words[1].words) != noSection &&
			periodOf(words[1].words) == noPeriod && !isAmounts(words[1].words) {
			rest, words = append(rest, words[0]), words[1:]
			i++
		}
		if len(words) > 1 {
			if h, ok := s.headerAt(n, words); ok {
				out = append(out, h)
				i += len(words)
			}
		}
		rest = append(rest, r[i:min(k+1, len(r))]...)
		i = k + 1
	}
	return out, rest
}

// headerAt reads a header from cells without amounts. Text directly above a cell belongs to
// it, such as "Current" over "Hours" and "Amount".
func (s *sheet) headerAt(n int, r row) (h header, ok bool) {
	h = header{page: r[0].page, y: r.y()}
	kinds, ok := s.headerKinds(n, r)
	if !ok || s.totalsHeader(r) {
		return h, false
	}
	h.segments = splitTables(r, kinds)
	for i := range h.segments {
		g := &h.segments[i]
		g.n = i
		g.assignUnknownColumn()
		s.extendToLabel(n, &h, i)
		s.fitColumns(n, &h, i)
		g.to = g.columns[len(g.columns)-1].x1 + 14
		if over := s.titleOver(n, g); over == elsewhere || g.in == noSection {
			if over != noSection {
				g.in = over
			}
		}
		if g.in == noSection && g.balances() {
			g.in = elsewhere
		}
	}
	return h, len(h.segments) > 0
}

// headerKinds returns what each cell is the title of, and whether the cells are a header.
func (s *sheet) headerKinds(n int, r row) (kinds []period, ok bool) {
	kinds = make([]period, len(r))
	periods, others, known := 0, 0, 0
	for i, c := range r {
		if c.money {
			return nil, false
		}
		kinds[i] = s.columnKind(n, c)
		switch kinds[i] {
		case current, ytd:
			periods++
		case notMoney, foreign, rated:
			others++
		}
		if kinds[i] != noPeriod || sectionOf(c.words) != noSection {
			known++
		}
	}
	if slices.ContainsFunc(r, func(c *cell) bool { return contains(c.words, "taxable") }) {
		for i, c := range r {
			if kinds[i] == ytd && strings.HasSuffix(c.words, " wages") {
				kinds[i] = foreign
			}
		}
	}
	if len(r) == 2 && isAmounts(r[1].words) && sectionOf(r[0].words) == elsewhere {
		known++ // "Direct Deposits" and "Amount"
	}
	// Of the columns of amounts that do not name a period, the first is the current period's.
	loose := 0
	for i, c := range r {
		switch {
		case c.words == "earned" && slices.Contains(kinds, rated): // in a table of leave, hours are earned
			kinds[i] = current
			loose++
		case kinds[i] != noPeriod && kinds[i] != foreign:
		case isAmounts(c.words) && (i > 0 || others+periods == 0 || len(r) > 1 && kinds[1] == ytd) && (periods > 0 || others > 0 || known > 0),
			amountTitles[c.words] && i > 0 && (kinds[i-1] == notMoney || kinds[i-1] == rated) &&
				(i+1 == len(r) || kinds[i+1] != current && !isAmounts(r[i+1].words)),
			amountTitles[c.words] && i == 1 && sectionOf(r[0].words) != noSection && len(r) == 3 && kinds[2] == ytd:
			kinds[i] = current
			loose++
		}
	}
	if periods+others+loose == 0 || periods+loose == 0 && others < 2 || periods == 0 && others == 0 &&
		(loose < 1 || known < 2) || known < 2 && periods+loose+others < 2 {
		return nil, false
	}
	return kinds, len(r) <= 2*(known+loose)+1
}

// splitTables returns the tables below the cells of a header.
func splitTables(r row, kinds []period) (out []segment) {
	seg := segment{from: -1e9}
	named := false // the table begins at its title or at the header of its labels
	flush := func(next float64) {
		if len(seg.columns) > 0 {
			out = append(out, seg)
		}
		seg, named = segment{from: next}, false
	}
	for i, c := range r {
		switch kinds[i] {
		case noPeriod, describe:
			if (named || len(seg.columns) > 0) && i+1 < len(r) && kinds[i] == noPeriod && totalOf(c.words) == noItem &&
				sectionOf(c.words) == noSection && kinds[i+1] != describe && kinds[i+1] != noPeriod && !labelLike(c.words) {
				// An unknown column between others.
				seg.columns = append(seg.columns, column{c.x0, c.x1, foreign, true})
				break
			}
			if len(seg.columns) > 0 {
				flush(c.x0 - 14)
			} else if named && kinds[i] == describe && isDescription(c.words) {
				seg.names = column{x0: c.x0, x1: c.x1, kind: describe}
			} else if !named {
				seg.from = c.x0 - 14
			}
			named = named || kinds[i] == describe || sectionOf(c.words) != noSection
			seg.net = totalOf(c.words) == net
			if in := sectionOf(c.words); in != noSection && (seg.in == noSection || in == elsewhere) {
				seg.in = in
			}
		default:
			if slices.ContainsFunc(seg.columns, func(o column) bool { return o.kind == kinds[i] && (kinds[i] == current || kinds[i] == ytd) }) {
				at := afterWidestGap(seg.columns, c) // where another table begins
				if at > 0 {
					later := slices.Clone(seg.columns[at:])
					seg.columns = seg.columns[:at]
					flush(seg.columns[at-1].x1 + 2)
					seg.columns = later
				}
			}
			if in := sectionOf(c.words); len(seg.columns) == 0 && seg.in == noSection && kinds[i] == current && mayBeAmounts(c.words) {
				seg.in = in
			}
			seg.columns = append(seg.columns, column{x0: c.x0, x1: c.x1, kind: kinds[i]})
		}
	}
	flush(0)
	return out
}

// afterWidestGap returns the index of the column after the widest gap up to the next
// column's title, or 0 without a wide one.
func afterWidestGap(columns []column, next *cell) (at int) {
	wide := 40.0
	for k := range columns {
		right := next.x0
		if k+1 < len(columns) {
			right = columns[k+1].x0
		}
		if gap := right - columns[k].x1; gap > wide {
			at, wide = k+1, gap
		}
	}
	return at
}

// assignUnknownColumn uses an unknown column directly before the year to date as the current period's, if
// there is no other.
func (g *segment) assignUnknownColumn() {
	if g.has(current) {
		return
	}
	for i := 1; i < len(g.columns); i++ {
		if g.columns[i].kind == ytd && g.columns[i-1].unknown {
			g.columns[i-1].kind = current
			return
		}
	}
}

// extendToLabel moves the left edge of a table to the beginning of its first line's label, because
// the title may be centered above the labels.
func (s *sheet) extendToLabel(n int, h *header, i int) {
	g, least := &h.segments[i], -1e9
	if i > 0 {
		least = h.segments[i-1].columns[len(h.segments[i-1].columns)-1].x1
	}
	for k := n + 1; k < len(s.rows) && k <= n+3 && s.rows[k][0].page == h.page; k++ {
		s.spend(len(s.rows[k]))
		var label *cell
		for _, c := range s.rows[k] {
			switch {
			case !c.number && c.x0 > least && c.x0 < g.columns[0].x0:
				label = c
			case c.number && c.x0 > least && label != nil && g.kindOf(c) != noPeriod:
				if g.from < -1e8 {
					g.from = label.x0 - 30
				}
				g.from = min(g.from, label.x0-14)
				return
			}
		}
	}
}

// fitRows is how many rows below a header show how amounts lie in their columns.
const fitRows = 12

// fitColumns widens the columns of a table to their cells if some amount is not below its
// header, because headers and amounts are aligned to different sides. A cell ends with a header
// on the right, or begins with one on the left; all amounts must fit one of the two.
func (s *sheet) fitColumns(n int, h *header, i int) {
	g, limit := &h.segments[i], 1e9
	if i+1 < len(h.segments) {
		limit = h.segments[i+1].from
	}
	last := len(g.columns) - 1
	below, onRight, onLeft := true, true, true
	first, end := g.columns[0].x0, g.columns[last].x1
	for k := n + 1; k < len(s.rows) && k <= n+fitRows && (onRight || onLeft); k++ {
		r := s.rows[k]
		if r[0].page != h.page || s.rows[k-1].y()-r.y() > 3*max(r[0].size, 8) {
			break
		}
		s.spend(len(r) * len(g.columns))
		numbers := g.numbers(r, limit)
		if numbers == nil {
			continue
		}
		right, left := -1, -1 // the columns of the number before
		for _, c := range numbers {
			over := 0
			for _, head := range g.columns {
				if min(head.x1, c.x1) > max(head.x0, c.x0) {
					over++
				}
			}
			below = below && over == 1
			at := slices.IndexFunc(g.columns, func(head column) bool { return c.x1 <= head.x1+2 })
			onRight = onRight && at > right && (at == 0 || g.columns[at-1].x1 <= c.x0+2)
			right = at
			at = last
			for at >= 0 && g.columns[at].x0 > c.x0+2 {
				at--
			}
			onLeft = onLeft && at > left && (at == last || c.x1 <= g.columns[at+1].x0+2)
			left = at
			first, end = min(first, c.x0), max(end, c.x1)
		}
	}
	if below || onRight == onLeft {
		return
	}
	for k := range g.columns {
		switch c := &g.columns[k]; {
		case onRight && k == 0:
			c.x0 = first
		case onRight:
			c.x0 = g.columns[k-1].x1
		case k == last:
			c.x1 = end
		default:
			c.x1 = g.columns[k+1].x0
		}
	}
}

// numbers returns the numbers of a row after the label of a table that ends at limit. A row of
// headers has none.
func (g *segment) numbers(r row, limit float64) (out []*cell) {
	labeled := false
	for _, c := range r {
		switch {
		case c.x0 < g.from || c.x0 >= limit:
		case c.number && labeled:
			out = append(out, c)
		case !c.number && len(out) == 0:
			labeled = true
		case !c.number:
			return nil
		}
	}
	return out
}

// isDescription reports whether a header is over descriptions, and not over codes or types.
func isDescription(words string) bool {
	return words == "desc" || strings.HasSuffix(words, "description") || words == "descripcion" || words == "concepto"
}

// labelLike reports whether a header is over labels rather than amounts.
func labelLike(words string) bool {
	return strings.HasSuffix(words, "description") || strings.HasSuffix(words, "type") || strings.HasSuffix(words, "code")
}

// balances reports whether a table has no columns for the period and the year to date.
func (g *segment) balances() bool {
	return !g.has(current) && !g.has(ytd)
}

// columnKind returns the kind of the column below a header, from the header's words and the
// cells directly above it.
func (s *sheet) columnKind(n int, c *cell) period {
	own := periodOf(c.words)
	loose := mayBeAmounts(c.words)
	if own != noPeriod && !loose && own != current && own != ytd && own != notMoney && own != rated {
		return own
	}
	for k := n - 1; k >= 0 && k >= n-2; k-- {
		r := s.rows[k]
		if r[0].page != c.page || r.y()-c.y > 2.4*max(c.size, r[0].size) {
			break
		}
		s.spend(len(r))
		var over *cell
		for i, up := range r {
			if up.number {
				if min(up.x1, c.x1)-max(up.x0, c.x0) > 0 {
					return own
				}
				continue
			}
			mid := (c.x0 + c.x1) / 2
			if i+1 < len(r) && r[i+1].number && min(up.x1, c.x1)-max(up.x0, c.x0) > 0 {
				return own // the cell above is the label of a line
			}
			if up.x0 < mid && up.x1 > mid || min(up.x1, c.x1)-max(up.x0, c.x0) > 0 || s.spans(r, up, mid) {
				over = up
			}
		}
		if over == nil {
			continue
		}
		if both := periodOf(over.words + " " + c.words); both != noPeriod && own != notMoney && own != rated && k == n-1 {
			return both
		}
		switch above := periodOf(strings.TrimSpace(over.words)); {
		case above == ytd && own == notMoney:
			return foreign
		case above == foreign && own != describe && own != noPeriod:
			return foreign
		case (above == current || above == ytd) && own != notMoney && own != rated && (loose || own == noPeriod && c.words == ""):
			return above
		}
		if own == current || own == ytd {
			if w := over.words; strings.HasPrefix(w, "employer") || strings.HasPrefix(w, "company") ||
				strings.HasSuffix(w, " paid") && !strings.HasPrefix(w, "employee") {
				return foreign
			}
		}
	}
	return own
}

// spans reports whether a cell of a row above is over a position: it is the nearest cell of
// the row, and all cells of the row name periods or payers.
func (s *sheet) spans(r row, up *cell, mid float64) bool {
	for _, c := range r {
		if p := periodOf(c.words); p != current && p != ytd && p != foreign && c.words != "" && !contains(c.words, "employee") {
			return false
		}
	}
	far := func(c *cell) float64 { return abs((c.x0+c.x1)/2 - mid) }
	if far(up) > 90 {
		return false
	}
	return !slices.ContainsFunc(r, func(c *cell) bool { return c != up && far(c) < far(up) })
}

// titleOver returns the section of the nearest title above a table.
func (s *sheet) titleOver(n int, g *segment) section {
	left, right := g.from, g.to
	if left < 0 {
		left = g.columns[0].x0 - 220
	}
	for k := n - 1; k >= 0 && k >= n-3; k-- {
		r := s.rows[k]
		if r[0].page != s.rows[n][0].page || r.y()-s.rows[n].y() > 4.5*max(r[0].size, s.rows[n][0].size) {
			break
		}
		s.spend(len(r))
		best, in := 0.0, noSection
		for i, c := range r {
			if c.x1 < left || c.x0 > right {
				continue
			}
			if _, _, state := dateIn(c.text); c.number || state != noDate || i+1 < len(r) && r[i+1].number {
				return noSection // another table's lines
			}
			labels := func(o *cell) bool { return o != nil && labelOf(o.words) == fieldOther && !itemOfAny(o.words) }
			if _, rest, _ := inline(c.text); rest != "" && strings.Contains(c.text, ":") || c.text[0] == '*' ||
				i > 0 && labels(r[i-1]) || labels(s.over(k, c)) {
				continue // a label with its value, or a footnote
			}
			if p := periodOf(c.words); p == foreign || c.words == "employee" || c.text == "Memo:" || c.text == "MEMO:" {
				continue
			}
			both := min(c.x1, right) - max(c.x0, left)
			if w := sectionOf(c.words); w != noSection && both > best {
				best, in = both, w
			}
		}
		if in != noSection {
			return in
		}
	}
	return noSection
}

// totalsHeader reports whether a row has the labels of gross and net, with the amounts below.
func (s *sheet) totalsHeader(r row) bool {
	g, m := false, false
	for _, c := range r {
		if c.number {
			return false
		}
		switch i, _ := itemOf(c.words, noSection); i {
		case gross:
			g = true
		case net:
			m = true
		}
	}
	return g && m
}

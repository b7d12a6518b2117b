package paystub

import (
	"slices"
	"strings"
)

// block is an address: a name, lines, and the place with its ZIP.
type block struct {
	cells            []*cell
	city, state, zip string
}

// address is one that stands in a line.
type address struct{ name, line1, line2, city, state, zip string }

// parties finds who is paid and who pays, and where the one who is paid lives.
func (s *sheet) parties(f *fields) {
	blocks := s.blocks()
	home := s.home(f, blocks)
	s.inCells(f)
	s.lineParties(f)
	if f.employer == "" {
		s.payer(f, blocks, home)
	}
	if f.employee == "" {
		for i, b := range blocks {
			if first := b.cells[0]; first != f.employerCell && isName(first.text) && !isCompany(first.text) && !sameName(first.text, f.employer) {
				f.employee, f.employeeCell = first.text, first
				home = i
				break
			}
		}
	}
	if f.employer == "" {
		f.employer = s.headline(f)
	}
	if home >= 0 {
		b := blocks[home]
		var lines []string
		for _, c := range b.cells[:len(b.cells)-1] {
			if c != f.employeeCell && !sameName(c.text, f.employee) {
				if number := strings.Trim(c.text, "xX*-0123456789 "); number != "" || strings.Trim(c.text, "0123456789") == "" {
					lines = append(lines, c.text) // and no number that is masked
				}
			}
		}
		a := address{city: b.city, state: b.state, zip: b.zip}
		if len(lines) > 0 {
			a.line1 = lines[0]
		}
		if len(lines) > 1 {
			a.line2 = strings.Join(lines[1:], ", ")
		}
		f.setAddress(a)
	}
}

func (f *fields) setAddress(a address) {
	f.line1, f.line2, f.city, f.state, f.zip, f.housed = a.line1, a.line2, a.city, a.state, a.zip, true
}

// home is the block of the one who is paid: with the name, below its label, or with
// a label of its own. It is -1 where there is none.
func (s *sheet) home(f *fields, blocks []block) int {
	for i, b := range blocks {
		if f.employeeCell != nil && b.has(f.employeeCell) {
			return i
		}
	}
	if f.employee != "" {
		for i, b := range blocks {
			if sameName(b.cells[0].text, f.employee) {
				return i
			}
		}
	}
	for i, b := range blocks {
		first := b.cells[0]
		if f.employerCell != nil && b.has(f.employerCell) || isCompany(first.text) {
			continue
		}
		if label := s.before(first); label != nil && labelOf(label.words) == fieldAddress || s.under(first, fieldAddress) {
			return i
		}
		if f.employeeCell == nil {
			continue
		}
		if label := s.before(f.employeeCell); street(first.text) && (below(f.employeeCell, first) || label != nil && below(label, first)) {
			return i
		}
	}
	// The only one that is left, with a street and no name.
	only := -1
	for i, b := range blocks {
		if !startsWithNumber(b.cells[0].text) || f.employerCell != nil && b.has(f.employerCell) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// under says whether a label of a kind stands right above a cell.
func (s *sheet) under(c *cell, what field) bool {
	for _, r := range s.rows {
		s.spend(1)
		if r[0].page != c.page || r.y() <= c.y || r.y()-c.y > 3*max(c.size, r[0].size) {
			continue
		}
		for _, up := range r {
			if labelOf(up.words) == what && below(up, c) {
				return true
			}
		}
	}
	return false
}

// lineParties reads names and addresses that stand in one line.
func (s *sheet) lineParties(f *fields) {
	for n, r := range s.rows {
		for i, c := range r {
			if len(c.text) > 200 || !strings.ContainsAny(c.text, ",•·|") {
				continue
			}
			s.spend(32 + 2*len(c.text))
			a, ok := inOneLine(c.text)
			if !ok {
				continue
			}
			label := noField
			if i > 0 {
				label = labelOf(r[i-1].words)
			}
			switch {
			case label == fieldAddress && !f.housed, a.name != "" && f.employee != "" && sameName(a.name, f.employee) && !f.housed:
				f.setAddress(a)
			case a.name != "" && f.employer == "" && !sameName(a.name, f.employee) && (isCompany(a.name) || f.employee != "" || n < 3):
				f.employer, f.employerCell = a.name, c
			case a.name == "" && label == noField && f.employee != "" && !f.housed && f.employeeCell != nil && (below(f.employeeCell, c) || i > 0 && r[i-1] == f.employeeCell) && !isCompany(f.employee):
				f.setAddress(a)
			}
		}
	}
}

// inCells reads a name, a street and a town that are cells of one row.
func (s *sheet) inCells(f *fields) {
	for _, r := range s.rows {
		for i := 2; i < len(r) && i < 8; i++ {
			city, state, zip, ok := town(r[i].text)
			if !ok || !startsWithNumber(r[i-1].text) || r[i].x0-r[0].x1 > 400 {
				continue
			}
			who := r[i-2]
			if f.employee == "" && isName(who.text) && !isCompany(who.text) {
				f.employee, f.employeeCell = who.text, who
			}
			if sameName(who.text, f.employee) && !f.housed {
				f.setAddress(address{line1: r[i-1].text, city: city, state: state, zip: zip})
			}
		}
	}
}

// inOneLine reads "Name, 1 Street, Unit 2, City, ST 12345", with or without a name.
func inOneLine(text string) (a address, ok bool) {
	if len(text) > 2*maxLabel {
		return a, false
	}
	parts := strings.FieldsFunc(text, func(c rune) bool { return c == ',' || c == '•' || c == '·' || c == '|' })
	for i := range parts {
		parts[i] = strings.TrimSpace(parts[i])
	}
	k := len(parts) - 1
	if k < 1 || k > 6 {
		return a, false
	}
	if a.city, a.state, a.zip, ok = town(parts[k]); !ok {
		if k--; k < 1 {
			return a, false
		}
		if a.city, a.state, a.zip, ok = town(parts[k] + ", " + parts[k+1]); !ok {
			return a, false
		}
	}
	lines := parts[:k]
	if at := slices.IndexFunc(lines, startsWithNumber); at > 0 {
		a.name = strings.Join(lines[:at], ", ")
		words := strings.Fields(a.name)
		for len(words) > 0 && strings.Trim(words[0], "0123456789-") == "" {
			words = words[1:] // numbers of the payroll
		}
		a.name, lines = strings.Join(words, " "), lines[at:]
	} else if at < 0 {
		return a, false
	}
	a.line1, a.line2 = lines[0], strings.Join(lines[1:], ", ")
	return a, true
}

// startsWithNumber says whether a line begins as a street does.
func startsWithNumber(s string) bool {
	first, rest, ok := strings.Cut(s, " ")
	if !ok || rest == "" || !isDigit(rest[0]) && strings.ContainsAny(first, "0123456789") {
		return ok && strings.ContainsAny(first, "0123456789") && strings.Trim(first, "0123456789-/ABCDabcd½") == ""
	}
	return strings.HasPrefix(plain(s), "po box")
}

// payer finds who pays among the blocks: one that is called as companies are, or
// the first that is not the home.
func (s *sheet) payer(f *fields, blocks []block, home int) {
	var best *cell
	for i, b := range blocks {
		first := b.cells[0]
		for k := 1; k < len(b.cells)-1 && providerIn(first.words) != ""; k++ {
			first = b.cells[k] // who pays on behalf of the employer
		}
		if i == home || providerIn(first.words) != "" || startsWithNumber(first.text) || !isText(first.text) || street(first.text) && !isCompany(first.text) || sameName(first.text, f.employee) {
			continue
		}
		if isCompany(first.text) {
			best = first
			break
		}
		if best == nil && (f.employee != "" || i+1 < len(blocks)) {
			best = first
		}
	}
	if best != nil {
		f.employer, f.employerCell = best.text, best
	}
}

// companyWords are words in the names of those who employ people.
var companyWords = strings.Fields("inc llc llp corp corporation co company ltd plc lp pllc pc group services service supply logistics city county state school district university college hospital department dept church association bank center centre systems solutions restaurant foods construction partners holdings industries enterprises agency authority " +
	"foundation institute clinic care store stores hotel bakery manufacturing health medical dental trust society cooperative coop credit union board office bureau commission technologies technology consulting contractors contracting electric mechanical plumbing studio labs laboratories pharmacy market markets farms motors trucking transport transportation freight energy " +
	"staffing security hospitality resort village town township library museum academy academics international national american global associates architects engineering properties realty management insurance financial capital media publishing productions design brewing coffee cafe grill kitchen kitchens catering retail wholesale distributors distribution warehouse marine timber lumber steel metals plastics chemical pharmaceuticals biotech software networks telecom wireless utilities water power parks recreation museum government federal")

// isCompany says whether a name is called as companies are.
func isCompany(name string) bool {
	w := strings.Fields(plain(name))
	return len(w) > 1 && slices.ContainsFunc(w, func(x string) bool { return slices.Contains(companyWords, x) })
}

// sameName says whether two names have the same words, in any order; initials and
// what only one of them adds in the middle do not count.
func sameName(a, b string) bool {
	x, y := strings.Fields(plain(a)), strings.Fields(plain(b))
	if len(x) == 0 || len(y) == 0 || len(x) > 8 || len(y) > 8 {
		return false
	}
	full := func(w []string) (n int) {
		for _, v := range w {
			if len(v) > 1 {
				n++
			}
		}
		return n
	}
	within := func(x, y []string) bool {
		for _, v := range x {
			if len(v) > 1 && !slices.Contains(y, v) {
				return false
			}
		}
		return true
	}
	return full(x) > 1 && full(y) > 1 && within(x, y) && within(y, x) || slices.Equal(x, y)
}

// before is the cell to the left of another; nil where there is none.
func (s *sheet) before(c *cell) *cell {
	s.spend(s.cells)
	for _, r := range s.rows {
		for i, x := range r {
			if x == c && i > 0 {
				return r[i-1]
			}
		}
	}
	return nil
}

func (b block) has(c *cell) bool { return slices.Contains(b.cells, c) }

// below says whether b begins right below a, at the same edge or in the middle.
func below(a, b *cell) bool {
	return a.page == b.page && a.y > b.y && a.y-b.y < 2.2*max(a.size, b.size) && (abs(a.x0-b.x0) < 4 || abs(a.x1-b.x1) < 1 || abs(a.x0+a.x1-b.x0-b.x1) < 2)
}

// blocks finds places with a ZIP and the lines above them, from top to bottom.
func (s *sheet) blocks() (out []block) {
	for n, r := range s.rows {
		for _, c := range r {
			city, state, zip, ok := town(c.text)
			if !ok && isZIP(c.text) && n > 0 { // the place may go on in the next line
				for k := n - 1; k >= 0 && k >= n-2 && !ok; k-- {
					if up := over(s.rows[k], c); up != nil {
						if city, state, zip, ok = town(up.text + " " + c.text); ok {
							c = &cell{text: up.text + " " + c.text, page: up.page, x0: up.x0, x1: up.x1, y: up.y, size: up.size}
						}
					}
				}
			}
			if !ok {
				continue
			}
			b := block{cells: []*cell{c}, city: city, state: state, zip: zip}
			for k := n - 1; k >= 0 && len(b.cells) < 6; k-- {
				s.spend(len(s.rows[k]))
				if s.rows[k].y() < c.y+0.1 && s.rows[k][0].page == c.page {
					continue
				}
				up := over(s.rows[k], b.cells[0])
				if up == nil {
					if b.cells[0].page != s.rows[k][0].page || s.rows[k].y()-b.cells[0].y > 2.2*max(s.rows[k][0].size, c.size) {
						break
					}
					continue
				}
				if what, _, colon := inline(up.text); !isText(up.text) && !street(up.text) || labelOf(up.words) != noField || what != noField && (colon || what != fieldOther) || isTitle(up.words) {
					break
				}
				if named := isName(b.cells[0].text) && !street(b.cells[0].text); named && (!isCompany(up.text) || isCompany(b.cells[0].text) && !unitOf(plain(b.cells[0].text))) {
					break // a name begins the block
				}
				b.cells = append([]*cell{up}, b.cells...)
			}
			if len(b.cells) > 1 {
				out = append(out, b)
			}
		}
	}
	return out
}

// unitOf says whether a line names a part of the one above it: the office that pays.
func unitOf(words string) bool {
	for _, w := range []string{"office", "payroll", "human resources", "accounting", "department of", "division of"} {
		if strings.HasPrefix(words, w) {
			return true
		}
	}
	return false
}

// unitWords begin the line of an address that names a part of a house.
var unitWords = []string{"apt", "apartment", "unit", "suite", "ste", "bldg", "lot", "spc", "floor", "fl", "rm", "no", "trlr"}

// isUnit says whether a line is one of an apartment.
func isUnit(words string) bool {
	first, rest, _ := strings.Cut(words, " ")
	return rest != "" && len(rest) < 8 && slices.Contains(unitWords, first)
}

// street says whether a line of an address has a number in it.
func street(s string) bool { return strings.ContainsAny(s, "0123456789") && len(s) < 100 }

// over is the cell of a row right above another; nil where there is none.
func over(r row, c *cell) *cell {
	for _, up := range r {
		if below(up, c) {
			return up
		}
	}
	return nil
}

// town reads "City, ST 12345".
func town(s string) (city, state, zip string, ok bool) {
	s = strings.TrimSpace(s)
	i := strings.LastIndexByte(s, ' ')
	if i < 0 || !isZIP(s[i+1:]) {
		return "", "", "", false
	}
	zip = s[i+1:]
	s = strings.TrimRight(s[:i], " ,")
	i = strings.LastIndexAny(s, " ,")
	if i < 1 || len(s)-i != 3 {
		return "", "", "", false
	}
	state = strings.ToUpper(s[i+1:])
	if state[0] < 'A' || state[0] > 'Z' || state[1] < 'A' || state[1] > 'Z' || state != s[i+1:] {
		return "", "", "", false
	}
	city = strings.TrimRight(s[:i], " ,")
	return city, state, zip, city != "" && !strings.ContainsAny(city, "0123456789,:")
}

func isZIP(s string) bool {
	if len(s) != 5 && len(s) != 10 {
		return false
	}
	for i := range len(s) {
		if (i == 5) != (s[i] == '-') || i != 5 && !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// headline is the employer of a stub that has no label for it: the first words on
// it that are no title, no label and not the employee; words of companies before
// others.
func (s *sheet) headline(f *fields) string {
	first := ""
	for n, r := range s.rows {
		if n > 5 || r[0].page > 0 {
			break
		}
		for _, c := range r {
			w := c.words
			if what, _, _ := inline(c.text); what != noField || !isText(c.text) || sameName(c.text, f.employee) || isTitle(w) || strings.Contains(c.text, ":") {
				continue
			}
			if providerIn(w) != "" || startsWithNumber(c.text) || headingOf(w) != noSection || itemOfAny(w) {
				continue
			}
			name := untitled(c.text)
			if isCompany(name) {
				return name
			}
			if first == "" {
				first = name
			}
		}
	}
	return first
}

// untitled is a name without the title that stands behind it in the same line.
func untitled(text string) string {
	for _, dash := range []string{" — ", " – ", " - ", " | "} {
		if name, rest, ok := strings.Cut(text, dash); ok && isTitle(plain(rest)) {
			return strings.TrimSpace(name)
		}
	}
	return text
}

// providerIn is the payroll company that a text names.
func providerIn(words string) string {
	if len(words) > 80 {
		return ""
	}
	for _, p := range providers {
		if contains(words, p.words) {
			return p.name
		}
	}
	return ""
}

// someProvider looks for the name of a payroll company anywhere, as whole words of
// a short text that is not the employer's name, and then in what the file says of
// itself.
func (s *sheet) someProvider(f *fields) string {
	for _, p := range providers {
		for _, r := range s.rows {
			for _, c := range r {
				if len(c.words) < 80 && c.text != f.employer && contains(c.words, p.words) {
					return p.name
				}
			}
		}
	}
	in := s.file.Info
	for _, p := range providers {
		if contains(plain(in.Producer+" "+in.Creator), p.words) {
			return p.name
		}
	}
	return ""
}

package paystub

import (
	"slices"
	"strings"
)

// block is an address: a name, lines, and the town with its ZIP code.
type block struct {
	cells            []*cell
	city, state, zip string
}

// address is an address in a single line.
type address struct{ name, line1, line2, city, state, zip string }

// parties finds the employee, the employee's address, and the employer.
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
			if first := b.cells[0]; first != f.employerCell && isName(first.text) && !isCompany(first.text) &&
				providerIn(first.words) == "" && !sameName(first.text, f.employer) {
				f.employee, f.employeeCell = first.text, first
				home = i
				break
			}
		}
	}
	if f.employee == "" {
		s.atNumber(f)
	}
	if f.employee == "" {
		s.lastFirst(f)
	}
	if f.employer == "" {
		f.employer = s.headline(f)
	}
	home = f.preferMixedCase(blocks, home)
	if home >= 0 {
		b := blocks[home]
		var lines []string
		for _, c := range b.cells[:len(b.cells)-1] {
			if c != f.employeeCell && !sameName(c.text, f.employee) {
				if number := strings.Trim(c.text, "xX*-0123456789 "); number != "" || strings.Trim(c.text, "0123456789") == "" {
					lines = append(lines, c.text) // except masked numbers
				}
			}
		}
		a := address{city: b.city, state: b.state, zip: b.zip}
		if len(lines) > 0 {
			a.line1, a.line2 = lines[0], strings.Join(lines[1:], ", ")
		}
		f.setAddress(a)
	}
}

// atNumber uses the name directly above the employee's number, or its label, as the employee, if no
// other name is below it.
func (s *sheet) atNumber(f *fields) {
	named := func(c *cell) bool {
		return len(strings.Fields(c.text)) > 1 && isName(c.text) && !isCompany(c.text) && !sameName(c.text, f.employer)
	}
	for n, r := range s.rows {
		for _, c := range r {
			words := strings.Fields(strings.TrimRight(c.words, "0123456789x "))
			kinds, all := madeOf(words, workerWord|numberWord)
			if s.spend(32); !all || kinds&numberWord == 0 {
				continue
			}
			under := func(o *cell) bool { return isBelow(c, o) && named(o) }
			if up := s.over(n, c); up != nil && named(up) && (n+1 == len(s.rows) || !slices.ContainsFunc(s.rows[n+1], under)) {
				f.employee, f.employeeCell = up.text, up
				return
			}
		}
	}
}

// lastFirst uses the first text like "Doe, Jane A" as the employee.
func (s *sheet) lastFirst(f *fields) {
	for _, r := range s.rows {
		if r[0].page > 0 {
			return
		}
		for _, c := range r {
			s.spend(128)
			last, first, ok := strings.Cut(c.text, ", ")
			if n := len(strings.Fields(first)); ok && n > 0 && n < 4 && len(strings.Fields(last)) < 3 && len(c.text) < 40 &&
				c != f.employerCell && isName(c.text) && !isCompany(c.text) && providerIn(c.words) == "" && !isState(first) {
				f.employee, f.employeeCell = c.text, c
				return
			}
		}
	}
}

// isState reports whether a text has the form of a state's code, or is a suffix of company
// names such as "Inc".
func isState(s string) bool {
	w := plain(s)
	return len(s) == 2 && (s == strings.ToUpper(s) || stateOf(s) != "") || w == "inc" || w == "llc" || w == "ltd" ||
		w == "llp" || w == "co" || w == "pc" || w == "corp"
}

// preferMixedCase uses the mixed-case name and address if the name that was found is in
// capitals. It returns the index of the employee's block.
func (f *fields) preferMixedCase(blocks []block, home int) int {
	for i, b := range blocks {
		if first := b.cells[0]; home >= 0 && i != home && strings.ToUpper(f.employee) == f.employee &&
			first.text != f.employee && strings.EqualFold(first.text, f.employee) {
			f.employee, f.employeeCell = first.text, first
			return i
		}
	}
	return home
}

func (f *fields) setAddress(a address) {
	f.line1, f.line2, f.city, f.state, f.zip, f.hasAddress = a.line1, a.line2, a.city, a.state, a.zip, true
}

// home returns the index of the employee's block, which contains the employee's name, is
// below it, or has a label for an address. It is -1 if none exists.
func (s *sheet) home(f *fields, blocks []block) int {
	for i, b := range blocks {
		if f.employeeCell != nil && slices.Contains(b.cells, f.employeeCell) {
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
		if f.employerCell != nil && slices.Contains(b.cells, f.employerCell) || isCompany(first.text) {
			continue
		}
		if label := s.cellLeftOf(first); label != nil && labelOf(label.words) == fieldAddress || s.hasLabelAbove(first, fieldAddress) {
			return i
		}
		if f.employeeCell == nil {
			continue
		}
		label := s.cellLeftOf(f.employeeCell)
		if (street(first.text) || startsWithNumber(first.text)) && (isBelow(f.employeeCell, first) || label != nil && isBelow(label, first)) {
			return i
		}
	}
	// Use the only other block, if it has a street and no name.
	only := -1
	for i, b := range blocks {
		if !startsWithNumber(b.cells[0].text) || f.employerCell != nil && slices.Contains(b.cells, f.employerCell) {
			continue
		}
		if only >= 0 {
			return -1
		}
		only = i
	}
	return only
}

// hasLabelAbove reports whether a label of a kind is directly above a cell.
func (s *sheet) hasLabelAbove(c *cell, what field) bool {
	for _, r := range s.rows {
		s.spend(1)
		if r[0].page != c.page || r.y() <= c.y || r.y()-c.y > 3*max(c.size, r[0].size) {
			continue
		}
		for _, up := range r {
			if labelOf(up.words) == what && isBelow(up, c) {
				return true
			}
		}
	}
	return false
}

// lineParties reads names and addresses in a single line.
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
			case label == fieldAddress && !f.hasAddress, a.name != "" && f.employee != "" && sameName(a.name, f.employee) && !f.hasAddress:
				f.setAddress(a)
			case a.name == "" && label == noField && f.employee != "" && !f.hasAddress && s.over(n, c) != nil &&
				sameName(s.over(n, c).text, f.employee):
				f.setAddress(a)
			case a.name == "" && label == noField && f.employer == "" && n > 0 && s.companyOver(n, c, f) != nil:
				f.employerCell = s.companyOver(n, c, f)
				f.employer = principal(f.employerCell.text)
			case a.name != "" && f.employer == "" && !sameName(a.name, f.employee) && (isCompany(a.name) || f.employee != "" || n < 3):
				f.employer, f.employerCell = a.name, c
			case a.name == "" && label == noField && f.employee != "" && !f.hasAddress && f.employeeCell != nil &&
				(isBelow(f.employeeCell, c) || i > 0 && (r[i-1] == f.employeeCell || sameName(r[i-1].text, f.employee))) && !isCompany(f.employee):
				f.setAddress(a)
			case a.name == "" && label == noField && f.employer != "" && f.employee == "" && n > 0 && s.over(n, c) != nil &&
				isName(s.over(n, c).text) && !isCompany(s.over(n, c).text) && s.over(n, c) != f.employerCell:
				f.employeeCell = s.over(n, c)
				f.employee = f.employeeCell.text
				f.setAddress(a)
			}
		}
	}
}

// over returns the cell directly above a cell of row n, in one of two rows, or nil.
func (s *sheet) over(n int, c *cell) (up *cell) {
	for k := n - 1; k >= 0 && k >= n-2 && up == nil; k-- {
		up = cellAbove(s.rows[k], c)
	}
	return up
}

// companyOver returns the name directly above an address line if it looks like a company's
// or is at the top of the page, otherwise nil.
func (s *sheet) companyOver(n int, c *cell, f *fields) *cell {
	if up := s.over(n, c); up != nil && isText(up.text) && !street(up.text) && !sameName(up.text, f.employee) &&
		providerIn(up.words) == "" && (isCompany(up.text) || f.employee != "" && n < 4) {
		return up
	}
	return nil
}

// inCells reads names, streets and towns that are in consecutive cells of a row.
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
			if sameName(who.text, f.employee) && !f.hasAddress {
				f.setAddress(address{line1: r[i-1].text, city: city, state: state, zip: zip})
			}
		}
	}
}

// payer finds the employer among the blocks: the first block with a company's name, or the
// first one that is not the employee's.
func (s *sheet) payer(f *fields, blocks []block, home int) {
	var best *cell
	for i, b := range blocks {
		first := b.cells[0]
		for k := 1; k < len(b.cells)-1 && providerIn(first.words) != ""; k++ {
			first = b.cells[k] // the payroll company's name is above the employer's
		}
		if i == home || providerIn(first.words) != "" || startsWithNumber(first.text) || !isText(first.text) ||
			street(first.text) && !isCompany(first.text) || sameName(first.text, f.employee) {
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
		f.employer, f.employerCell = principal(best.text), best
	}
}

// isCompany reports whether a name looks like a company's.
func isCompany(name string) bool {
	w := strings.Fields(plain(name))
	return len(w) > 1 && slices.ContainsFunc(w, func(x string) bool { return slices.Contains(wordList("company"), x) })
}

// sameName reports whether two names have the same words in any order. It ignores initials
// if both names have two other words.
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
		return !slices.ContainsFunc(x, func(v string) bool { return len(v) > 1 && !slices.Contains(y, v) })
	}
	return full(x) > 1 && full(y) > 1 && within(x, y) && within(y, x) || slices.Equal(x, y)
}

// cellLeftOf returns the cell to the left of another, or nil.
func (s *sheet) cellLeftOf(c *cell) *cell {
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

// isBelow reports whether b is directly below a, aligned to the left, to the right or
// centered.
func isBelow(a, b *cell) bool {
	return a.page == b.page && a.y > b.y && a.y-b.y < 2.2*max(a.size, b.size) &&
		(abs(a.x0-b.x0) < 4 || abs(a.x1-b.x1) < 1 || abs(a.x0+a.x1-b.x0-b.x1) < 2)
}

// headline returns the employer of a stub that has no label for it: in the first rows, the
// first company name, or else the first text that is not a title, a label or the employee.
func (s *sheet) headline(f *fields) string {
	first := ""
	for n, r := range s.rows {
		if n > 5 || r[0].page > 0 {
			break
		}
		for _, c := range r {
			w := c.words
			if strings.Contains(c.text, "\ufffd") && n < 3 && first == "" {
				return "" // this may be the name
			}
			if what, _, _ := inline(c.text); what != noField && !strings.HasPrefix(w, "department of ") || isUnit(w) ||
				unnumbered(w) != w || !isText(c.text) || sameName(c.text, f.employee) || isTitle(w) || strings.Contains(c.text, ":") {
				continue
			}
			if providerIn(w) != "" || startsWithNumber(c.text) || headingOf(w) != noSection || itemOfAny(w) {
				continue
			}
			name := withoutTitle(c.text)
			if isCompany(name) {
				return name
			}
			if digits := strings.Trim(plain(name), "abcdefghijklmnopqrstuvwxyz "); first == "" && 2*len(digits) < len(name) {
				first = name
			}
		}
	}
	return first
}

// withoutTitle returns a name without the title after it in the same line.
func withoutTitle(text string) string {
	for _, dash := range []string{" — ", " – ", " - ", " | "} {
		if name, rest, ok := strings.Cut(text, dash); ok && isTitle(plain(rest)) {
			return strings.TrimSpace(name)
		}
	}
	// "Acme Corp Earnings Statement"
	words := strings.Fields(text)
	at, any := len(words), false
	for at > 0 && slices.Contains(wordList("title word"), plain(words[at-1])) {
		at--
		any = any || slices.Contains([]string{"statement", "stub", "paystub", "advice", "voucher", "payslip", "slip"}, plain(words[at]))
	}
	if any && at > 1 {
		return strings.TrimRight(strings.Join(words[:at], " "), " -–—|,")
	}
	return text
}

// providerIn returns the payroll company that a text names, or an empty string.
func providerIn(words string) string {
	if len(words) > 160 {
		return ""
	}
	for _, p := range providers {
		if contains(words, p.words) {
			return p.name
		}
	}
	return ""
}

// someProvider returns the payroll company that is named in any short text other than the
// employer's name, or else in the file's metadata.
func (s *sheet) someProvider(f *fields) string {
	for _, p := range providers {
		for _, r := range s.rows {
			for _, c := range r {
				if len(c.words) < 160 && c.text != f.employer && contains(c.words, p.words) {
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

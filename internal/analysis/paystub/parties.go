package paystub

import (
	"strings"
)

// block is an address: a name, lines, and the place with its ZIP.
type block struct {
	cells            []*cell
	city, state, zip string
}

// parties finds who is paid and who pays, and where the one who is paid lives.
func (s *sheet) parties(f *fields) {
	blocks := s.blocks()
	employee := -1
	for i, b := range blocks {
		first := b.cells[0]
		switch {
		case f.employeeCell != nil && b.has(f.employeeCell), f.employee != "" && first.text == f.employee:
			if employee < 0 {
				employee = i
			}
		case f.employerCell != nil && b.has(f.employerCell):
		case f.employer == "" && (f.employee != "" || i+1 < len(blocks)): // the first without a label is the employer's
			f.employer, f.employerCell = first.text, first
		case f.employee == "" && isName(first.text):
			f.employee, f.employeeCell = first.text, first
			employee = i
		}
	}
	if employee < 0 && f.employeeCell != nil { // the address may have a label of its own
		for i, b := range blocks {
			if label := s.before(f.employeeCell); (f.employerCell == nil || !b.has(f.employerCell)) && (below(f.employeeCell, b.cells[0]) || label != nil && below(label, b.cells[0])) {
				employee = i
				break
			}
		}
	}
	if employee >= 0 {
		b := blocks[employee]
		f.city, f.state, f.zip = b.city, b.state, b.zip
		var lines []string
		for _, c := range b.cells[:len(b.cells)-1] {
			if c.text != f.employee && c != f.employeeCell {
				lines = append(lines, c.text)
			}
		}
		if len(lines) > 0 {
			f.line1 = lines[0]
		}
		if len(lines) > 1 {
			f.line2 = strings.Join(lines[1:], ", ")
		}
	}
	if employee < 0 {
		s.oneLine(f)
	}
	if f.employer == "" {
		f.employer = s.headline(f)
	}
}

// oneLine reads an address that is all in one line beside its label.
func (s *sheet) oneLine(f *fields) {
	for n, r := range s.rows {
		for i, c := range r {
			if labelOf(c.words) != fieldAddress {
				continue
			}
			for _, v := range s.beside(n, i) {
				s.spend(32 + len(v.text))
				lines := strings.Split(v.text, ",")
				if len(lines) < 3 {
					continue
				}
				k := len(lines) - 2
				city, state, zip, ok := town(strings.TrimSpace(lines[k]) + "," + lines[k+1])
				if !ok {
					continue
				}
				for i := range lines {
					lines[i] = strings.TrimSpace(lines[i])
				}
				f.line1, f.line2 = lines[0], strings.Join(lines[1:k], ", ")
				f.city, f.state, f.zip = city, state, zip
				return
			}
		}
	}
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

func (b block) has(c *cell) bool {
	for _, x := range b.cells {
		if x == c {
			return true
		}
	}
	return false
}

// below says whether b begins right below a, at the same edge.
func below(a, b *cell) bool {
	return a.page == b.page && a.y > b.y && a.y-b.y < 2.2*max(a.size, b.size) && abs(a.x0-b.x0) < 4
}

// blocks finds places with a ZIP and the lines above them, from top to bottom.
func (s *sheet) blocks() (out []block) {
	for n, r := range s.rows {
		for _, c := range r {
			city, state, zip, ok := town(c.text)
			if !ok {
				continue
			}
			b := block{cells: []*cell{c}, city: city, state: state, zip: zip}
			for k := n - 1; k >= 0 && len(b.cells) < 5; k-- {
				s.spend(len(s.rows[k]))
				up := over(s.rows[k], b.cells[0])
				if up == nil {
					if b.cells[0].page != s.rows[k][0].page || s.rows[k].y()-b.cells[0].y > 2.2*max(s.rows[k][0].size, c.size) {
						break
					}
					continue
				}
				if !isText(up.text) && !street(up.text) || labelOf(up.words) != noField {
					break
				}
				b.cells = append([]*cell{up}, b.cells...)
				if isName(up.text) && !street(up.text) { // a name begins the block
					break
				}
			}
			if len(b.cells) > 1 {
				out = append(out, b)
			}
		}
	}
	return out
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
	return city, state, zip, city != "" && !isDigit(city[0])
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
// it that are no title, no label and not the employee.
func (s *sheet) headline(f *fields) string {
	for n, r := range s.rows {
		if n > 5 || r[0].page > 0 {
			break
		}
		for _, c := range r {
			w := c.words
			if what, _, _ := inline(c.text); what != noField || !isText(c.text) || labelOf(w) != noField || periodOf(w) != noPeriod || c.text == f.employee || isTitle(w) {
				continue
			}
			if _, _, _, ok := town(c.text); ok || sectionOf(w) == earnings || sectionOf(w) == deductions {
				continue
			}
			return c.text
		}
	}
	return ""
}

func isTitle(words string) bool {
	for _, t := range titles {
		if strings.HasPrefix(words, t) {
			return true
		}
	}
	return false
}

// someProvider looks for the name of a payroll company anywhere, as whole words of
// a short text, and then in what the file says of itself.
func (s *sheet) someProvider() string {
	for _, p := range providers {
		for _, r := range s.rows {
			for _, c := range r {
				if len(c.words) < 80 && contains(c.words, p.words) {
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

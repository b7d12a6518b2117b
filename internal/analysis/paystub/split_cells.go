package paystub

import (
	"slices"
	"strings"
)

// splitTexts splits cells that hold several labels with their values, as in line printer
// output and in the heads of pages.
func (s *sheet) splitTexts() {
	for n, r := range s.rows {
		var out row
		for i, c := range r {
			at := s.labelStarts(c)
			if len(at) == 0 {
				if out != nil {
					out = append(out, c)
				}
				continue
			}
			if out == nil {
				out = slices.Clone(r[:i])
			}
			from := 0
			for _, to := range append(at, len(c.text)) {
				if p := c.part(from, to); p != nil {
					out = append(out, p)
				}
				from = to
			}
		}
		if len(out) > 0 { // a row of only bars does not change
			s.rows[n] = out
		}
	}
}

// part returns a cell with part of another cell's text, or nil if that part is blank.
func (c *cell) part(from, to int) *cell {
	text := c.text[from:to]
	left := strings.TrimLeft(text, " |•·;")
	from += len(text) - len(left)
	if text = strings.TrimRight(left, " |•·;,"); text == "" {
		return nil
	}
	p := *c
	wide := (c.x1 - c.x0) / float64(len(c.text))
	p.x0, p.x1 = c.x0+wide*float64(from), c.x0+wide*float64(from+len(text))
	p.set(text)
	return &p
}

// labelStarts returns the positions in a cell's text at which another label begins.
func (s *sheet) labelStarts(c *cell) (at []int) {
	if at := barPositions(c.text); len(at) > 0 {
		s.spend(len(c.text))
		return at
	}
	if what := labelOf(c.words); len(c.text) < 40 && (what == noField || what == fieldOther) { // "EMPLOYEE NAME EMPLOYEE ID"
		s.spend(64 * strings.Count(c.text, " "))
		for k, r := range c.text {
			if r != ' ' {
				continue
			}
			first, second := plain(c.text[:k]), plain(c.text[k:])
			if strings.Contains(unnumbered(first), " ") && strings.Contains(second, " ") &&
				labelOf(first) != noField && labelOf(second) != noField {
				return []int{k}
			}
		}
	}
	if c.number || len(c.text) > 300 || !strings.Contains(c.text, " ") || !strings.ContainsAny(c.text, ":0123456789") {
		return nil
	}
	s.spend(4 * len(c.text))
	if i := strings.LastIndexByte(c.text, ' '); i > 0 { // "Net Pay 12.00 34.00"
		_, second := money(c.text[i+1:])
		if label, amount, ok := split(&cell{text: c.text[:i]}); ok && second && itemOfAny(label.words) {
			return []int{i - len(amount.text), i + 1}
		}
	}
	from := 0
	if what, rest, colon := inline(c.text); what == fieldAddress && colon && rest != "" { // the address continues below its first line
		from = len(c.text) - len(rest)
		at = append(at, from)
	}
	for k := from + 1; k < len(c.text); k++ {
		if c.text[k-1] != ' ' || c.text[k] == ' ' {
			continue
		}
		s.spend(96)
		before := strings.TrimRight(c.text[from:k], " ")
		if s.beginsWithLabel(before, c.text[k:]) {
			at = append(at, k)
			from = k
		}
	}
	return at
}

// barPositions returns the positions after the vertical bars that separate the columns of a table:
// bars beside a number, or without spaces around them.
func barPositions(text string) (at []int) {
	if len(text) > 300 || !strings.Contains(text, "|") {
		return nil
	}
	for i := range len(text) {
		if text[i] != '|' {
			continue
		}
		if i > 0 && i+1 < len(text) && text[i-1] == ' ' && text[i+1] == ' ' && !number(text[:i]) && !number(text[i+1:]) {
			continue
		}
		at = append(at, i+1)
	}
	return at
}

// joinTowns joins the cells of a town, state and ZIP code.
func (s *sheet) joinTowns() {
	for n, r := range s.rows {
		for i := 1; i < len(r); i++ {
			c := r[i]
			if !isZIP(c.text) {
				continue
			}
			from := i - 1
			text := r[from].text
			if len(text) == 2 && from > 0 && r[from].x0-r[from-1].x1 < 3*c.size {
				from--
				text = r[from].text + ", " + text
			}
			if _, _, _, ok := town(text + " " + c.text); !ok || c.x0-r[i-1].x1 > 3*c.size {
				continue
			}
			first := r[from]
			for _, next := range r[from+1 : i+1] {
				first.x1, first.runs = next.x1, append(first.runs, next.runs...)
			}
			first.set(text + " " + c.text)
			r = slices.Delete(r, from+1, i+1)
			i = from + 1
		}
		s.rows[n] = r
	}
}

// beginsWithLabel reports whether the rest of a text, after before, begins with another label or
// value.
func (s *sheet) beginsWithLabel(before, rest string) bool {
	last := before[strings.LastIndexByte(before, ' ')+1:]
	if strings.ContainsAny(rest[:1], "|•·;") || strings.ContainsAny(last, "|•·;") {
		before, rest = strings.TrimRight(before, " |•·;"), strings.TrimLeft(rest, " |•·;")
		return isLabelWithValue(before) && isLabelWithValue(rest)
	}
	if d, after, state := dateIn(rest); state == goodDate && after == "" && !d.IsZero() {
		return frequencyOf(plain(before)) != "" || strings.Trim(before, "0123456789") == "" && len(before) > 4
	}
	if _, amount := money(last); amount && rest[0]|0x20 >= 'a' && rest[0]|0x20 <= 'z' {
		head, _, ok := split(&cell{text: before})
		next, _, more := split(&cell{text: rest})
		known := func(label *cell) bool { return strings.HasSuffix(label.text, ":") || itemOfAny(label.words) }
		return ok && more && known(head) && known(next)
	}
	what, _, colon := inline(rest)
	if what == noField || isDigit(rest[0]) {
		return false
	}
	if first, _, _ := strings.Cut(strings.ToLower(rest), " "); endsInDate(before) {
		return !slices.Contains([]string{"to", "through", "thru", "hasta", "end", "ending"}, first)
	}
	head, value, ok := inline(before)
	return colon && (ok && head != noField && value != "" || strings.ContainsAny(last, "0123456789")) &&
		!slices.Contains([]string{"next", "previous", "prior", "last"}, strings.ToLower(last))
}

// isLabelWithValue reports whether a text is a label followed by its value.
func isLabelWithValue(text string) bool {
	if _, _, ok := split(&cell{text: text}); ok {
		return true
	}
	what, rest, _ := inline(text)
	return what != noField && rest != ""
}

// endsInDate reports whether a text ends with a date.
func endsInDate(text string) bool {
	for at, words := len(text), 0; at > 0 && words < 3; words++ {
		at = strings.LastIndexByte(text[:at], ' ')
		if d, rest, state := dateIn(text[at+1:]); state == goodDate && rest == "" && !d.IsZero() {
			return true
		}
	}
	return false
}

// spaceAfterColon inserts a space after the colon of a label.
func spaceAfterColon(text string) string {
	for i := 1; i+1 < len(text) && i < maxLabel; i++ {
		if text[i] == ':' && text[i+1] != ' ' && text[i+1] != '/' && text[i-1]|0x20 >= 'a' && text[i-1]|0x20 <= 'z' {
			return text[:i+1] + " " + text[i+1:]
		}
	}
	return text
}

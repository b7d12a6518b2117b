package paystub

import (
	"cmp"
	"slices"
	"strings"

	"vestibule/internal/report"
)

// when is a date as a stub shows it.
type when struct {
	shown bool // the stub shows a value
	date  report.Date
	valid bool
	cell  *cell
}

// fields holds the values of a stub other than amounts.
type fields struct {
	start, end, pay, hire          when
	employee, employer, provider   string
	line1, line2, city, state, zip string
	frequency                      string
	employeeCell, employerCell     *cell
	hasAddress                     bool              // the address is known
	several                        bool              // there are two periods, days or names, as if the file had several stubs
	labeled                        map[string]string // the values by their labels in the same cell
	near                           *report.Date      // days without a year are close to this one
}

// fields reads the values of a stub other than amounts.
func (s *sheet) fields() *fields {
	f := &fields{labeled: map[string]string{}}
	s.below = s.placement()
	s.byLabels(f)
	s.beforeLabels(f)
	if !f.start.shown && !f.end.shown {
		s.spanned(f)
	}
	if !f.pay.shown {
		s.payDateInText(f)
	}
	if !f.pay.shown {
		s.dated(f)
	}
	if !f.pay.shown {
		s.onlyDay(f)
	}
	if !f.start.shown && !f.end.shown && f.pay.valid {
		f.near = &f.pay.date
	} else if !f.pay.shown && f.end.valid {
		f.near = &f.end.date
	}
	if f.near != nil {
		s.byLabels(f)
	}
	s.parties(f)
	if f.provider == "" {
		f.provider = s.someProvider(f)
	}
	if f.frequency == "" && f.start.valid && f.end.valid {
		f.frequency = frequencyOfPeriod(f.start.date, f.end.date)
	}
	return f
}

// byLabels reads the labels of a stub and the values beside or below them.
func (s *sheet) byLabels(f *fields) {
	for n, r := range s.rows {
		for i, c := range r {
			if c.number {
				continue
			}
			s.spend(384 + len(c.text))
			what, rest, colon := inline(c.text)
			begins := strings.HasPrefix(c.words, "start date") && s.nearEnd(n)
			if begins && what == fieldHire {
				what = fieldStart
			}
			if colon {
				f.compare(what, c.text, rest)
			}
			if what != noField && labelOf(c.words) == noField && (colon || what != fieldEmployee && what != fieldEmployer &&
				what != fieldAddress || strings.Contains(unnumbered(plain(strings.TrimSuffix(c.text, rest))), " ")) {
				if f.put(what, rest, c) || what == fieldPeriod && f.put(what, rest+" "+s.following(n, i), c) {
					continue
				}
			}
			if numbered(c.words) && i+1 < len(r) && r[i+1].x0-c.x1 < 60 && f.put(fieldEmployee, r[i+1].text, r[i+1]) {
				continue
			}
			if s.militaryEmployer(f, n, i) {
				continue
			}
			if !begins {
				what = labelOf(c.words)
			}
			if what == noField || what == fieldOther {
				continue
			}
			compared := kindOf(what) != 0
			for _, v := range s.valuesNear(n, i, what) {
				s.spend(512 + len(v.text))
				if !compared && mayBeValue(what, v.text) {
					f.compare(what, c.text+" "+v.text, v.text)
					compared = true
				}
				if f.put(what, v.text, v) || f.putLong(s, what, v) {
					break
				}
			}
		}
	}
}

// compare finds a second stub: a label that was read before, with another name or day.
func (f *fields) compare(what field, text, value string) {
	if what != fieldPay && what != fieldEnd && what != fieldEmployee && what != fieldEmployer || !mayBeValue(what, value) {
		return
	}
	label := plain(strings.TrimSuffix(text, value))
	before, known := f.labeled[label]
	f.several = f.several || known && before != plain(value)
	f.labeled[label] = plain(value)
}

// beforeLabels reads the values of days and of the employee that are still unknown to the left
// of their labels and above them.
func (s *sheet) beforeLabels(f *fields) {
	for n, r := range s.rows {
		for i, c := range r {
			what := labelOf(c.words)
			if kindOf(what) != 0 && what != fieldEmployee {
				continue
			}
			var before []*cell
			if i > 0 && c.x0-r[i-1].x1 < 60 && (i == 1 || labelOf(r[i-2].words) == noField || kindOf(labelOf(r[i-2].words)) != kindOf(what)) {
				before = append(before, r[i-1])
			}
			if n > 0 {
				if up := cellAbove(s.rows[n-1], c); up != nil && abs(up.x0-c.x0) < 4 {
					before = append(before, up)
				}
			}
			for _, v := range before {
				s.spend(512 + len(v.text))
				if labelOf(v.words) == noField && f.put(what, v.text, v) {
					break
				}
			}
		}
	}
}

// nearEnd reports whether the label of a period's end is in a row or one of the next five.
func (s *sheet) nearEnd(n int) bool {
	return slices.ContainsFunc(slices.Concat(s.rows[n:min(n+6, len(s.rows))]...), func(c *cell) bool {
		what, _, _ := inline(c.text)
		return what == fieldEnd || labelOf(c.words) == fieldEnd
	})
}

// placement returns whether the stub's values are below their labels (positive) or to the
// right of them (negative), according to the unambiguous labels, or zero if it is unknown.
// The first result is for dates, the second for other values.
func (s *sheet) placement() (below [2]int) {
	above, other := 0, 0 // labels of days that are nearer to the day above them than below, and the others
	for n, r := range s.rows {
		for i, c := range r {
			what := labelOf(c.words)
			if what == noField || what == fieldOther || what == fieldAddress {
				continue
			}
			right, down := false, false
			up := s.over(n, c)
			_, under := s.under(n, c, 4)
			for _, v := range s.valuesNear(n, i, what) {
				s.spend(512 + len(v.text))
				if mayBeValue(what, v.text) {
					right = right || abs(v.y-c.y) < 1
					down = down || abs(v.y-c.y) >= 1
				}
			}
			switch {
			case kindOf(what) != 0:
			case right || up == nil || !mayBeValue(what, up.text):
				other++
			case under != nil && mayBeValue(what, under.text) && c.y-under.y > 1.3*(up.y-c.y):
				above++
			case under != nil && mayBeValue(what, under.text):
				other++
			}
			if right && !down {
				below[kindOf(what)]--
			} else if down && !right {
				below[kindOf(what)]++
			}
		}
	}
	s.above = above > 0 && other == 0
	return below
}

// kindOf returns 0 for the labels of dates, and 1 for others.
func kindOf(what field) int {
	switch what {
	case fieldStart, fieldEnd, fieldPay, fieldHire, fieldPeriod:
		return 0
	}
	return 1
}

// mayBeValue reports whether a text may be the value of a label.
func mayBeValue(what field, text string) bool {
	switch {
	case kindOf(what) == 0:
		_, _, state := dateIn(withSlashes(text))
		return state != noDate
	case what == fieldEmployee:
		return isName(withoutNumber(text))
	case what == fieldFrequency:
		return frequencyOf(plain(text)) != ""
	}
	return isText(text)
}

// following returns the text to the right of a cell, from up to four cells.
func (s *sheet) following(n, i int) string {
	var b strings.Builder
	for k := i + 1; k < len(s.rows[n]) && k <= i+4; k++ {
		s.spend(len(s.rows[n][k].text))
		b.WriteString(" " + s.rows[n][k].text)
	}
	return strings.TrimSpace(b.String())
}

// putLong stores a value that continues in the cells to the right, such as a period with two
// separate dates, or in the line below.
func (f *fields) putLong(s *sheet, what field, v *cell) bool {
	if what != fieldPeriod && what != fieldStart && what != fieldPay {
		return false
	}
	if _, _, state := dateIn(v.text); state == noDate {
		return false
	}
	for n, r := range s.rows {
		s.spend(1)
		if r[0].page != v.page || abs(r.y()-v.y) > 1 {
			continue
		}
		for i, c := range r {
			if c != v {
				continue
			}
			if what == fieldPeriod || what == fieldStart {
				text := v.text
				for k := i + 1; k < len(r) && k <= i+2; k++ {
					if text += " " + r[k].text; f.putPeriod(text, v) {
						return true
					}
				}
			}
			if n+1 < len(s.rows) {
				for _, under := range s.rows[n+1] {
					if isBelow(v, under) && (what == fieldPeriod && f.putPeriod(v.text+" "+under.text, v) ||
						what == fieldPay && f.put(what, v.text+" "+under.text, v)) {
						return true
					}
				}
			}
		}
	}
	return false
}

// dated uses the date beside the label "Date" as the pay date.
func (s *sheet) dated(f *fields) {
	for n, r := range s.rows {
		for i, c := range r {
			first, rest, _ := strings.Cut(c.text, " ")
			if w := plain(first); w != "date" && w != "dated" && w != "fecha" {
				continue
			}
			if rest != "" {
				f.put(fieldPay, rest, c)
				continue
			}
			for _, v := range s.valuesNear(n, i, fieldPay) {
				if _, next := s.under(n+1, v, 3); next != nil && v.y < c.y-1 && mayBeValue(fieldPay, next.text) {
					break // a column of days
				}
				if f.put(fieldPay, v.text, v) {
					break
				}
			}
		}
	}
}

// onlyDay uses the only other date of the stub without a label as the pay date, if it is
// shortly after the end of the period.
func (s *sheet) onlyDay(f *fields) {
	var only *cell
	var day report.Date
	for _, r := range s.rows {
		for i, c := range r {
			if c.money || c.number && len(c.text) < 6 || c == f.start.cell || c == f.end.cell ||
				c == f.hire.cell || i > 0 && labelOf(r[i-1].words) != noField {
				continue
			}
			s.spend(16)
			d, rest, state := dateIn(c.text)
			if state != goodDate || rest != "" {
				continue
			}
			if only != nil && !d.Equal(day.Time) {
				return
			}
			only, day = c, d
		}
	}
	if only != nil && f.end.valid && !day.Before(f.end.date.AddDate(0, 0, -7)) && day.Before(f.end.date.AddDate(0, 0, 40)) {
		f.pay = when{shown: true, date: day, valid: true, cell: only}
	}
}

// payDateInText finds the pay date within a sentence, as in "…, paid on May 1, 2026".
func (s *sheet) payDateInText(f *fields) {
	for _, r := range s.rows {
		for _, c := range r {
			if c.number || len(c.text) > 200 {
				continue
			}
			for at := range len(c.text) {
				if at > 0 && c.text[at-1] != ' ' || c.text[at]|0x20 < 'a' || c.text[at]|0x20 > 'z' {
					continue
				}
				s.spend(64)
				what, rest, _ := inline(c.text[at:min(len(c.text), at+60)])
				if what != fieldPay {
					continue
				}
				if d, _, state := dateIn(rest); state == goodDate {
					f.pay = when{shown: true, date: d, valid: true, cell: c}
					return
				}
			}
		}
	}
}

// spanned finds a period as two dates with a separator, at the beginning of a text or after
// a word such as "period" or "from".
func (s *sheet) spanned(f *fields) {
	for n, r := range s.rows {
		for i, c := range r {
			if c.number || len(c.text) > 200 {
				continue
			}
			s.spend(64 + 4*len(c.text))
			for at := range len(c.text) {
				if at > 0 && c.text[at-1] != ' ' && c.text[at-1] != '(' {
					continue
				}
				if _, _, _, first, second := twoDates(c.text[at:]); first == noDate || second == noDate && at == 0 {
					continue
				}
				head := plain(c.text[:at])
				about := at == 0 || contains(head, "period") || contains(head, "week") || contains(head, "from") ||
					contains(head, "covering") || contains(head, "dates") || contains(head, "earned")
				tail := strings.TrimRight(c.text[at:], ").")
				if about && (f.putPeriod(tail, c) || f.putPeriodOf(tail, c) ||
					at == 0 && (i == 0 || !mayBeValue(fieldPay, r[i-1].text)) && f.putPeriod(c.text+" "+s.following(n, i), c)) {
					return
				}
				break
			}
		}
	}
}

// maxBeside is the maximum number of cells to try as the value of a label; a stub has two or
// three.
const maxBeside = 12

// valuesNear returns the cells to the right of a label and below it that may be its value, the
// nearest first. Vertical distance counts double. Cells where the stub usually has its
// values come first.
func (s *sheet) valuesNear(n, i int, what field) []*cell {
	label := s.rows[n][i]
	type place struct {
		cell *cell
		far  float64
	}
	var found []place
	if up := s.over(n, label); s.above && kindOf(what) == 0 && up != nil {
		return []*cell{up}
	}
	if r := s.rows[n]; i+1 < len(r) && (r[i+1].x0-label.x1 < 220 || len(r) == 2 || kindOf(what) == 0 && mayBeValue(what, r[i+1].text)) &&
		labelOf(r[i+1].words) == noField {
		far := r[i+1].x0 - label.x1
		if s.below[kindOf(what)] < 0 && mayBeValue(what, r[i+1].text) {
			far = -1
		}
		found = append(found, place{r[i+1], far})
		// A name may follow a number.
		if kindOf(what) == 1 && i+2 < len(r) && number(r[i+1].text) && r[i+2].x0-r[i+1].x1 < 60 && labelOf(r[i+2].words) == noField {
			found = append(found, place{r[i+2], far})
		}
	}
	if n+1 < len(s.rows) && len(found) == 0 && s.rows[n+1][0].page == label.page { // slightly lower than the label
		for _, c := range s.rows[n+1] {
			if c.x0 >= label.x1 && c.x0-label.x1 < 120 && abs(c.y-label.y) < 0.35*label.size && mayBeValue(what, c.text) {
				found = append(found, place{c, c.x0 - label.x1})
				break
			}
		}
	}
	over, height := 0, 0.0 // dates below that belong to the labels above this one
	if kindOf(what) == 0 {
		over, height = s.labelsOver(n, label)
	}
	for k := n + 1; k < len(s.rows) && (k <= n+4 || height > 0 && k <= n+12) && len(found) < maxBeside; k++ {
		r := s.rows[k]
		if r[0].page != label.page || label.y-r.y() > height+3*max(label.size, r[0].size) {
			break
		}
		s.spend(len(r))
		for j, c := range r {
			if c.x0-label.x0 >= 8 && c.x0 >= label.x1 || len(found) == maxBeside {
				break // the cells of a row are sorted from left to right
			}
			if j > 0 && r[j-1].x1 > label.x0 && labelOf(r[j-1].words) != noField && c.x0-r[j-1].x1 < 120 {
				continue // this cell has another label
			}
			if (abs(c.x0-label.x0) < 8 || min(c.x1, label.x1)-max(c.x0, label.x0) > 0) && labelOf(c.words) == noField {
				s.spend(384 + len(c.text))
				if over > 0 && mayBeValue(what, c.text) {
					over--
					continue
				}
				far := 2 * (label.y - c.y)
				if s.below[kindOf(what)] > 0 && mayBeValue(what, c.text) {
					far -= 1000
				}
				found = append(found, place{c, far})
			}
		}
	}
	slices.SortStableFunc(found, func(a, b place) int { return cmp.Compare(a.far, b.far) })
	out := make([]*cell, len(found))
	for i, p := range found {
		out[i] = p.cell
	}
	return out
}

// put stores the value of a field if the text is a valid value and the field has none yet.
func (f *fields) put(what field, text string, c *cell) bool {
	if kindOf(what) == 0 {
		text = withSlashes(text)
	}
	if f.near != nil && kindOf(what) == 0 && what != fieldHire {
		text = withYears(text, *f.near)
	}
	date := func(w *when) bool {
		if w.shown {
			return w.cell == c
		}
		d, rest, state := dateIn(text)
		if _, amount := money(text); amount || state == noDate || strings.TrimSpace(rest) != "" && !isLabeled(rest) {
			return false
		}
		*w = when{shown: true, date: d, valid: state == goodDate, cell: c}
		return true
	}
	switch what {
	case fieldStart:
		return date(&f.start)
	case fieldEnd:
		return date(&f.end)
	case fieldPay:
		return date(&f.pay)
	case fieldHire:
		return date(&f.hire)
	case fieldPeriod:
		return f.putPeriod(text, c)
	case fieldFrequency:
		if d, rest, state := dateIn(text); state == goodDate && rest == "" && !f.pay.shown { // "Paid" may be the label of a date
			f.pay = when{shown: true, date: d, valid: true, cell: c}
			return true
		}
		if v := frequencyOf(plain(text)); v != "" && f.frequency == "" {
			f.frequency = v
			return true
		}
	case fieldEmployee:
		if f.employee == "" && !isName(text) {
			if one, ok := inOneLine(text); ok && isName(one.name) {
				f.employee, f.employeeCell = one.name, c
				f.setAddress(one)
				return true
			}
		}
		if name := withoutNumber(text); f.employee == "" && isName(name) {
			f.employee, f.employeeCell = name, c
			return true
		}
	case fieldEmployer:
		if text = principal(text); f.employer == "" && isText(text) {
			f.employer, f.employerCell = text, c
			return true
		}
	case fieldProvider:
		if f.provider == "" && isText(text) && len(text) < 60 {
			f.provider = text
			if known := providerIn(plain(text)); known != "" {
				if rest, _ := removeWords(plain(text), plain(known)); rest != "" && rest != "payroll" {
					f.provider = known // without the other words
				}
			}
			return true
		}
	}
	return false
}

// putPeriod stores a period from two dates with a separator, which only a note in
// parentheses may follow.
func (f *fields) putPeriod(text string, c *cell) bool {
	a, b, after, first, second := twoDates(strings.TrimLeft(text, "(["))
	after = strings.TrimLeft(after, " )]")
	both := first == goodDate && second == goodDate
	f.several = f.several || f.start.valid && both && !f.start.date.Equal(a.Time) && !f.end.date.Equal(b.Time)
	if note := (strings.HasPrefix(after, "(") || isLabeled(after)) && both; c != nil && c.money ||
		first == noDate || second == noDate || f.start.shown || after != "" && !note {
		return false
	}
	f.start = when{shown: true, date: a, valid: first == goodDate, cell: c}
	f.end = when{shown: true, date: b, valid: second == goodDate, cell: c}
	return true
}

// isLabeled reports whether a text begins with another label.
func isLabeled(text string) bool {
	what, _, colon := inline(text)
	return what != noField && colon
}

// putPeriodOf stores a period from two dates within a sentence.
func (f *fields) putPeriodOf(text string, c *cell) bool {
	a, b, after, first, second := twoDates(text)
	if first != goodDate || second != goodDate || f.start.shown || after != "" && after[0] != ',' &&
		after[0] != ' ' || b.Sub(a.Time).Abs().Hours() > 24*35 {
		return false
	}
	f.start, f.end = when{shown: true, date: a, valid: true, cell: c}, when{shown: true, date: b, valid: true, cell: c}
	return true
}

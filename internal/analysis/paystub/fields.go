package paystub

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode"

	"vestibule/internal/report"
)

// when is a date as a stub shows it.
type when struct {
	shown bool // something stands there
	date  report.Date
	valid bool
	cell  *cell
}

// fields is what a stub says besides amounts.
type fields struct {
	start, end, pay, hire          when
	employee, employer, provider   string
	line1, line2, city, state, zip string
	frequency                      string
	employeeCell, employerCell     *cell
}

// fields reads labels and what stands beside or below them.
func (s *sheet) fields() *fields {
	f := &fields{}
	for n, r := range s.rows {
		for i, c := range r {
			if c.number {
				continue
			}
			s.spend(32 + len(c.text))
			what, rest, colon := inline(c.text)
			if what != noField && (colon || what != fieldEmployee && what != fieldEmployer && what != fieldAddress) && f.put(what, rest, c) {
				continue
			}
			if what = labelOf(c.words); what == noField {
				continue
			}
			for _, v := range s.beside(n, i) {
				s.spend(32 + len(v.text))
				if f.put(what, v.text, v) {
					break
				}
			}
		}
	}
	s.parties(f)
	if f.provider == "" {
		f.provider = s.someProvider()
	}
	if f.frequency == "" && f.start.valid && f.end.valid {
		f.frequency = rhythm(f.start.date, f.end.date)
	}
	return f
}

// beside are the cells that may be the value of a label, to the right and below:
// the nearest first, where a line down counts twice as far.
func (s *sheet) beside(n, i int) (out []*cell) {
	label := s.rows[n][i]
	far := map[*cell]float64{}
	if r := s.rows[n]; i+1 < len(r) && (r[i+1].x0-label.x1 < 220 || len(r) == 2) && labelOf(r[i+1].words) == noField {
		out = append(out, r[i+1])
		far[r[i+1]] = r[i+1].x0 - label.x1
	}
	for k := n + 1; k < len(s.rows) && k <= n+2; k++ {
		r := s.rows[k]
		if r[0].page != label.page || label.y-r.y() > 3*max(label.size, r[0].size) {
			break
		}
		s.spend(len(r))
		for _, c := range r {
			if (abs(c.x0-label.x0) < 8 || min(c.x1, label.x1)-max(c.x0, label.x0) > 0) && labelOf(c.words) == noField {
				s.spend(16)
				out = append(out, c)
				far[c] = 2 * (label.y - c.y)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *cell) int { return cmp.Compare(far[a], far[b]) })
	return out
}

// put keeps a value, if it is one of its kind and the first.
func (f *fields) put(what field, text string, c *cell) bool {
	date := func(w *when) bool {
		if w.shown {
			return w.cell == c
		}
		d, rest, state := dateIn(text)
		if state == noDate || strings.TrimSpace(rest) != "" {
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
		if v := frequencyOf(plain(text)); v != "" && f.frequency == "" {
			f.frequency = v
			return true
		}
	case fieldEmployee:
		if f.employee == "" && isName(text) {
			f.employee, f.employeeCell = text, c
			return true
		}
	case fieldEmployer:
		if f.employer == "" && isText(text) {
			f.employer, f.employerCell = text, c
			return true
		}
	case fieldProvider:
		if f.provider == "" && isText(text) && len(text) < 60 {
			f.provider = text
			return true
		}
	}
	return false
}

// putPeriod reads two dates with something between them.
func (f *fields) putPeriod(text string, c *cell) bool {
	a, rest, first := dateIn(text)
	if first == noDate || f.start.shown {
		return false
	}
	rest = strings.TrimLeft(rest, " -–—")
	for _, w := range []string{"to ", "through ", "thru ", "until "} {
		rest = strings.TrimPrefix(rest, w)
	}
	b, after, second := dateIn(strings.TrimLeft(rest, " "))
	if second == noDate || strings.TrimSpace(after) != "" {
		return false
	}
	f.start = when{shown: true, date: a, valid: first == goodDate, cell: c}
	f.end = when{shown: true, date: b, valid: second == goodDate, cell: c}
	return true
}

// What dateIn found.
const (
	noDate = iota
	badDate
	goodDate
)

// dateIn reads a date at the beginning of a text, as in 01/31/2026, 1-31-26,
// 2026-01-31, Jan 31, 2026 and 31 January 2026, and returns what follows. A day
// that no month has is a bad date.
func dateIn(s string) (d report.Date, rest string, state int) {
	s = strings.TrimSpace(s)
	if head, _, ok := strings.Cut(s, ", "); ok && strings.HasSuffix(strings.ToLower(head), "day") { // Friday, …
		s = s[len(head)+2:]
	}
	var parts [3]string
	at, k := 0, 0
	for k < 3 {
		from := at
		for at < len(s) && (s[at] >= '0' && s[at] <= '9' || s[at]|0x20 >= 'a' && s[at]|0x20 <= 'z') && (at == from || isDigit(s[at]) == isDigit(s[from])) {
			at++
		}
		if at == from {
			return d, s, noDate
		}
		parts[k] = s[from:at]
		k++
		if k < 3 {
			gap := at
			for at < len(s) && strings.IndexByte("/-., ", s[at]) >= 0 {
				at++
			}
			if at == gap || at-gap > 2 {
				return d, s, noDate
			}
		}
	}
	rest = s[at:]
	if rest != "" && (isDigit(rest[0]) || rest[0] == '/') {
		return d, s, noDate
	}
	y, m, day, ok := ymd(parts)
	if !ok {
		return d, s, noDate
	}
	t := time.Date(y, time.Month(m), day, 0, 0, 0, 0, time.UTC)
	if m < 1 || m > 12 || day < 1 || t.Day() != day || y < 1950 || y > 2100 {
		return d, rest, badDate
	}
	return report.Date{Time: t}, rest, goodDate
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// ymd puts three parts of a date in order.
func ymd(p [3]string) (y, m, d int, ok bool) {
	n := func(s string) int {
		v := 0
		for i := range len(s) {
			if !isDigit(s[i]) || len(s) > 4 {
				return -1
			}
			v = v*10 + int(s[i]-'0')
		}
		return v
	}
	switch {
	case monthOf(p[0]) > 0:
		y, m, d = n(p[2]), monthOf(p[0]), n(p[1])
	case monthOf(p[1]) > 0:
		y, m, d = n(p[2]), monthOf(p[1]), n(p[0])
	case len(p[0]) == 4:
		y, m, d = n(p[0]), n(p[1]), n(p[2])
	default:
		y, m, d = n(p[2]), n(p[0]), n(p[1])
	}
	if y >= 0 && y < 100 && (len(p[2]) == 2) {
		y += 2000
		if y > 2079 {
			y -= 100
		}
	}
	return y, m, d, y >= 1000 && m >= 0 && d >= 0
}

var months = [...]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}

// monthOf is a month's number by its name or the three or four letters it begins
// with; 0 for what is none.
func monthOf(s string) int {
	s = strings.ToLower(s)
	if len(s) < 3 {
		return 0
	}
	for i, m := range months {
		if s == m || len(s) <= 4 && strings.HasPrefix(m, s) {
			return i + 1
		}
	}
	return 0
}

// frequencies are the words of each rhythm; numbers are the periods of a year.
var frequencies = flipped(map[string][]string{
	report.PayWeekly:      {"weekly", "every week", "once a week", "each week", "weekly 52", "52 times a year"},
	report.PayBiweekly:    {"bi weekly", "biweekly", "every two weeks", "every 2 weeks", "every other week", "every second week", "fortnightly", "biweekly 26", "bi weekly 26", "26 times a year"},
	report.PaySemiMonthly: {"semi monthly", "semimonthly", "twice a month", "twice per month", "twice monthly", "two times a month", "2 times a month", "semimonthly 24", "semi monthly 24", "24 times a year"},
	report.PayMonthly:     {"monthly", "every month", "once a month", "each month", "monthly 12", "12 times a year"},
})

// aboutPay are words before and after those of a rhythm that change nothing.
var aboutPay = []string{"paid", "pay", "pays", "payroll", "payment", "payments", "paycheck", "paychecks", "frequency", "period", "periods", "cycle", "schedule", "basis", "on", "a"}

// frequencyOf reads the words of a rhythm, which are all that there is besides what
// says that it is about pay. Four-weekly is not weekly, and bi-monthly may be two
// things: for what is not known the period's length decides.
func frequencyOf(words string) string {
	w := strings.Fields(words)
	for len(w) > 0 && slices.Contains(aboutPay, w[0]) {
		w = w[1:]
	}
	for len(w) > 0 && slices.Contains(aboutPay, w[len(w)-1]) {
		w = w[:len(w)-1]
	}
	return frequencies[strings.Join(w, " ")]
}

// rhythm is the frequency that a period's length is of; empty for any other.
func rhythm(start, end report.Date) string {
	days := int(end.Sub(start.Time).Hours()/24) + 1
	next := end.AddDate(0, 0, 1).Day()
	lastOfMonth := next == 1
	switch {
	case days == 7:
		return report.PayWeekly
	case start.Day() == 1 && end.Day() == 15 && days == 15, start.Day() == 16 && lastOfMonth && days < 17:
		return report.PaySemiMonthly
	case days == 14:
		return report.PayBiweekly
	case days == 15, days == 16, days == 13:
		return report.PaySemiMonthly
	case days == 28 && next != start.Day():
		return "" // four weeks, and no month
	case days >= 28 && days <= 31:
		return report.PayMonthly
	}
	return ""
}

// isText says whether a text may name somebody: it has letters, and is no date
// and no label.
func isText(s string) bool {
	if len(s) < 2 || len(s) > 100 || labelOf(plain(s)) != noField {
		return false
	}
	if _, _, state := dateIn(s); state != noDate {
		return false
	}
	if _, _, _, is := town(s); is {
		return false
	}
	return strings.IndexFunc(s, unicode.IsLetter) >= 0 && !strings.Contains(s, "\ufffd")
}

// isName says whether a text may be a person's name.
func isName(s string) bool {
	if !isText(s) || strings.ContainsAny(s, "0123456789$%:#@/") || len(strings.Fields(s)) > 6 {
		return false
	}
	w := plain(s)
	return sectionOf(w) == noSection && periodOf(w) == noPeriod && !slices.Contains(titles, w)
}

package bankfile

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"vestibule/internal/report"
)

// column is the meaning of a CSV file's column.
type column int

const (
	posted column = iota
	transacted
	description
	memo
	amount
	gross // before a fee
	moneyOut
	moneyIn
	side // whether the amount is money in or out, in words
	runningBalance
	availableBalance
	accountNumber
	accountName
	accountType
	bankName
	status
	currency
	reference
	fee
	card
	unused
	columns
)

// columnNames names the meanings in the table header of words.tsv.
var columnNames = [columns]string{"posted", "date", "text", "memo", "amount", "gross", "out", "in", "side", "balance", "available",
	"number", "account", "kind", "bank", "status", "currency", "reference", "fee", "card", "other"}

// row is a line of a CSV file, or several if a quoted value has line breaks.
type row struct {
	fields  []string
	line    int
	segment int    // number of header lines before
	section string // status that a line above the row names for those below
	owner   string // account that a line above the row names
	loose   bool   // its quotes are not balanced

	day               report.Date
	dated, counts     bool // counts: it is a transaction, booked
	has               [columns]bool
	value             [columns]report.Cents // of amounts
	marked, plus      bool                  // the amount has its side, as CR or DR, or the sign +
	minus, out        bool                  // a zero's: it has a minus or DR; it is money out
	sum               report.Cents          // signed
	balance, written  report.Cents          // after the amount; as the file has it, which may be before
	balanced, opening bool                  // opening: a line without an amount that states a balance
}

// table is a CSV file with known columns.
type table struct {
	file      *File
	separator byte
	names     []string // of the columns; nil in a file without header
	keys      []string // the names, as headerKey returns them; see signed
	tried     int      // ways to join values
	at        [columns][]int
	rows      []*row
	above     [][]string // lines before the header
	notes     []*row     // lines without a day
	decimal   byte
	layout    int                      // of the days: an index of layouts
	rounded   int                      // amounts with parts of a cent
	whole     bool                     // no amount has decimals
	owed      bool                     // the balance says that amounts go the other way than the columns' names or signs
	bare      bool                     // balances are from a line without their names
	flat      bool                     // every row has the same balance, that of the account now
	stated    map[string]statedBalance // by rows of the table, and lines around it
}

// cell returns the value of a column, or "" if the row ends before it.
func (r *row) cell(i int) string {
	if i < len(r.fields) {
		return r.fields[i]
	}
	return ""
}

// text returns the first value of a column's meaning that is not empty.
func (t *table) text(r *row, c column) string {
	for _, i := range t.at[c] {
		if s := clean(r.cell(i)); s != "" {
			return s
		}
	}
	return ""
}

// readCSV parses a table of transactions, which other lines may precede and follow.
func readCSV(f *File, text, kind string) error {
	t, err := parseTable(f, text)
	if err != nil {
		return err
	}
	if t.names == nil && len(f.LeftOut) > 0 {
		return nil
	}
	if len(t.rows) == 0 {
		return errors.New("the file has no transaction")
	}
	for _, line := range t.above {
		if withoutWords(line) {
			t.labelSums(line)
			t.bare = true
		}
	}
	for _, step := range []func() error{t.joinDays, t.mendRows, t.dropRepeated, t.readDays, t.readStatus, t.readFigures, t.readTexts} {
		if err := step(); err != nil {
			return err
		}
	}
	return t.accounts(kind)
}

// records splits a file at line breaks and separators.
type records struct {
	rest      string
	line      int
	separator byte
}

// next returns the next record. A quote that does not end before a separator is part of the
// value, as is one that would swallow other records.
func (r *records) next() (out row, ok bool) {
	if r.rest == "" {
		return out, false
	}
	out.line = r.line + 1
	fields, length := r.quoted()
	first, _, _ := strings.Cut(r.rest, "\n")
	if lines := strings.Count(r.rest[:max(length, 0)], "\n"); length < 0 || lines > 1 && r.swallows(r.rest[len(first)+1:length], len(fields)) {
		out.loose, length = true, min(len(first)+1, len(r.rest))
		fields = splitLoose(first, r.separator)
	}
	r.line += strings.Count(r.rest[:length], "\n")
	r.rest = r.rest[length:]
	for i := range fields {
		fields[i] = clean(unescape(strings.Trim(strings.TrimPrefix(fields[i], "="), `"' `)))
		if len(fields[i]) < 20 && words["empty"][strings.ToLower(fields[i])] != "" {
			fields[i] = ""
		}
	}
	out.fields = fields
	return out, true
}

// quoted splits one record as RFC 4180 says. It returns a negative length if quotes are not
// balanced.
func (r *records) quoted() (fields []string, length int) {
	s, i := r.rest, 0
	for {
		start := i
		for i < len(s) && s[i] == ' ' {
			i++
		}
		if strings.HasPrefix(s[i:], `="`) {
			i++
		}
		var value string
		if i < len(s) && s[i] == '"' {
			var b strings.Builder
			for i++; ; i++ {
				if i == len(s) || b.Len() > 1<<12 {
					return nil, -1
				}
				if s[i] == '"' {
					if i++; i == len(s) || s[i] != '"' {
						break
					}
				}
				b.WriteByte(s[i])
			}
			for i < len(s) && s[i] == ' ' {
				i++
			}
			if i < len(s) && s[i] != r.separator && s[i] != '\n' {
				return nil, -1
			}
			value = b.String()
		} else {
			for i = start; i < len(s) && s[i] != r.separator && s[i] != '\n'; i++ {
			}
			value = s[start:i]
		}
		fields = append(fields, value)
		if i == len(s) || s[i] == '\n' {
			return fields, min(i+1, len(s))
		}
		i++
	}
}

// swallows reports whether lines within quotes look like records: with as many values, a day
// and an amount.
func (r *records) swallows(lines string, width int) bool {
	for line := range strings.Lines(lines) {
		day, sum := false, false
		fields := splitLoose(strings.TrimSuffix(line, "\n"), r.separator)
		for _, f := range fields {
			f = clean(strings.Trim(f, `"`))
			day, sum = day || isDay(f), sum || isNumeral(f) && !isDay(f)
		}
		if day && sum && len(fields) >= width {
			return true
		}
	}
	return false
}

// splitLoose splits a line whose quotes are not balanced. A value in quotes ends at a quote
// before a separator.
func splitLoose(line string, separator byte) (fields []string) {
	for {
		i := strings.IndexByte(line, separator)
		if strings.HasPrefix(line, `"`) {
			if end := strings.Index(line[1:], `"`+string(separator)); end >= 0 {
				i = end + 2
			}
		}
		if i < 0 {
			return append(fields, strings.Trim(line, `"`))
		}
		fields = append(fields, strings.Trim(line[:i], `"`))
		line = line[i+1:]
	}
}

// ownerIn returns the number or name of an account in a line of at most three values.
func ownerIn(fields []string) string {
	filled := slices.DeleteFunc(slices.Clone(fields), func(s string) bool { return s == "" })
	if len(filled) > 3 {
		return ""
	}
	label, value, _ := strings.Cut(filled[0], ":")
	if value = strings.TrimSpace(value); value == "" && len(filled) > 1 {
		value = filled[1]
	}
	if m := meaningOf(label); m == "number" || m == "account" {
		return value
	}
	return ""
}

// joinDays joins days whose year, month, and day are in columns of their own.
func (t *table) joinDays() error {
	var at []int
	for _, part := range []string{"year", "month", "day"} {
		at = append(at, slices.IndexFunc(t.names, func(s string) bool { return words["datepart"][plain(s)] == part }))
	}
	if slices.Contains(at, -1) || !slices.Equal(at[2:], slices.Concat(t.at[posted], t.at[transacted])) { // there is another day
		return nil
	}
	for _, r := range t.rows {
		if year, month, day := r.cell(at[0]), r.cell(at[1]), r.cell(at[2]); len(year) > 1 && number(day) > 0 {
			r.fields[at[0]], r.fields[at[1]] = "", ""
			r.fields[at[2]] = "20" + year[len(year)-2:] + "-" + cmp.Or(words["month"][plain(month)], month) + "-" + day
		}
	}
	return nil
}

// quotedLine matches a line that is one quoted value, which separators may follow.
var quotedLine = regexp.MustCompile(`(?m)^"((?:[^"\n]|"")*)"[\t ,;|]*$`)

// unquoteLines returns a file with most lines in quotes as a whole, without these quotes.
func unquoteLines(text string) string {
	if n := len(quotedLine.FindAllStringIndex(text, -1)); n*2 <= strings.Count(text, "\n") {
		return text
	}
	return quotedLine.ReplaceAllStringFunc(text, func(line string) string {
		return strings.ReplaceAll(quotedLine.FindStringSubmatch(line)[1], `""`, `"`)
	})
}

// separatorOf returns the separator with which the beginning of a file has a header, or else lines of one
// width; 0 for none.
func separatorOf(head string) (separator byte) {
	best := 0
	for _, s := range []byte{'\t', '|', ';', ','} {
		known, width := 0, 0 // without a header, lines of one width
		r := records{rest: head, separator: s}
		for range 100 {
			record, ok := r.next()
			if !ok {
				break
			}
			if width = max(width, len(record.fields)); width > 2 && len(record.fields) == width {
				known = min(known+1, 99)
			}
			if n := new(table).nameColumns(record.fields); n > 0 {
				known = 100 + n
				break
			}
		}
		if strings.Count(head, string(s)) > 0 && (known > best || separator == 0) {
			best, separator = known, s
		}
	}
	return separator
}

// parseTable finds the separator and the line with the columns' names, and splits the file.
func parseTable(f *File, text string) (*table, error) {
	if line, rest, _ := strings.Cut(text, "\n"); len(line) == 5 && strings.HasPrefix(strings.ToLower(line), "sep=") {
		text = rest
	}
	text = unquoteLines(text)
	t := &table{file: f, stated: map[string]statedBalance{}, separator: separatorOf(text[:min(len(text), 1<<16)])}
	if t.separator == 0 {
		return nil, errNothing
	}
	section, title, owner, segment, header := "", "", "", 0, []string(nil)
	last, first := 0, "" // rows until the last with a day; heading of the first table
	r := records{rest: text, separator: t.separator}
	for {
		record, ok := r.next()
		if !ok {
			break
		}
		line := strings.TrimSpace(strings.Join(record.fields, " "))
		if slices.ContainsFunc(record.fields, isDay) {
			last = len(t.rows) + 1
		}
		other := header != nil && !strings.ContainsAny(line, "0123456789") && new(table).nameColumns(record.fields) > 0
		left, heading, between := "", "", t.rows[min(last, len(t.rows)):]
		if n := len(between); n > 0 && strings.Join(between[n-1].fields, "") == between[n-1].cell(0) {
			heading = between[n-1].cell(0)
		}
		if other && slices.ContainsFunc(between, func(r *row) bool {
			left = find("preamble", strings.Join(r.fields, " "))
			return left != ""
		}) {
			t.rows = t.rows[:len(t.rows)-len(between)]
			f.leaveOut(fmt.Sprintf("%s and what follows left out, from line %d on: %s", left, record.line, onlyAccounts))
			break
		}
		apart := first != "" && kindOf(heading) != "" && ownerIn([]string{heading}) == "" && !strings.Contains(plain(heading), plain(first))
		switch {
		case line == "":
			continue
		case header != nil && !apart && slices.EqualFunc(header, record.fields, func(a, b string) bool { return headerKey(a) == headerKey(b) }):
			segment++
			continue
		case header == nil && len(t.rows) < 100 && t.nameColumns(record.fields) > 0:
			for _, r := range t.rows { // what was before is not about transactions
				t.above = append(t.above, r.fields)
			}
			t.rows, header, t.names, section, first = nil, record.fields, record.fields, title, heading
			continue
		}
		title, _, _ = strings.Cut(line, "(")
		title = words["section"][plain(title)]
		section = cmp.Or(title, section)
		if v := ownerIn(record.fields); v != "" && header != nil {
			owner = v
		}
		if other {
			return nil, fmt.Errorf("line %d: a table with other columns, or of another account, begins here: put it into its own file", record.line)
		}
		if len(t.rows) > MaxTransactions {
			return nil, fmt.Errorf("more than %d lines", MaxTransactions)
		}
		record.section, record.owner, record.segment = section, owner, segment
		t.rows = append(t.rows, &record)
	}
	if header == nil {
		return t, t.withoutNames()
	}
	return t, nil
}

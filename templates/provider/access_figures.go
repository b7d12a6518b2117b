package provider

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// AccessFigures is a part of a report as a person reads it.
type AccessFigures struct {
	Title  string
	Groups []AccessGroup
}

// AccessGroup is figures that belong together: facts, and a table below them.
type AccessGroup struct {
	Title string // "" for none
	Facts []ui.Fact
	Table ui.Grid
}

// node is a value of a report's body, with the members of an object in their order.
type node struct {
	key   string
	kids  []node // of an object or an array
	array bool
	value any // of another value: string, json.Number, bool, or nil
}

func (n node) leaf() bool { return n.kids == nil && !n.array }

// child returns the text of a member; "" without it.
func (n node) child(key string) string {
	for _, k := range n.kids {
		if k.key == key && k.value != nil {
			s, _ := k.value.(string)
			return s
		}
	}
	return ""
}

// Figures returns all that a report's body says about a person, in words. It leaves out what only
// identifies things for programs.
func Figures(l i18n.Lang, body []byte) (out []AccessFigures, err error) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	top, err := decodeNode(dec, "")
	if err != nil {
		return nil, errors.New("provider: a report's body does not read back") // the error may quote personal data
	}
	var last []AccessFigures // where the figures come from
	var employment []node
	for _, part := range top.kids {
		if part.key == "meta" || part.key == "product" || part.leaf() {
			continue
		}
		items := []node{part}
		if part.array {
			items = part.kids
		}
		if part.key == "employment" {
			employment = items
		}
		f := figures{l: l, currency: "USD", employment: employment}
		section := AccessFigures{Title: f.label(part.key)}
		if part.array && f.table("", part) {
			items = nil
		}
		var values []ui.Fact // of items that are a description and a value
		for _, item := range items {
			described := item.child("description")
			i := slices.IndexFunc(item.kids, func(k node) bool { return k.key == "value" && k.leaf() })
			if described != "" && i >= 0 {
				values = append(values, f.attribute(item.child("name"), described, item.kids[i]))
			} else {
				f.group("")
				if part.key == "currencies" {
					f.groups[len(f.groups)-1].Title = item.child("currency")
				}
				f.object("", item)
			}
		}
		section.Groups = slices.DeleteFunc(append(f.groups, AccessGroup{Facts: values}),
			func(g AccessGroup) bool { return len(g.Facts)+len(g.Table.Rows) == 0 })
		if len(section.Groups) > 0 {
			if slices.Contains([]string{"sources", "identities", "documents"}, part.key) {
				last = append(last, section)
			} else {
				out = append(out, section)
			}
		}
	}
	return append(out, last...), nil
}

func decodeNode(dec *json.Decoder, key string) (node, error) {
	t, err := dec.Token()
	if err != nil {
		return node{}, err
	}
	d, opens := t.(json.Delim)
	if !opens {
		return node{key: key, value: t}, nil
	}
	n := node{key: key, array: d == '[', kids: []node{}}
	for dec.More() {
		name := ""
		if !n.array {
			if t, err = dec.Token(); err != nil {
				return n, err
			}
			name, _ = t.(string)
		}
		kid, err := decodeNode(dec, name)
		if err != nil {
			return n, err
		}
		n.kids = append(n.kids, kid)
	}
	_, err = dec.Token()
	return n, err
}

// figures collects the facts of a part.
type figures struct {
	l          i18n.Lang
	currency   string
	employment []node // jobs of the report
	groups     []AccessGroup
}

func (f *figures) group(title string) { f.groups = append(f.groups, AccessGroup{Title: title}) }

// add adds a fact. A table ends its group.
func (f *figures) add(term, text string) {
	if f.groups[len(f.groups)-1].Table.Rows != nil {
		f.group("")
	}
	g := &f.groups[len(f.groups)-1]
	g.Facts = append(g.Facts, ui.Fact{Term: term, Text: text})
}

// attribute returns a described value; one with cents is an amount.
func (f *figures) attribute(name, described string, n node) ui.Fact {
	words, _ := ui.AttributeWords(f.l, name, described)
	value, _ := n.value.(json.Number)
	text := i18n.Code(f.l, "review.report", report.Attribute{Name: name, Value: value}.Missing())
	if text == "" && len(value) > 3 && value[len(value)-3] == '.' {
		text = AmountWords(value.String(), f.currency)
	}
	return ui.Fact{Term: words, Text: cmp.Or(text, f.text(n.key, n.value))}
}

// forPrograms reports whether a member says nothing to people.
func forPrograms(key string) bool {
	for _, suffix := range []string{"_id", "_ids", "uuid", "source_reference", "matching", "adverse_action_code",
		"filepath", "node", "currency", "score_name", "score_value"} {
		if strings.HasSuffix(key, suffix) {
			return true
		}
	}
	return false
}

// object adds the members of an object, below a label.
func (f *figures) object(under string, n node) {
	if c := n.child("currency"); c != "" {
		f.currency = c
	}
	if n.leaf() || n.array {
		f.member(under, n)
		return
	}
	if address := n.child("address"); address != "" { // the whole of its parts
		f.add(cmp.Or(under, f.label("address")), address)
		return
	}
	if code := n.child("code"); code != "" && n.child("description") != "" && under != "" { // a reason for a score
		f.add(under, cmp.Or(f.find(code, "review.reasons"), n.child("description")))
		return
	}
	for _, k := range n.kids {
		if k.key == "boolean_value" { // the object's name says of what
			f.member(under, k)
		} else if !forPrograms(k.key) {
			f.member(joinLabels(under, f.label(k.key)), k)
		}
	}
}

// member adds a value below its label.
func (f *figures) member(label string, n node) {
	switch {
	case n.leaf():
		if text := f.text(n.key, n.value); text != "" {
			f.add(label, text)
		}
	case n.key == "totals_usd":
		was := f.currency
		f.currency = "USD"
		f.object(label, n)
		f.currency = was
	case !n.array:
		f.object(label, n)
	case n.key == "payment_history" && len(n.kids) > 0:
		f.add(label, f.history(n.kids))
	case n.key == "payroll":
		for i, k := range n.kids {
			f.group(cmp.Or(f.employer(n.kids, i), k.child("provider_name"), label))
			f.object("", k)
		}
		f.group("")
	case f.table(label, n):
	case slices.ContainsFunc(n.kids, func(k node) bool { return !k.leaf() }):
		for i, k := range n.kids {
			under := label
			if len(n.kids) > 1 {
				under = joinLabels(label, strconv.Itoa(i+1))
			}
			f.object(under, k)
		}
	default:
		var all []string
		for _, k := range n.kids {
			if text := f.text(n.key, k.value); text != "" {
				all = append(all, text)
			}
		}
		if len(all) > 0 {
			f.add(label, strings.Join(all, ", "))
		}
	}
}

func joinLabels(a, b string) string {
	if a == "" {
		return b
	}
	return a + " · " + b
}

// reportField is a member of a report's body.
type reportField string

func (f *figures) label(key string) string {
	return cmp.Or(f.find(key, "access.field", "review.stub_checks"), sentence(key))
}

// find returns the text of a code in the first group that has it, with a capital letter.
func (f *figures) find(code string, groups ...i18n.Group) string {
	for _, g := range groups {
		if text, ok := i18n.Find(f.l, g, reportField(code)); ok {
			return capitalized(text)
		}
	}
	return ""
}

// sentence writes a name of a program as words: ANNUAL_INCOME or annual_income as Annual income.
func sentence(name string) string {
	return capitalized(strings.ToLower(strings.ReplaceAll(name, "_", " ")))
}

func capitalized(text string) string {
	first, n := utf8.DecodeRuneInString(text)
	if n == 0 {
		return ""
	}
	return string(unicode.ToUpper(first)) + text[n:]
}

var (
	dayPattern  = regexp.MustCompile(`^\d{4}-\d\d-\d\d$`)
	codePattern = regexp.MustCompile(`^[A-Z][A-Z0-9]*(_[A-Z0-9]+)*$`)
	money       = regexp.MustCompile(`balance|amount|income|gross|^net|_net|earnings|credit_limit|payment$|` +
		`past_due|tips|bonuses|fees|salary|pay_rate`)
)

// text writes a value in words; "" for an unknown one.
func (f *figures) text(key string, value any) string {
	switch v := value.(type) {
	case bool:
		if v {
			return i18n.T(f.l, "access.yes")
		}
		return i18n.T(f.l, "access.no")
	case json.Number:
		if money.MatchString(key) {
			return AmountWords(v.String(), f.currency)
		}
		switch key {
		case "year":
			return v.String()
		case "usd_rate":
			return strings.TrimRight(v.String(), "0")
		}
		return i18n.Grouped(v.String())
	case string:
		if day, err := time.Parse(time.DateOnly, v); err == nil && dayPattern.MatchString(v) {
			return ui.DayWords(f.l, day)
		}
		if at, err := time.Parse(time.RFC3339, v); err == nil {
			return ui.DayWords(f.l, at.UTC())
		}
		if text := f.find(v, "access.value", "statuses", "review.passport.codes", "review.frequencies", "review.skip_reasons",
			"review.irregularities"); text != "" {
			return text
		}
		if codePattern.MatchString(v) && len(v) > 3 {
			return sentence(v)
		}
		return v
	}
	return ""
}

// AmountWords writes an amount of money.
func AmountWords(amount, currency string) string {
	sign := ""
	if n, ok := strings.CutPrefix(amount, "-"); ok {
		sign, amount = "−", n
	}
	if currency == "USD" || currency == "" {
		return sign + "$" + i18n.Grouped(amount)
	}
	return sign + i18n.Grouped(amount) + " " + currency
}

// table adds an array of several objects with the same few values as a table, or returns false for another one.
func (f *figures) table(label string, n node) bool {
	g := ui.Grid{Caption: label, HideCaption: label == "", Named: true}
	var keys []string
	for _, row := range n.kids {
		for _, k := range row.kids {
			switch {
			case forPrograms(k.key) || k.leaf() && k.value == nil || slices.Contains(keys, k.key):
			case !k.leaf() || k.key == "address" || k.key == "description":
				return false
			default:
				_, number := k.value.(json.Number)
				keys = append(keys, k.key)
				g.Columns = append(g.Columns, ui.Column{Label: f.label(k.key), Number: number && k.key != "year"})
			}
		}
	}
	if len(n.kids) < 2 && label == "" || len(keys) < 2 || len(keys) > 8 {
		return false
	}
	for _, row := range n.kids {
		f.currency = cmp.Or(row.child("currency"), f.currency)
		cells := make([]ui.Cell, len(keys))
		for _, k := range row.kids {
			if i := slices.Index(keys, k.key); i >= 0 {
				cells[i].Text = f.text(k.key, k.value)
			}
		}
		for i := range cells {
			cells[i].Text = cmp.Or(cells[i].Text, "–")
		}
		g.Rows = append(g.Rows, cells)
	}
	if len(f.groups) == 0 || f.groups[len(f.groups)-1].Table.Rows != nil {
		f.group("")
	}
	f.groups[len(f.groups)-1].Table = g
	return true
}

// employer names the employer of a payroll connection. A report has the jobs and the connections of a source in one order.
func (f *figures) employer(payroll []node, number int) string {
	source := func(n node) string { return cmp.Or(n.child("source_uuid"), n.child("source_id")) }
	of, before := source(payroll[number]), 0
	for _, p := range payroll[:number] {
		if source(p) == of {
			before++
		}
	}
	for _, job := range f.employment {
		if source(job) == of {
			if before--; before < 0 {
				return job.child("employer_name")
			}
		}
	}
	return ""
}

// history says from when to when payments had which status, the latest first.
func (f *figures) history(months []node) string {
	word := func(n node) string {
		return cmp.Or(f.text("", n.child("status")), i18n.T(f.l, "access.history_unknown"))
	}
	day := func(n node) string {
		month, _ := time.Parse("2006-01", n.child("month"))
		return ui.MonthWords(f.l, month.Month()) + " " + strconv.Itoa(month.Year())
	}
	var all []string
	for i := 0; i < len(months); {
		last := i
		for i++; i < len(months) && word(months[i]) == word(months[last]); i++ {
		}
		span := day(months[last])
		if i-1 > last {
			span = day(months[i-1]) + " – " + span
		}
		all = append(all, word(months[last])+": "+span)
	}
	return strings.Join(all, ", ")
}

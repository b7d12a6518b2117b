package review

import (
	"slices"
	"strconv"
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/i18n"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Stated holds what an applicant stated, beside what a report found. Found is nil without
// a report.
type Stated struct {
	Fields prefill.Fields
	Found  Measured
}

// found holds what the sources of a report say about the stated values.
type found struct {
	names, emails, phones, births, addresses, employers []foundText

	income   *report.Cents // of a year; nil if unknown
	in       currency      // of income
	part     bool          // accounts are missing: income may be higher
	incomeIs i18n.Key      // text that describes income
}

// foundText is a value of one source.
type foundText struct {
	text     string
	compared comparison // by the report; notCompared if it does not compare them
}

func (f *found) identity(all []report.Identity) {
	for _, i := range all {
		c := compare(all, i)
		if c == typed || i.SourceID == report.ConsumerInput || i.SourceID == report.CustomerInput {
			continue
		}
		f.names = append(f.names, foundText{fullName(i), c})
		for _, e := range i.Emails {
			f.emails = append(f.emails, foundText{text: e})
		}
	}
}

func fullName(i report.Identity) string {
	if name := report.Text(i.FullName); name != "" {
		return name
	}
	return joined(" ", report.Text(i.FirstName), report.Text(i.LastName))
}

func (v ReportView) sources() found {
	f := found{incomeIs: "review.stated.deposited", in: v.currency(), part: v.gaps(i18n.English).any()}
	f.identity(v.Report.Identities)
	for _, a := range v.Report.AccountDetails {
		for _, x := range a.Addresses {
			f.addresses = append(f.addresses, foundText{text: mailing(x)})
		}
	}
	i := slices.IndexFunc(v.Report.Attributes, func(a report.Attribute) bool { return a.Name == "UA_INFLOW_INCOME_SUM_12M" })
	if i >= 0 && sentinel(i18n.English, v.Report.Attributes[i].Name, v.Report.Attributes[i].Value) == "" {
		if c, err := report.ParseCents(v.Report.Attributes[i].Value.String()); err == nil {
			f.income = &c
		}
	}
	return f
}

func (v IncomeView) sources() found {
	f := found{incomeIs: "review.income.before_tax", in: v.summaryCurrency(), part: v.gaps(i18n.English).any()}
	f.identity(v.identities())
	for _, a := range v.Report.AccountDetails {
		for _, x := range a.Addresses {
			f.addresses = append(f.addresses, foundText{text: mailingLine(x)})
		}
	}
	for _, e := range v.Report.Employment {
		if c := v.comparedEmployer(e); c != typed {
			f.employers = append(f.employers, foundText{report.Text(e.EmployerName), c})
		}
	}
	if v.Report.Income != nil {
		f.income = v.Report.Income.Summary.AnnualGross
	}
	return f
}

func (v EligibilityView) sources() found {
	f := found{incomeIs: "review.income.before_tax", in: usd, part: v.gaps(i18n.English).any()}
	f.identity(v.identities())
	for _, e := range v.Report.Employment {
		c := notCompared
		switch {
		case len(e.Matching.EmployerName.Matched) > 0:
			c = matched
		case len(e.Matching.EmployerName.Unmatched) > 0:
			c = unmatched
		}
		f.employers = append(f.employers, foundText{report.Text(e.EmployerName), c})
	}
	if gross, _, ok := v.payrollIncome(); ok {
		f.income = &gross
	}
	return f
}

func (v PassportView) sources() found {
	var f found
	f.identity(v.identities())
	for _, i := range v.Report.Identities {
		if i.SourceID == report.ConsumerInput || i.Matching != nil {
			continue
		}
		for _, p := range i.Telephones {
			f.phones = append(f.phones, foundText{text: p})
		}
		if i.DateOfBirth != nil {
			f.births = append(f.births, foundText{text: i.DateOfBirth.String()})
		}
	}
	for _, a := range v.Report.Addresses {
		f.addresses = append(f.addresses, foundText{text: report.Text(a.Address)})
	}
	for _, e := range v.Report.Employers {
		f.employers = append(f.employers, foundText{text: report.Text(e.Name)})
	}
	return f
}

// card returns the card of a report's page; nil if nothing was stated.
func (s *Stated) card(m Measured, l i18n.Lang) templ.Component {
	if s == nil {
		return nil
	}
	return (&Stated{s.Fields, m}).component(l)
}

// component returns the card; nil if nothing was stated.
func (s *Stated) component(l i18n.Lang) templ.Component {
	if s == nil {
		return nil
	}
	rows, alone := s.rows(l)
	if len(rows) == 0 && len(alone) == 0 {
		return nil
	}
	if s.Found == nil {
		var all []ui.Fact
		for _, r := range rows {
			all = append(all, ui.Fact{Term: r[0].Text, Text: r[1].Text, Body: r[1].Body})
		}
		return statedFacts(l, all)
	}
	return statedCard(l, alone, statedGrid(l, rows))
}

// statedGrid returns the stated values beside the found ones.
func statedGrid(l i18n.Lang, rows [][]ui.Cell) ui.Grid {
	return ui.Grid{Caption: i18n.T(l, "review.stated.title"), HideCaption: true, Rows: rows, Columns: []ui.Column{
		{Label: i18n.T(l, "review.stated.what")}, {Label: i18n.T(l, "review.stated.stated")},
		{Label: i18n.T(l, "review.stated.found")}, {Label: i18n.T(l, "review.stated.compared")}}}
}

// rows returns the stated values beside the found ones, and those of which the report has none.
func (s *Stated) rows(l i18n.Lang) (out [][]ui.Cell, alone []string) {
	var f found
	if s.Found != nil {
		f = s.Found.sources()
	}
	row := func(term i18n.Key, stated string, all []foundText, alike func(a, b string) bool) {
		if stated == "" {
			return
		}
		always := term == "review.list.name" || term == "review.report.employer"
		if s.Found != nil && !always && len(texts(all)) == 0 && compareTexts(stated, all, alike) == notCompared {
			alone = append(alone, i18n.T(l, term)+": "+stated)
			return
		}
		out = append(out, []ui.Cell{{Text: i18n.T(l, term)}, {Body: ui.Given(stated)}, {Body: statedTexts(l, texts(all))},
			{Body: statedAgrees(l, compareTexts(stated, all, alike), identifies(term))}})
	}
	a := s.Fields
	row("review.list.name", joined(" ", a.FirstName, a.LastName), f.names, sameWords)
	births := slices.Clone(f.births)
	for i := range births {
		births[i].text = dayWords(l, births[i].text)
	}
	row("review.date_of_birth", dayWords(l, a.DOB), births, func(a, b string) bool { return a == b })
	if a.StatedAnnualIncome != nil {
		out = append(out, []ui.Cell{{Text: i18n.T(l, "review.stated.income")}, {Text: usd.whole(*a.StatedAnnualIncome)},
			{Body: textOrDash(l, f.incomeText(l))}, {Body: s.incomeCompared(l, f)}})
	}
	employers := s.employers()
	for _, e := range employers {
		all := f.employers
		if len(employers) > 1 { // another stated employer does not contradict this one
			all = slices.DeleteFunc(slices.Clone(all), func(t foundText) bool { return t.compared == matched && !sameWords(t.text, e) })
		}
		row("review.report.employer", e, all, sameWords)
	}
	row("review.report.address", joined(", ", a.Address, a.City, joined(" ", a.State, a.ZIP)), f.addresses, sameAddress)
	row("review.email.label", a.Email, f.emails, strings.EqualFold)
	row("review.phone", phoneWords(a.Phone), f.phones, samePhone)
	return out, alone
}

// employers returns the stated employers, each once.
func (s *Stated) employers() []string {
	if s == nil {
		return nil
	}
	all := s.Fields.StatedEmployerNames
	if first := s.Fields.StatedEmployerName; first != "" && !slices.Contains(all, first) {
		all = append([]string{first}, all...)
	}
	return all
}

// identifies reports whether a different value contradicts the application. People have
// several addresses, phones and email addresses.
func identifies(term i18n.Key) bool {
	return term == "review.list.name" || term == "review.date_of_birth" || term == "review.report.employer"
}

// texts returns the values of the sources, each once.
func texts(all []foundText) (out []string) {
	for _, t := range all {
		if t.text != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, t.text) }) {
			out = append(out, t.text)
		}
	}
	return out
}

// compareTexts compares a stated value with the found ones: by the report's matching, otherwise
// by their texts.
func compareTexts(stated string, all []foundText, alike func(a, b string) bool) comparison {
	out, differs := notCompared, false
	for _, t := range all {
		switch {
		case t.compared == matched || t.compared == notCompared && t.text != "" && alike(stated, t.text):
			out = matched
		case t.compared == unmatched:
			differs = true
		}
	}
	switch {
	case out == matched && differs:
		return partly
	case out == notCompared && len(texts(all)) > 0:
		return unmatched
	}
	return out
}

// sameAddress reports whether an address has all words of a stated one, which may be only
// a city or a state.
func sameAddress(stated, found string) bool {
	words := foldedWords(found)
	for _, w := range foldedWords(stated) {
		if !slices.Contains(words, w) {
			return false
		}
	}
	return true
}

// sameWords compares names without regard to case, order and points.
func sameWords(a, b string) bool {
	words := func(s string) []string {
		all := foldedWords(s)
		slices.Sort(all)
		return all
	}
	return slices.Equal(words(a), words(b))
}

func foldedWords(s string) []string {
	return strings.FieldsFunc(fold(s), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127) })
}

// phoneWords formats a US phone number, as in 555-010-0199.
func phoneWords(s string) string {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "+1"), "1")
	if len(digits) != 10 || strings.Trim(digits, "0123456789") != "" {
		return s
	}
	return digits[:3] + "-" + digits[3:6] + "-" + digits[6:]
}

// samePhone compares the last ten digits.
func samePhone(a, b string) bool {
	digits := func(s string) string {
		s = strings.Map(func(r rune) rune {
			if r < '0' || r > '9' {
				return -1
			}
			return r
		}, s)
		return s[max(0, len(s)-10):]
	}
	return digits(a) == digits(b)
}

func (f found) incomeText(l i18n.Lang) string {
	if f.income == nil {
		return ""
	}
	return joined(", ", f.in.format(*f.income), i18n.T(l, f.incomeIs))
}

// incomeDiffers returns the difference between found and stated income. Applicants state
// dollars, so other currencies are not compared.
func (f found) incomeDiffers(l i18n.Lang, stated int64) string {
	if f.income == nil {
		return ""
	}
	if f.in != usd {
		return i18n.T(l, "review.compare.currencies")
	}
	d := *f.income - report.Cents(stated*100)
	text := usd.format(d)
	if d > 0 {
		text = "+" + text
	}
	if stated <= 0 {
		return text
	}
	return text
}

// incomeCompared returns the share of the stated income that was found, and the
// difference.
func (s *Stated) incomeCompared(l i18n.Lang, f found) templ.Component {
	differs := f.incomeDiffers(l, *s.Fields.StatedAnnualIncome)
	if percent, ok := s.share(f); ok {
		tone := shareTone(percent)
		if tone == ui.Danger && f.part {
			tone = ui.Warning
		}
		return incomeShare(l, tone, strconv.FormatInt(percent, 10)+"%", differs)
	}
	return textOrDash(l, differs)
}

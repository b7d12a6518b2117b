package verdict

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"vestibule/internal/i18n"
	"vestibule/internal/personname"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
)

// Comparison is the result of comparing a value of the sources with the stated one.
type Comparison int

const (
	NotCompared Comparison = iota
	Typed                  // the value is the stated one
	Matched
	Partly    // by some sources
	Different // the applicant may have several
	Unmatched
)

// Identity is what a source knows about the person, in the form of a cashflow report.
type Identity struct {
	report.Identity
	Name  Comparison        // by the report
	Notes []personname.Note // on a name that is the stated one
}

// identities compares the names of a report: that of the applicant's input lists the others under
// matched or unmatched.
func identities(all []report.Identity) []Identity {
	out := make([]Identity, len(all))
	for i, of := range all {
		out[i] = Identity{Identity: of}
		ref := report.SourceRef{SourceID: of.SourceID, SourceUUID: of.SourceUUID, SourceRecordID: of.SourceRecordID}
		has := func(all []report.SourceRef) bool {
			return slices.ContainsFunc(all, func(r report.SourceRef) bool {
				return r.SourceID == ref.SourceID && report.Text(r.SourceUUID) == report.Text(ref.SourceUUID) &&
					report.Text(r.SourceRecordID) == report.Text(ref.SourceRecordID)
			})
		}
		for _, input := range all {
			switch {
			case out[i].Name != NotCompared || input.Matching == nil:
			case has(input.Matching.FullName.Matched):
				out[i].Name = Matched
			case has(input.Matching.FullName.Unmatched):
				out[i].Name = Unmatched
			}
		}
		if of.Matching != nil || out[i].Name == NotCompared && isInput(of.SourceID) {
			out[i].Name = Typed
		}
	}
	return out
}

// isInput reports whether a source is what the applicant or the customer typed.
func isInput(sourceID string) bool {
	return sourceID == report.ConsumerInput || sourceID == report.CustomerInput
}

// TypedName returns the name that the applicant stated to the service.
func (v Verdict) TypedName() string {
	for _, i := range v.Identities {
		if i.Name == Typed {
			return report.Text(i.FullName)
		}
	}
	return ""
}

// compareNames answers whether the sources know the name, by the report's own comparison.
func compareNames(all []Identity) Finding {
	var values []value
	for _, i := range all {
		if i.Name != Typed {
			values = append(values, value{compared: i.Name})
		}
	}
	return namesFound(combine(values))
}

// namesFound answers whether the sources know the name.
func namesFound(c Comparison) Finding {
	switch c {
	case Unmatched:
		return found(unknownName, "identity", say("review.person_real.unknown"))
	case Partly:
		return found(anotherName, "identity", say("review.report.some_differ"))
	case Matched:
		return confirmed(person, "identity", say("review.report.all_match"))
	}
	return unknown(person, "identity", say("review.person_real.nothing_to_compare"))
}

// Stated is a value that the applicant stated, beside those of the sources.
type Stated struct {
	Term     i18n.Key
	Text     string   // a date of birth is YYYY-MM-DD
	Found    []string // each once
	Compared Comparison
	Notes    []personname.Note // on a name
	Income   *StatedIncome     // instead of Text, Found and Compared; nil for other values
}

// Alone reports whether the report has nothing to compare with. Names and employers are always shown.
func (s Stated) Alone() bool {
	return s.Income == nil && len(s.Found) == 0 && s.Compared == NotCompared && s.Term != NameTerm && s.Term != EmployerTerm
}

// StatedIncome is a stated income in dollars beside that of the sources.
type StatedIncome struct {
	Dollars int64
	Found   *Amount  // of a year; nil if unknown
	Is      i18n.Key // describes Found
	Percent int64    // of the stated income that was found
	Level   Level    // Unknown: the two do not compare
}

// Terms of stated values that have a form of their own.
const (
	NameTerm     i18n.Key = "review.list.name"
	BirthTerm    i18n.Key = "review.date_of_birth"
	EmployerTerm i18n.Key = "review.report.employer"
	PhoneTerm    i18n.Key = "review.phone"
)

// sources holds what the sources of a report say about the stated values.
type sources struct {
	identities                           []Identity
	phones, births, addresses, employers []value

	income   *report.Cents // of a year; nil if unknown
	currency string        // of income
	gaps     gaps          // if there are any, income may be higher
	incomeIs i18n.Key      // describes income
}

// value is a value of one source.
type value struct {
	text     string
	compared Comparison // by the report
}

// addNotes adds what names that are the stated one have different.
func (s sources) addNotes(f prefill.Fields) {
	given, family := f.FirstName, f.LastName
	for _, i := range s.identities {
		if name := nameOf(i.Identity); i.Name == Typed && name != "" {
			if given, family = report.Text(i.FirstName), report.Text(i.LastName); given == "" || family == "" {
				given, family = name, ""
			}
			break
		}
	}
	for n, i := range s.identities {
		if i.Name != Typed && i.Name != Unmatched && !isInput(i.SourceID) {
			s.identities[n].Notes, _ = personname.Compare(given, family, nameOf(i.Identity))
		}
	}
}

// notesOf returns the notes on all names, each once.
func notesOf(all []Identity) (out []personname.Note) {
	for _, n := range personname.Notes {
		if slices.ContainsFunc(all, func(i Identity) bool { return slices.Contains(i.Notes, n) }) {
			out = append(out, n)
		}
	}
	return out
}

// compare returns the stated values beside those of the sources. names is the report's own comparison of
// names; if it has none, their texts are compared.
func (s sources) compare(f prefill.Fields, names Finding) (out []Stated) {
	add := func(term i18n.Key, stated string, all []value, alike func(a, b string) bool, otherwise Comparison) {
		if stated == "" {
			return
		}
		row := Stated{Term: term, Text: stated, Found: texts(all, alike)}
		if row.Compared = compareTexts(stated, all, alike); row.Compared == Unmatched {
			row.Compared = otherwise
		}
		out = append(out, row)
	}
	var persons, emails []value
	for _, i := range s.identities {
		if i.Name == Typed || isInput(i.SourceID) {
			continue
		}
		persons = append(persons, value{nameOf(i.Identity), i.Name})
		for _, e := range i.Emails {
			emails = append(emails, value{text: e})
		}
	}
	if name := f.Name(); name != "" {
		for i, p := range persons {
			if names.Level == Unknown && p.text != "" {
				persons[i].compared = Unmatched
				if _, same := personname.Compare(f.FirstName, f.LastName, p.text); same {
					persons[i].compared = Matched
				}
			}
		}
		out = append(out, Stated{Term: NameTerm, Text: name, Found: texts(persons, strings.EqualFold), Compared: combine(persons),
			Notes: notesOf(s.identities)})
	}
	add(BirthTerm, f.DOB, s.births, func(a, b string) bool { return a == b }, Unmatched)
	if f.StatedAnnualIncome != nil {
		out = append(out, Stated{Term: "review.stated.income", Income: s.compareIncome(*f.StatedAnnualIncome)})
	}
	stated := employers(f)
	for _, e := range stated {
		all := s.employers
		if len(stated) > 1 { // another stated employer does not contradict this one
			all = slices.DeleteFunc(slices.Clone(all), func(v value) bool { return v.compared == Matched && !SameEmployer(v.text, e) })
		}
		add(EmployerTerm, e, all, SameEmployer, Unmatched)
	}
	add("review.report.address", joined(", ", f.Address, f.City, joined(" ", f.State, f.ZIP)), s.addresses, sameAddress, Different)
	add("review.email.label", f.Email, emails, strings.EqualFold, Different)
	add(PhoneTerm, f.Phone, s.phones, samePhone, Different)
	return out
}

// compareIncome compares a stated income in dollars with that of the sources.
func (s sources) compareIncome(stated int64) *StatedIncome {
	out := &StatedIncome{Dollars: stated, Is: s.incomeIs, Level: Unknown}
	if s.income == nil {
		return out
	}
	out.Found = &Amount{*s.income, s.currency}
	if stated > 0 && s.currency == report.Dollars {
		f := Finding{Level: Confirmed}
		out.Percent = int64(*s.income) / stated // cents / dollars
		f.share(out.Percent)
		if out.Level = f.Level; s.gaps.any() && out.Level == Contradicted {
			out.Level = Check
		}
	}
	return out
}

func (f *Finding) share(percent int64) {
	f.apply(farBelowStated, percent < int64(farBelowStated.Limit))
	f.apply(belowStated, percent < int64(belowStated.Limit))
}

// addIncomeShare adds to an answer about the income what share of the stated income was found.
func (v Verdict) addIncomeShare(f Finding) Finding {
	for _, s := range v.Stated {
		if s.Income != nil && s.Income.Level != Unknown {
			f.share(s.Income.Percent)
			f.Answer = append(f.Answer, say("review.income_real.share", "percent", int(s.Income.Percent)))
		}
	}
	return f
}

// personReal completes the answer about the person by the stated name, if the report compares none, by the
// date of birth, and by what the names have different.
func (v Verdict) personReal(f Finding) Finding {
	for _, s := range v.Stated {
		switch {
		case s.Term == NameTerm && f.Level == Unknown && s.Compared != NotCompared:
			f = namesFound(s.Compared)
		case s.Term == BirthTerm && s.Compared == Matched:
			f.Answer = append(f.Answer, say("review.person_real.born"))
		case s.Term == BirthTerm && s.Compared == Unmatched:
			f.apply(otherBirth, true)
			f.Answer = append(f.Answer, say("review.person_real.another_birth_date"))
		}
	}
	if notes := notesOf(v.Identities); len(notes) > 0 {
		f.Answer = append(f.Answer, say("review.person_real.written_differently", "notes", notes))
	}
	return f
}

// employerReal answers whether the sources name the employers that the applicant stated to the portal; false
// if one side has none.
func (v Verdict) employerReal(section string) (f Finding, ok bool) {
	for _, s := range v.Stated {
		switch {
		case s.Term != EmployerTerm:
		case s.Compared == Unmatched:
			return found(otherEmployer, section, say("review.employer_real.another", "employer", s.Text)), true
		case s.Compared != NotCompared:
			f, ok = confirmed(employer, section, say("review.employer_real.found", "employer", s.Text)), true
		}
	}
	return f, ok
}

// employers returns the stated employers, each once.
func employers(f prefill.Fields) []string {
	if first := f.StatedEmployerName; first != "" && !slices.Contains(f.StatedEmployerNames, first) {
		return append([]string{first}, f.StatedEmployerNames...)
	}
	return f.StatedEmployerNames
}

func nameOf(i report.Identity) string {
	if name := report.Text(i.FullName); name != "" {
		return name
	}
	return joined(" ", report.Text(i.FirstName), report.Text(i.LastName))
}

// texts returns the values of the sources, each once.
func texts(all []value, alike func(a, b string) bool) (out []string) {
	for _, v := range all {
		if v.text != "" && !slices.ContainsFunc(out, func(o string) bool { return strings.EqualFold(o, v.text) || alike(v.text, o) }) {
			out = append(out, v.text)
		}
	}
	return out
}

func combine(all []value) Comparison {
	has := func(c Comparison) bool {
		return slices.ContainsFunc(all, func(v value) bool { return v.compared == c })
	}
	switch {
	case has(Matched) && has(Unmatched):
		return Partly
	case has(Matched):
		return Matched
	case has(Unmatched):
		return Unmatched
	}
	return NotCompared
}

// compareTexts compares a stated value, of which there may be several, with those of the sources: by the
// report's comparison, otherwise by their texts.
func compareTexts(stated string, all []value, alike func(a, b string) bool) Comparison {
	all = slices.Clone(all)
	for i, v := range all {
		if v.compared == NotCompared && v.text != "" && alike(stated, v.text) {
			all[i].compared = Matched
		}
	}
	if c := combine(all); c == Matched || c == Partly {
		return c
	}
	if slices.ContainsFunc(all, func(v value) bool { return v.text != "" }) {
		return Unmatched
	}
	return NotCompared
}

// sameAddress reports whether an address has all words of a stated one, which may be only a city or a state.
func sameAddress(stated, found string) bool {
	words := foldedWords(found)
	return !slices.ContainsFunc(foldedWords(stated), func(w string) bool { return !slices.Contains(words, w) })
}

// legalForms are words of companies' names that sources add or leave out.
var legalForms = []string{"inc", "incorporated", "llc", "ltd", "limited", "corp", "corporation", "co", "company", "lp", "llp", "plc"}

// SameEmployer compares names without regard to case, order, points and legal forms.
func SameEmployer(a, b string) bool {
	words := func(name string) []string {
		all := foldedWords(name)
		for len(all) > 1 && slices.Contains(legalForms, all[len(all)-1]) {
			all = all[:len(all)-1]
		}
		return slices.Sorted(slices.Values(all))
	}
	return slices.Equal(words(a), words(b))
}

func foldedWords(s string) []string {
	return strings.FieldsFunc(Fold(s), func(r rune) bool { return !(r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || r > 127) })
}

// Fold returns a text in lower case without accents.
func Fold(s string) string {
	return strings.ToLower(strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(s)))
}

// samePhone compares the last ten digits.
func samePhone(a, b string) bool {
	digits := func(s string) string {
		s = strings.Join(strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }), "")
		return s[max(0, len(s)-10):]
	}
	return digits(a) == digits(b)
}

// joined joins the texts that are not empty.
func joined(by string, all ...string) string {
	return strings.Join(slices.DeleteFunc(all, func(s string) bool { return s == "" }), by)
}

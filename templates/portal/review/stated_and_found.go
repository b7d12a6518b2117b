package review

import (
	"slices"
	"strconv"
	"strings"

	"vestibule/internal/i18n"
	"vestibule/internal/personname"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

func statedWords(l i18n.Lang, s verdict.Stated) string {
	switch {
	case s.Income != nil:
		return usd.whole(s.Income.Dollars)
	case s.Term == verdict.BirthTerm:
		return dayWords(l, s.Text)
	case s.Term == verdict.PhoneTerm:
		return phoneWords(s.Text)
	}
	return s.Text
}

// phoneWords formats a US phone number, as in 555-010-0199.
func phoneWords(s string) string {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "+1"), "1")
	if len(digits) != 10 || strings.Trim(digits, "0123456789") != "" {
		return s
	}
	return digits[:3] + "-" + digits[3:6] + "-" + digits[6:]
}

// statedAlone lists the stated values before there is a report.
func statedAlone(l i18n.Lang, all []verdict.Stated) (out []ui.Fact) {
	for _, s := range all {
		out = append(out, ui.Fact{Term: i18n.T(l, s.Term), Body: ui.Given(statedWords(l, s))})
	}
	return out
}

// statedGrid returns the stated values beside the found ones, and those of which the report has none.
func statedGrid(l i18n.Lang, all []verdict.Stated) (g ui.Grid, alone []string) {
	g = ui.Grid{Caption: i18n.T(l, "review.stated.title"), HideCaption: true, Columns: columns(l, 0, "review.stated.what",
		"review.stated.stated", "review.stated.found", "review.stated.compared")}
	for _, s := range all {
		term, text := i18n.T(l, s.Term), statedWords(l, s)
		if s.Alone() {
			alone = append(alone, term+": "+text)
			continue
		}
		found, compared := textOrDash(l, ""), withNotes(l, statedAgrees(l, s.Compared), s.Notes)
		switch all := slices.Clone(s.Found); {
		case s.Income != nil:
			found, compared = textOrDash(l, incomeFound(l, s.Income)), incomeCompared(l, s.Income)
		case len(all) > 0:
			for i := range all {
				if s.Term == verdict.BirthTerm {
					all[i] = dayWords(l, all[i])
				}
			}
			found = as(statedTexts(all), all...)
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: term}, {Text: text}, {Body: found}, {Body: compared}})
	}
	return g, alone
}

// noteWords says what names have different.
func noteWords(l i18n.Lang, notes []personname.Note) string {
	var words []string
	for _, n := range notes {
		words = append(words, i18n.Code(l, "review.name_notes", n))
	}
	return strings.Join(words, ", ")
}

// withNotes adds to a comparison what the names have different.
func withNotes(l i18n.Lang, p printed, notes []personname.Note) printed {
	if len(notes) == 0 {
		return p
	}
	text := noteWords(l, notes)
	out := as(noted(p, text), p.Text, text)
	out.Tone = p.Tone
	return out
}

func incomeFound(l i18n.Lang, s *verdict.StatedIncome) string {
	if s.Found == nil {
		return ""
	}
	return joined(", ", currency(s.Found.Currency).format(s.Found.Cents), i18n.T(l, s.Is))
}

// incomeCompared shows the share of the stated income that was found, and the difference.
func incomeCompared(l i18n.Lang, s *verdict.StatedIncome) printed {
	differs := ""
	switch {
	case s.Found == nil:
	case s.Found.Currency != report.Dollars:
		differs = i18n.T(l, "review.compare.currencies")
	default:
		d := s.Found.Cents - report.Cents(s.Dollars*100)
		if differs = usd.format(d); d > 0 {
			differs = "+" + differs
		}
	}
	if s.Level == verdict.Unknown {
		return textOrDash(l, differs)
	}
	percent := strconv.FormatInt(s.Percent, 10) + "%"
	p := as(incomeShare(l, tones[s.Level], percent, differs), percent+" "+differs)
	p.Tone = tones[s.Level]
	return p
}

// agreements are the tones and words of comparisons with a stated value.
var agreements = map[verdict.Comparison]struct {
	tone  ui.Tone
	words i18n.Key
}{verdict.Matched: {ui.Success, "review.stated.confirmed"}, verdict.Partly: {ui.Warning, "review.stated.partly"},
	verdict.Different: {ui.Warning, "review.stated.different"}, verdict.Unmatched: {ui.Danger, "review.stated.contradicted"}}

func statedAgrees(l i18n.Lang, c verdict.Comparison) printed {
	if a, ok := agreements[c]; ok {
		return badge(a.tone, i18n.T(l, a.words))
	}
	return notCompared(l)
}

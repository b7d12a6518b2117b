package review

import (
	"cmp"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// LetterView is a decision letter to the applicant.
type LetterView struct {
	ApplicationID, Reference string
	Place                    *Place // in the list from which the application was opened; nil for none
	Name                     string
	Address                  []string
	Creditor                 string // name and address of the creditor; "" shows only the brand's name
	Agency                   string // consumer reporting agency; "" shows only Host
	Host                     string
	Regulator                string // agency that the legal notice names; "" for none
	Began                    time.Time
	ReportAt                 time.Time // zero without a report
	Score                    *LetterScore
	Decision                 Decision
	Lacks                    []string // legally required parts that the configuration lacks
	Draft                    bool     // the text names what it lacks
}

// LetterScore is the score that a decision is based on.
type LetterScore struct {
	Value   int
	Of      time.Time
	Factors []Reason // that lowered it most, in the report's order
}

func (v LetterView) title() i18n.Key {
	switch v.Decision.Decision {
	case "declined":
		return "review.letter.declined"
	case "approved":
		return "review.letter.approved"
	}
	return "review.letter.more"
}

// letterPart is a paragraph or a list of a letter.
type letterPart struct {
	text    string
	bold    string // a part of text
	written bool   // as a reviewer wrote it
	fine    bool
	items   []Reason
}

// parts returns a letter from the salutation to the closing.
func (v LetterView) parts(l i18n.Lang) (out []letterPart) {
	say := func(text ...string) { out = append(out, letterPart{text: strings.Join(text, " ")}) }
	list := func(items []Reason) {
		if len(items) > 0 {
			out = append(out, letterPart{items: items})
		}
	}
	written := func() {
		if v.Decision.Text != "" {
			out = append(out, letterPart{text: v.Decision.Text, written: true})
		}
	}
	say(i18n.T(l, "review.letter.dear", "name", cmp.Or(v.Name, i18n.T(l, "review.letter.sir"))))
	thanks := i18n.T(l, "review.letter.thanks") + " " + ui.LongDay(l, v.Began.UTC()) + "."
	switch v.Decision.Decision {
	case "declined":
		thanks += " " + i18n.T(l, "review.letter.no")
	case "approved":
		thanks += " " + i18n.T(l, "review.letter.yes")
	}
	say(thanks, i18n.T(l, "review.letter.ref")+":", v.Reference+".")
	switch v.Decision.Decision {
	case "approved":
		say(i18n.T(l, "review.letter.next"))
	case "moreAsked":
		say(i18n.T(l, "review.letter.ask"))
		written()
		list(v.Decision.Reasons)
		say(i18n.T(l, "review.letter.not"))
	case "declined":
		if len(v.Decision.Reasons) > 0 {
			say(i18n.T(l, "review.letter.why"))
			list(v.Decision.Reasons)
		}
		written()
		if !v.ReportAt.IsZero() {
			agency := cmp.Or(v.Agency, v.Host)
			say(i18n.T(l, "review.letter.report", "date", ui.LongDay(l, v.ReportAt.UTC()), "agency", agency), i18n.T(l, "review.letter.not_them"))
			out[len(out)-1].bold = agency
			say(i18n.T(l, "review.letter.rights"))
		}
		if v.Score != nil {
			value := strconv.Itoa(v.Score.Value)
			say(i18n.T(l, "review.letter.score"))
			score := i18n.T(l, "review.letter.score_value", "score", value, "date", ui.LongDay(l, v.Score.Of.UTC()),
				"low", strconv.Itoa(scoreLow), "high", strconv.Itoa(scoreHigh))
			if len(v.Score.Factors) > 0 {
				score += " " + i18n.T(l, "review.letter.factors")
			}
			say(score)
			out[len(out)-1].bold = value
			list(v.Score.Factors)
		}
		notice := i18n.T(l, "review.letter.equal")
		if v.Regulator != "" {
			notice += " " + i18n.T(l, "review.letter.regulator") + " " + v.Regulator + "."
		}
		out = append(out, letterPart{text: notice, fine: true})
	}
	if v.Draft {
		for _, lack := range v.Lacks {
			say("["+i18n.Code(l, "review.letter.lacks", lack), lackFlags[lack]+"]")
		}
	}
	return out
}

// Email returns the letter as a plain-text email with a link; "" if none exists.
func (v LetterView) Email(l i18n.Lang, brand, link, find string) (subject, text string) {
	var b strings.Builder
	for _, part := range v.parts(l) {
		for _, r := range part.items {
			b.WriteString("- " + r.LetterText(l) + "\n")
		}
		if part.text != "" {
			b.WriteString(part.text + "\n")
		}
		b.WriteString("\n")
	}
	if link != "" {
		b.WriteString(i18n.T(l, "review.email.link", "link", link, "find", find))
	}
	b.WriteString(i18n.T(l, "review.letter.regards") + "\n" + brand + "\n")
	if v.Creditor != "" {
		b.WriteString(v.Creditor + "\n")
	}
	return brand + ": " + i18n.T(l, v.title()), b.String()
}

// Email is the delivery state of a decision's email; the zero value means no email.
type Email struct {
	State string // waiting, outbox, sent, failed, withheld
	Why   []string
	At    time.Time
}

func (e Email) tone() ui.Tone {
	switch e.State {
	case "sent", "outbox":
		return ui.Success
	case "waiting":
		return ui.Info
	case "failed":
		return ui.Danger
	}
	return ui.Warning
}

func (e Email) problems(l i18n.Lang) (out []string) {
	for _, w := range e.Why {
		line := i18n.Code(l, "review.email_withheld", w)
		if text, ok := i18n.Find(l, "review.letter.lacks", w); ok {
			line = text + " " + lackFlags[w] + "."
		}
		out = append(out, line)
	}
	return out
}

var lackFlags = map[string]string{"noCreditor": "--creditor", "noRegulator": "--regulator", "noAgency": "--report-agency"}

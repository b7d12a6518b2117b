package review

import (
	"cmp"
	"time"

	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Sharing is the card that lists the third parties of a report. PublicID and Label
// are as typed; Problem or Done is the result of the last action.
type Sharing struct {
	Open bool // there is a report that can be shared
	// ReadOnly is set for users who may only read.
	ReadOnly bool

	Shares []Share
	Lines  []ShareLine
	Known  []ThirdParty

	PublicID, Label string
	Problem         i18n.Key
	Code            string // the service's code of the problem
	Withdrawing     bool   // the problem concerns a withdrawal
	Done            string // a code of review.share.done; others are ignored
}

// Share is a third party that the report is or was shared with. By is an email
// address, or empty for a removed user.
type Share struct {
	ID, PublicID, Label  string
	Created, Granted     time.Time
	Until                time.Time // end of the time to read it
	Over                 bool      // Until has passed
	Withdrawn            time.Time // zero if not withdrawn
	CreatedBy, GrantedBy string
	WithdrawnBy          string
}

// name returns the label of the third party, or its publicId.
func (s Share) name() string {
	if s.Label != "" {
		return s.Label
	}
	return s.PublicID
}

// ShareLine is one step of sharing the report. The outcome of an unfinished step is
// unknown.
type ShareLine struct {
	At              time.Time
	By              string
	Action          string // shared, renewed, withdrawn
	PublicID, Label string
	Done            bool
}

// ThirdParty is a third party that other reports were shared with.
type ThirdParty struct{ PublicID, Label string }

// WithdrawView is the page that asks for confirmation of a withdrawal.
type WithdrawView struct {
	Row   Row
	Share Share
}

// problems returns the messages for the fields, and the one for the whole card.
func (v Sharing) problems(l i18n.Lang) (publicID, label, all string) {
	words := i18n.T(l, v.Problem)
	switch {
	case v.Problem == "review.share.no_public_id", v.Problem == "review.share.unknown_party":
		return words, "", ""
	case v.Problem == "review.share.bad_label":
		return "", words, ""
	case v.Problem == "review.share.no_answer" && v.Withdrawing:
		words = i18n.T(l, "review.share.not_withdrawn")
	}
	return "", "", words
}

// facts lists when the share was made, when it expires and which user withdrew it.
func (s Share) facts(l i18n.Lang) []ui.Fact {
	by := func(email string) string {
		email = cmp.Or(email, i18n.T(l, "review.removed_user"))
		return i18n.T(l, "review.by") + " " + email
	}
	out := []ui.Fact{{Term: i18n.T(l, "review.share.first"), Body: shareWhen(l, s.Created, by(s.CreatedBy))}}
	if !s.Granted.Equal(s.Created) {
		out = append(out, ui.Fact{Term: i18n.T(l, "review.share.last"), Body: shareWhen(l, s.Granted, by(s.GrantedBy))})
	}
	switch {
	case !s.Withdrawn.IsZero() && s.WithdrawnBy == "":
		out = append(out, ui.Fact{Term: i18n.T(l, "review.share.ended"),
			Body: shareWhen(l, s.Withdrawn, i18n.T(l, "review.share.elsewhere"))})
	case !s.Withdrawn.IsZero():
		out = append(out, ui.Fact{Term: i18n.T(l, "review.share.ended"), Body: shareWhen(l, s.Withdrawn, by(s.WithdrawnBy))})
	case s.Over:
		out = append(out, ui.Fact{Term: i18n.T(l, "review.share.until"), Body: shareWhen(l, s.Until, i18n.T(l, "review.share.over_how"))})
	default:
		out = append(out, ui.Fact{Term: i18n.T(l, "review.share.until"), Body: shareWhen(l, s.Until, i18n.T(l, "review.share.active_how"))})
	}
	return out
}

func (v Sharing) history(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.share.history_what"), HideCaption: true, Columns: columns(l, 0, "review.when", "review.who",
		"review.what", "review.share.party", "review.application.result")}
	for _, t := range v.Lines {
		who, result := t.By, ""
		who = cmp.Or(who, i18n.T(l, "review.removed_user"))
		if !t.Done {
			result = i18n.T(l, "review.share.unknown_end")
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, t.At)}, {Text: who}, {Text: i18n.Code(l, "review.share.actions", t.Action)},
			{Body: thirdParty(t.PublicID, t.Label)}, {Text: result}})
	}
	return g
}

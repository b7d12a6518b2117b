package review

import (
	"cmp"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// EraseView is the page that offers an applicant's applications for deletion.
type EraseView struct {
	By, ID  string
	OneSign bool // the rows share a name or an email address, not both
	Rows    []EraseRow
	Causes  []string
	Cause   string // as chosen
	Problem i18n.Key
}

// EraseRow is one application on that page.
type EraseRow struct {
	ID, ExternalID, Name, Email string
	Product                     contract.Product
	State                       string
	CreatedAt                   time.Time
	Chosen                      bool
}

func (v EraseView) intro(l i18n.Lang) string {
	if v.OneSign {
		return i18n.T(l, "review.delete.one_sign")
	}
	return i18n.T(l, "review.delete.intro")
}

func (v EraseView) applicationsQuestion(l i18n.Lang) ui.Question {
	q := ui.Question{Name: "id", Label: i18n.T(l, "review.delete.which"), Lang: l}
	for _, r := range v.Rows {
		label := cmp.Or(r.Name, r.ExternalID)
		q.Options = append(q.Options, ui.Option{Value: r.ID, Label: label, Chosen: r.Chosen,
			Detail: joined(" · ", r.Email, applicationName(Row{ID: r.ID, ExternalID: r.ExternalID}), i18n.Code(l, "review.products", r.Product),
				stateName(l, r.State), ui.DayWords(l, r.CreatedAt.UTC()))})
	}
	return q
}

func (v EraseView) reasonQuestion(l i18n.Lang) ui.Question {
	q := ui.Question{Name: "cause", Label: i18n.T(l, "review.delete.why"), Lang: l}
	for _, c := range v.Causes {
		q.Options = append(q.Options, ui.Option{Value: c, Label: i18n.Code(l, "review.deletion.reasons", c),
			Chosen: c == v.Cause || v.Cause == "" && c == "request"})
	}
	return q
}

// DeletionsView lists deletions and the retention period.
type DeletionsView struct {
	Days          int // 0: unlimited
	Done          int // number of applications just deleted
	Rows          []Deletion
	Older, Newest string
}

// Deletion is the record that a deleted application leaves. By is an email address,
// or empty.
type Deletion struct {
	ApplicationID, Cause, By string
	At                       time.Time
}

func (d Deletion) deletedBy(l i18n.Lang) string {
	switch {
	case d.Cause == "age":
		return i18n.T(l, "review.deletion.aged")
	case d.By == "":
		return i18n.T(l, "review.removed_user")
	}
	return d.By
}

func (v DeletionsView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.menu.deletions"), HideCaption: true,
		Columns: columns(l, 0, "review.when", "review.application.label", "review.delete.why", "review.deletion.by")}
	for _, r := range v.Rows {
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, r.At)}, {Body: mono(r.ApplicationID)},
			{Text: i18n.Code(l, "review.deletion.reasons", r.Cause)}, {Text: r.deletedBy(l)}})
	}
	return g
}

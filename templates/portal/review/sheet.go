package review

import (
	"strings"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// sheet holds the parts that the report pages of all products share. The page omits empty
// parts.
type sheet struct {
	Case
	title     i18n.Key
	verdict   verdict.Verdict
	product   *report.Product
	meta      *report.Meta
	downloads []download
	corrected string // what a correction did not change; "" for nothing to say
	notices   []notice
	keys      []key // the figures at the top, the most important first
	sections  []section
}

// download is a link to a file of the report, by its path below the application.
type download struct {
	path  string
	words i18n.Key
}

type notice struct {
	tone ui.Tone
	text string
}

// revised says that the report was revised, and that it is not the newest; "" for neither.
func (s sheet) revised(l i18n.Lang) (words string, tone ui.Tone) {
	var all []string
	if m := s.meta; m.Revision != nil {
		at := s.Held.RevisedAt
		if m.RevisionCreatedAt != nil {
			at = m.RevisionCreatedAt.Time
		}
		all = append(all, i18n.T(l, "review.revision.corrected", "day", ui.LongDay(l, at.UTC()), "revision", *m.Revision))
	}
	if s.corrected != "" {
		all = append(all, s.corrected)
	}
	if tone = ui.Info; s.Held.Attempt > 0 && !s.Held.Newest {
		all, tone = append(all, i18n.T(l, "review.revision.older")), ui.Warning
	}
	return strings.Join(all, " "), tone
}

// titleOf returns the heading of the section that a finding links to.
func (s sheet) titleOf(part string) string {
	for _, x := range s.sections {
		if x.id == part {
			return x.title
		}
	}
	return ""
}

// reportURL returns an address below an application's page.
func reportURL(applicationID, path string) string {
	return "/review/applications/" + applicationID + path
}

// identityGrid returns the applicant's identity by source.
func identityGrid(l i18n.Lang, v verdict.Verdict) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.identity_explained"), Columns: columns(l, 0, "review.report.source",
		"review.report.full_name", "review.report.first_name", "review.report.last_name", "review.report.emails", "review.report.agreement")}
	for _, i := range v.Identities {
		g.Rows = append(g.Rows, []ui.Cell{{Body: source(l, i.SourceID)}, {Body: textOrDash(l, report.Text(i.FullName))},
			{Body: textOrDash(l, report.Text(i.FirstName))}, {Body: textOrDash(l, report.Text(i.LastName))},
			{Body: list(l, i.Emails)}, {Body: withNotes(l, compared(l, i.Name, v.Names.Level), i.Notes)}})
	}
	return g
}

// identityPart returns the section of the identities.
func identityPart(l i18n.Lang, v verdict.Verdict) templ.Component {
	return whoIs(l, identityGrid(l, v), v.Names)
}

func sourceGrid(l i18n.Lang, all []report.Source) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.sources_caption"),
		Columns: columns(l, 0, "review.report.source", "review.report.subtype", "review.application.state")}
	for _, s := range all {
		g.Rows = append(g.Rows, []ui.Cell{{Body: source(l, s.SourceID)}, {Text: code(l, s.SourceType)}, {Body: statusBadge(l, s.Status)}})
	}
	return g
}

func substatusWords(l i18n.Lang, s *contract.Substatus) string {
	if report.Text(s) == "" {
		return ""
	}
	return i18n.Code(l, "substatuses", *s)
}

// aboutFacts returns the facts about a report: product, version, status and IDs.
func aboutFacts(l i18n.Lang, p *report.Product, m *report.Meta) []ui.Fact {
	var facts []ui.Fact
	if p != nil {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.application.product"), Text: p.Name},
			ui.Fact{Term: i18n.T(l, "review.report.product_id"), Body: mono(p.ProductID)},
			ui.Fact{Term: i18n.T(l, "review.report.inquiry"), Text: i18n.Code(l, "inquiry_types", p.InquiryType)})
	}
	facts = append(facts,
		ui.Fact{Term: i18n.T(l, "review.report.version"), Text: m.APIVersion},
		ui.Fact{Term: i18n.T(l, "review.application.public_token"), Body: mono(m.PublicToken)},
		ui.Fact{Term: i18n.T(l, "review.report.retrieved"), Body: when(l, m.CreatedAt.Time)},
		ui.Fact{Term: i18n.T(l, "review.application.report_status"), Body: statusBadge(l, m.Status)},
		ui.Fact{Term: i18n.T(l, "review.report.substatus"), Body: textOrDash(l, substatusWords(l, m.Substatus))},
		ui.Fact{Term: i18n.T(l, "review.application.external_id"), Body: textOrDash(l, report.Text(m.ExternalID))},
		ui.Fact{Term: i18n.T(l, "review.application.user_args"), Body: textOrDash(l, report.Text(m.UserArgs))},
		ui.Fact{Term: i18n.T(l, "review.report.consumer"), Body: textOrDash(l, report.Text(m.ConsumerID))},
		ui.Fact{Term: i18n.T(l, "review.report.consumer_ext"), Body: textOrDash(l, report.Text(m.ConsumerExternalID))},
		ui.Fact{Term: i18n.T(l, "review.report.revision"), Text: orNever(l, report.Text(m.Revision))})
	if m.RevisionCreatedAt != nil {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.report.revised_at"), Body: when(l, m.RevisionCreatedAt.Time)})
	}
	return facts
}

// noData returns the notice of a report without recent bank data.
func noData(l i18n.Lang, m *report.Meta) []notice {
	if report.Text(m.Substatus) == string(contract.SubNoRecentInformation) {
		return []notice{{ui.Warning, i18n.T(l, "review.report.no_data")}}
	}
	return nil
}

// otherShape returns the notice of a report with parts that the page cannot show.
func otherShape(l i18n.Lang, parts []string) []notice {
	if len(parts) == 0 {
		return nil
	}
	return []notice{{ui.Warning, i18n.T(l, "review.report.other_shape", "parts", strings.Join(parts, ", "))}}
}

func noticeGrid(l i18n.Lang, all []report.ConsumerNotice) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.report.notices"), HideCaption: true,
		Columns: columns(l, 0, "review.report.notice", "review.report.about_what")}
	for _, n := range all {
		about := ui.Cell{Text: i18n.T(l, "review.report.whole")}
		if s := report.Text(n.SourceReference); s != "" {
			about = ui.Cell{Body: source(l, s)}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Text: n.Description}, about})
	}
	return g
}

// key is a labeled figure or word at the top of a page.
type key struct {
	label, value, is string
	lang             i18n.Lang // of is, if it differs from the page's
	none             bool      // the figure is unknown; value says so
	below            bool      // less than zero
}

func yesNo(l i18n.Lang, yes bool) string {
	if yes {
		return i18n.T(l, "review.yes")
	}
	return i18n.T(l, "review.no")
}

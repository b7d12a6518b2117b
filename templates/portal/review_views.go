package portal

import (
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/report"
	"vestibule/internal/svc"
	"vestibule/templates/ui"
)

// ReviewSignInProblem is why the sign-in page is shown again.
type ReviewSignInProblem int

const (
	ReviewSignInFine ReviewSignInProblem = iota
	ReviewSignInWrong
	ReviewSignInTooOften
)

func (p ReviewSignInProblem) words(l svc.Lang) string {
	switch p {
	case ReviewSignInWrong:
		return reviewWrong.In(l)
	case ReviewSignInTooOften:
		return reviewTooOften.In(l)
	}
	return ""
}

// ReviewSignInView is the sign-in page. Next is a checked path of the reviewer's
// pages, or empty.
type ReviewSignInView struct {
	Email   string // as typed
	Next    string
	Problem ReviewSignInProblem
}

// ReviewListView is a page of applications.
type ReviewListView struct {
	By       string // e-mail of who is signed in
	States   []ReviewState
	Rows     []ReviewRow
	Query    string // what was looked for; empty when nothing was
	Older    string // URL of the next page; empty on the last
	Newest   string // URL of the first page; empty on it
	Searched bool
}

// ReviewState is one filter of the list.
type ReviewState struct {
	State   string // empty is all
	Count   int
	URL     string
	Current bool
}

func (s ReviewState) name(l svc.Lang) string {
	if s.State == "" {
		return reviewAll.In(l)
	}
	return stateName(l, s.State)
}

// ReviewRow is one application of the list.
type ReviewRow struct {
	ID         string
	ExternalID string
	Product    svc.Product
	Mode       string
	State      string
	Attempt    int
	CreatedAt  time.Time
	UpdatedAt  time.Time
}

func (v ReviewListView) grid(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: reviewApplications.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewOpen.In(l)}, {Label: reviewProduct.In(l)}, {Label: reviewMode.In(l)}, {Label: reviewState.In(l)},
		{Label: reviewAttempts.In(l), Number: true}, {Label: reviewBegan.In(l)}, {Label: reviewMoved.In(l)},
	}}
	for _, r := range v.Rows {
		name := r.ExternalID
		if name == "" {
			name = r.ID
		}
		g.Rows = append(g.Rows, []ui.Cell{
			{Text: name, URL: "/review/applications/" + r.ID},
			{Text: known(l, productWords, r.Product)},
			{Text: known(l, modeWords, r.Mode)},
			{Body: stateBadge(l, r.State)},
			{Text: strconv.Itoa(r.Attempt)},
			{Body: when(l, r.CreatedAt)},
			{Body: when(l, r.UpdatedAt)},
		})
	}
	return g
}

// ReviewApplicationView is one application.
type ReviewApplicationView struct {
	By         string
	Row        ReviewRow
	Origin     string
	UserArgs   string
	Words      svc.Words // what the applicant is told
	Token      string    // publicToken
	Status     svc.Status
	Substatus  svc.Substatus
	Error      svc.WidgetError
	HasReport  bool
	ReportPage bool // the report can be shown as a page
	ReportAt   time.Time
	Attempts   []ReviewAttempt
	Timeline   []ReviewLine
}

// ReviewAttempt is one try of the applicant's to connect.
type ReviewAttempt struct {
	Number      int
	Began, Last time.Time
	State       string // it was left in
	Result      string // status, substatus or error, as far as known
}

// ReviewLine is one line of the timeline.
type ReviewLine struct {
	At        time.Time
	Kind      string
	Attempt   int
	Status    svc.Status
	Substatus svc.Substatus
	Error     svc.WidgetError
	From, To  string
}

// Result joins what a line or an attempt came to.
func Result(status svc.Status, substatus svc.Substatus, problem svc.WidgetError) string {
	out := string(status)
	for _, s := range []string{string(substatus), string(problem)} {
		switch {
		case s == "":
		case out == "":
			out = s
		default:
			out += " · " + s
		}
	}
	return out
}

func (v ReviewApplicationView) facts(l svc.Lang) []ui.Fact {
	facts := []ui.Fact{
		{Term: reviewState.In(l), Body: stateBadge(l, v.Row.State)},
		{Term: reviewProduct.In(l), Text: known(l, productWords, v.Row.Product)},
		{Term: reviewMode.In(l), Text: known(l, modeWords, v.Row.Mode)},
		{Term: reviewOrigin.In(l), Text: known(l, originWords, v.Origin)},
		{Term: reviewBegan.In(l), Body: when(l, v.Row.CreatedAt)},
		{Term: reviewMoved.In(l), Body: when(l, v.Row.UpdatedAt)},
		{Term: reviewExternalID.In(l), Body: given(l, v.Row.ExternalID)},
		{Term: reviewUserArgs.In(l), Body: given(l, v.UserArgs)},
		{Term: reviewToken.In(l), Body: given(l, v.Token)},
	}
	if r := Result(v.Status, v.Substatus, v.Error); r != "" {
		facts = append(facts, ui.Fact{Term: reviewStatus.In(l), Text: r})
	}
	return facts
}

func (v ReviewApplicationView) attempts(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: reviewAttempts.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewAttempt.In(l), Number: true}, {Label: reviewBegan.In(l)}, {Label: reviewMoved.In(l)}, {Label: reviewState.In(l)}, {Label: reviewResult.In(l)},
	}}
	for _, a := range v.Attempts {
		g.Rows = append(g.Rows, []ui.Cell{{Text: strconv.Itoa(a.Number)}, {Body: when(l, a.Began)}, {Body: when(l, a.Last)},
			{Body: stateBadge(l, a.State)}, {Body: given(l, a.Result)}})
	}
	return g
}

func (v ReviewApplicationView) timeline(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: reviewTimelineOf.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewWhen.In(l)}, {Label: reviewWhat.In(l)}, {Label: reviewAttempt.In(l), Number: true}, {Label: reviewResult.In(l)}, {Label: reviewMoves.In(l)},
	}}
	for _, t := range v.Timeline {
		attempt := ""
		if t.Attempt > 0 {
			attempt = strconv.Itoa(t.Attempt)
		}
		after := ui.Cell{Body: stateBadge(l, t.To)}
		if t.From == t.To {
			after = ui.Cell{Text: reviewUnmoved.In(l)}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, t.At)}, {Text: known(l, lineWords, t.Kind)}, {Text: attempt},
			{Text: Result(t.Status, t.Substatus, t.Error)}, after})
	}
	return g
}

// ReviewReportView is a cashflow report as a page.
type ReviewReportView struct {
	By            string
	ApplicationID string
	Report        *report.Cashflow
	Analysis      *report.Analysis // what stands behind it; nil where there is none
	Pending       bool             // the analysis is still being fetched
	Query, Node   string           // choose figures; empty is all
}

// url is an address below the application's own page.
func (v ReviewReportView) url(path string) string {
	return "/review/applications/" + v.ApplicationID + path
}

// applicant is the name that the applicant gave.
func (v ReviewReportView) applicant() string {
	for _, i := range v.Report.Identities {
		if compare(v.Report.Identities, i) == typed {
			return report.Text(i.FullName)
		}
	}
	return ""
}

// source is a source's id, which may be long, with places to break it.
func source(id string) templ.Component {
	return templ.Raw(strings.ReplaceAll(templ.EscapeString(id), "_", "_<wbr>"))
}

// section is a part of the page with its heading, whose id is the section's.
type section struct {
	id, title string
	body      templ.Component
}

// sections are the parts that the report has something for.
func (v ReviewReportView) sections(l svc.Lang) []section {
	r, a := v.Report, v.Analysis
	var out []section
	add := func(there bool, id string, title svc.Words, body func() templ.Component) {
		if there {
			out = append(out, section{id, title.In(l), body()})
		}
	}
	add(len(r.Scores) > 0, "score", reportScore, func() templ.Component { return reportScores(l, v) })
	add(v.hasDays(), "balance", reportBalances, func() templ.Component { return balancesOverTime(l, a) })
	add(v.hasMonths(), "money", reportMoney, func() templ.Component { return reportMonthly(l, a) })
	add(a != nil && len(a.Streams) > 0, "regular", reportRegular, func() templ.Component { return reportStreams(l, a) })
	add(a != nil && len(a.Categories) > 0, "categories", reportCategories, func() templ.Component { return reportFlows(l, a) })
	add(v.hasMonths(), "returned", reportReturned, func() templ.Component { return reportReturns(l, v) })
	add(len(r.Identities) > 0, "identity", reportIdentities, func() templ.Component { return reportIdentity(l, v) })
	add(len(r.AccountDetails) > 0, "accounts", reportAccounts, func() templ.Component { return reportAccountList(l, v) })
	add(len(r.Attributes) > 0, "figures", reportFigures, func() templ.Component { return reportAttributes(l, v) })
	add(len(r.Sources) > 0, "sources", reportSources, func() templ.Component { return ui.Table(v.sources(l)) })
	add(true, "about", reportAbout, func() templ.Component { return ui.Facts(v.about(l)) })
	return out
}

// comparison is what the consumer's identity says of another one.
type comparison int

const (
	notCompared comparison = iota
	typed
	matched
	unmatched
)

// compare finds how the name of an identity stands to the applicant's: the
// consumer-input identity lists the others under matched or unmatched.
func compare(all []report.Identity, of report.Identity) comparison {
	if of.Matching != nil {
		return typed
	}
	ref := report.SourceRef{SourceID: of.SourceID, SourceUUID: of.SourceUUID, SourceRecordID: of.SourceRecordID}
	for _, typedOne := range all {
		if typedOne.Matching == nil {
			continue
		}
		for _, r := range typedOne.Matching.FullName.Matched {
			if same(r, ref) {
				return matched
			}
		}
		for _, r := range typedOne.Matching.FullName.Unmatched {
			if same(r, ref) {
				return unmatched
			}
		}
	}
	if of.SourceID == report.ConsumerInput || of.SourceID == report.CustomerInput {
		return typed
	}
	return notCompared
}

func same(a, b report.SourceRef) bool {
	return a.SourceID == b.SourceID && report.Text(a.SourceUUID) == report.Text(b.SourceUUID) &&
		report.Text(a.SourceRecordID) == report.Text(b.SourceRecordID)
}

// agreement sums the comparison up: whether anything was compared, and whether
// everything matched.
func agreement(all []report.Identity) (compared, agrees bool) {
	agrees = true
	for _, i := range all {
		if i.Matching == nil {
			continue
		}
		f := i.Matching.FullName
		compared = compared || len(f.Matched)+len(f.Unmatched) > 0
		agrees = agrees && len(f.Unmatched) == 0
	}
	return compared, compared && agrees
}

func (v ReviewReportView) identities(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: reportIdentityIs.In(l), Columns: []ui.Column{
		{Label: reportSource.In(l)}, {Label: reportFullName.In(l)}, {Label: reportFirstName.In(l)}, {Label: reportLastName.In(l)},
		{Label: reportEmails.In(l)}, {Label: reportAgreement.In(l)},
	}}
	for _, i := range v.Report.Identities {
		g.Rows = append(g.Rows, []ui.Cell{{Body: source(i.SourceID)}, {Body: given(l, report.Text(i.FullName))},
			{Body: given(l, report.Text(i.FirstName))}, {Body: given(l, report.Text(i.LastName))},
			{Body: list(l, i.Emails)}, {Body: compared(l, compare(v.Report.Identities, i))}})
	}
	return g
}

func (v ReviewReportView) sources(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: reportSourcesOf.In(l), Columns: []ui.Column{{Label: reportSource.In(l)}, {Label: reportSubtype.In(l)}, {Label: reviewState.In(l)}}}
	for _, s := range v.Report.Sources {
		g.Rows = append(g.Rows, []ui.Cell{{Body: source(s.SourceID)}, {Text: code(l, s.SourceType)}, {Body: statusBadge(s.Status)}})
	}
	return g
}

func (v ReviewReportView) accounts(l svc.Lang) ui.Grid {
	g := ui.Grid{Caption: reportAccountsSum.In(l), Columns: []ui.Column{
		{Label: reportInstitution.In(l)}, {Label: reportAccount.In(l)}, {Label: reportNumber.In(l)}, {Label: reportSubtype.In(l)},
		{Label: reportOwner.In(l)}, {Label: reportMonths.In(l), Number: true}, {Label: reportBalance.In(l), Number: true},
	}}
	for _, a := range v.Report.AccountDetails {
		g.Rows = append(g.Rows, []ui.Cell{{Body: given(l, report.Text(a.InstitutionName))}, {Body: given(l, report.Text(a.AccountName))},
			{Body: ending(l, report.Text(a.TruncatedNumber))}, {Body: given(l, code(l, report.Text(a.AccountSubtype)))},
			{Body: given(l, report.Text(a.OwnerFullName))}, {Text: strconv.Itoa(a.MonthsAvailable)}, {Body: balance(l, a.CurrentBalance)}})
	}
	return g
}

// account is one account in full, besides what the table above says of it.
func account(l svc.Lang, a report.Account) []ui.Fact {
	return []ui.Fact{
		{Term: reportSource.In(l), Body: source(a.SourceID)},
		{Term: reportResponsible.In(l), Body: given(l, code(l, report.Text(a.Responsibility)))},
		{Term: reportOpened.In(l), Body: date(l, a.DateOpened)},
		{Term: reportStatement.In(l), Body: date(l, a.LastStatementEndDate)},
	}
}

func (v ReviewReportView) about(l svc.Lang) []ui.Fact {
	var facts []ui.Fact
	if p := v.Report.Product; p != nil {
		facts = append(facts, ui.Fact{Term: reviewProduct.In(l), Text: p.Name}, ui.Fact{Term: reportProductID.In(l), Body: mono(p.ProductID)},
			ui.Fact{Term: reportInquiry.In(l), Text: p.InquiryType})
	}
	m := v.Report.Meta
	facts = append(facts,
		ui.Fact{Term: reportVersion.In(l), Text: m.APIVersion},
		ui.Fact{Term: reviewToken.In(l), Body: mono(m.PublicToken)},
		ui.Fact{Term: reportRetrieved.In(l), Body: when(l, m.CreatedAt.Time)},
		ui.Fact{Term: reviewStatus.In(l), Body: statusBadge(m.Status)},
		ui.Fact{Term: reportSubstatus.In(l), Body: given(l, string(report.Text(m.Substatus)))},
		ui.Fact{Term: reviewExternalID.In(l), Body: given(l, report.Text(m.ExternalID))},
		ui.Fact{Term: reviewUserArgs.In(l), Body: given(l, report.Text(m.UserArgs))},
		ui.Fact{Term: reportConsumer.In(l), Body: given(l, report.Text(m.ConsumerID))},
		ui.Fact{Term: reportConsumerExt.In(l), Body: given(l, report.Text(m.ConsumerExternalID))},
		ui.Fact{Term: reportRevision.In(l), Text: orNever(l, report.Text(m.Revision))})
	if m.RevisionCreatedAt != nil {
		facts = append(facts, ui.Fact{Term: reportRevisedAt.In(l), Body: when(l, m.RevisionCreatedAt.Time)})
	}
	return facts
}

func orNever(l svc.Lang, s string) string {
	if s == "" {
		return reportNever.In(l)
	}
	return s
}

func titled(p ui.Page, title string) ui.Page {
	p.Title = title
	return p
}

func wide(p ui.Page) ui.Page {
	p.Wide = true
	return p
}

// shorten names an application in a heading.
func shorten(r ReviewRow) string {
	if r.ExternalID != "" {
		return r.ExternalID
	}
	first, _, _ := strings.Cut(r.ID, "-")
	return first
}

// accountTitle names an account in a heading.
func accountTitle(l svc.Lang, a report.Account) string {
	title := report.Text(a.InstitutionName)
	if name := report.Text(a.AccountName); name != "" {
		title = strings.TrimPrefix(title+" · "+name, " · ")
	}
	if last := report.Text(a.TruncatedNumber); last != "" {
		title += " " + reportEnding.In(l) + " " + last
	}
	if title == "" {
		return reportAccount.In(l)
	}
	return title
}

// mailing is an address in one line.
func mailing(a report.Address) string {
	if full := report.Text(a.Address); full != "" {
		return full
	}
	var parts []string
	for _, p := range []*string{a.Street, a.Neighborhood, a.District, a.City, a.State, a.ZIPCode} {
		if s := report.Text(p); s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, ", ")
}

func statusTone(s svc.Status) ui.Tone {
	switch {
	case s == svc.StatusSuccess:
		return ui.Success
	case s == svc.StatusPending:
		return ui.Info
	case s == svc.StatusExpired:
		return ui.Warning
	}
	return ui.Danger
}

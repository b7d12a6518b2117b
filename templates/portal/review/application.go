package review

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/templates/ui"
)

// command marks a button or a choice of a page for the menu of commands.
var command = templ.Attributes{"data-command": true}

// ApplicationView is the page of an application.
type ApplicationView struct {
	Row        Row
	Origin     string
	UserArgs   string
	Words      []i18n.Key // text that the applicant sees
	Token      string     // publicToken
	Status     contract.Status
	Substatus  contract.Substatus
	Error      contract.WidgetError
	HasReport  bool
	Report     Measured // the newest report; nil without one that can be shown
	ReportAt   time.Time
	Outdated   bool // the decision was made on an older revision of the report
	Attempts   []Attempt
	Timeline   []Line
	Email      string // the applicant's
	Sharing    Sharing
	Stated     []verdict.Stated // without a report
	Reports    []HeldReport     // stored reports, newest first
	Deciding   Deciding
	Notes      []Note // newest first
	Note       string // as typed
	NoteBad    bool
	Done       string    // decided, noted: the last completed action
	Waits      bool      // for the applicant, who can be sent a link
	LinkSent   time.Time // the newest email with a link; zero: none within a day
	Reminded   *Reminded
	Deciders   []UserOption // to whom the user may assign it; the user first
	Place      *Place       // in the list from which it was opened; nil for none
	Others     []Other      // of the same applicant
	MoreOthers bool         // there are more than listed

	// What the signed-in user may do besides reading.
	Decides, Administers, Oversees bool

	Events bool // the onboarding app gets events
}

// Place is the place of an application in a list. Number and Of are zero if unknown, and
// Number if the application is no longer in the list.
type Place struct {
	List           string // the list's parameters
	URL            string // of the list's page, at the application
	Queue          string
	Narrowed       bool // the list has more filters than its queue
	Number, Of     int
	More           bool // there are more than Of
	Previous, Next string
}

// words says which application of the list it is.
func (p Place) words(l i18n.Lang) string {
	switch {
	case p.Of == 0 && p.Number == 0:
		return ""
	case p.Number == 0:
		return i18n.T(l, "review.place.left")
	}
	of := i18n.Count(p.Of)
	if p.More {
		of += "+"
	}
	return i18n.T(l, "review.place.number", "n", i18n.Count(p.Number), "of", of)
}

// title names the list.
func (p Place) title(l i18n.Lang) string {
	if p.Narrowed {
		return i18n.T(l, "review.place.list")
	}
	return Queue{Name: p.Queue}.Title(l)
}

// RowID is the ID of an application's link in the list.
func RowID(id string) string { return "row-" + id }

// rowURL returns the address of an application that the list with these parameters shows.
func rowURL(id, list string) templ.SafeURL {
	return templ.SafeURL("/review/applications/" + id + "?" + url.Values{"list": {list}}.Encode())
}

// urlInList returns the address of a form of the application. The page that follows is in the same
// list.
func (v ApplicationView) urlInList(path, part string) string {
	to := "/review/applications/" + v.Row.ID + path + v.Place.query()
	if part != "" {
		to += "#" + part
	}
	return to
}

// next returns the address of the application that follows in the list, or without one in the
// queue of those to decide; "" after the last of the list.
func (v ApplicationView) next() string {
	if v.Place != nil {
		return v.Place.Next
	}
	return reportURL(v.Row.ID, "/next")
}

// audit returns the address of the audit log of the application.
func (v ApplicationView) audit() string {
	q := url.Values{"application": {v.Row.ID}}
	if v.Place != nil {
		q.Set("list", v.Place.List)
	}
	return "/review/audit?" + q.Encode()
}

// withList puts the list into an address, before its fragment.
func (p *Place) withList(address string) string {
	path, fragment, found := strings.Cut(address, "#")
	if path += p.query(); found {
		path += "#" + fragment
	}
	return path
}

// query returns the query of an address whose page is in the same list; "" in none.
func (p *Place) query() string {
	if p == nil {
		return ""
	}
	return "?" + url.Values{"list": {p.List}}.Encode()
}

// Attempt is an attempt of the applicant to connect.
type Attempt struct {
	Number      int
	Began, Last time.Time
	State       string // the last state
	Status      contract.Status
	Substatus   contract.Substatus
	Error       contract.WidgetError
}

// Line is an entry of the timeline.
type Line struct {
	At        time.Time
	Kind      string
	Attempt   int
	Status    contract.Status
	Substatus contract.Substatus
	Error     contract.WidgetError
	From, To  string
}

// Result returns the words of a status, a substatus and an error, as far as they are
// known.
func Result(l i18n.Lang, status contract.Status, substatus contract.Substatus, problem contract.WidgetError) string {
	var out []string
	if status != "" {
		out = append(out, i18n.Code(l, "statuses", status))
	}
	if substatus != "" {
		out = append(out, i18n.Code(l, "substatuses", substatus))
	}
	if problem != "" {
		out = append(out, i18n.Code(l, "review.widget_errors", problem))
	}
	return strings.Join(out, " · ")
}

// decided reports whether the newest decision ends the application.
func (v ApplicationView) decided() bool {
	return v.Row.Decision == "approved" || v.Row.Decision == "declined"
}

// awaited says since when an application without a report is in its state, and what the
// applicant sees.
func (v ApplicationView) awaited(l i18n.Lang) []ui.Fact {
	return append([]ui.Fact{{Term: i18n.T(l, "review.application.since"), Body: when(l, v.Row.UpdatedAt)}}, v.applicantFacts(l)...)
}

// applicantFacts has what the applicant sees, and the report's status if it has one.
func (v ApplicationView) applicantFacts(l i18n.Lang) []ui.Fact {
	facts := []ui.Fact{{Term: i18n.T(l, "review.application.told"), Text: sentences(l, v.Words)}}
	if r := Result(l, v.Status, v.Substatus, v.Error); r != "" {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.application.report_status"), Text: r})
	}
	return facts
}

// facts returns the details of the application that reviewers rarely need.
func (v ApplicationView) facts(l i18n.Lang) []ui.Fact {
	facts := []ui.Fact{
		{Term: i18n.T(l, "review.email.label"), Body: textOrDash(l, v.Email)},
		{Term: i18n.T(l, "review.application.mode"), Text: i18n.Code(l, "review.modes", v.Row.Mode)},
		{Term: i18n.T(l, "review.application.origin"), Text: i18n.Code(l, "review.origins", v.Origin)},
		{Term: i18n.T(l, "review.application.began"), Body: when(l, v.Row.CreatedAt)},
		{Term: i18n.T(l, "review.application.moved"), Body: when(l, v.Row.UpdatedAt)},
		{Term: i18n.T(l, "review.letter.ref"), Body: mono(v.Row.ID)},
		{Term: i18n.T(l, "review.application.external_id"), Body: textOrDash(l, v.Row.ExternalID)},
		{Term: i18n.T(l, "review.application.user_args"), Body: textOrDash(l, v.UserArgs)},
		{Term: i18n.T(l, "review.application.public_token"), Body: textOrDash(l, v.Token)},
	}
	if v.HasReport { // without one, the page says it above
		facts = append(facts, v.applicantFacts(l)...)
	}
	return facts
}

func (v ApplicationView) attempts(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.application.attempts"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.application.attempt"),
			Number: true}, {Label: i18n.T(l, "review.application.began")}, {Label: i18n.T(l, "review.application.moved")},
		{Label: i18n.T(l, "review.application.state")}, {Label: i18n.T(l, "review.application.result")},
	}}
	for _, a := range v.Attempts {
		g.Rows = append(g.Rows, []ui.Cell{{Text: strconv.Itoa(a.Number)}, {Body: when(l, a.Began)}, {Body: when(l, a.Last)},
			{Body: stateBadge(l, a.State)}, {Body: textOrDash(l, Result(l, a.Status, a.Substatus, a.Error))}})
	}
	return g
}

func (v ApplicationView) timeline(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.application.timeline_caption"), HideCaption: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.when")}, {Label: i18n.T(l, "review.what")}, {Label: i18n.T(l, "review.application.attempt"),
			Number: true}, {Label: i18n.T(l, "review.application.result")}, {Label: i18n.T(l, "review.application.state_after")},
	}}
	for _, t := range v.Timeline {
		attempt := ""
		if t.Attempt > 0 {
			attempt = strconv.Itoa(t.Attempt)
		}
		after := ui.Cell{Body: stateBadge(l, t.To)}
		if t.From == t.To {
			after = ui.Cell{Text: i18n.T(l, "review.application.unchanged")}
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, t.At)}, {Text: i18n.Code(l, "review.timeline", t.Kind)}, {Text: attempt},
			{Text: Result(l, t.Status, t.Substatus, t.Error)}, after})
	}
	return g
}

// HeldReport is a stored report.
type HeldReport struct {
	Attempt   int
	Revision  int       // 0: as the service first made it
	At        time.Time // when it was fetched
	RevisedAt time.Time // zero: never
	Newest    bool      // of the application
}

// addTo adds the parameters by which an address names the report; none for the newest.
func (h HeldReport) addTo(q url.Values) {
	if !h.Newest && h.Attempt > 0 {
		q.Set("attempt", strconv.Itoa(h.Attempt))
		q.Set("revision", strconv.Itoa(h.Revision))
	}
}

func (h HeldReport) name(l i18n.Lang) string {
	if h.Revision == 0 {
		return i18n.T(l, "review.revision.original")
	}
	return i18n.T(l, "review.report.revision") + " " + strconv.Itoa(h.Revision)
}

// caseURL returns an address below the application's page that names the report of the case, and the
// list from which it was opened.
func (c Case) caseURL(path string) string {
	q := url.Values{}
	c.Held.addTo(q)
	if c.Place != nil {
		q.Set("list", c.Place.List)
	}
	if len(q) > 0 {
		path += "?" + q.Encode()
	}
	return reportURL(c.ApplicationID, path)
}

// compare returns the address of the page that says what the revision changed.
func (c Case) compare() string {
	q := url.Values{"attempt": {strconv.Itoa(c.Held.Attempt)}, "revision": {strconv.Itoa(c.Held.Revision)}}
	if c.Place != nil {
		q.Set("list", c.Place.List)
	}
	return reportURL(c.ApplicationID, "/compare?"+q.Encode())
}

// sentences joins texts, some of which are headings without a full stop.
func sentences(l i18n.Lang, words []i18n.Key) string {
	var out []string
	for _, w := range words {
		out = append(out, strings.TrimSuffix(i18n.T(l, w, "company", i18n.T(l, "landing.company")), "."))
	}
	return strings.Join(out, ". ") + "."
}

// title returns the heading of the page: the applicant's name, if it is known.
func (v ApplicationView) title(l i18n.Lang) string {
	if v.Row.Name != "" {
		return v.Row.Name
	}
	return i18n.T(l, "review.application.label") + " " + applicationName(v.Row)
}

// shownFacts is the number of figures that the top of the page shows.
const shownFacts = 6

// parts returns the parts of the page: those of the report, then those of the application.
func (v ApplicationView) parts(l i18n.Lang) sheet {
	var s sheet
	if v.Report != nil {
		s = v.Report.sheet(l)
		if len(s.keys) > shownFacts {
			s.keys = s.keys[:shownFacts]
		}
	}
	add := adder(l, &s.sections)
	add(len(v.Others) > 0, "others", "review.compare.others", func() templ.Component { return otherApplications(l, v) })
	add(v.HasReport || len(v.Sharing.Shares) > 0, "sharing", "review.share.title",
		func() templ.Component { return reviewSharing(l, v.urlInList("/shares", "sharing"), v.Sharing) })
	add(true, "history", "review.application.history", func() templ.Component { return history(l, v) })
	add(true, "details", "review.application.details", func() templ.Component { return ui.Facts(v.facts(l)) })
	return s
}

// against returns what speaks against the applicant besides the findings.
func (v ApplicationView) against(l i18n.Lang) []signal {
	if r, ok := v.Report.(ReportView); ok {
		return r.against(l)
	}
	return nil
}

// score returns the newest score with its explanation; false if the product has none.
func (v ApplicationView) score() (scored, bool) {
	r, ok := v.Report.(ReportView)
	if !ok || len(r.Report.Scores) == 0 {
		return scored{}, false
	}
	s := r.Report.Scores[len(r.Report.Scores)-1]
	return scored{r, s, r.card(s)}, true
}

package review

import (
	"context"
	"errors"
	"net/http"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// pageSize is the number of applications per page of the list; timelineSize is the
// maximum number of timeline entries shown.
const (
	pageSize     = 50
	timelineSize = 500
)

// ShowStaff renders a page of package staff.
func (d *Handler) ShowStaff(w http.ResponseWriter, r *http.Request, status int, v any) error {
	return d.show(w, r, status, func(p ui.Page) templ.Component {
		return ui.StaffPage(ui.Staff{Page: p, Home: home, Title: "review.sign_in.title", Intro: "review.sign_in.intro"}, v)
	})
}

// show shows a page, with the menu for a signed-in user.
func (d *Handler) show(w http.ResponseWriter, r *http.Request, status int, make func(ui.Page) templ.Component) error {
	p := d.Page(r)
	if by, ok := r.Context().Value(userKey{}).(staff.User); ok {
		var err error
		if p, err = d.menu(p, r, by); err != nil {
			return err
		}
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	return httpx.HTML(w, r, status, make(p))
}

// showLive shows a page with a part that the page's script keeps current.
func (d *Handler) showLive(w http.ResponseWriter, r *http.Request, make func(ui.Page) templ.Component) error {
	return d.showOrPart(w, r, http.StatusOK, ui.Live, make)
}

// showOrPart shows a page, or the fragment of it that a script asks for.
func (d *Handler) showOrPart(w http.ResponseWriter, r *http.Request, status int, fragment string,
	make func(ui.Page) templ.Component) error {
	if r.Header.Get(httpx.PartHeader) == "" {
		return d.show(w, r, status, make)
	}
	return console.ShowPart(w, r, status, make(d.Page(r)), fragment, "")
}

// menu adds the review dashboard's menu for a user. It tells scripts the user and
// whether an action was just completed; drafts depend on both.
func (d *Handler) menu(p ui.Page, r *http.Request, by staff.User) (ui.Page, error) {
	p.Attrs = templ.Attributes{"data-reviewer": by.ID, "data-page": "review"}
	if done := r.URL.Query().Get("done"); done != "" && r.Method == http.MethodGet {
		p.Attrs["data-done"] = true
	}
	letters := i18n.Key("")
	switch {
	case d.Letters.ShowsOutbox():
		letters = "review.menu.letters"
	case d.Letters.CanEmail():
		letters = "review.outbox.failed_title"
	}
	var lists []pages.Queue
	for _, q := range queueFilters(by) {
		lists = append(lists, pages.Queue{Name: q.Queue, URL: q.url("")})
	}
	saved, _, err := d.savedTabs(r.Context(), by)
	return pages.Menu(p, r.URL.Path, by.Email, letters, d.Events.URL != "", overseers.has(by), administrators.has(by),
		append(lists, saved...)), err
}

// showMessage shows a page that says why a request failed.
func (d *Handler) showMessage(w http.ResponseWriter, r *http.Request, status int) error {
	retry := ""
	if (status >= 500 || status == http.StatusTooManyRequests) && r.Method == http.MethodGet {
		retry = r.URL.RequestURI()
	}
	return d.show(w, r, status, func(p ui.Page) templ.Component {
		return pages.MessagePage(p, status, retry, httpx.RequestID(r.Context()))
	})
}

func row(a applications.Application) pages.Row {
	return pages.Row{ID: a.ID, ExternalID: a.ExternalID, Product: a.Product, Mode: string(a.Mode), State: string(a.Journey.State),
		Attempt: a.Journey.Attempt, CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

// get returns the application that the address names.
func (d *Handler) get(r *http.Request) (applications.Application, error) {
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return applications.Application{}, httpx.NewError(contract.CodeNotFound, errors.New("not an application's id"))
	}
	a, err := d.Applications.Get(r.Context(), d.DB.SQL, id)
	return a, httpx.NotFoundIf(err, store.ErrNotFound)
}

func (d *Handler) application(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, err := d.get(r)
	if errors.Is(err, store.ErrNotFound) {
		return d.showGone(w, r, by, err)
	}
	if err != nil {
		return err
	}
	done := r.URL.Query().Get("done")
	return d.showApplication(w, r, http.StatusOK, by, a, shownParts{opened: true, sharing: pages.Sharing{Done: done}, done: done})
}

// shownParts holds the results of a form on an application's page.
type shownParts struct {
	opened   bool // the page itself was requested, not a form's result
	sharing  pages.Sharing
	deciding pages.Deciding
	note     string // as entered
	noteBad  bool
	done     string
}

func (d *Handler) showApplication(w http.ResponseWriter, r *http.Request, status int,
	by staff.User, a applications.Application, parts shownParts) error {
	ctx := r.Context()
	lines, err := d.Applications.Timeline(ctx, a.ID, 0, timelineSize)
	if err != nil {
		return err
	}
	v := pages.ApplicationView{Row: row(a), Origin: a.Origin, UserArgs: a.UserArgs, Words: d.Applications.StatusTexts(a),
		Token: a.Journey.PublicToken, Status: a.Journey.Status, Substatus: a.Journey.Substatus, Error: a.Journey.Error,
		HasReport: a.HasReport(), ReportAt: a.Report.At, Outdated: a.Decision.Outdated, Attempts: attempts(lines),
		Sharing: parts.sharing, Deciding: parts.deciding, Note: parts.note, NoteBad: parts.noteBad, Done: parts.done,
		Decides: deciders.has(by), Administers: administrators.has(by), Oversees: overseers.has(by), Events: d.Events.URL != ""}
	if err := d.Sharing.Fill(ctx, a, &v.Sharing); err != nil {
		return err
	}
	if v.Sharing.Open = v.Sharing.Open && v.Decides; !v.Decides {
		v.Sharing.ReadOnly = true
	}
	people, err := d.Applications.Applicants(ctx, []string{a.ID})
	if err != nil {
		return err
	}
	if err := d.fillOthers(ctx, a, people[a.ID], &v); err != nil {
		return err
	}
	v.Row.Name, v.Email, v.Stated = people[a.ID].Name(), people[a.ID].Email, verdict.Alone(people[a.ID])
	if v.Place, err = d.positionInList(ctx, r, by, a); err != nil {
		return err
	}
	if err := d.fillReports(ctx, a, people[a.ID], &v); err != nil {
		return err
	}
	if err := d.fillReminder(r, a, &v); err != nil {
		return err
	}
	v.Deciding.Report = a.Report.Version()
	if len(v.Deciding.Taken) > 0 {
		v.Row.Decision = v.Deciding.Taken[0].Decision
		if v.Deciding.Problem == "review.decide.late" && v.Deciding.Taken[0].By == by.Email {
			v.Deciding.Problem = "review.decide.late_own"
		}
	}
	if err := d.fillAssignee(ctx, by, &v.Row); err != nil {
		return err
	}
	if v.Decides {
		if v.Deciders, err = d.deciders(ctx, by); err != nil {
			return err
		}
	}
	for _, l := range lines {
		v.Timeline = append(v.Timeline, pages.Line{At: l.At, Kind: l.Kind, Attempt: l.Attempt,
			Status: l.Status, Substatus: l.Substatus, Error: l.Error, From: l.From, To: l.To})
	}
	var seen []staff.Entry
	if parts.opened {
		seen = append(seen, staff.Entry{Actor: by.ID, Action: audit.Opened, Subject: a.ID})
	}
	if v.Report != nil {
		seen = append(seen, staff.Entry{Actor: by.ID, Action: audit.ReportViewed, Subject: a.ID})
	}
	if err := d.audit(r, seen...); err != nil {
		return err
	}
	return d.showOrPart(w, r, status, pages.Peek, func(p ui.Page) templ.Component { return pages.Application(p, v) })
}

// fillReports adds the report of an application, all its revisions, and the decisions about them.
func (d *Handler) fillReports(ctx context.Context, a applications.Application, who prefill.Fields, v *pages.ApplicationView) error {
	if a.HasReport() && a.Product.Valid() {
		raw, err := d.Applications.Report(ctx, d.DB.SQL, a.ID, a.Report.Attempt, a.Report.Revision)
		if err == nil {
			v.Report, err = d.view(ctx, a, a.Report, who, v.Place, raw)
		}
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return err
		}
	}
	reports, err := d.Applications.Reports(ctx, a.ID)
	if err != nil {
		return err
	}
	for _, h := range reports {
		v.Reports = append(v.Reports, heldReport(a, h))
	}
	return d.Decisions.Fill(ctx, a, reports, v.Report, &v.Deciding, &v.Notes)
}

// fillAssignee adds the user who works on an application.
func (d *Handler) fillAssignee(ctx context.Context, by staff.User, row *pages.Row) error {
	e, err := search.Find(ctx, d.DB.SQL, row.ID)
	if errors.Is(err, store.ErrNotFound) || err == nil && e.Assignee == "" {
		return nil
	}
	if err != nil {
		return err
	}
	emails, err := d.Staff.Addresses(ctx, d.DB.SQL)
	row.Assignee, row.AssigneeID, row.Mine = emails[e.Assignee], e.Assignee, e.Assignee == by.ID
	return err
}

// attempts groups a timeline by attempt: its start, its last entry, and its final
// state. A late entry counts for its attempt's times, but the final state is that of
// the attempt's last state change.
func attempts(lines []applications.TimelineEntry) []pages.Attempt {
	var out []pages.Attempt
	at := map[int]int{}
	for _, l := range lines {
		if l.Attempt < 1 {
			continue
		}
		i, ok := at[l.Attempt]
		if !ok {
			i = len(out)
			at[l.Attempt] = i
			out = append(out, pages.Attempt{Number: l.Attempt, Began: l.At, State: l.To})
		}
		out[i].Last = l.At
		if l.From != l.To {
			out[i].State = l.To
		}
		if l.Status != "" || l.Error != "" {
			out[i].Status, out[i].Substatus, out[i].Error = l.Status, l.Substatus, l.Error
		}
	}
	return out
}

package provider

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Access is the common part of the pages on which consumers see and end what they have
// shared.
type Access struct {
	Lang      i18n.Lang
	Urls      Urls
	Languages []ui.Choice // empty where the address has a secret
	Sandbox   bool
	Emails    bool // there is a mail server
}

// Link returns an address in the page's language.
func (a Access) Link(path string) string { return path + "?lang=" + string(a.Lang) }

func (a Access) page(title string) ui.Page {
	p := ui.Page{Lang: a.Lang, Title: title, Brand: a.Urls.brand(""), Styles: a.Urls.styles(), Icon: a.Urls.Icon, Font: a.Urls.Font,
		Scripts: []string{a.Urls.Times}, Languages: a.Languages}
	if a.Sandbox {
		p.Footer = ui.SandboxNote(a.Lang)
	}
	return p
}

// AccessForm is the form that requests a link.
type AccessForm struct {
	Access
	NoEmail bool // no link can be sent
	Email   string
	Problem i18n.Key // of the address; "" for none
	Expired bool     // the browser's session has ended
}

func (f AccessForm) form() ui.Page {
	p := f.page(i18n.T(f.Lang, "access.title"))
	p.Refused = f.Problem != ""
	return p
}

// AccessNotice is a page with a text. Again leads to the form.
type AccessNotice struct {
	Access
	Title, Text i18n.Key
	Again       bool
}

// AccessList is the page of what a consumer has shared.
type AccessList struct {
	Access
	Companies []AccessCompany
	Ended     string // says whose access was just ended; "" for none
	Deleted   bool   // data were just deleted
	Whole     bool   // it shows the whole file, which can be frozen
	File      AccessFile

	// Disconnected is the name of the source that was just disconnected, and From that of the
	// company; "" for none.
	Disconnected, From string
}

// AccessFile is the state of a person's file.
type AccessFile struct {
	Frozen      bool      `json:"frozen"`
	LiftedUntil time.Time `json:"freeze_lifted_until,omitzero"` // zero: it is frozen, or was not
	AlertUntil  time.Time `json:"fraud_alert_until,omitzero"`   // zero: there is no fraud alert
}

func (f AccessFile) facts(l i18n.Lang) []ui.Fact {
	frozen, alert := ui.Fact{Text: i18n.T(l, "access.freeze.none")}, i18n.T(l, "access.alert.none")
	switch {
	case f.Frozen:
		frozen.Text = i18n.T(l, "access.freeze.frozen")
	case !f.LiftedUntil.IsZero():
		frozen.Body = ui.WithMoment(l, i18n.T(l, "access.freeze.lifted", "moment", "{moment}"), f.LiftedUntil.Add(-time.Second))
	}
	frozen.Term = i18n.T(l, "access.freeze")
	if !f.AlertUntil.IsZero() {
		alert = i18n.T(l, "access.alert.until", "day", ui.DayWords(l, f.AlertUntil.UTC()))
	}
	return []ui.Fact{frozen, {Term: i18n.T(l, "access.alert"), Text: alert}}
}

// AccessFreeze is the page of the freeze and the fraud alert of a file.
type AccessFreeze struct {
	Access
	File              AccessFile
	Done              string // the change that was just made; "" for none
	Until             string // day that was typed
	Problem           i18n.Key
	FirstDay, LastDay time.Time // until which a freeze can be lifted
}

func (f AccessFreeze) page() ui.Page {
	p := f.Access.page(i18n.T(f.Lang, "access.freeze.title"))
	p.Refused = f.Problem != ""
	return p
}

// freezeChange is a change of a file, as the page confirms it.
type freezeChange string

func (f AccessFreeze) done() string {
	text, _ := i18n.Find(f.Lang, "access.freeze.done", freezeChange(f.Done))
	return text
}

// AccessRead says that an account read a revision of a report.
type AccessRead struct {
	Reader     string           `json:"reader"`      // name
	Owner      string           `json:"shared_with"` // name
	ThirdParty bool             `json:"third_party"` // the reader is not the company that got the report
	Kind       contract.Product `json:"product"`
	Report     time.Time        `json:"report_created_at"`
	Revision   int              `json:"revision"` // 0 is the original
	First      time.Time        `json:"first_read_at"`
	Last       time.Time        `json:"last_read_at"`
	Days       int              `json:"days"`
}

// AccessEntry is an entry of the log of a file.
type AccessEntry struct {
	At      time.Time `json:"at"`
	Action  string    `json:"action"`
	Company string    `json:"company,omitempty"` // "" for none
	Until   time.Time `json:"until,omitzero"`
}

// fileAction is what an entry of a log says.
type fileAction string

func (e AccessEntry) cell(l i18n.Lang) ui.Cell {
	text := i18n.Code(l, "access.log", fileAction(e.Action))
	if e.Until.IsZero() {
		return ui.Cell{Text: text}
	}
	text += " " + i18n.T(l, "access.log_until", "moment", "{moment}")
	last := e.Until.Add(-time.Second)
	return ui.Cell{Text: strings.ReplaceAll(text, "{moment}", ui.MomentWords(l, last)), Body: ui.WithMoment(l, text, last)}
}

// AccessHistory is the page of who read what, and of what happened to the file.
type AccessHistory struct {
	Access
	Reads []AccessRead
	Log   []AccessEntry
}

// AccessReportView is a report as the person whom it is about reads it.
type AccessReportView struct {
	Access
	ID             string // in addresses
	Kind           contract.Product
	Status         contract.Status
	Created        time.Time
	Company        string
	Deleted        bool // its contents were deleted, or never made
	Figures        []AccessFigures
	NoTransactions bool                // they were deleted
	Transactions   []AccessTransaction // of the page
	Count          int                 // of all
	Page, Pages    int                 // of the transactions, from 1
}

// AccessTransaction is a transaction behind a report.
type AccessTransaction struct {
	Posted      time.Time    `json:"posted_date,omitzero"` // zero: unknown
	Account     string       `json:"account"`
	Description string       `json:"description"`
	Amount      report.Cents `json:"amount"`
	Currency    string       `json:"currency"`
	Pending     bool         `json:"pending"`
}

func (v AccessReportView) title() string {
	return i18n.T(v.Lang, "access.report", "kind", i18n.Code(v.Lang, "product.name", v.Kind), "day", ui.DayWords(v.Lang, v.Created.UTC()))
}

func (v AccessReportView) pageLink(n int) string {
	return v.Link("/access/report/"+v.ID) + "&page=" + strconv.Itoa(n)
}

func (v AccessReportView) pageWords() string {
	return i18n.T(v.Lang, "access.transactions.page", "n", i18n.Count(v.Count), "page", strconv.Itoa(v.Page), "pages", strconv.Itoa(v.Pages))
}

// AccessEnd is the page that asks for confirmation before access is ended, or data are deleted.
type AccessEnd struct {
	Access
	Account   string // of the address: one company, or all
	Companies []AccessCompany
	CanClose  bool // the person may choose that companies can no longer read reports
}

// name is the company's, or words for several.
func (m AccessEnd) name() string {
	if len(m.Companies) == 1 {
		return m.Companies[0].Name
	}
	return i18n.T(m.Lang, "access.all_companies")
}

// AccessDisconnect is the page that asks for confirmation before a source is disconnected.
type AccessDisconnect struct {
	Access
	Company AccessCompany
	Source  AccessSource
}

// AccessSource is a source that a company can still use.
type AccessSource struct {
	ID   string // of the access
	Name string
}

// AccessCompany is a company with the newest reports that it got.
type AccessCompany struct {
	Name    string
	Account string // its publicId
	Open    bool   // its access has not been ended
	Reports []AccessReport
	Older   int            // number of older reports
	Sources []AccessSource // that can be disconnected
}

// AccessReport is a report that a consumer shared.
type AccessReport struct {
	ID           string // in addresses
	Made         bool   // it was made
	Figures      bool   // it can be seen
	Over         bool   // too old to be read
	Closed       bool   // the company can no longer read it
	Kind         contract.Product
	Shared       time.Time
	From         []string     // names of the sources
	Access       []OpenAccess // that the company can still use
	Pending      bool         // the visit or the report is not finished
	Until        time.Time    // when the company can no longer read it here; zero: there is no report
	Updates      int          // reports that were made later
	Updated      time.Time    // the last of them
	ThirdParties []string
	ReadBy       []string  // names of those that read it
	Withdrawn    time.Time // when access was ended; zero: it was not
}

// OpenAccess is access to a source that the company can still use.
type OpenAccess struct {
	Name  string
	Until time.Time
}

// name is the kind of report with its day.
func (r AccessReport) name(l i18n.Lang) string {
	return i18n.T(l, "access.report", "kind", i18n.Code(l, "product.name", r.Kind), "day", ui.DayWords(l, r.Shared.UTC()))
}

func (r AccessReport) facts(l i18n.Lang) []ui.Fact {
	var facts []ui.Fact
	if len(r.From) > 0 {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "access.from"), Text: strings.Join(r.From, ", ")})
	}
	facts = append(facts, ui.Fact{Term: i18n.T(l, "access.access"), Text: r.access(l)})
	if r.Updates > 0 {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "access.updates"),
			Text: i18n.N(l, "access.updates", r.Updates, "day", ui.DayWords(l, r.Updated.UTC()))})
	}
	facts = append(facts, ui.Fact{Term: i18n.T(l, "access.kept"), Text: r.keptUntil(l)})
	if r.Made {
		readers := i18n.T(l, "access.read_by.none")
		if len(r.ReadBy) > 0 {
			readers = strings.Join(r.ReadBy, ", ")
		}
		facts = append(facts, ui.Fact{Term: i18n.T(l, "access.read_by"), Text: readers})
	}
	if len(r.ThirdParties) > 0 {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "access.third_parties"), Text: strings.Join(r.ThirdParties, ", ")})
	}
	return facts
}

// access says which access is open, or that none is.
func (r AccessReport) access(l i18n.Lang) string {
	if !r.Withdrawn.IsZero() {
		return i18n.T(l, "access.ended_on", "day", ui.DayWords(l, r.Withdrawn.UTC()))
	}
	if len(r.Access) == 0 {
		return i18n.T(l, "access.none_open")
	}
	if len(r.From) == 1 && len(r.Access) == 1 {
		return i18n.T(l, "access.open_until_only", "day", ui.DayWords(l, r.Access[0].Until.UTC()))
	}
	var all []string
	for _, a := range r.Access {
		all = append(all, i18n.T(l, "access.open_until", "source", a.Name, "day", ui.DayWords(l, a.Until.UTC())))
	}
	return strings.Join(all, " ")
}

// keptUntil says until when the company can read the report.
func (r AccessReport) keptUntil(l i18n.Lang) string {
	switch {
	case r.Closed || r.Over:
		return i18n.T(l, "access.closed")
	case r.Pending && r.Withdrawn.IsZero():
		return i18n.T(l, "access.pending")
	case r.Until.IsZero():
		return i18n.T(l, "access.no_report")
	}
	return i18n.T(l, "access.kept_until", "day", ui.DayWords(l, r.Until.UTC()))
}

// Readable reports whether the company can read a report here.
func (c AccessCompany) Readable() bool {
	return slices.ContainsFunc(c.Reports, func(r AccessReport) bool { return r.Made && !r.Closed && !r.Over })
}

// consequences lists what ending access does.
func (m AccessEnd) consequences() (all []string) {
	for _, k := range []i18n.Key{"access.end.sources", "access.end.reports", "access.end.third_parties", "access.end.kept"} {
		all = append(all, i18n.T(m.Lang, k, "company", m.name()))
	}
	return all
}

// readable lists the reports that companies can read here, and until when.
func (m AccessEnd) readable() (facts []ui.Fact) {
	for _, c := range m.Companies {
		for _, r := range c.Reports {
			if r.Made && !r.Closed && !r.Over {
				facts = append(facts, ui.Fact{Term: c.Name + ": " + r.name(m.Lang), Text: r.keptUntil(m.Lang)})
			}
		}
	}
	return facts
}

func (m AccessDisconnect) title() string {
	return i18n.T(m.Lang, "access.disconnect.title", "source", m.Source.Name, "company", m.Company.Name)
}

// consequences lists what disconnecting the source does.
func (m AccessDisconnect) consequences() (all []string) {
	keys := []i18n.Key{"access.disconnect.data", "access.disconnect.revoked"}
	if len(m.Company.Sources) > 1 {
		keys = append(keys, "access.disconnect.others")
	}
	for _, k := range append(keys, "access.end.kept") {
		all = append(all, i18n.T(m.Lang, k, "company", m.Company.Name, "source", m.Source.Name))
	}
	return all
}

// kept lists the reports with data of the source that the company can still read.
func (m AccessDisconnect) kept() (facts []ui.Fact) {
	for _, r := range m.Company.Reports {
		if !r.Until.IsZero() && slices.Contains(r.From, m.Source.Name) {
			facts = append(facts, ui.Fact{Term: r.name(m.Lang), Text: r.keptUntil(m.Lang)})
		}
	}
	return facts
}

func (a Access) action(path string) templ.SafeURL { return templ.SafeURL(a.Link(path)) }

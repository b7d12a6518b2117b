package provider

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Access is the common part of the pages on which consumers see and end what they have
// shared.
type Access struct {
	Lang      i18n.Lang
	Urls      Urls
	Languages []ui.Choice // empty where the address has a secret
	Sandbox   bool
}

// Link returns an address in the page's language.
func (a Access) Link(path string) string { return path + "?lang=" + string(a.Lang) }

func (a Access) page(title string) ui.Page {
	p := ui.Page{Lang: a.Lang, Title: title, Brand: a.Urls.brand(""), Styles: a.Urls.styles(), Icon: a.Urls.Icon, Font: a.Urls.Font,
		Languages: a.Languages}
	if a.Sandbox {
		p.Footer = ui.SandboxNote(a.Lang)
	}
	return p
}

// AccessForm is the form that requests a link.
type AccessForm struct {
	Access
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
	Ended     string // name of the company whose access was just ended; "" for none

	// Disconnected is the name of the source that was just disconnected, and From that of the
	// company; "" for none.
	Disconnected, From string
}

// AccessEnd is the page that asks for confirmation.
type AccessEnd struct {
	Access
	Company AccessCompany
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
	Kind         contract.Product
	Shared       time.Time
	From         []string     // names of the sources
	Access       []OpenAccess // that the company can still use
	Pending      bool         // the visit or the report is not finished
	Until        time.Time    // when the company can no longer read it here; zero: there is no report
	Updates      int          // reports that were made later
	Updated      time.Time    // the last of them
	ThirdParties []string
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
	case r.Pending && r.Withdrawn.IsZero():
		return i18n.T(l, "access.pending")
	case r.Until.IsZero():
		return i18n.T(l, "access.no_report")
	}
	return i18n.T(l, "access.kept_until", "day", ui.DayWords(l, r.Until.UTC()))
}

// consequences lists what ending a company's access does.
func (c AccessCompany) consequences(l i18n.Lang) (all []string) {
	for _, k := range []i18n.Key{"access.end.sources", "access.end.reports", "access.end.third_parties", "access.end.kept"} {
		all = append(all, i18n.T(l, k, "company", c.Name))
	}
	return all
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

package provider

import (
	"net/url"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/mail"
	"vestibule/internal/staff"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
)

// Dashboard holds the data that all pages of the dashboard share.
type Dashboard struct {
	Lang      i18n.Lang
	Home      string // path of the first page
	Operator  bool   // the pages are the operator's
	Styles    []string
	Icon      string
	Font      string
	Languages []ui.Choice
	RequestID string
	Retry     string    // address of a page that may work later; empty: none
	Now       time.Time // for times that are relative to it
	Scripts   []string
	Dense     bool   // the user wants low rows
	Page      string // token by which the page's script shows that it is of this page
	Answer    bool   // the page answers a form, so that its address cannot be read again

	Email    string // of the signed-in user; empty if signed out
	Account  string // the account's name
	PublicID string
	Sandbox  bool
	Child    bool // the account has a parent
	Corrects bool // the account answers disputes
	Member   bool // the user is no owner of the account

	Once   string // single-use token of the forms
	Flash  string // last completed action, a code of dashboard.flash; empty for none
	Secret string // created by that action; shown only once

	Invalid string     // the invalid field of the submitted form; empty for none
	Words   string     // the error message
	Given   url.Values // the submitted values
	Back    ui.Link    // the page above this one; none on pages of the menu
}

// withParent returns d with a link to the page above.
func (d Dashboard) withParent(url string, words i18n.Key) Dashboard {
	d.Back = ui.Link{Text: i18n.T(d.Lang, words), URL: url}
	return d
}

// DashboardWebhooks is the page of an endpoint of webhooks.
type DashboardWebhooks struct {
	webhook.Callback                    // the zero value: there is none
	All              []webhook.Callback // the first one first
	Max              int                // endpoints of a customer
	Statuses         []contract.Status  // to subscribe to
	Health           []webhook.Health
	Next             time.Time  // when the next attempt is due; zero for none
	Hours            ui.DayBars // delivered, pending, failed
	Days             ui.DayBars
	Tests            []webhook.Delivery // the newest test event; empty for none
	MaxTests         int                // within an hour

	Failures    []webhook.Delivery // the newest that can be sent again
	FailedSince time.Time          // since this day unless the user chooses another
	Rows        []webhook.Delivery // the newest
}

// DashboardPager links to the older and newer page of a list; empty for no link.
type DashboardPager struct {
	Older, Newest string
	After         string    // cursor of the next page of a search; "" at its end
	Back          time.Time // of the oldest entry that an unfinished search has read; zero: all were
}

// DashboardDeliveries is the list of deliveries.
type DashboardDeliveries struct {
	List     DashboardList
	Report   string // reference of a report that selects deliveries; empty: all
	Searched string // the search text, if nothing was found
	Rows     []webhook.Delivery

	Endpoints []webhook.Callback
}

// DashboardDelivery is the page of a delivery.
type DashboardDelivery struct {
	webhook.Delivery
	Report    string             // a reference; empty for a report of another account
	Others    []webhook.Delivery // of the same event, the newest first
	Endpoints []webhook.Callback
}

// DashboardCredential is a secret of the API.
type DashboardCredential struct {
	ID, ClientID, Name        string
	Created, Expires, Revoked time.Time
	Used                      time.Time // the hour of its last use; zero for never
	Live                      bool
	Rotatable                 bool // no other secret of the client is valid
}

// DashboardRedirects is the page of the return settings of secure redirects.
type DashboardRedirects struct {
	URLs        []string // the first is the static one
	Origins     []string // of pages that may show the widget
	Mode        string
	RequireForm bool
}

// DashboardReports is the list of reports.
type DashboardReports struct {
	List        DashboardList
	Searched    string // the search text; "" for none
	Institution string // name of that of the filter
	Children    []DashboardAccount
	Rows        []DashboardReport
}

// DashboardAllAccounts is the value of the filter by account for the account with its children.
const DashboardAllAccounts = "all"

// DashboardReport is a report and its visit.
type DashboardReport struct {
	Reference   string
	PublicToken string // set only on the report's page
	ProductID   string
	Kind        contract.Product
	ExternalID  string
	Status      contract.Status
	Substatus   contract.Substatus
	Created     time.Time
	Retrieved   time.Time
	Revisable   bool        // it can be corrected
	Disputes    []string    // numbers of the disputes about it
	Known       []ui.Option // accounts to share with, by their publicIds

	Account         string             // name of the child account that has it; empty for the user's own
	Child           string             // its publicId; set only on the report's page
	ChildDeliveries []webhook.Delivery // to the child's own callback

	Origin     string // "visit", "redirect", "form", "submission"
	State      string // of the visit
	Expires    time.Time
	Sources    []DashboardSource
	Moments    []DashboardMoment
	Shares     []DashboardShare
	Deliveries []webhook.Delivery
}

// DashboardMoment is an entry of a timeline.
type DashboardMoment struct {
	At        time.Time
	Kind      string
	Text      string // a name or an identifier
	Status    contract.Status
	Substatus contract.Substatus
	Reason    string // why access to a source failed
}

// DashboardSource is a source that the applicant connected, failed to connect, or skipped.
type DashboardSource struct {
	Type, Institution string
	Empty             bool   // it has no recent data
	Skipped           string // why an employer was skipped
	Failed            contract.Status
	Substatus         contract.Substatus
	Reason            string // with Failed, of an authorization
}

// DashboardSharing is a list of sharing tokens that the account gave or received.
type DashboardSharing struct {
	List     DashboardList
	Searched string // the search text; "" for none
	Rows     []DashboardShare
	Known    []ui.Option // accounts to share with, by their publicIds
}

// DashboardShare is a sharing token.
type DashboardShare struct {
	Reference, RelayToken string
	Report                string // a reference; empty for a received share
	Child                 string // name of the child account that gave it; empty for the own account
	With, WithName        string
	State                 string
	Created, Expires      time.Time
	Read, Revoked         time.Time
}

// DashboardOutbox lists the emails to applicants.
type DashboardOutbox struct {
	List     DashboardList
	Searched string // the search text; "" for none
	Sends    bool   // there is a mail server
	Letters  []DashboardLetter
}

// DashboardLetter is an email.
type DashboardLetter struct {
	mail.Email
	Report string    // a reference
	Again  time.Time // when it can be sent again; zero for never
}

// DashboardAccounts is the page of the account's children.
type DashboardAccounts struct {
	List     DashboardList
	Searched string // the search text; "" for none
	Children []DashboardAccount
	Addable  bool // more can be added
}

// DashboardAccount is a child account.
type DashboardAccount struct {
	PublicID, Name, DisplayName string
	Created                     time.Time
	Products                    []DashboardProduct
	Users                       []staff.User
	Credentials                 []DashboardCredential
	Configurations              []DashboardConfiguration
	Own                         string // id of the product's configuration; empty if inherited
	Assignable                  bool
}

// DashboardPeople lists the users of the account.
type DashboardPeople struct {
	List     DashboardList
	Searched string // the search text; "" for none
	Rows     []staff.User
}

// DashboardAudit is the audit log.
type DashboardAudit struct {
	console.Log
	List     DashboardList
	Searched string   // the search text; "" for none
	Actions  []string // to filter by
}

func (d Dashboard) page(title string) ui.Page {
	home := ""
	if d.Email != "" {
		home = d.Home
	}
	p := ui.Page{Lang: d.Lang, Title: title, Home: home, Icon: d.Icon, Font: d.Font, Styles: d.Styles, Scripts: d.Scripts,
		Languages: d.Languages, Wide: true}
	if d.Page != "" {
		p.Attrs = templ.Attributes{"data-page": d.Page}
	}
	if d.Sandbox {
		p.Footer = ui.SandboxNote(d.Lang)
	}
	return p
}

// anyPage returns the layout of a page with or without a signed-in user.
func (d Dashboard) anyPage() ui.Page {
	if d.Email == "" {
		return d.page("")
	}
	return d.staffPage("", "")
}

// staffPage returns the layout of a page for a signed-in user.
func (d Dashboard) staffPage(section, title string) ui.Page {
	p := d.page(title)
	p.User = &ui.User{Email: d.Email, SignOut: d.Home + "/sign-out", Factor: d.Home + "/second-factor", Find: "/dashboard/reports/find",
		Account: d.Account, AccountID: d.PublicID}
	sections := dashboardSections
	if d.Operator {
		p.User.Find, sections = d.Home+"/find", operatorSections
	}
	for _, s := range sections {
		if (!s.parents || !d.Child) && (s.name != "disputes" || d.Corrects) && (!s.owners || !d.Member) && (s.name != "deliveries" || d.Member) {
			p.Links = append(p.Links, ui.Link{Text: i18n.T(d.Lang, s.words), URL: s.path, Current: s.name == section})
		}
	}
	return p
}

// dashboardSection is an entry of the menu.
type dashboardSection struct {
	name, path string
	words      i18n.Key
	parents    bool // only for parent accounts
	owners     bool // only for owners of the account
}

var dashboardSections = []dashboardSection{
	{"overview", "/dashboard", "dashboard.menu.overview", false, false},
	{"reports", "/dashboard/reports", "dashboard.menu.reports", false, false},
	{"disputes", "/dashboard/disputes", "dashboard.menu.disputes", false, false},
	{"relay", "/dashboard/relay-tokens", "dashboard.menu.relay_tokens", false, false},
	{"outbox", "/dashboard/outbox", "dashboard.menu.outbox", false, false},
	{"webhooks", "/dashboard/webhooks", "dashboard.menu.webhooks", false, true},
	{"deliveries", "/dashboard/deliveries", "dashboard.menu.deliveries", false, false}, // owners reach it from webhooks
	{"redirects", "/dashboard/redirects", "dashboard.menu.redirects", false, true},
	{"credentials", "/dashboard/credentials", "dashboard.menu.credentials", false, true},
	{"products", "/dashboard/products", "dashboard.menu.products", false, true},
	{"accounts", "/dashboard/accounts", "dashboard.menu.accounts", true, true},
	{"theme", "/dashboard/theme", "dashboard.menu.theme", false, true},
	{"people", "/dashboard/people", "dashboard.menu.people", false, false},
	{"audit", "/dashboard/audit", "dashboard.menu.audit", false, true},
}

var operatorSections = []dashboardSection{
	{"customers", "/operator", "dashboard.menu.customers", false, false},
	{"disputes", "/operator/disputes", "dashboard.menu.disputes", false, false},
	{"unlisted", "/operator/unlisted", "dashboard.unlisted.menu", false, false},
	{"health", "/operator/health", "dashboard.menu.health", false, false},
	{"people", "/operator/people", "dashboard.menu.people", false, false},
	{"audit", "/operator/audit", "dashboard.menu.audit", false, false},
}

// value returns the content of a field: the submitted value of a rejected form, otherwise
// the current value.
func (d Dashboard) value(field, now string) string {
	if d.Given.Has(field) {
		return d.Given.Get(field)
	}
	return now
}

func (d Dashboard) wrong(field string) string {
	if d.Invalid == field {
		return d.Words
	}
	return ""
}

package provider

import (
	"net/url"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/templates/ui"
)

// Desk is what every page of the dashboard has around it.
type Desk struct {
	Lang      contract.Lang
	Styles    []string
	Icon      string
	Languages []ui.Choice
	RequestID string

	Email    string // of who is signed in; empty for nobody
	Account  string // the account's name
	PublicID string
	Sandbox  bool
	Child    bool // the account has a parent

	Once   string // what each form carries
	Said   string // what was done: a key of deskSaid; empty is nothing
	Secret string // made by it, shown here and nowhere else

	Wrong string     // the field of a form that was refused; empty for none
	Words string     // what is wrong with it
	Given url.Values // what was sent
}

// DeskSignInProblem says why a sign-in did not work.
type DeskSignInProblem int

const (
	DeskSignInFine DeskSignInProblem = iota
	DeskSignInWrong
	DeskSignInTooOften
)

// DeskSignIn is the way in.
type DeskSignIn struct {
	Email, Next string
	Problem     DeskSignInProblem
}

// DeskOverview is the first page.
type DeskOverview struct {
	Environment contract.Environment
	Statuses    []contract.Status
	Week, Month map[contract.Status]int // reports that were begun since
	Failed      [2]int                  // deliveries that were given up or refused, in 7 and 30 days
	Pending     int
	Callback    string // "none", "on", "off"
}

// DeskWebhooks is where events go.
type DeskWebhooks struct {
	URL      string // empty: there is no callback
	Disabled time.Time
	Statuses []DeskStatus
	Signers  []DeskSigner
}

// DeskStatus is a status that can be subscribed to.
type DeskStatus struct {
	Status contract.Status
	Chosen bool
}

// DeskSigner is a secret that signs.
type DeskSigner struct {
	ID            string
	Created, Ends time.Time
}

// DeskPager leads on and back in a list; empty is no way.
type DeskPager struct{ Older, Newest string }

// DeskChip is a filter of a list.
type DeskChip struct {
	Name, URL string // Name is empty for all
	Current   bool
}

// DeskDeliveries is the list of deliveries.
type DeskDeliveries struct {
	Chips  []DeskChip
	Report string // the reference of the report that they are of; empty for any
	Rows   []DeskDelivery
	Pager  DeskPager
}

// DeskDelivery is a delivery.
type DeskDelivery struct {
	ID, EventID string
	Report      string // a reference; empty where it is not the account's own
	Status      contract.Status
	Substatus   contract.Substatus
	Happened    time.Time
	State       string
	Tries, HTTP int
	Created     time.Time
	Resends     int64

	Attempts []DeskAttempt
	Body     string
	Shredded bool
}

// DeskAttempt is one try.
type DeskAttempt struct {
	At    time.Time
	HTTP  int
	Took  time.Duration
	Error string
}

// DeskCredential is a secret of the API.
type DeskCredential struct {
	ID, ClientID              string
	Created, Expires, Revoked time.Time
	Live                      bool
	Rotatable                 bool // no other secret of the client is good
}

// DeskRedirects is how secure redirects come back.
type DeskRedirects struct {
	URLs        []string // the first is the static one
	Origins     []string // of pages that may show the widget
	Mode        string
	RequireForm bool
}

// DeskReports is the list of reports.
type DeskReports struct {
	Chips    []DeskChip
	Searched string // what was looked for, if nothing was found
	Rows     []DeskReport
	Pager    DeskPager
}

// DeskReport is a report and its visit.
type DeskReport struct {
	Reference   string
	PublicToken string // on the report's own page
	ProductID   string
	Kind        contract.Product
	ExternalID  string
	Status      contract.Status
	Substatus   contract.Substatus
	Created     time.Time
	Retrieved   time.Time
	Revisable   bool // its figures can be corrected

	Way        string // "visit", "redirect", "form", "submission"
	State      string // of the visit
	Expires    time.Time
	Moments    []DeskMoment
	Shares     []DeskShare
	Deliveries []DeskDelivery
}

// DeskMoment is a line of a timeline.
type DeskMoment struct {
	At         time.Time
	Kind, Text string
}

// DeskSharing is the relay tokens.
type DeskSharing struct {
	Granted  []DeskShare
	Received []DeskShare
	Pager    DeskPager
}

// DeskShare is a relay token.
type DeskShare struct {
	Reference, RelayToken string
	Report                string // a reference; empty for a share that was received
	With, WithName        string
	State                 string
	Created, Expires      time.Time
	Read, Revoked         time.Time
}

// DeskOutbox is the letters to applicants.
type DeskOutbox struct {
	Sends   bool // there is a mail server
	Letters []DeskLetter
	Pager   DeskPager
}

// DeskLetter is one of them; Body is empty when it was sent.
type DeskLetter struct {
	Report, To, Subject, Body      string
	Created, Expires, Sent, Failed time.Time
}

// DeskAccounts is the account's children.
type DeskAccounts struct {
	Children []DeskAccount
	Addable  bool // more can be made
}

// DeskAccount is a child account.
type DeskAccount struct {
	PublicID, Name, DisplayName string
	Created                     time.Time
	Products                    []DeskProduct
	Configurations              []DeskConfiguration
	Own                         string // the id of its own configuration; empty where it inherits
	Assignable                  bool
}

// DeskProducts is the account's own products, and its configurations.
type DeskProducts struct {
	Products       []DeskProduct
	Configurations []DeskConfiguration
	Assignable     bool // configurations can be assigned
}

// DeskProduct is a product with its configuration.
type DeskProduct struct {
	ID, Name, DisplayName string
	Kind                  contract.Product
	InquiryType           string
	Configuration         DeskConfiguration
	Inherited             bool
}

// DeskConfiguration is what products are configured as.
type DeskConfiguration struct {
	ID, Alias         string
	Kind              contract.Product
	InquiryType       string
	Deprecated        bool
	ScoreV1, ScoreV21 bool
	IncomeModelSuite  string
	Inflows           bool            // of income reports
	Workflow          report.Workflow // of eligibility reports
}

// DeskPeople is who signs in for the account.
type DeskPeople struct{ Rows []DeskPerson }

// DeskPerson is one of them.
type DeskPerson struct {
	ID, Email string
	Created   time.Time
	Self      bool // who looks
}

// DeskEntry is a line of the audit trail.
type DeskEntry struct {
	At                          time.Time
	By, Action, Object, Details string
}

// DeskAudit is the audit trail.
type DeskAudit struct {
	Rows  []DeskEntry
	Pager DeskPager
}

func (d Desk) say(en, es string) string { return contract.Words{EN: en, ES: es}.In(d.Lang) }

// page is the page around content, with a title.
func (d Desk) page(title string) ui.Page {
	home := ""
	if d.Email != "" {
		home = "/dashboard"
	}
	p := ui.Page{Lang: d.Lang, Title: title, Home: home, Icon: d.Icon, Styles: d.Styles, Languages: d.Languages, Wide: true}
	if d.Sandbox {
		p.Footer = ui.SandboxNote(d.Lang)
	}
	return p
}

// deskSection is an entry of the menu.
type deskSection struct {
	name, path string
	words      contract.Words
	parents    bool // of parent accounts only
}

var deskSections = []deskSection{
	{"overview", "/dashboard", contract.Words{EN: "Overview", ES: "Resumen"}, false},
	{"reports", "/dashboard/reports", contract.Words{EN: "Reports and visits", ES: "Informes y visitas"}, false},
	{"relay", "/dashboard/relay-tokens", contract.Words{EN: "Relay tokens", ES: "Tokens de cesión"}, false},
	{"outbox", "/dashboard/outbox", contract.Words{EN: "Outbox", ES: "Cartas"}, false},
	{"webhooks", "/dashboard/webhooks", contract.Words{EN: "Webhooks", ES: "Webhooks"}, false},
	{"deliveries", "/dashboard/deliveries", contract.Words{EN: "Deliveries", ES: "Entregas"}, false},
	{"redirects", "/dashboard/redirects", contract.Words{EN: "Redirects", ES: "Redirecciones"}, false},
	{"credentials", "/dashboard/credentials", contract.Words{EN: "Credentials", ES: "Credenciales"}, false},
	{"products", "/dashboard/products", contract.Words{EN: "Products", ES: "Productos"}, false},
	{"accounts", "/dashboard/accounts", contract.Words{EN: "Child accounts", ES: "Cuentas hijas"}, true},
	{"people", "/dashboard/people", contract.Words{EN: "People", ES: "Personas"}, false},
	{"audit", "/dashboard/audit", contract.Words{EN: "Audit trail", ES: "Registro de cambios"}, false},
}

// value is what a field shows: what was sent in a form that was refused, else what
// is so.
func (d Desk) value(field, now string) string {
	if d.Given.Has(field) {
		return d.Given.Get(field)
	}
	return now
}

// wrong is what is wrong with a field.
func (d Desk) wrong(field string) string {
	if d.Wrong == field {
		return d.Words
	}
	return ""
}

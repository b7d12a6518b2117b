// Package provider renders the pages of the service: the steps of a visit, which are the
// same in the widget's frame and on the hosted page, the frame's document, the return to
// the customer, and the dashboard. internal/provider/visits decides the next step and its
// actions.
//
// Every form works by plain POST or GET. The frame's script replaces the element with the
// id "step" and reads its data attributes.
package provider

import (
	"cmp"
	"net/url"
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/visits/flow"
	"vestibule/templates/ui"
)

// Urls holds the addresses of the pages' assets, and the customer's logo.
type Urls struct {
	Style, Icon, Font, Frame, Hosted, Submit, Close, Files, Times string
	Service                                                       string   // its name
	Theme                                                         string   // the customer's style sheet; empty for none
	Logo                                                          *ui.Logo // nil for none
}

// styles returns the style sheets of a page. The theme is the last: it overrides the
// tokens of the first.
func (u Urls) styles() []string {
	if u.Theme == "" {
		return []string{u.Style}
	}
	return []string{u.Style, u.Theme}
}

// brand returns the brand of a page: the customer's if it has a logo, or the service's.
func (u Urls) brand(customer string) ui.Brand {
	if u.Logo == nil {
		return ui.Brand{Name: u.Service}
	}
	return ui.Brand{Name: customer, Logo: u.Logo}
}

// Operator is who runs the verification service: its name, and the addresses of its terms
// and privacy policy, empty for none.
type Operator struct{ Name, Terms, Privacy string }

// Passwords says where applicants type the passwords of their banks and payroll providers.
type Passwords string

const (
	PasswordsThere Passwords = "there" // on the pages of the bank or payroll provider
	PasswordsHere  Passwords = "here"  // into a form of the visit
	PasswordsVary  Passwords = "vary"
)

// Visit is one page of a visit.
type Visit struct {
	Lang       i18n.Lang
	Path       string // of the visit's page, without a query
	Nonce      string // of the displayed step; its forms submit it
	Customer   string // the company that receives the report
	Access     string // address of the page of what consumers have shared; empty: none
	Operator   Operator
	Passwords  Passwords
	Updates    bool     // updated reports are possible from some source
	Logo       *ui.Logo // of the company; nil for none
	Sandbox    bool
	Hosted     bool   // hosted page, not the widget's frame
	Opens      string // what counts as the applicant's arrival: "seen" or "acted"; empty: they have arrived
	Product    contract.Product
	Step       flow.Step
	SourceType flow.SourceType   // chosen source type; empty before the choice
	Left       []flow.SourceType // source types that remain available
	Back       flow.Step         // step to go back to; empty: none
	CanGoBack  bool              // the step before can be shown again

	Verifies   bool       // stated employers are verified
	IncomeOnly bool       // only stated employers are verified
	Employers  []Employer // the stated employers, while the visit is open
	Employer   string     // the employer that is being verified

	Connected []Connected // of the report as a whole

	Missing          flow.MissingSources
	Unconfigured     bool // it ended because no source is configured
	NothingConnected bool
	EndsIfFinished   bool // to continue from here ends the visit without a report
	Frozen           bool // it ended because the applicant's file is frozen

	Bank      string // the name of the chosen bank, payroll provider or bureau
	Place     string // its place
	Failure   Failure
	Query     string // search text
	Country   string // of the listed bureaus; empty: countries are listed
	Banks     []Bank
	More      int       // found, but not shown
	AtBank    bool      // the applicant has opened the pages of the chosen bank
	Updatable time.Time // until when the customer can get updated reports from it; zero: it cannot
	Unlisted  string    // what the applicant just reported as missing in the list
	Username  string    // typed before the sign-in was refused
	Tries     int       // remaining tries after a wrong password; 0 before one
	CodeTries int       // remaining tries after a wrong code; 0 before one
	Codes     int       // codes sent for this sign-in
	CodeWait  int       // seconds until another code can be requested
	Accounts  []Account
	Documents []Document

	NoMoreCodes bool

	MaxFiles     int
	MaxFileSize  int64 // bytes
	FileProblems FileProblems
	Problems     map[string]string // errors of the submitted form by field

	Note        i18n.Key // note about the whole step; empty for none
	PublicToken string
	End         string // "success", "error", "exit"; empty before the end
	Status      contract.Status
	Substatus   contract.Substatus
	Error       contract.WidgetError
	Return      string // address that leads back to the customer; empty for none
	CanReopen   bool
	Receipt     *Receipt // at the end, if a report was created
}

// Bank is a line of a list to choose from. Without an ID, it is a country with several bureaus.
type Bank struct{ ID, Name, Place, Country string }

// Account is a line of the choice of accounts.
type Account struct {
	ID, Name, Mask string
	Subtype        string
	Chosen         bool
}

// Connected is a source that was connected or failed.
type Connected struct {
	SourceType flow.SourceType
	Name       string // of the bank or payroll provider
	Failed     bool
	Why        Failure // with Failed
	Empty      bool    // it has no recent data
	Accounts   int     // that the applicant selected
}

// shown returns the source's name, or a text for a source without a name.
func (c Connected) shown(v Visit) string {
	if c.SourceType == flow.SourceDocuments {
		return i18n.T(v.Lang, "visit.connected.documents")
	}
	return cmp.Or(c.Name, i18n.T(v.Lang, "visit.connected.pay_stubs"))
}

// PollEvery is the interval at which a waiting page polls, in milliseconds.
const PollEvery = 1000

func (v Visit) action() templ.SafeURL { return templ.SafeURL(v.link("")) }

// footer returns the footer of the hosted page: the sandbox says that it is one.
func (v Visit) footer() templ.Component {
	if v.Sandbox {
		return ui.SandboxNote(v.Lang)
	}
	return nil
}

// consentWords says who asks for what, and who gets it.
func (v Visit) consentWords() string {
	intro := i18n.Key("visit.consent.intro")
	switch {
	case v.Product == contract.Passport:
		intro = "visit.consent.intro_passport"
	case v.IncomeOnly:
		intro = "visit.consent.intro_employers"
	case v.Verifies:
		intro = "visit.consent.intro_employers_and_money"
	case v.Product == contract.Income:
		intro = "visit.consent.intro_income"
	}
	return i18n.T(v.Lang, intro, "company", v.Customer) + " " +
		i18n.T(v.Lang, "visit.consent.service", "service", v.Operator.Name, "company", v.Customer)
}

// shared lists what the company gets.
func (v Visit) shared() []i18n.Key {
	if v.Product == contract.Passport {
		return []i18n.Key{"visit.consent.shared.bureau", "visit.consent.shared.identity_at_bureau"}
	}
	if !v.Verifies && v.Product != contract.Income {
		return []i18n.Key{"visit.consent.shared.accounts", "visit.consent.shared.identity_at_bank"}
	}
	var all []i18n.Key
	if !v.IncomeOnly {
		all = append(all, "visit.consent.shared.from_bank")
	}
	documents := i18n.Key("visit.consent.shared.pay_stubs")
	if v.Verifies {
		documents = "visit.consent.shared.documents"
	}
	return append(all, "visit.consent.shared.from_payroll", documents, "visit.consent.shared.identity")
}

// notShared lists what the company does not get.
func (v Visit) notShared() []string {
	if v.Product == contract.Passport {
		return []string{i18n.T(v.Lang, "visit.consent.not_shared.accounts"), i18n.T(v.Lang, "visit.consent.not_shared.numbers")}
	}
	return []string{v.passwordWords(), i18n.T(v.Lang, "visit.consent.not_shared.control")}
}

// passwordWords says which party sees a password.
func (v Visit) passwordWords() string {
	k := i18n.Key("visit.consent.password.vary")
	switch v.Passwords {
	case PasswordsThere:
		k = "visit.consent.password.there"
	case PasswordsHere:
		k = "visit.consent.password.here"
	}
	return i18n.T(v.Lang, k, "service", v.Operator.Name, "company", v.Customer)
}

// agreement says what the applicant agrees to.
func (v Visit) agreement() string {
	key := i18n.Key("visit.consent.agreement")
	switch {
	case v.Updates && (v.Verifies || v.Product == contract.Income):
		key = "visit.consent.agreement_updates_payroll"
	case v.Updates:
		key = "visit.consent.agreement_updates"
	}
	return i18n.T(v.Lang, key, "service", v.Operator.Name, "company", v.Customer)
}

// problem returns the error of a field of the step's form. A wrong username or password is
// shown at the password, or at the username if that has to be typed again.
func (v Visit) problem(field string) string {
	switch {
	case len(v.Problems) > 0:
		return v.Problems[field]
	case v.Tries > 0 && (field == "username" && v.Username == "" || field == "password" && v.Username != ""):
		return i18n.N(v.Lang, "visit.sign_in.wrong", v.Tries)
	case v.CodeTries > 0 && field == "code":
		return i18n.N(v.Lang, "visit.code.wrong", v.CodeTries)
	}
	return ""
}

// refused reports whether the step's form was refused.
func (v Visit) refused() bool { return len(v.Problems) > 0 || v.Tries > 0 || v.CodeTries > 0 }

// link returns the address of the visit's page with the language, which no cookie stores,
// and with the parameter flag set to 1.
func (v Visit) link(flag string) string {
	q := url.Values{"lang": {string(v.Lang)}}
	if flag != "" {
		q.Set(flag, "1")
	}
	return v.Path + "?" + q.Encode()
}

func (v Visit) returnLink() string {
	return v.Return + "?" + url.Values{"lang": {string(v.Lang)}}.Encode()
}

func (v Visit) attrs() templ.Attributes {
	a := templ.Attributes{"data-step": string(v.Step), "data-testid": "step-" + string(v.Step), "data-nonce": v.Nonce}
	set := func(name, value string) {
		if value != "" {
			a[name] = value
		}
	}
	set("data-public-token", v.PublicToken)
	set("data-end", v.End)
	set("data-opens", v.Opens)
	if v.End == "success" {
		set("data-status", string(v.Status))
	}
	if v.End == "error" {
		set("data-error", string(v.Error))
	}
	if v.Step == flow.StepProgress || v.Step == flow.StepAuthorize && v.AtBank {
		a["data-poll"] = strconv.Itoa(PollEvery)
	}
	if v.Step == flow.StepEnd {
		a["data-over"] = "true"
	}
	return a
}

func (v Visit) title() string {
	switch v.Step {
	case flow.StepConsent:
		switch {
		case v.Product == contract.Passport:
			return i18n.T(v.Lang, "visit.title.consent_passport")
		case v.Product == contract.Income:
			return i18n.T(v.Lang, "visit.title.consent_income")
		case v.Verifies:
			return v.verifyTitle()
		}
		return i18n.T(v.Lang, "visit.title.consent")
	case flow.StepEmployers:
		return i18n.T(v.Lang, "visit.title.employers")
	case flow.StepSkip:
		return i18n.T(v.Lang, "visit.title.skip_employer", "employer", v.Employer)
	case flow.StepSource:
		if v.Employer != "" {
			return i18n.T(v.Lang, "visit.title.source_of_employer", "employer", v.Employer)
		}
		return i18n.T(v.Lang, "visit.title.source")
	case flow.StepPayroll:
		return i18n.T(v.Lang, "visit.title.employer")
	case flow.StepDocuments:
		if v.SourceType == flow.SourceDocuments {
			return i18n.T(v.Lang, "visit.title.documents")
		}
		return i18n.T(v.Lang, "visit.title.pay_stubs")
	case flow.StepConnected:
		return i18n.T(v.Lang, "visit.title.finish")
	case flow.StepSupplier:
		if v.Country != "" {
			return i18n.T(v.Lang, "visit.title.bureau")
		}
		return i18n.T(v.Lang, "visit.title.country")
	case flow.StepBank:
		return i18n.T(v.Lang, "visit.title.bank")
	case flow.StepAuthorize:
		if v.AtBank {
			return i18n.T(v.Lang, "visit.title.at_bank", "bank", v.Bank)
		}
		return i18n.T(v.Lang, "visit.title.authorize", "bank", v.Bank)
	case flow.StepSignIn:
		return i18n.T(v.Lang, "visit.title.sign_in", "bank", v.Bank)
	case flow.StepCode:
		return i18n.T(v.Lang, "visit.title.code")
	case flow.StepConfirm:
		return i18n.T(v.Lang, "visit.title.confirm_country")
	case flow.StepFailed:
		return i18n.T(v.Lang, "visit.title.failed", "bank", v.Bank)
	case flow.StepAccounts:
		return i18n.T(v.Lang, "visit.title.accounts")
	case flow.StepProgress:
		return i18n.T(v.Lang, "visit.title.progress")
	case flow.StepLeave:
		return i18n.T(v.Lang, "visit.leave.title")
	}
	switch v.End {
	case "success":
		if v.Status == contract.StatusSuccess && !v.nothingRecent() {
			return i18n.T(v.Lang, "visit.title.done")
		}
		return i18n.T(v.Lang, "visit.title.part_done")
	case "exit":
		return i18n.T(v.Lang, "visit.title.closed")
	}
	if v.Status == contract.StatusExpired {
		return i18n.T(v.Lang, "visit.title.expired")
	}
	return i18n.T(v.Lang, "visit.title.error")
}

// Back is a return by form POST. A script submits the form immediately; without script,
// the applicant presses its button.
type Back struct {
	Lang     i18n.Lang
	Customer string
	URL      string
	Token    string
}

// Message is a page with only a text, for an address that no longer works.
type Message struct {
	Lang  i18n.Lang
	Title i18n.Key
	Text  i18n.Key

	StartOver string // address that starts the visit over in this browser; empty: none
	Back      string // address of the visit's step; empty: none
	Access    string // address of the page of what consumers have shared; empty: none
	Consumer  bool   // of a page below that
	Retry     string // address that may work later; empty: none
	RequestID string // of an unexpected error; empty: none
	Languages []ui.Choice
}

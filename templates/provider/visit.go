// Package provider holds the pages of the service: the steps of a visit, which are
// the same in the widget's frame and on the hosted page, the frame's shell and the
// pages that lead back. It turns views into HTML; provider/visits decides which step
// is next and which actions it allows.
//
// Every form works by plain POST or GET. The frame's script swaps the element
// with the id "step"; its data attributes are what the script acts on.
package provider

import (
	"cmp"
	"net/url"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/templates/ui"
)

// Urls are the addresses of the assets that the pages need.
type Urls struct{ Style, Icon, Frame, Hosted, Submit, Close string }

// Visit is one page of a visit.
type Visit struct {
	Lang     i18n.Lang
	Path     string // of the visit's page, without a query
	Nonce    string // of the displayed step; its forms submit it
	Customer string // the company that receives the report
	Sandbox  bool
	Hosted   bool // hosted page, not the widget's frame
	Product  contract.Product
	Step     Step
	Way      Way   // that was chosen; empty before
	Left     []Way // the sources that remain available
	Back     Step  // where turning back leads; empty: nowhere

	Verifies   bool       // stated employers are verified
	IncomeOnly bool       // only stated employers are verified
	Employers  []Employer // the stated employers, while the visit is open
	Employer   string     // the employer that is being verified

	Connected []Connected // of the report as a whole

	Unsourced    Unsourced
	Unconfigured bool // it ended for want of any source

	Bank      string // the name of the chosen bank, payroll provider or bureau
	Place     string // where that is
	Failure   Failure
	Query     string // of the search for them
	Banks     []Bank
	More      int  // of them that were found and are not shown
	AtBank    bool // the applicant has opened the pages of the chosen bank
	Tries     int  // how often the password may still be wrong; 0: it was not wrong yet
	CodeTries int  // how often the code may still be wrong; 0: it was not wrong yet
	Codes     int  // how many were sent for this sign-in
	CodeWait  int  // seconds until another can be asked for
	Accounts  []Account
	Documents []Document

	NoMoreCodes bool

	MaxFiles     int
	MaxFileSize  int64 // bytes
	FileProblems FileProblems
	Problem      string // error of the submitted form; empty for none

	Note        i18n.Key // note about the whole step; empty for none
	PublicToken string
	End         string // "success", "error", "exit"; empty: not at its end
	Status      contract.Status
	Substatus   contract.Substatus
	Error       contract.WidgetError
	Return      string // address that leads back to the customer; empty for none
	CanReopen   bool
}

// Step is which page it is.
type Step string

const (
	Consent   Step = "consent"
	Source    Step = "source"
	Banks     Step = "bank"
	Employers Step = "employer"
	Authorize Step = "authorize" // at the bank's own pages
	SignIn    Step = "sign-in"
	Code      Step = "code"
	Accounts  Step = "accounts"
	Documents Step = "documents"
	Finish    Step = "connected"
	Progress  Step = "progress"
	End       Step = "end"
	Leave     Step = "leave" // asks whether to close
)

// Way is what kind of source is connected.
type Way string

const (
	Bankwise Way = "bank"
	Payroll  Way = "payroll"
	Stubs    Way = "paystubs"
)

// Bank is a line of the list of banks or of payroll providers.
type Bank struct{ ID, Name, Place string }

// Account is a line of the choice of accounts.
type Account struct {
	ID, Name, Mask string
	Subtype        string
	Chosen         bool
}

// Connected is a source that was connected, or could not be.
type Connected struct {
	Way    Way
	Name   string // of the bank or payroll provider
	Failed bool
	Why    Failure // with Failed
	Empty  bool    // there is nothing recent in it
}

// shown is its name, or words where it has none.
func (c Connected) shown(v Visit) string {
	if c.Way == Letters {
		return i18n.T(v.Lang, "visit.connected.documents")
	}
	return cmp.Or(c.Name, i18n.T(v.Lang, "visit.connected.pay_stubs"))
}

// FileProblems are the words for files that are not taken.
type FileProblems struct{ TooLarge, Empty, Type, TooMany string }

// Document is a file that was uploaded.
type Document struct {
	ID, Name string
	Size     int64 // bytes
}

// shown is its name, or words where it has none.
func (d Document) shown(v Visit) string {
	return cmp.Or(d.Name, i18n.T(v.Lang, "visit.documents.unnamed"))
}

// size is how large it is, in words.
func (d Document) size() string {
	if d.Size < 1<<20 {
		return strconv.FormatInt((d.Size+1023)>>10, 10) + " KB"
	}
	tenths := d.Size * 10 >> 20
	return strconv.FormatInt(tenths/10, 10) + "." + strconv.FormatInt(tenths%10, 10) + " MB"
}

// PollEvery is how often a page that waits asks again, in milliseconds.
const PollEvery = 1000

func (v Visit) action() templ.SafeURL { return templ.SafeURL(v.link("")) }

// added says how many documents there are.
func (v Visit) added() string {
	if len(v.Documents) == 1 {
		return i18n.T(v.Lang, "visit.documents.added.one")
	}
	n := strconv.Itoa(len(v.Documents))
	return i18n.T(v.Lang, "visit.documents.added.other", "n", n)
}

// uploadLimits are the limits that the script checks before it sends files, and the
// messages for refused files; a percent sign is replaced by the file's name.
func (v Visit) uploadLimits() templ.Attributes {
	return templ.Attributes{
		"data-max-size":  strconv.FormatInt(v.MaxFileSize, 10),
		"data-max-files": strconv.Itoa(v.MaxFiles - len(v.Documents)),
		"data-too-large": v.FileProblems.TooLarge,
		"data-empty":     v.FileProblems.Empty,
		"data-type":      v.FileProblems.Type,
		"data-too-many":  v.FileProblems.TooMany,
		"data-cancelled": i18n.T(v.Lang, "visit.documents.cancelled"),
	}
}

// uploadAction is where files are sent.
func (v Visit) uploadAction() templ.SafeURL {
	return templ.SafeURL(v.Path + "/documents?" + url.Values{"lang": {string(v.Lang)}}.Encode())
}

// closing is the script that closes the window; none if the page leads back.
func closing(back string, u Urls) []string {
	if back != "" {
		return nil
	}
	return []string{u.Close}
}

// authorizeKind makes the button quieter once the bank's pages were opened.
func (v Visit) authorizeKind() ui.Kind {
	if v.AtBank {
		return ui.Secondary
	}
	return ""
}

// authorizeAction is where the form goes that leads to the bank's own pages.
func (v Visit) authorizeAction() templ.SafeURL {
	return templ.SafeURL(v.Path + "/authorize?" + url.Values{"lang": {string(v.Lang)}}.Encode())
}

// link is the visit's page with the language, which no cookie remembers, and
// one more parameter set to 1.
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
	if v.End == "success" {
		set("data-status", string(v.Status))
	}
	if v.End == "error" {
		set("data-error", string(v.Error))
	}
	if v.Step == Progress || v.Step == Authorize && v.AtBank {
		a["data-poll"] = strconv.Itoa(PollEvery)
	}
	if v.Step == End {
		a["data-over"] = "true"
	}
	return a
}

func (v Visit) title() string {
	switch v.Step {
	case Consent:
		switch {
		case v.Product == contract.Passport:
			return i18n.T(v.Lang, "visit.title.consent_passport")
		case v.Product == contract.Income:
			return i18n.T(v.Lang, "visit.title.consent_income")
		case v.Verifies:
			return v.verifyTitle()
		}
		return i18n.T(v.Lang, "visit.title.consent")
	case Stated:
		return i18n.T(v.Lang, "visit.title.employers")
	case Why:
		return i18n.T(v.Lang, "visit.title.skip_employer", "employer", v.Employer)
	case Source:
		if v.Employer != "" {
			return i18n.T(v.Lang, "visit.title.source_of_employer", "employer", v.Employer)
		}
		return i18n.T(v.Lang, "visit.title.source")
	case Employers:
		return i18n.T(v.Lang, "visit.title.employer")
	case Documents:
		if v.Way == Letters {
			return i18n.T(v.Lang, "visit.title.documents")
		}
		return i18n.T(v.Lang, "visit.title.pay_stubs")
	case Finish:
		return i18n.T(v.Lang, "visit.title.finish")
	case Suppliers:
		return i18n.T(v.Lang, "visit.title.country")
	case Banks:
		return i18n.T(v.Lang, "visit.title.bank")
	case Authorize:
		return i18n.T(v.Lang, "visit.title.authorize", "bank", v.Bank)
	case SignIn:
		return i18n.T(v.Lang, "visit.title.sign_in", "bank", v.Bank)
	case Code:
		return i18n.T(v.Lang, "visit.title.code")
	case Confirm:
		return i18n.T(v.Lang, "visit.title.confirm_country")
	case Failed:
		return i18n.T(v.Lang, "visit.title.failed", "bank", v.Bank)
	case Accounts:
		return i18n.T(v.Lang, "visit.title.accounts")
	case Progress:
		return i18n.T(v.Lang, "visit.title.progress")
	case Leave:
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

// connecting replaces the steps of a source before the applicant chooses it.
const connecting Step = "connecting"

// steps are those of the way that was chosen; where employers are verified, those of
// the visit as a whole.
func (v Visit) steps() ui.Steps {
	name := map[Step]string{Consent: i18n.T(v.Lang, "visit.steps.consent"), Source: i18n.T(v.Lang, "visit.steps.source"),
		Banks: i18n.T(v.Lang, "visit.source.bank.title"), Stated: i18n.T(v.Lang, "visit.steps.employers"),
		Employers: i18n.T(v.Lang, "visit.steps.employer"), Suppliers: i18n.T(v.Lang, "visit.steps.country"),
		SignIn: i18n.T(v.Lang, "visit.sign_in.label"), Code: i18n.T(v.Lang, "visit.steps.code"),
		Accounts: i18n.T(v.Lang, "visit.steps.accounts"), Documents: i18n.T(v.Lang, "visit.connected.pay_stubs"),
		connecting: i18n.T(v.Lang, "visit.steps.connection"), Finish: i18n.T(v.Lang, "visit.steps.finish")}
	order, now := []Step{Consent}, v.Step
	way := v.Way
	switch {
	case v.Verifies:
		order, now, way = v.verifySteps()
	case v.Product == contract.Income:
		order = append(order, Source)
	case v.Product == contract.Passport:
		way = Abroad
	default:
		way = Bankwise
	}
	switch way {
	case Bankwise:
		order = append(order, Banks, SignIn, Code, Accounts)
	case Payroll:
		order = append(order, Employers, SignIn, Code)
	case Stubs:
		order = append(order, Documents)
	case Abroad:
		order = append(order, Suppliers)
	case "":
		order = append(order, connecting)
	}
	if v.Product == contract.Income || v.Product == contract.Eligibility && !v.IncomeOnly ||
		v.Product == contract.Cashflow && len(v.Connected) > 0 {
		order = append(order, Finish)
	}
	switch list := map[Way]Step{Bankwise: Banks, Payroll: Employers, Abroad: Suppliers}[way]; now {
	case Confirm, Failed: // belong to the list that leads there
		now = list
	case Authorize:
		now = SignIn
	}
	out := ui.Steps{Lang: v.Lang, Current: slices.Index(order, now)}
	for _, s := range order {
		out.Names = append(out.Names, name[s])
	}
	return out
}

func (v Visit) walking() bool {
	switch v.Step {
	case Consent, Stated, Why, Source, Banks, Employers, Suppliers, Confirm, Authorize, SignIn, Code, Accounts, Documents, Finish,
		Failed:
		return true
	}
	return false
}

// wayRows are the ways to choose from.
func (v Visit) wayRows() []ui.Row {
	rows := make([]ui.Row, len(v.Left))
	for i, w := range v.Left {
		rows[i] = ui.Row{Name: "source", Value: string(w), Title: i18n.T(v.Lang, "visit.source.bank.title"),
			Detail: i18n.T(v.Lang, "visit.source.bank.detail")}
		switch w {
		case Letters:
			rows[i].Title = i18n.T(v.Lang, "visit.source.document.title")
			rows[i].Detail = i18n.T(v.Lang, "visit.source.document.detail")
		case Payroll:
			rows[i].Title = i18n.T(v.Lang, "visit.source.payroll.title")
			rows[i].Detail = i18n.T(v.Lang, "visit.source.payroll.detail")
		case Stubs:
			rows[i].Title = i18n.T(v.Lang, "visit.source.pay_stubs.title")
			rows[i].Detail = i18n.T(v.Lang, "visit.source.pay_stubs.detail")
		}
	}
	return rows
}

func (v Visit) found() string {
	switch v.Way {
	case Payroll:
		return v.foundEmployers()
	case Abroad:
		return v.foundSuppliers()
	}
	switch n := len(v.Banks) + v.More; {
	case n == 0:
		return i18n.T(v.Lang, "visit.banks.found.none")
	case n == 1:
		return i18n.T(v.Lang, "visit.banks.found.one")
	case v.More > 0:
		return i18n.T(v.Lang, "visit.banks.found.more", "n", strconv.Itoa(n), "shown", strconv.Itoa(len(v.Banks)))
	default:
		return i18n.T(v.Lang, "visit.banks.found.other", "n", strconv.Itoa(n))
	}
}

func (v Visit) foundEmployers() string {
	shown := strconv.Itoa(len(v.Banks))
	switch n := strconv.Itoa(len(v.Banks) + v.More); {
	case n == "0":
		return i18n.T(v.Lang, "visit.employers.found.none")
	case n == "1":
		return i18n.T(v.Lang, "visit.results.found.one")
	case v.More > 0:
		return i18n.T(v.Lang, "visit.employers.found.more", "n", n, "shown", shown)
	default:
		return i18n.T(v.Lang, "visit.results.found.other", "n", n)
	}
}

func (v Visit) rows() []ui.Row {
	rows := make([]ui.Row, len(v.Banks))
	for i, b := range v.Banks {
		rows[i] = ui.Row{Name: string(v.Step), Value: b.ID, Title: b.Name, Detail: b.Place}
	}
	return rows
}

func (v Visit) wrongPassword() string {
	if v.Tries == 1 {
		return i18n.T(v.Lang, "visit.sign_in.wrong.one")
	}
	n := strconv.Itoa(v.Tries)
	return i18n.T(v.Lang, "visit.sign_in.wrong.other", "n", n)
}

func (v Visit) accountOptions() []ui.Option {
	out := make([]ui.Option, len(v.Accounts))
	for i, a := range v.Accounts {
		kind := map[string]string{
			"CHECKING": i18n.T(v.Lang, "visit.accounts.types.CHECKING"),
			"SAVINGS":  i18n.T(v.Lang, "visit.accounts.types.SAVINGS"),
		}[a.Subtype]
		if kind == "" {
			kind = i18n.T(v.Lang, "visit.accounts.types.OTHER")
		}
		detail := kind
		if a.Mask != "" {
			detail += " · " + i18n.T(v.Lang, "visit.accounts.ends_in") + a.Mask
		}
		out[i] = ui.Option{Value: a.ID, Label: a.Name, Detail: detail, Chosen: a.Chosen}
	}
	return out
}

// accountsHint says which accounts are meant.
func (v Visit) accountsHint() string {
	if v.Product == contract.Eligibility {
		return i18n.T(v.Lang, "visit.accounts.hint_eligibility")
	}
	return i18n.T(v.Lang, "visit.accounts.hint")
}

// Back is a return by form POST: a page whose form a script submits at once, and
// a person by its button.
type Back struct {
	Lang     i18n.Lang
	Customer string
	URL      string
	Token    string
}

// Message is a page with nothing but words: an address that leads nowhere any
// more.
type Message struct {
	Lang  i18n.Lang
	Title i18n.Key
	Text  i18n.Key

	StartOver string // where a visit is started over in this browser; empty: nowhere
}

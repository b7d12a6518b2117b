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
	"vestibule/templates/ui"
)

// Urls are the addresses of the assets that the pages need.
type Urls struct{ Style, Icon, Frame, Hosted, Submit string }

// Visit is one page of a visit.
type Visit struct {
	Lang     contract.Lang
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
	More      int // of them that were found and are not shown
	Tries     int // how often the password may still be wrong; 0: it was not wrong yet
	CodeTries int // how often the code may still be wrong; 0: it was not wrong yet
	Codes     int // how many were sent for this sign-in
	CodeWait  int // seconds until another can be asked for
	Accounts  []Account
	Documents []Document

	NoMoreCodes bool

	MaxFiles     int
	MaxFileSize  int64 // bytes
	FileProblems FileProblems
	Problem      contract.Words // error of the submitted form; empty for none

	Note        contract.Words // note about the whole step; empty for none
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
		return v.say("Documents", "Documentos")
	}
	return cmp.Or(c.Name, v.say("Pay stubs", "Nóminas"))
}

// FileProblems are the words for files that are not taken.
type FileProblems struct{ TooLarge, Empty, Type, TooMany contract.Words }

// Document is a file that was uploaded.
type Document struct {
	ID, Name string
	Size     int64 // bytes
}

// shown is its name, or words where it has none.
func (d Document) shown(v Visit) string {
	return cmp.Or(d.Name, v.say("File without a name", "Archivo sin nombre"))
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

func (v Visit) say(en, es string) string { return contract.Words{EN: en, ES: es}.In(v.Lang) }

func (v Visit) action() templ.SafeURL { return templ.SafeURL(v.link("")) }

// added says how many documents there are.
func (v Visit) added() string {
	if len(v.Documents) == 1 {
		return v.say("1 file added", "1 archivo añadido")
	}
	n := strconv.Itoa(len(v.Documents))
	return v.say(n+" files added", n+" archivos añadidos")
}

// uploadLimits are the limits that the script checks before it sends files, and the
// messages for refused files; a percent sign is replaced by the file's name.
func (v Visit) uploadLimits() templ.Attributes {
	return templ.Attributes{
		"data-max-size":  strconv.FormatInt(v.MaxFileSize, 10),
		"data-max-files": strconv.Itoa(v.MaxFiles - len(v.Documents)),
		"data-too-large": v.FileProblems.TooLarge.In(v.Lang),
		"data-empty":     v.FileProblems.Empty.In(v.Lang),
		"data-type":      v.FileProblems.Type.In(v.Lang),
		"data-too-many":  v.FileProblems.TooMany.In(v.Lang),
		"data-cancelled": v.say("The upload was cancelled.", "La subida se canceló."),
	}
}

// uploadAction is where files are sent.
func (v Visit) uploadAction() templ.SafeURL {
	return templ.SafeURL(v.Path + "/documents?" + url.Values{"lang": {string(v.Lang)}}.Encode())
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
	if v.Step == Progress {
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
			return v.say("Share your credit history", "Comparta su historial de crédito")
		case v.Product == contract.Income:
			return v.say("Share your income data", "Comparta los datos de sus ingresos")
		case v.Verifies:
			return v.verifyTitle()
		}
		return v.say("Share your bank data", "Comparta sus datos bancarios")
	case Stated:
		return v.say("Your employers", "Sus empresas")
	case Why:
		return v.say("Why do you skip "+v.Employer+"?", "¿Por qué omite "+v.Employer+"?")
	case Source:
		if v.Employer != "" {
			return v.say("How do you want to verify "+v.Employer+"?", "¿Cómo quiere verificar "+v.Employer+"?")
		}
		return v.say("How do you want to show your income?", "¿Cómo quiere mostrar sus ingresos?")
	case Employers:
		return v.say("Choose your employer", "Elija su empresa")
	case Documents:
		if v.Way == Letters {
			return v.say("Add documents", "Añada documentos")
		}
		return v.say("Add your pay stubs", "Añada sus nóminas")
	case Finish:
		return v.say("Is this all?", "¿Es todo?")
	case Suppliers:
		return v.say("Choose the country", "Elija el país")
	case Banks:
		return v.say("Choose your bank", "Elija su banco")
	case SignIn:
		return v.say("Sign in to "+v.Bank, "Inicie sesión en "+v.Bank)
	case Code:
		return v.say("Enter the code", "Escriba el código")
	case Confirm:
		return v.say("Is this the right country?", "¿Es este el país correcto?")
	case Failed:
		return v.say("We could not connect "+v.Bank, "No pudimos conectar "+v.Bank)
	case Accounts:
		return v.say("Choose accounts", "Elija las cuentas")
	case Progress:
		return v.say("Preparing your report", "Preparando su informe")
	case Leave:
		return v.say("Close the verification?", "¿Cerrar la verificación?")
	}
	switch v.End {
	case "success":
		if v.Status == contract.StatusSuccess && !v.nothingRecent() {
			return v.say("All done", "Todo listo")
		}
		return v.say("Your part is done", "Su parte está lista")
	case "exit":
		return v.say("Verification closed", "Verificación cerrada")
	}
	if v.Status == contract.StatusExpired {
		return v.say("This verification has expired", "Esta verificación ha caducado")
	}
	return v.say("We could not finish", "No pudimos terminar")
}

// connecting replaces the steps of a source before the applicant chooses it.
const connecting Step = "connecting"

// steps are those of the way that was chosen; where employers are verified, those of
// the visit as a whole.
func (v Visit) steps() ui.Steps {
	name := map[Step]string{Consent: v.say("Consent", "Permiso"), Source: v.say("Source", "Fuente"), Banks: v.say("Bank", "Banco"), Stated: v.say("Employers", "Empresas"),
		Employers: v.say("Employer", "Empresa"), Suppliers: v.say("Country", "País"), SignIn: v.say("Sign in", "Sesión"), Code: v.say("Code", "Código"),
		Accounts: v.say("Accounts", "Cuentas"), Documents: v.say("Pay stubs", "Nóminas"), connecting: v.say("Connection", "Conexión"), Finish: v.say("Finish", "Final")}
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
	if v.Product == contract.Income || v.Product == contract.Eligibility && !v.IncomeOnly {
		order = append(order, Finish)
	}
	switch list := map[Way]Step{Bankwise: Banks, Payroll: Employers, Abroad: Suppliers}[way]; now {
	case Confirm, Failed: // belong to the list that leads there
		now = list
	}
	out := ui.Steps{Lang: v.Lang, Current: slices.Index(order, now)}
	for _, s := range order {
		out.Names = append(out.Names, name[s])
	}
	return out
}

func (v Visit) walking() bool {
	switch v.Step {
	case Consent, Stated, Why, Source, Banks, Employers, Suppliers, Confirm, SignIn, Code, Accounts, Documents, Finish, Failed:
		return true
	}
	return false
}

// wayRows are the ways to choose from.
func (v Visit) wayRows() []ui.Row {
	rows := make([]ui.Row, len(v.Left))
	for i, w := range v.Left {
		rows[i] = ui.Row{Name: "source", Value: string(w), Title: v.say("Bank", "Banco"),
			Detail: v.say("Sign in to the bank that your pay goes to", "Inicie sesión en el banco donde recibe su sueldo")}
		switch w {
		case Letters:
			rows[i].Title = v.say("Another document", "Otro documento")
			rows[i].Detail = v.say("A contract, an offer or a letter that names your employer", "Un contrato, una oferta o una carta que nombre su empresa")
		case Payroll:
			rows[i].Title = v.say("Employer or payroll provider", "Empresa o proveedor de nóminas")
			rows[i].Detail = v.say("Sign in where you see your pay statements, a gig platform too", "Inicie sesión donde ve sus nóminas, también en una plataforma de encargos")
		case Stubs:
			rows[i].Title = v.say("Pay stubs", "Nóminas en archivo o en papel")
			rows[i].Detail = v.say("Upload the files, or take photos of them", "Suba los archivos o hágales fotos")
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
		return v.say("No bank of that name. Try fewer letters.", "Ningún banco con ese nombre. Pruebe con menos letras.")
	case n == 1:
		return v.say("1 bank", "1 banco")
	case v.More > 0:
		return v.say(strconv.Itoa(n)+" banks; the first "+strconv.Itoa(len(v.Banks))+" are shown. Type a name to narrow the list.",
			strconv.Itoa(n)+" bancos; se muestran los primeros "+strconv.Itoa(len(v.Banks))+". Escriba un nombre para acortar la lista.")
	default:
		return v.say(strconv.Itoa(n)+" banks", strconv.Itoa(n)+" bancos")
	}
}

func (v Visit) foundEmployers() string {
	shown := strconv.Itoa(len(v.Banks))
	switch n := strconv.Itoa(len(v.Banks) + v.More); {
	case n == "0":
		return v.say("Nothing of that name. Try fewer letters, or the company that runs your payroll.",
			"Nada con ese nombre. Pruebe con menos letras, o con la empresa que lleva su nómina.")
	case n == "1":
		return v.say("1 result", "1 resultado")
	case v.More > 0:
		return v.say(n+" results; the first "+shown+" are shown. Type a name to narrow the list.",
			n+" resultados; se muestran los primeros "+shown+". Escriba un nombre para acortar la lista.")
	default:
		return v.say(n+" results", n+" resultados")
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
		return v.say("That user name or password did not work. You can try one more time.",
			"Ese usuario o contraseña no funcionó. Puede intentarlo una vez más.")
	}
	n := strconv.Itoa(v.Tries)
	return v.say("That user name or password did not work. You can try "+n+" more times.",
		"Ese usuario o contraseña no funcionó. Puede intentarlo "+n+" veces más.")
}

func (v Visit) accountOptions() []ui.Option {
	out := make([]ui.Option, len(v.Accounts))
	for i, a := range v.Accounts {
		kind := map[string]string{
			"CHECKING": v.say("Checking", "Cuenta corriente"),
			"SAVINGS":  v.say("Savings", "Cuenta de ahorro"),
		}[a.Subtype]
		if kind == "" {
			kind = v.say("Other", "Otra")
		}
		detail := kind
		if a.Mask != "" {
			detail += " · " + v.say("ends in ", "termina en ") + a.Mask
		}
		out[i] = ui.Option{Value: a.ID, Label: a.Name, Detail: detail, Chosen: a.Chosen}
	}
	return out
}

// accountsHint says which accounts are meant.
func (v Visit) accountsHint() string {
	if v.Product == contract.Eligibility {
		return v.say("Choose all that are to be counted, and those that your pay goes to.", "Elija todas las que deban contarse, y donde recibe su sueldo.")
	}
	return v.say("Choose those that your income comes in to and your bills are paid from.", "Elija las cuentas donde entran sus ingresos y de donde paga sus gastos.")
}

// Back is a return by form POST: a page whose form a script submits at once, and
// a person by its button.
type Back struct {
	Lang     contract.Lang
	Customer string
	URL      string
	Token    string
}

// Message is a page with nothing but words: an address that leads nowhere any
// more.
type Message struct {
	Lang  contract.Lang
	Title contract.Words
	Text  contract.Words

	StartOver string // where a visit is started over in this browser; empty: nowhere
}

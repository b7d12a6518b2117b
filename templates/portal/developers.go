package portal

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Choice is what the playground is to do.
type Choice struct {
	Product  contract.Product
	Way      string
	Speaks   contract.Lang // language of the element
	Theme    string        // own (the person’s), light or dark
	Person   string        // ana, luis or none
	Username string        // the mock bank's
}

// Listing is a piece of code.
type Listing struct {
	ID, Title string
	Server    bool // for the back end, not the page
	Code      string
}

// Playground is the page on which one chooses.
type Playground struct {
	Base
	Choice    Choice
	Products  []contract.Product
	Ways      []string
	Usernames []string
	Listings  []Listing
	TooOften  bool
}

func (p Playground) server() (out []Listing) {
	for _, l := range p.Listings {
		if l.Server {
			out = append(out, l)
		}
	}
	return out
}

func (p Playground) client() (out []Listing) {
	for _, l := range p.Listings {
		if !l.Server {
			out = append(out, l)
		}
	}
	return out
}

// Parties of a line of the timeline.
const (
	PartyApp      = "app"
	PartyPortal   = "portal"
	PartyProvider = "provider"
	PartyBrowser  = "browser"
)

// TraceKind says what a line is; most are kinds of the journey's inputs.
type TraceKind string

const (
	TraceTold     TraceKind = "told"
	TraceLeave    TraceKind = "leave"
	TraceRegister TraceKind = "register"
	TraceElement  TraceKind = "element"
)

// TraceLine is one event of an application, with its sender and receiver.
type TraceLine struct {
	Key        string
	At         time.Time
	From, To   string // parties
	What       string // as code
	Kind       TraceKind
	Was, State string // where it moved the application
	Body       string
	URL        string // the report's, for reviewers
}

// Run is a running application of the playground.
type Run struct {
	Base
	ID       string
	Product  contract.Product
	Way      string
	Element  string // mode of the element; "" is a link to the provider's page
	Speaks   contract.Lang
	Theme    string
	Username string
	Token    string
	State    string
	Version  int64
	Final    bool
	Lines    []TraceLine
	Stream   string
	Self     string
	Connect  string
	Status   string
	Again    string
}

func (r Run) attrs() templ.Attributes {
	a := templ.Attributes{"data-version": strconv.FormatInt(r.Version, 10), "data-state": r.State, "data-self": r.Self}
	if r.Stream != "" {
		a["data-stream"] = r.Stream
	}
	return a
}

func (r Run) elementAttrs() templ.Attributes {
	a := templ.Attributes{"token": r.Token, "mode": r.Element, "lang": string(r.Speaks), "data-theme": r.Theme}
	if r.Element == "inline" {
		a["height"] = "640"
	}
	return a
}

// connect is the way to the provider in the language that was chosen.
func (r Run) connect() string {
	if r.Speaks != r.Lang {
		return r.Connect + "?lang=" + string(r.Speaks)
	}
	return r.Connect
}

// Guide is a guide of docs.
type Guide struct {
	Base
	Name, Title string
	HTML        string
	Contents    []Section
}

// Section is a heading of a guide.
type Section struct{ ID, Title string }

// GuideNames are the guides in the order in which they are read.
var guideNames = []struct {
	name  string
	title contract.Words
	text  contract.Words
}{
	{"embed", contract.Words{EN: "Embed in ten minutes", ES: "Integrar en diez minutos"}, contract.Words{EN: "One script and one element in your own page.", ES: "Un script y un elemento en su propia página."}},
	{"redirect", contract.Words{EN: "Secure redirect", ES: "Redirección segura"}, contract.Words{EN: "To the provider’s page and back, with a signed outcome.", ES: "A la página del proveedor y de vuelta, con un resultado firmado."}},
	{"webhooks", contract.Words{EN: "Receive events", ES: "Recibir eventos"}, contract.Words{EN: "Signed, retried, logged, and sent again.", ES: "Firmados, reintentados, registrados y reenviados."}},
	{"production", contract.Words{EN: "Going to production", ES: "Pasar a producción"}, contract.Words{EN: "Keys, TLS, PostgreSQL, backups, metrics.", ES: "Claves, TLS, PostgreSQL, copias, métricas."}},
	{"another-provider", contract.Words{EN: "Another provider", ES: "Otro proveedor"}, contract.Words{EN: "The portal alone, and what the doctor says.", ES: "El portal solo, y qué dice el comando doctor."}},
	{"troubleshooting", contract.Words{EN: "Troubleshooting", ES: "Resolución de problemas"}, contract.Words{EN: "Every code, its cause and its remedy.", ES: "Cada código, su causa y su remedio."}},
}

// developer is a page for developers.
func (b Base) developer(title string, scripts ...string) ui.Page {
	p := b.page(title, scripts...)
	p.Wide, p.Description = true, wordsPlaygroundIntro.In(b.Lang)
	p.Styles = append(p.Styles, b.Assets.URL("developers.css"))
	p.Links = []ui.Link{{Text: wordsPlayground.In(b.Lang), URL: "/developers", Current: title == wordsPlayground.In(b.Lang)}, {Text: wordsAPI.In(b.Lang), URL: "/api/v1/docs"}}
	return p
}

func (p Playground) products() ui.Question {
	q := ui.Question{Name: "product", Label: wordsReport.In(p.Lang), Lang: p.Lang}
	for _, x := range p.Products {
		q.Options = append(q.Options, ui.Option{Value: string(x), Label: ProductName(x).In(p.Lang), Chosen: x == p.Choice.Product})
	}
	return q
}

func (p Playground) ways() ui.Question {
	q := ui.Question{Name: "way", Label: wordsWay.In(p.Lang), Lang: p.Lang}
	for _, x := range p.Ways {
		w := wordsWays[x]
		q.Options = append(q.Options, ui.Option{Value: x, Label: w.title.In(p.Lang), Detail: w.text.In(p.Lang), Chosen: x == p.Choice.Way})
	}
	return q
}

func (p Playground) speaks() ui.Question {
	q := ui.Question{Name: "speaks", Label: wordsSpeaks.In(p.Lang), Lang: p.Lang}
	for _, l := range contract.Languages() {
		q.Options = append(q.Options, ui.Option{Value: string(l.Lang), Label: l.Name, Chosen: l.Lang == p.Choice.Speaks})
	}
	return q
}

func (p Playground) themes() ui.Question {
	q := ui.Question{Name: "theme", Label: wordsTheme.In(p.Lang), Lang: p.Lang}
	for _, x := range []struct {
		value string
		words contract.Words
	}{{"own", wordsThemeOwn}, {"light", wordsThemeLight}, {"dark", wordsThemeDark}} {
		q.Options = append(q.Options, ui.Option{Value: x.value, Label: x.words.In(p.Lang), Chosen: x.value == p.Choice.Theme})
	}
	return q
}

func (p Playground) people() ui.Question {
	q := ui.Question{Name: "person", Label: wordsPerson.In(p.Lang), Lang: p.Lang}
	for _, x := range []struct {
		value string
		words contract.Words
	}{{"ana", wordsPersonAna}, {"luis", wordsPersonLuis}, {"none", wordsPersonNone}} {
		q.Options = append(q.Options, ui.Option{Value: x.value, Label: x.words.In(p.Lang), Chosen: x.value == p.Choice.Person})
	}
	return q
}

func (p Playground) usernames() ui.Question {
	q := ui.Question{Name: "username", Label: wordsUsername.In(p.Lang), Hint: wordsUsernameHint.In(p.Lang), Lang: p.Lang}
	for _, x := range p.Usernames {
		q.Options = append(q.Options, ui.Option{Value: x, Label: x, Chosen: x == p.Choice.Username})
	}
	return q
}

type twoWords struct{ title, text contract.Words }

var wordsWays = map[string]twoWords{
	"inline":           {contract.Words{EN: "In the page", ES: "En la página"}, contract.Words{EN: "The element shows the portal’s pages in a frame.", ES: "El elemento muestra las páginas del portal en un marco."}},
	"modal":            {contract.Words{EN: "As a dialog", ES: "Como diálogo"}, contract.Words{EN: "The same over your page, from a button.", ES: "Lo mismo sobre su página, desde un botón."}},
	"page":             {contract.Words{EN: "On the portal’s page", ES: "En la página del portal"}, contract.Words{EN: "The element’s button leads the window there and back.", ES: "El botón del elemento lleva la ventana allí y de vuelta."}},
	"redirect":         {contract.Words{EN: "Secure redirect", ES: "Redirección segura"}, contract.Words{EN: "To the provider’s page; it comes back with a signed outcome.", ES: "A la página del proveedor; vuelve con un resultado firmado."}},
	"redirect-form":    {contract.Words{EN: "Secure redirect by form", ES: "Redirección segura por formulario"}, contract.Words{EN: "The same, but nothing secret is in the address.", ES: "Lo mismo, pero sin nada secreto en la dirección."}},
	"register-token":   {contract.Words{EN: "The provider’s script, by token", ES: "El script del proveedor, con token"}, contract.Words{EN: "Without the portal: your back end gets the token.", ES: "Sin el portal: su servidor obtiene el token."}},
	"register-prefill": {contract.Words{EN: "The provider’s script, by prefill", ES: "El script del proveedor, con datos"}, contract.Words{EN: "The data goes from the page. Not recommended.", ES: "Los datos van desde la página. No se recomienda."}},
}

var (
	wordsDevelopers = contract.Words{EN: "For developers: the playground and the guides", ES: "Para desarrolladores: el banco de pruebas y las guías"}
	wordsPlayground = contract.Words{EN: "Playground", ES: "Banco de pruebas"}
	wordsAPI        = contract.Words{EN: "API reference", ES: "Referencia de la API"}

	wordsPlaygroundIntro = contract.Words{EN: "Choose how your applicants verify, copy the code, and run it here against the sandbox. Every call, hook, redirect and webhook is shown as it happens.",
		ES: "Elija cómo verifican sus solicitantes, copie el código y ejecútelo aquí en el entorno de pruebas. Cada llamada, aviso, redirección y webhook se muestra cuando ocurre."}
	wordsChoices      = contract.Words{EN: "Choose", ES: "Elija"}
	wordsWay          = contract.Words{EN: "Way", ES: "Manera"}
	wordsSpeaks       = contract.Words{EN: "Language of the pages", ES: "Idioma de las páginas"}
	wordsTheme        = contract.Words{EN: "Theme", ES: "Tema"}
	wordsThemeOwn     = contract.Words{EN: "The person’s own", ES: "El de la persona"}
	wordsThemeLight   = contract.Words{EN: "Light", ES: "Claro"}
	wordsThemeDark    = contract.Words{EN: "Dark", ES: "Oscuro"}
	wordsPerson       = contract.Words{EN: "Applicant", ES: "Solicitante"}
	wordsPersonAna    = contract.Words{EN: "Ana Pérez, by date of birth", ES: "Ana Pérez, con fecha de nacimiento"}
	wordsPersonLuis   = contract.Words{EN: "Luis Harmon, with everything", ES: "Luis Harmon, con todo"}
	wordsPersonNone   = contract.Words{EN: "Nobody yet: the applicant is asked", ES: "Nadie aún: se pregunta al solicitante"}
	wordsUsername     = contract.Words{EN: "User at the mock bank", ES: "Usuario del banco de pruebas"}
	wordsUsernameHint = contract.Words{EN: "Decides how the visit ends.", ES: "Decide cómo termina la visita."}
	wordsShow         = contract.Words{EN: "Show the code", ES: "Mostrar el código"}
	wordsRun          = contract.Words{EN: "Run it", ES: "Ejecutar"}
	wordsBackEnd      = contract.Words{EN: "In your back end", ES: "En su servidor"}
	wordsNoCall       = contract.Words{EN: "Nothing: the page begins by itself.", ES: "Nada: la página empieza por sí misma."}
	wordsInPage       = contract.Words{EN: "In your page", ES: "En su página"}
	wordsCopyCode     = contract.Words{EN: "Copy", ES: "Copiar"}
	wordsCodeCopied   = contract.Words{EN: "Copied", ES: "Copiado"}
	wordsKeyNote      = contract.Words{EN: "The key stays in your back end’s environment; this page does not know it. What the answer names, the page’s code gets in the place in capitals.",
		ES: "La clave permanece en el entorno de su servidor; esta página no la conoce. Lo que la respuesta devuelve ocupa en la página el lugar en mayúsculas."}
	wordsSlower = contract.Words{EN: "Too many applications came from here. Wait a minute and run it again.", ES: "Llegaron demasiadas solicitudes desde aquí. Espere un minuto y ejecútelo de nuevo."}
	wordsGuides = contract.Words{EN: "Guides", ES: "Guías"}

	wordsRunTitle   = contract.Words{EN: "A run", ES: "Una ejecución"}
	wordsRunHow     = contract.Words{EN: "At the bank, sign in with any password but “wrong”, the code 123456, and as", ES: "En el banco, use cualquier contraseña menos «wrong», el código 123456 y el usuario"}
	wordsLeave      = contract.Words{EN: "Go to the provider, in a new tab", ES: "Ir al proveedor, en otra pestaña"}
	wordsWithout    = contract.Words{EN: "Continue on the portal’s own page", ES: "Continuar en la página del portal"}
	wordsRunAgain   = contract.Words{EN: "Choose again", ES: "Elegir de nuevo"}
	wordsRunReload  = contract.Words{EN: "Load this page again to see what has happened since.", ES: "Cargue de nuevo esta página para ver qué ha ocurrido."}
	wordsApplicant  = contract.Words{EN: "What the applicant sees", ES: "Lo que ve el solicitante"}
	wordsTimeline   = contract.Words{EN: "What happens", ES: "Lo que ocurre"}
	wordsOpenReport = contract.Words{EN: "See the report at the review desk", ES: "Ver el informe en la mesa de revisión"}
	wordsSeeAsThey  = contract.Words{EN: "The applicant’s status page", ES: "La página de estado del solicitante"}
	wordsGuideNoted = contract.Words{EN: "This guide is in English.", ES: "Esta guía está en inglés."}
)

var partyNames = map[string]contract.Words{
	PartyApp:      {EN: "your app", ES: "su aplicación"},
	PartyPortal:   {EN: "portal", ES: "portal"},
	PartyProvider: {EN: "provider", ES: "proveedor"},
	PartyBrowser:  {EN: "browser", ES: "navegador"},
}

var traceWords = map[TraceKind]contract.Words{
	"created":       {EN: "The application is made.", ES: "Se crea la solicitud."},
	"connect":       {EN: "The applicant’s data goes from server to server, for a token that opens one widget.", ES: "Los datos van de servidor a servidor, a cambio de un token que abre un solo widget."},
	TraceRegister:   {EN: "The widget is begun from the page, with the data in it.", ES: "El widget empieza desde la página, con los datos en ella."},
	TraceLeave:      {EN: "A link for one visit is asked for and bound to this browser, which is sent there.", ES: "Se pide un enlace para una visita, ligado a este navegador, que va allí."},
	"reopen":        {EN: "The applicant gives what was asked for.", ES: "El solicitante da lo que se le pidió."},
	"restart":       {EN: "The applicant begins once more.", ES: "El solicitante empieza otra vez."},
	"joined":        {EN: "Another browser was let in.", ES: "Se admitió otro navegador."},
	"hookSuccess":   {EN: "The widget says that it was finished. A hint: the portal asks.", ES: "El widget dice que terminó. Es un indicio: el portal pregunta."},
	"hookExit":      {EN: "The widget says that it was closed.", ES: "El widget dice que se cerró."},
	"hookError":     {EN: "The widget says that it cannot go on.", ES: "El widget dice que no puede seguir."},
	"returnSuccess": {EN: "The browser is back with a signed outcome, which fits the key, the time and the browser.", ES: "El navegador vuelve con un resultado firmado, que encaja con la clave, la hora y el navegador."},
	"returnExit":    {EN: "The browser is back: the visit was closed. The signature fits.", ES: "El navegador vuelve: la visita se cerró. La firma encaja."},
	"returnError":   {EN: "The browser is back: the visit could not go on. The signature fits.", ES: "El navegador vuelve: la visita no pudo seguir. La firma encaja."},
	"webhook":       {EN: "A webhook comes, and its signature fits.", ES: "Llega un webhook, y su firma encaja."},
	"poll":          {EN: "The portal asks how it stands.", ES: "El portal pregunta cómo va."},
	"fetched":       {EN: "The report is fetched, once, and kept sealed.", ES: "El informe se obtiene una vez y se guarda cifrado."},
	"tick":          {EN: "Its time is over.", ES: "Se acabó su tiempo."},
	TraceTold:       {EN: "Your app is told.", ES: "Se avisa a su aplicación."},
	TraceElement:    {EN: "The element tells your page.", ES: "El elemento avisa a su página."},
}

func (l TraceLine) route(lang contract.Lang) string {
	if l.From == l.To {
		return partyNames[l.From].In(lang)
	}
	return partyNames[l.From].In(lang) + " → " + partyNames[l.To].In(lang)
}

func (l TraceLine) micros() string { return strconv.FormatInt(l.At.UnixMicro(), 10) }

func (l TraceLine) clock() string { return l.At.UTC().Format("15:04:05.000") }

func (r Run) run() ui.Page {
	p := r.developer(wordsRunTitle.In(r.Lang), "developers.js")
	if r.Element != "" {
		p.Scripts = append(p.Scripts, "/embed/v1/embed.js")
	}
	return p
}

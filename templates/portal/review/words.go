package review

import (
	"vestibule/internal/svc"
	"vestibule/templates/ui"
)

// Words of the reviewer's pages.
var (
	reviewPhone        = svc.Words{EN: "Phone", ES: "Teléfono"}
	reviewDOB          = svc.Words{EN: "Date of birth", ES: "Fecha de nacimiento"}
	reviewApplications = svc.Words{EN: "Applications", ES: "Solicitudes"}
	reviewSignInTitle  = svc.Words{EN: "Sign in to review", ES: "Iniciar sesión para revisar"}
	reviewEnded        = svc.Words{EN: "Your session had ended, so nothing was saved. Sign in again: what you wrote is still in this tab.", ES: "Su sesión había terminado, así que no se guardó nada. Inicie sesión de nuevo: lo que escribió sigue en esta pestaña."}
	reviewSignInIntro  = svc.Words{EN: "For those who may look at applications and reports.", ES: "Para quienes pueden ver solicitudes e informes."}
	reviewEmail        = svc.Words{EN: "E-mail", ES: "Correo electrónico"}
	reviewPassword     = svc.Words{EN: "Password", ES: "Contraseña"}
	reviewSignIn       = svc.Words{EN: "Sign in", ES: "Iniciar sesión"}
	reviewSignOut      = svc.Words{EN: "Sign out", ES: "Cerrar sesión"}
	reviewSignedInAs   = svc.Words{EN: "Signed in as", ES: "Sesión iniciada como"}
	reviewWrong        = svc.Words{EN: "E-mail and password do not fit together. Check both and try again.", ES: "El correo y la contraseña no coinciden. Revíselos e inténtelo de nuevo."}
	reviewTooOften     = svc.Words{EN: "Too many tries. Wait a quarter of an hour and try again.", ES: "Demasiados intentos. Espere un cuarto de hora e inténtelo de nuevo."}

	reviewNoEntry      = svc.Words{EN: "You are known there, but not here. Ask an administrator to add you.", ES: "Allí le conocen, pero aquí no. Pida a una persona administradora que le añada."}
	reviewNotElsewhere = svc.Words{EN: "You could not be signed in with your organization's account. Please try again. If it happens again, ask your administrator: the portal's log says why.", ES: "No se pudo iniciar sesión con la cuenta de su organización. Inténtelo de nuevo. Si vuelve a ocurrir, consulte a su administrador: el registro del portal indica el motivo."}
	reviewNoClaims     = svc.Words{EN: "Your organization's account did not share a verified email address with this portal. Ask your administrator to share it: the portal's log says what is missing.", ES: "La cuenta de su organización no compartió con este portal una dirección de correo electrónico verificada. Pida a su administrador que la comparta: el registro del portal indica qué falta."}
	reviewSignInBy     = svc.Words{EN: "Sign in with", ES: "Entrar con"}
	reviewOrPassword   = svc.Words{EN: "or by a password of this place", ES: "o con una contraseña de este sitio"}

	reviewListIntro   = svc.Words{EN: "Newest first. Every look is written down.", ES: "Las más recientes primero. Cada consulta queda registrada."}
	reviewAll         = svc.Words{EN: "All", ES: "Todas"}
	reviewByState     = svc.Words{EN: "By state", ES: "Por estado"}
	reviewFind        = svc.Words{EN: "Find an application", ES: "Buscar una solicitud"}
	reviewFindHint    = svc.Words{EN: "The applicant's name or e-mail address, the application's id, its external id or the beginning of that, or the report's public token.", ES: "El nombre o el correo del solicitante, el identificador de la solicitud, su identificador externo o el comienzo de este, o el token público del informe."}
	reviewFindDo      = svc.Words{EN: "Find", ES: "Buscar"}
	reviewNone        = svc.Words{EN: "No applications here yet", ES: "Aún no hay solicitudes aquí"}
	reviewNoneHow     = svc.Words{EN: "They appear as soon as an applicant begins.", ES: "Aparecen en cuanto alguien inicia una solicitud."}
	reviewNotFound    = svc.Words{EN: "Nothing fits what you are looking for", ES: "Nada coincide con lo que busca"}
	reviewShowAll     = svc.Words{EN: "Show all applications", ES: "Mostrar todas las solicitudes"}
	reviewOlder       = svc.Words{EN: "Older applications", ES: "Solicitudes anteriores"}
	reviewNewest      = svc.Words{EN: "Back to the newest", ES: "Volver a las más recientes"}
	reviewOpen        = svc.Words{EN: "Application", ES: "Solicitud"}
	reviewTold        = svc.Words{EN: "The applicant reads", ES: "El solicitante lee"}
	reviewState       = svc.Words{EN: "State", ES: "Estado"}
	reviewProduct     = svc.Words{EN: "Product", ES: "Producto"}
	reviewMode        = svc.Words{EN: "Way", ES: "Vía"}
	reviewAttempts    = svc.Words{EN: "Attempts", ES: "Intentos"}
	reviewBegan       = svc.Words{EN: "Began", ES: "Inicio"}
	reviewMoved       = svc.Words{EN: "Last moved", ES: "Último cambio"}
	reviewExternalID  = svc.Words{EN: "External id", ES: "Identificador externo"}
	reviewUserArgs    = svc.Words{EN: "User args", ES: "Argumentos propios"}
	reviewToken       = svc.Words{EN: "Public token", ES: "Token público"}
	reviewStatus      = svc.Words{EN: "Report status", ES: "Estado del informe"}
	reviewOrigin      = svc.Words{EN: "Came by", ES: "Procedencia"}
	reviewTimeline    = svc.Words{EN: "Timeline", ES: "Cronología"}
	reviewTimelineOf  = svc.Words{EN: "What happened, in order", ES: "Lo ocurrido, en orden"}
	reviewAttempt     = svc.Words{EN: "Attempt", ES: "Intento"}
	reviewWhen        = svc.Words{EN: "When", ES: "Cuándo"}
	reviewWhat        = svc.Words{EN: "What", ES: "Qué"}
	reviewResult      = svc.Words{EN: "Result", ES: "Resultado"}
	reviewMoves       = svc.Words{EN: "State after", ES: "Estado posterior"}
	reviewUnmoved     = svc.Words{EN: "unchanged", ES: "sin cambio"}
	reviewReport      = svc.Words{EN: "Report", ES: "Informe"}
	reviewReadReport  = svc.Words{EN: "Open the report", ES: "Abrir el informe"}
	reviewDownload    = svc.Words{EN: "Download JSON", ES: "Descargar JSON"}
	reviewFetched     = svc.Words{EN: "Fetched and stored", ES: "Obtenido y guardado"}
	reviewEarlier     = svc.Words{EN: "Earlier reports", ES: "Informes anteriores"}
	reviewEarlierText = svc.Words{EN: "The applicant was asked for more and connected again. The newest report counts; these are kept beside it.", ES: "Se pidió algo más y el solicitante volvió a conectarse. Cuenta el informe más reciente; estos se conservan a su lado."}
	reviewNoReport    = svc.Words{EN: "There is no report.", ES: "No hay informe."}
	reviewUnreadable  = svc.Words{EN: "This report cannot be shown as a page yet. Its JSON is complete.", ES: "Este informe aún no puede mostrarse como página. Su JSON está completo."}
	reviewBack        = svc.Words{EN: "Back to the application", ES: "Volver a la solicitud"}
	reviewBackList    = svc.Words{EN: "All applications", ES: "Todas las solicitudes"}

	reportCashflow    = svc.Words{EN: "Cashflow report", ES: "Informe de flujo de efectivo"}
	reportNameMatches = svc.Words{EN: "name matches", ES: "el nombre coincide"}
	reportNameDiffers = svc.Words{EN: "name does not match every source", ES: "el nombre no coincide en todas las fuentes"}
	reportFiguresCSV  = svc.Words{EN: "Figures as CSV", ES: "Cifras en CSV"}
	reportMonthsCSV   = svc.Words{EN: "Months as CSV", ES: "Meses en CSV"}
	reportContents    = svc.Words{EN: "On this page", ES: "En esta página"}
	reportRetrieved   = svc.Words{EN: "Data retrieved", ES: "Datos obtenidos"}
	reportIdentities  = svc.Words{EN: "Identity", ES: "Identidad"}
	reportIdentityIs  = svc.Words{EN: "Who the applicant is, by each source", ES: "Quién es el solicitante, según cada fuente"}
	reportSource      = svc.Words{EN: "Source", ES: "Fuente"}
	reportSources     = svc.Words{EN: "Sources", ES: "Fuentes"}
	reportSourcesOf   = svc.Words{EN: "Where the data came from", ES: "De dónde provienen los datos"}
	reportFullName    = svc.Words{EN: "Full name", ES: "Nombre completo"}
	reportFirstName   = svc.Words{EN: "First name", ES: "Nombre"}
	reportLastName    = svc.Words{EN: "Last name", ES: "Apellido"}
	reportEmails      = svc.Words{EN: "E-mail", ES: "Correo"}
	reportAgreement   = svc.Words{EN: "Name compared", ES: "Nombre comparado"}
	reportTyped       = svc.Words{EN: "Entered by the applicant", ES: "Indicado por el solicitante"}
	reportMatched     = svc.Words{EN: "Matches", ES: "Coincide"}
	reportUnmatched   = svc.Words{EN: "Does not match", ES: "No coincide"}
	reportNotCompared = svc.Words{EN: "Not compared", ES: "Sin comparar"}
	reportAllMatch    = svc.Words{EN: "The name the applicant gave matches every source.", ES: "El nombre indicado coincide con todas las fuentes."}
	reportSomeDiffer  = svc.Words{EN: "The name the applicant gave does not match every source.", ES: "El nombre indicado no coincide con todas las fuentes."}
	reportAccounts    = svc.Words{EN: "Accounts", ES: "Cuentas"}
	reportAccountsSum = svc.Words{EN: "Accounts at a glance", ES: "Resumen de cuentas"}
	reportInstitution = svc.Words{EN: "Institution", ES: "Institución"}
	reportAccount     = svc.Words{EN: "Account", ES: "Cuenta"}
	reportNumber      = svc.Words{EN: "Number", ES: "Número"}
	reportEnding      = svc.Words{EN: "ending in", ES: "terminada en"}
	reportSubtype     = svc.Words{EN: "Kind", ES: "Tipo"}
	reportBalance     = svc.Words{EN: "Current balance", ES: "Saldo actual"}
	reportOwner       = svc.Words{EN: "Owner", ES: "Titular"}
	reportResponsible = svc.Words{EN: "Responsibility", ES: "Responsabilidad"}
	reportOpened      = svc.Words{EN: "Opened", ES: "Apertura"}
	reportMonths      = svc.Words{EN: "Months of data", ES: "Meses de datos"}
	reportStatement   = svc.Words{EN: "Last statement", ES: "Último extracto"}
	reportAddresses   = svc.Words{EN: "Addresses known to the bank", ES: "Direcciones que conoce el banco"}
	reportAbout       = svc.Words{EN: "About this report", ES: "Sobre este informe"}
	reportProductID   = svc.Words{EN: "Product id", ES: "Identificador del producto"}
	reportInquiry     = svc.Words{EN: "Inquiry type", ES: "Tipo de consulta"}
	reportVersion     = svc.Words{EN: "Report version", ES: "Versión del informe"}
	reportRevision    = svc.Words{EN: "Revision", ES: "Revisión"}
	reportRevisedAt   = svc.Words{EN: "Revised", ES: "Revisado"}
	reportNever       = svc.Words{EN: "never", ES: "nunca"}
	reportSubstatus   = svc.Words{EN: "Substatus", ES: "Subestado"}
	reportConsumer    = svc.Words{EN: "Consumer id", ES: "Identificador del consumidor"}
	reportConsumerExt = svc.Words{EN: "Consumer's external id", ES: "Identificador externo del consumidor"}
	reportNoData      = svc.Words{EN: "The bank had no recent information that could be used.", ES: "El banco no tenía información reciente utilizable."}
	wordsNotGiven     = svc.Words{EN: "not given", ES: "no consta"}
)

// stateWords are the states of an application in a word, with the colour that
// goes with it.
var stateWords = map[string]struct {
	words svc.Words
	tone  ui.Tone
}{
	"started":    {svc.Words{EN: "Started", ES: "Iniciada"}, ui.Neutral},
	"connecting": {svc.Words{EN: "Connecting", ES: "Conectando"}, ui.Info},
	"returned":   {svc.Words{EN: "Returned", ES: "De vuelta"}, ui.Info},
	"pending":    {svc.Words{EN: "Pending", ES: "Pendiente"}, ui.Info},
	"ready":      {svc.Words{EN: "Ready", ES: "Lista"}, ui.Success},
	"failed":     {svc.Words{EN: "Failed", ES: "Fallida"}, ui.Danger},
	"exited":     {svc.Words{EN: "Left", ES: "Abandonada"}, ui.Warning},
	"expired":    {svc.Words{EN: "Expired", ES: "Vencida"}, ui.Warning},
}

func stateName(l svc.Lang, state string) string {
	if s, ok := stateWords[state]; ok {
		return s.words.In(l)
	}
	return state
}

var productWords = map[svc.Product]svc.Words{
	svc.Cashflow:    {EN: "Cashflow", ES: "Flujo de efectivo"},
	svc.Income:      {EN: "Income", ES: "Ingresos"},
	svc.Eligibility: {EN: "Eligibility", ES: "Elegibilidad"},
	svc.Passport:    {EN: "Credit passport", ES: "Pasaporte crediticio"},
}

var modeWords = map[string]svc.Words{
	"embedded":      {EN: "Embedded", ES: "Integrada"},
	"redirect":      {EN: "Redirect", ES: "Redirección"},
	"redirect-form": {EN: "Redirect by form", ES: "Redirección por formulario"},
}

var originWords = map[string]svc.Words{
	"web": {EN: "The application form", ES: "El formulario de solicitud"},
	"api": {EN: "An onboarding app", ES: "Una aplicación de incorporación"},
}

// lineWords are the kinds of lines of a timeline.
var lineWords = map[string]svc.Words{
	"joined":        {EN: "Another browser was let in by a link", ES: "Otro navegador entró con un enlace"},
	"created":       {EN: "Application received", ES: "Solicitud recibida"},
	"connect":       {EN: "Connection begun", ES: "Conexión iniciada"},
	"hookSuccess":   {EN: "Browser: journey completed", ES: "Navegador: recorrido completado"},
	"hookExit":      {EN: "Browser: widget closed", ES: "Navegador: ventana cerrada"},
	"hookError":     {EN: "Browser: widget error", ES: "Navegador: error de la ventana"},
	"returnSuccess": {EN: "Signed return: completed", ES: "Regreso firmado: completado"},
	"returnExit":    {EN: "Signed return: closed", ES: "Regreso firmado: cerrado"},
	"returnError":   {EN: "Signed return: error", ES: "Regreso firmado: error"},
	"webhook":       {EN: "Signed webhook", ES: "Webhook firmado"},
	"poll":          {EN: "Status asked", ES: "Estado consultado"},
	"fetched":       {EN: "Report fetched and stored", ES: "Informe obtenido y guardado"},
	"tick":          {EN: "Time ran out", ES: "Plazo agotado"},
	"approved":      {EN: "Decided: approved", ES: "Decisión: aprobada"},
	"declined":      {EN: "Decided: declined", ES: "Decisión: rechazada"},
	"moreAsked":     {EN: "Decided: more is asked for", ES: "Decisión: se pide más"},
	"escalated":     {EN: "Decided: escalated", ES: "Decisión: elevada"},
	"reopen":        {EN: "Continued by the applicant, who was asked for more", ES: "Continuada por el solicitante, a quien se pidió más"},
	"restart":       {EN: "Started again by the applicant", ES: "Iniciada de nuevo por el solicitante"},
}

// codeWords are values of the report's enumerations as people say them.
var codeWords = map[string]svc.Words{
	"CHECKING":           {EN: "Checking", ES: "Corriente"},
	"SAVINGS":            {EN: "Savings", ES: "Ahorro"},
	"OTHER":              {EN: "Other", ES: "Otra"},
	"INDIVIDUAL":         {EN: "Individual", ES: "Individual"},
	"JOINT":              {EN: "Joint", ES: "Conjunta"},
	"BANK_TRANSACTION":   {EN: "Bank transactions", ES: "Transacciones bancarias"},
	"EMPLOYMENT":         {EN: "Employment", ES: "Empleo"},
	"PAYROLL":            {EN: "Payroll", ES: "Nómina"},
	"MANUAL":             {EN: "Entered by hand", ES: "Introducido a mano"},
	"CASH_EQUIVALENT":    {EN: "Cash account", ES: "Cuenta de efectivo"},
	"INVESTMENT":         {EN: "Investment", ES: "Inversión"},
	"DEBT":               {EN: "Card or loan", ES: "Tarjeta o préstamo"},
	"PAYROLL_STATEMENTS": {EN: "Payroll statements", ES: "Recibos de nómina"},
	"PASSPORT_PDF":       {EN: "The passport, to print", ES: "El pasaporte, para imprimir"},
	"CREDIT_BUREAU":      {EN: "Credit bureau", ES: "Buró de crédito"},
	"IDENTITY_DOCUMENT":  {EN: "Identity document", ES: "Documento de identidad"},
	"PAYSTUB":            {EN: "Pay stub", ES: "Recibo de nómina"},
	"DOCUMENT":           {EN: "Document", ES: "Documento"},
	"BANK_TRANSACTIONS":  {EN: "Bank transactions", ES: "Transacciones bancarias"},
	"CASHFLOW_ANALYSIS":  {EN: "What stands behind the figures", ES: "Lo que hay detrás de las cifras"},
	"FRAUD":              {EN: "Fraud check", ES: "Control de fraude"},
}

// known says words for a value of a table, and the value itself where the table
// has none: a provider may add values.
func known[K ~string](l svc.Lang, table map[K]svc.Words, value K) string {
	if w, ok := table[value]; ok {
		return w.In(l)
	}
	return string(value)
}

func code(l svc.Lang, value string) string { return known(l, codeWords, value) }

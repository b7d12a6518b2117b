package review

import (
	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Words of the reviewer's pages.
var (
	reviewPhone        = contract.Words{EN: "Phone", ES: "Teléfono"}
	reviewDOB          = contract.Words{EN: "Date of birth", ES: "Fecha de nacimiento"}
	reviewApplications = contract.Words{EN: "Applications", ES: "Solicitudes"}
	reviewSignInTitle  = contract.Words{EN: "Sign in to review", ES: "Iniciar sesión para revisar"}
	reviewEnded        = contract.Words{EN: "Your session had ended, so nothing was saved. Sign in again: what you wrote is still in this tab.", ES: "Su sesión había terminado, así que no se guardó nada. Inicie sesión de nuevo: lo que escribió sigue en esta pestaña."}
	reviewSignInIntro  = contract.Words{EN: "For those who may look at applications and reports.", ES: "Para quienes pueden ver solicitudes e informes."}
	reviewEmail        = contract.Words{EN: "E-mail", ES: "Correo electrónico"}
	reviewPassword     = contract.Words{EN: "Password", ES: "Contraseña"}
	reviewSignIn       = contract.Words{EN: "Sign in", ES: "Iniciar sesión"}
	reviewSignOut      = contract.Words{EN: "Sign out", ES: "Cerrar sesión"}
	reviewSignedInAs   = contract.Words{EN: "Signed in as", ES: "Sesión iniciada como"}
	reviewWrong        = contract.Words{EN: "E-mail and password do not fit together. Check both and try again.", ES: "El correo y la contraseña no coinciden. Revíselos e inténtelo de nuevo."}
	reviewTooOften     = contract.Words{EN: "Too many tries. Wait a quarter of an hour and try again.", ES: "Demasiados intentos. Espere un cuarto de hora e inténtelo de nuevo."}

	reviewNoEntry      = contract.Words{EN: "You are known there, but not here. Ask an administrator to add you.", ES: "Allí le conocen, pero aquí no. Pida a una persona administradora que le añada."}
	reviewNotElsewhere = contract.Words{EN: "You could not be signed in with your organization's account. Please try again. If it happens again, ask your administrator: the portal's log says why.", ES: "No se pudo iniciar sesión con la cuenta de su organización. Inténtelo de nuevo. Si vuelve a ocurrir, consulte a su administrador: el registro del portal indica el motivo."}
	reviewNoClaims     = contract.Words{EN: "Your organization's account did not share a verified email address with this portal. Ask your administrator to share it: the portal's log says what is missing.", ES: "La cuenta de su organización no compartió con este portal una dirección de correo electrónico verificada. Pida a su administrador que la comparta: el registro del portal indica qué falta."}
	reviewSignInBy     = contract.Words{EN: "Sign in with", ES: "Entrar con"}
	reviewOrPassword   = contract.Words{EN: "or by a password of this place", ES: "o con una contraseña de este sitio"}

	reviewListIntro   = contract.Words{EN: "Newest first. Every look is written down.", ES: "Las más recientes primero. Cada consulta queda registrada."}
	reviewAll         = contract.Words{EN: "All", ES: "Todas"}
	reviewByState     = contract.Words{EN: "By state", ES: "Por estado"}
	reviewFind        = contract.Words{EN: "Find an application", ES: "Buscar una solicitud"}
	reviewFindHint    = contract.Words{EN: "The applicant's name or e-mail address, the application's id, its external id or the beginning of that, or the report's public token.", ES: "El nombre o el correo del solicitante, el identificador de la solicitud, su identificador externo o el comienzo de este, o el token público del informe."}
	reviewFindDo      = contract.Words{EN: "Find", ES: "Buscar"}
	reviewNone        = contract.Words{EN: "No applications here yet", ES: "Aún no hay solicitudes aquí"}
	reviewNoneHow     = contract.Words{EN: "They appear as soon as an applicant begins.", ES: "Aparecen en cuanto alguien inicia una solicitud."}
	reviewNotFound    = contract.Words{EN: "Nothing fits what you are looking for", ES: "Nada coincide con lo que busca"}
	reviewShowAll     = contract.Words{EN: "Show all applications", ES: "Mostrar todas las solicitudes"}
	reviewOlder       = contract.Words{EN: "Older applications", ES: "Solicitudes anteriores"}
	reviewNewest      = contract.Words{EN: "Back to the newest", ES: "Volver a las más recientes"}
	reviewOpen        = contract.Words{EN: "Application", ES: "Solicitud"}
	reviewTold        = contract.Words{EN: "The applicant reads", ES: "El solicitante lee"}
	reviewState       = contract.Words{EN: "State", ES: "Estado"}
	reviewProduct     = contract.Words{EN: "Product", ES: "Producto"}
	reviewMode        = contract.Words{EN: "Way", ES: "Vía"}
	reviewAttempts    = contract.Words{EN: "Attempts", ES: "Intentos"}
	reviewBegan       = contract.Words{EN: "Began", ES: "Inicio"}
	reviewMoved       = contract.Words{EN: "Last moved", ES: "Último cambio"}
	reviewExternalID  = contract.Words{EN: "External id", ES: "Identificador externo"}
	reviewUserArgs    = contract.Words{EN: "User args", ES: "Argumentos propios"}
	reviewToken       = contract.Words{EN: "Public token", ES: "Token público"}
	reviewStatus      = contract.Words{EN: "Report status", ES: "Estado del informe"}
	reviewOrigin      = contract.Words{EN: "Came by", ES: "Procedencia"}
	reviewTimeline    = contract.Words{EN: "Timeline", ES: "Cronología"}
	reviewTimelineOf  = contract.Words{EN: "What happened, in order", ES: "Lo ocurrido, en orden"}
	reviewAttempt     = contract.Words{EN: "Attempt", ES: "Intento"}
	reviewWhen        = contract.Words{EN: "When", ES: "Cuándo"}
	reviewWhat        = contract.Words{EN: "What", ES: "Qué"}
	reviewResult      = contract.Words{EN: "Result", ES: "Resultado"}
	reviewMoves       = contract.Words{EN: "State after", ES: "Estado posterior"}
	reviewUnmoved     = contract.Words{EN: "unchanged", ES: "sin cambio"}
	reviewReport      = contract.Words{EN: "Report", ES: "Informe"}
	reviewReadReport  = contract.Words{EN: "Open the report", ES: "Abrir el informe"}
	reviewDownload    = contract.Words{EN: "Download JSON", ES: "Descargar JSON"}
	reviewFetched     = contract.Words{EN: "Fetched and stored", ES: "Obtenido y guardado"}
	reviewEarlier     = contract.Words{EN: "Earlier reports", ES: "Informes anteriores"}
	reviewEarlierText = contract.Words{EN: "The applicant was asked for more and connected again. The newest report counts; these are kept beside it.", ES: "Se pidió algo más y el solicitante volvió a conectarse. Cuenta el informe más reciente; estos se conservan a su lado."}
	reviewNoReport    = contract.Words{EN: "There is no report.", ES: "No hay informe."}
	reviewUnreadable  = contract.Words{EN: "This report cannot be shown as a page yet. Its JSON is complete.", ES: "Este informe aún no puede mostrarse como página. Su JSON está completo."}
	reviewBack        = contract.Words{EN: "Back to the application", ES: "Volver a la solicitud"}
	reviewBackList    = contract.Words{EN: "All applications", ES: "Todas las solicitudes"}

	reportCashflow    = contract.Words{EN: "Cashflow report", ES: "Informe de flujo de efectivo"}
	reportNameMatches = contract.Words{EN: "name matches", ES: "el nombre coincide"}
	reportNameDiffers = contract.Words{EN: "name does not match every source", ES: "el nombre no coincide en todas las fuentes"}
	reportFiguresCSV  = contract.Words{EN: "Figures as CSV", ES: "Cifras en CSV"}
	reportMonthsCSV   = contract.Words{EN: "Months as CSV", ES: "Meses en CSV"}
	reportContents    = contract.Words{EN: "On this page", ES: "En esta página"}
	reportRetrieved   = contract.Words{EN: "Data retrieved", ES: "Datos obtenidos"}
	reportIdentities  = contract.Words{EN: "Identity", ES: "Identidad"}
	reportIdentityIs  = contract.Words{EN: "Who the applicant is, by each source", ES: "Quién es el solicitante, según cada fuente"}
	reportSource      = contract.Words{EN: "Source", ES: "Fuente"}
	reportSources     = contract.Words{EN: "Sources", ES: "Fuentes"}
	reportSourcesOf   = contract.Words{EN: "Where the data came from", ES: "De dónde provienen los datos"}
	reportFullName    = contract.Words{EN: "Full name", ES: "Nombre completo"}
	reportFirstName   = contract.Words{EN: "First name", ES: "Nombre"}
	reportLastName    = contract.Words{EN: "Last name", ES: "Apellido"}
	reportEmails      = contract.Words{EN: "E-mail", ES: "Correo"}
	reportAgreement   = contract.Words{EN: "Name compared", ES: "Nombre comparado"}
	reportTyped       = contract.Words{EN: "Entered by the applicant", ES: "Indicado por el solicitante"}
	reportMatched     = contract.Words{EN: "Matches", ES: "Coincide"}
	reportUnmatched   = contract.Words{EN: "Does not match", ES: "No coincide"}
	reportNotCompared = contract.Words{EN: "Not compared", ES: "Sin comparar"}
	reportAllMatch    = contract.Words{EN: "The name the applicant gave matches every source.", ES: "El nombre indicado coincide con todas las fuentes."}
	reportSomeDiffer  = contract.Words{EN: "The name the applicant gave does not match every source.", ES: "El nombre indicado no coincide con todas las fuentes."}
	reportAccounts    = contract.Words{EN: "Accounts", ES: "Cuentas"}
	reportAccountsSum = contract.Words{EN: "Accounts at a glance", ES: "Resumen de cuentas"}
	reportInstitution = contract.Words{EN: "Institution", ES: "Institución"}
	reportAccount     = contract.Words{EN: "Account", ES: "Cuenta"}
	reportNumber      = contract.Words{EN: "Number", ES: "Número"}
	reportEnding      = contract.Words{EN: "ending in", ES: "terminada en"}
	reportSubtype     = contract.Words{EN: "Kind", ES: "Tipo"}
	reportBalance     = contract.Words{EN: "Current balance", ES: "Saldo actual"}
	reportOwner       = contract.Words{EN: "Owner", ES: "Titular"}
	reportResponsible = contract.Words{EN: "Responsibility", ES: "Responsabilidad"}
	reportOpened      = contract.Words{EN: "Opened", ES: "Apertura"}
	reportMonths      = contract.Words{EN: "Months of data", ES: "Meses de datos"}
	reportStatement   = contract.Words{EN: "Last statement", ES: "Último extracto"}
	reportAddresses   = contract.Words{EN: "Addresses known to the bank", ES: "Direcciones que conoce el banco"}
	reportAbout       = contract.Words{EN: "About this report", ES: "Sobre este informe"}
	reportProductID   = contract.Words{EN: "Product id", ES: "Identificador del producto"}
	reportInquiry     = contract.Words{EN: "Inquiry type", ES: "Tipo de consulta"}
	reportVersion     = contract.Words{EN: "Report version", ES: "Versión del informe"}
	reportRevision    = contract.Words{EN: "Revision", ES: "Revisión"}
	reportRevisedAt   = contract.Words{EN: "Revised", ES: "Revisado"}
	reportNever       = contract.Words{EN: "never", ES: "nunca"}
	reportSubstatus   = contract.Words{EN: "Substatus", ES: "Subestado"}
	reportConsumer    = contract.Words{EN: "Consumer id", ES: "Identificador del consumidor"}
	reportConsumerExt = contract.Words{EN: "Consumer's external id", ES: "Identificador externo del consumidor"}
	reportNoData      = contract.Words{EN: "The bank had no recent information that could be used.", ES: "El banco no tenía información reciente utilizable."}
	wordsNotGiven     = contract.Words{EN: "not given", ES: "no consta"}
)

// stateWords are the states of an application in a word, with the color that
// goes with it.
var stateWords = map[string]struct {
	words contract.Words
	tone  ui.Tone
}{
	"started":    {contract.Words{EN: "Started", ES: "Iniciada"}, ui.Neutral},
	"connecting": {contract.Words{EN: "Connecting", ES: "Conectando"}, ui.Info},
	"returned":   {contract.Words{EN: "Returned", ES: "De vuelta"}, ui.Info},
	"pending":    {contract.Words{EN: "Pending", ES: "Pendiente"}, ui.Info},
	"ready":      {contract.Words{EN: "Ready", ES: "Lista"}, ui.Success},
	"failed":     {contract.Words{EN: "Failed", ES: "Fallida"}, ui.Danger},
	"exited":     {contract.Words{EN: "Left", ES: "Abandonada"}, ui.Warning},
	"expired":    {contract.Words{EN: "Expired", ES: "Vencida"}, ui.Warning},
}

func stateName(l contract.Lang, state string) string {
	if s, ok := stateWords[state]; ok {
		return s.words.In(l)
	}
	return state
}

var productWords = map[contract.Product]contract.Words{
	contract.Cashflow:    {EN: "Cashflow", ES: "Flujo de efectivo"},
	contract.Income:      {EN: "Income", ES: "Ingresos"},
	contract.Eligibility: {EN: "Eligibility", ES: "Elegibilidad"},
	contract.Passport:    {EN: "Credit passport", ES: "Pasaporte crediticio"},
}

var modeWords = map[string]contract.Words{
	"embedded":      {EN: "Embedded", ES: "Integrada"},
	"redirect":      {EN: "Redirect", ES: "Redirección"},
	"redirect-form": {EN: "Redirect by form", ES: "Redirección por formulario"},
}

var originWords = map[string]contract.Words{
	"web": {EN: "The application form", ES: "El formulario de solicitud"},
	"api": {EN: "An onboarding app", ES: "Una aplicación de incorporación"},
}

// lineWords are the kinds of lines of a timeline.
var lineWords = map[string]contract.Words{
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
var codeWords = map[string]contract.Words{
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
func known[K ~string](l contract.Lang, table map[K]contract.Words, value K) string {
	if w, ok := table[value]; ok {
		return w.In(l)
	}
	return string(value)
}

func code(l contract.Lang, value string) string { return known(l, codeWords, value) }

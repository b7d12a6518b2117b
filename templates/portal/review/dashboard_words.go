package review

import "vestibule/internal/contract"

// Texts of the review dashboard's pages around applications: the menu, users, the
// audit trail, decisions and letters.
var (
	dashboardLetters     = contract.Words{EN: "Letters", ES: "Mensajes"}
	dashboardPeople      = contract.Words{EN: "People", ES: "Personas"}
	dashboardAudit       = contract.Words{EN: "Audit trail", ES: "Registro de auditoría"}
	dashboardDeletions   = contract.Words{EN: "Deletion", ES: "Eliminación"}
	dashboardBack        = contract.Words{EN: "Back to the applications", ES: "Volver a las solicitudes"}
	dashboardToSignIn    = contract.Words{EN: "To the sign-in page", ES: "Ir a iniciar sesión"}
	dashboardPortal      = contract.Words{EN: "the portal", ES: "el portal"}
	dashboardNoUser      = contract.Words{EN: "nobody known", ES: "nadie conocido"}
	dashboardRemovedUser = contract.Words{EN: "somebody who is no longer here", ES: "alguien que ya no está"}

	sayNotYours     = contract.Words{EN: "Your role does not cover this", ES: "Su función no abarca esto"}
	sayNotYoursText = contract.Words{EN: "Ask an administrator if you need it. Nothing was changed.", ES: "Pida ayuda a una persona administradora si lo necesita. No se ha cambiado nada."}
	sayLinkOver     = contract.Words{EN: "This link is used up", ES: "Este enlace ya no sirve"}
	sayLinkOverText = contract.Words{EN: "It was used, replaced, or is older than three days. An administrator can make you a new one.", ES: "Ya se usó, se reemplazó o tiene más de tres días. Una persona administradora puede crearle otro."}

	listName       = contract.Words{EN: "Applicant", ES: "Solicitante"}
	listDecision   = contract.Words{EN: "Decision", ES: "Decisión"}
	listOutcome    = contract.Words{EN: "Outcome of the visit", ES: "Resultado de la visita"}
	listFrom       = contract.Words{EN: "Began on or after", ES: "Inicio desde el"}
	listTo         = contract.Words{EN: "Began on or before", ES: "Inicio hasta el"}
	listAny        = contract.Words{EN: "any", ES: "cualquiera"}
	listAnswered   = contract.Words{EN: "Answered", ES: "Respondida"}
	listUndecided  = contract.Words{EN: "none yet", ES: "ninguna aún"}
	listClear      = contract.Words{EN: "Clear", ES: "Limpiar"}
	listFilters    = contract.Words{EN: "Search and filters", ES: "Búsqueda y filtros"}
	listOver       = contract.Words{EN: "This search has ended", ES: "Esta búsqueda ha terminado"}
	listOverText   = contract.Words{EN: "What was looked for is kept for half an hour, for you alone. Search again.", ES: "Lo buscado se guarda media hora y solo para usted. Busque de nuevo."}
	listEverywhere = contract.Words{EN: "Search without the other filters", ES: "Buscar sin los demás filtros"}
	listNarrow     = contract.Words{EN: "More filters", ES: "Más filtros"}
	listMore       = contract.Words{EN: "or more", ES: "o más"}

	peopleIntro     = contract.Words{EN: "Who may sign in here, and what each of them may do.", ES: "Quién puede entrar aquí y qué puede hacer cada cual."}
	peopleRole      = contract.Words{EN: "Role", ES: "Función"}
	peopleSignedIn  = contract.Words{EN: "Last signed in", ES: "Última entrada"}
	peopleState     = contract.Words{EN: "Way in", ES: "Acceso"}
	peopleChange    = contract.Words{EN: "Change", ES: "Cambiar"}
	peopleNever     = contract.Words{EN: "never", ES: "nunca"}
	peopleSelf      = contract.Words{EN: "you", ES: "usted"}
	peopleDisabled  = contract.Words{EN: "Disabled", ES: "Sin acceso"}
	peopleActive    = contract.Words{EN: "May sign in", ES: "Puede entrar"}
	peopleWaiting   = contract.Words{EN: "Has set no password yet", ES: "Aún sin contraseña"}
	peopleDisable   = contract.Words{EN: "Disable", ES: "Quitar el acceso"}
	peopleEnable    = contract.Words{EN: "Let in again", ES: "Devolver el acceso"}
	peopleLink      = contract.Words{EN: "New link", ES: "Nuevo enlace"}
	peopleSetRole   = contract.Words{EN: "Set role", ES: "Cambiar función"}
	peopleOf        = contract.Words{EN: "of", ES: "de"}
	peopleAdd       = contract.Words{EN: "Add a person", ES: "Añadir una persona"}
	peopleAddDo     = contract.Words{EN: "Add", ES: "Añadir"}
	peopleNoEmail   = contract.Words{EN: "Give an e-mail address.", ES: "Indique un correo electrónico."}
	peopleKnown     = contract.Words{EN: "Somebody has this address already.", ES: "Alguien ya tiene esta dirección."}
	peopleLinkTitle = contract.Words{EN: "A link to set a password", ES: "Un enlace para elegir contraseña"}
	peopleLinkText  = contract.Words{EN: "Give it to this person, and to nobody else. It is shown once, works once, and ends in three days:", ES: "Entréguelo a esta persona y a nadie más. Se muestra una vez, sirve una vez y vence en tres días:"}
	peopleNoLink    = contract.Words{EN: "They sign in by your organization's account.", ES: "Entra con la cuenta de su organización."}

	welcomeTitle = contract.Words{EN: "Choose a password", ES: "Elija una contraseña"}
	welcomeIntro = contract.Words{EN: "With it you sign in from now on. Whoever is signed in by an older one is signed out.", ES: "Con ella entrará desde ahora. Las sesiones abiertas con una anterior se cierran."}
	welcomeHint  = contract.Words{EN: "12 characters or more.", ES: "12 caracteres o más."}
	welcomeBad   = contract.Words{EN: "Give 12 to 256 characters.", ES: "Indique de 12 a 256 caracteres."}
	welcomeDo    = contract.Words{EN: "Set the password and sign in", ES: "Guardar la contraseña y entrar"}

	auditIntro   = contract.Words{EN: "Who saw and did what, newest first. Lines are never changed or deleted. Times are UTC.", ES: "Quién vio e hizo qué, lo más reciente primero. Las líneas no se cambian ni se borran. Horas en UTC."}
	auditWho     = contract.Words{EN: "Who", ES: "Quién"}
	auditDetail  = contract.Words{EN: "Detail", ES: "Detalle"}
	auditRequest = contract.Words{EN: "Request", ES: "Petición"}
	auditNone    = contract.Words{EN: "No such lines", ES: "No hay tales líneas"}
	auditNoneHow = contract.Words{EN: "Choose less, or other days.", ES: "Elija menos condiciones u otros días."}
	auditOlder   = contract.Words{EN: "Older lines", ES: "Líneas anteriores"}
	auditFrom    = contract.Words{EN: "On or after", ES: "Desde el"}
	auditTo      = contract.Words{EN: "On or before", ES: "Hasta el"}
	auditAppID   = contract.Words{EN: "Application's id", ES: "Identificador de la solicitud"}
	auditFile    = contract.Words{EN: "All of these lines as CSV, for a spreadsheet", ES: "Todas estas líneas en CSV, para una hoja de cálculo"}
	auditDo      = contract.Words{EN: "Show", ES: "Mostrar"}
	auditThis    = contract.Words{EN: "Who looked at it", ES: "Quién la consultó"}

	decideTitle    = contract.Words{EN: "Decision", ES: "Decisión"}
	decideNone     = contract.Words{EN: "Nobody has decided yet.", ES: "Nadie ha decidido aún."}
	decideAgain    = contract.Words{EN: "Decide anew", ES: "Decidir de nuevo"}
	decideForm     = contract.Words{EN: "Decide", ES: "Decidir"}
	decideWhat     = contract.Words{EN: "What is decided", ES: "Qué se decide"}
	decideReasons  = contract.Words{EN: "Reasons, by the report", ES: "Motivos, según el informe"}
	decideUpTo     = contract.Words{EN: "Up to four. They are told to the applicant in these words.", ES: "Hasta cuatro. Se comunican al solicitante con estas palabras."}
	decideText     = contract.Words{EN: "In your own words", ES: "Con sus palabras"}
	decideTextHint = contract.Words{EN: "Goes into the letter when more is asked for or the application is declined. Otherwise only colleagues read it.", ES: "Va en la carta cuando se pide más o se rechaza. En otro caso solo la leen colegas."}
	decideDo       = contract.Words{EN: "Record the decision", ES: "Registrar la decisión"}
	decideDone     = contract.Words{EN: "The decision is recorded.", ES: "La decisión está registrada."}
	decideLetter   = contract.Words{EN: "Letter to the applicant", ES: "Carta al solicitante"}
	decideBefore   = contract.Words{EN: "Decided before", ES: "Decisiones anteriores"}
	decideLate     = contract.Words{EN: "Somebody decided while you were looking. Their decision stands below; yours was not recorded. Decide anew if you still want to.", ES: "Alguien decidió mientras usted miraba. Su decisión está abajo; la de usted no se registró. Decida de nuevo si aún lo desea."}
	decideTooLong  = contract.Words{EN: "Write at most 2,000 characters.", ES: "Escriba como máximo 2.000 caracteres."}
	decideTooMany  = contract.Words{EN: "Choose at most four reasons: the weightiest.", ES: "Elija como máximo cuatro motivos: los de más peso."}
	decideNoReason = contract.Words{EN: "Whoever is declined must be told why. Choose a reason, or write one.", ES: "A quien se rechaza hay que decirle por qué. Elija un motivo o escríbalo."}
	decideNoText   = contract.Words{EN: "Write what the applicant is asked for.", ES: "Escriba qué se pide al solicitante."}
	decideBy       = contract.Words{EN: "by", ES: "por"}

	notesTitle = contract.Words{EN: "Notes", ES: "Notas"}
	notesIntro = contract.Words{EN: "For colleagues. The applicant never sees them.", ES: "Para colegas. El solicitante nunca las ve."}
	notesNone  = contract.Words{EN: "No notes yet.", ES: "Aún no hay notas."}
	notesField = contract.Words{EN: "A note", ES: "Una nota"}
	notesDo    = contract.Words{EN: "Keep the note", ES: "Guardar la nota"}
	notesDone  = contract.Words{EN: "The note is kept.", ES: "La nota está guardada."}
	notesBad   = contract.Words{EN: "Write 1 to 2,000 characters.", ES: "Escriba de 1 a 2.000 caracteres."}

	letterPrint     = contract.Words{EN: "Print this page, or save it as PDF. The switch above chooses the language of the letter.", ES: "Imprima esta página o guárdela como PDF. El selector de arriba elige el idioma de la carta."}
	letterDeclined  = contract.Words{EN: "Your application was declined", ES: "Su solicitud fue rechazada"}
	letterMore      = contract.Words{EN: "We need something more from you", ES: "Necesitamos algo más de usted"}
	letterDear      = contract.Words{EN: "Dear", ES: "Estimado/a"}
	letterSir       = contract.Words{EN: "applicant", ES: "solicitante"}
	letterThanks    = contract.Words{EN: "Thank you for your application of", ES: "Gracias por su solicitud del"}
	letterRef       = contract.Words{EN: "Reference", ES: "Referencia"}
	letterNo        = contract.Words{EN: "We have looked at it with care, and cannot approve it at this time.", ES: "La hemos estudiado con atención y no podemos aprobarla en este momento."}
	letterWhy       = contract.Words{EN: "The main reasons are:", ES: "Los motivos principales son:"}
	letterAsk       = contract.Words{EN: "Before we can decide, please send us the following:", ES: "Antes de decidir, envíenos por favor lo siguiente:"}
	letterNot       = contract.Words{EN: "Nothing has been decided yet. We go on as soon as we have it.", ES: "Aún no se ha decidido nada. Seguimos en cuanto lo tengamos."}
	letterReport    = contract.Words{EN: "Our decision was based in whole or in part on a consumer report of", ES: "Nuestra decisión se basó en todo o en parte en un informe del consumidor del"}
	letterFrom      = contract.Words{EN: "which we obtained from", ES: "que obtuvimos de"}
	letterNotThem   = contract.Words{EN: "It did not make the decision and cannot tell you why it was made.", ES: "Esa entidad no tomó la decisión y no puede explicarle los motivos."}
	letterRights    = contract.Words{EN: "You may ask it for a free copy of the report within 60 days of this letter, and may dispute with it whatever in the report is wrong or incomplete.", ES: "En los 60 días siguientes a esta carta puede pedirle una copia gratuita del informe, y puede reclamarle lo que en él sea inexacto o incompleto."}
	letterScore     = contract.Words{EN: "We also used your score from that report:", ES: "También usamos su puntuación de ese informe:"}
	letterFactors   = contract.Words{EN: "What lowered it most:", ES: "Lo que más la redujo:"}
	letterScoreOn   = contract.Words{EN: "made on", ES: "calculada el"}
	letterEqual     = contract.Words{EN: "Notice: The federal Equal Credit Opportunity Act prohibits creditors from discriminating against credit applicants on the basis of race, color, religion, national origin, sex, marital status, age (provided the applicant has the capacity to enter into a binding contract); because all or part of the applicant's income derives from any public assistance program; or because the applicant has in good faith exercised any right under the Consumer Credit Protection Act.", ES: "Aviso: La ley federal de igualdad de oportunidades de crédito (Equal Credit Opportunity Act) prohíbe a los acreedores discriminar a quienes solicitan crédito por raza, color, religión, origen nacional, sexo, estado civil o edad (siempre que tengan capacidad para celebrar un contrato vinculante); porque todo o parte de sus ingresos provenga de un programa de asistencia pública; o por haber ejercido de buena fe un derecho de la Consumer Credit Protection Act."}
	letterRegulator = contract.Words{EN: "The federal agency that administers compliance with this law concerning this creditor is", ES: "La agencia federal que vigila el cumplimiento de esta ley por parte de este acreedor es"}
	letterNoAgency  = contract.Words{EN: "The notice at the end names no federal agency, as the law wants it to. Whoever runs the portal sets it once, by", ES: "El aviso del final no nombra a la agencia federal, como exige la ley. Quien opera el portal la indica una vez, con"}
	letterHost      = contract.Words{EN: "The letter names who made the report by an address of the internet alone; the law wants name, address and telephone number. Whoever runs the portal sets them once, by", ES: "La carta nombra a quien hizo el informe solo por una dirección de internet; la ley exige nombre, dirección y teléfono. Quien opera el portal los indica una vez, con"}
	letterRegards   = contract.Words{EN: "Sincerely,", ES: "Atentamente,"}
)

// roleWords names the dashboard's roles; roleMay describes their permissions.
var roleWords = map[string]contract.Words{
	"reviewer":      {EN: "Reviewer", ES: "Revisión"},
	"administrator": {EN: "Administrator", ES: "Administración"},
	"auditor":       {EN: "Auditor", ES: "Auditoría"},
}

var roleMay = map[string]contract.Words{
	"reviewer":      {EN: "sees applications and reports, shares them, and decides", ES: "ve solicitudes e informes, los comparte y decide"},
	"administrator": {EN: "does that too, and sees to people, retention and deletion", ES: "hace lo mismo y además gestiona personas, conservación y eliminación"},
	"auditor":       {EN: "reads everything, the audit trail too, and changes nothing", ES: "lee todo, también el registro de auditoría, y no cambia nada"},
}

// decisionWords are what can be decided.
var decisionWords = map[string]contract.Words{
	"approved":  {EN: "Approved", ES: "Aprobada"},
	"declined":  {EN: "Declined", ES: "Rechazada"},
	"moreAsked": {EN: "More asked for", ES: "Se pide más"},
	"escalated": {EN: "Escalated", ES: "Elevada"},
}

// decideWords are the same as what one chooses.
var decideWords = map[string]contract.Words{
	"approved":  {EN: "Approve", ES: "Aprobar"},
	"declined":  {EN: "Decline", ES: "Rechazar"},
	"moreAsked": {EN: "Ask for more", ES: "Pedir más"},
	"escalated": {EN: "Escalate", ES: "Elevar"},
}

var decideDetails = map[string]contract.Words{
	"moreAsked": {EN: "the applicant is written what is missing", ES: "se escribe al solicitante qué falta"},
	"declined":  {EN: "the applicant is written the reasons", ES: "se escriben al solicitante los motivos"},
	"escalated": {EN: "somebody else must look", ES: "debe verla otra persona"},
}

var outcomeWords = map[string]contract.Words{
	"SUCCESS": {EN: "Completed", ES: "Completada"},
	"EXIT":    {EN: "Left", ES: "Abandonada"},
	"ERROR":   {EN: "Failed", ES: "Fallida"},
}

// actionWords are what the audit trail has lines of.
var actionWords = map[string]contract.Words{
	"signedIn":         {EN: "Signed in", ES: "Inició sesión"},
	"signInFailed":     {EN: "Failed to sign in", ES: "No logró iniciar sesión"},
	"signedOut":        {EN: "Signed out", ES: "Cerró sesión"},
	"listed":           {EN: "Read a list of applications", ES: "Leyó una lista de solicitudes"},
	"searched":         {EN: "Searched", ES: "Buscó"},
	"opened":           {EN: "Opened an application", ES: "Abrió una solicitud"},
	"reportViewed":     {EN: "Opened a report", ES: "Abrió un informe"},
	"reportExported":   {EN: "Exported a report", ES: "Exportó un informe"},
	"filesListed":      {EN: "Read the list of files", ES: "Leyó la lista de archivos"},
	"fileOpened":       {EN: "Downloaded a file", ES: "Descargó un archivo"},
	"compared":         {EN: "Compared two reports", ES: "Comparó dos informes"},
	"decided":          {EN: "Decided", ES: "Decidió"},
	"noted":            {EN: "Kept a note", ES: "Guardó una nota"},
	"letterOpened":     {EN: "Opened a letter", ES: "Abrió una carta"},
	"letterSent":       {EN: "Email of a decision was sent", ES: "Se envió el correo de una decisión"},
	"letterFailed":     {EN: "Email of a decision was not delivered", ES: "No se entregó el correo de una decisión"},
	"letterWithheld":   {EN: "Email of a decision was not sent", ES: "No se envió el correo de una decisión"},
	"letterRetried":    {EN: "Sent the email of a decision again", ES: "Reenvió el correo de una decisión"},
	"shared":           {EN: "Shared a report", ES: "Compartió un informe"},
	"withdrawn":        {EN: "Withdrew a report", ES: "Retiró un informe"},
	"deletionOpened":   {EN: "Looked at what would be deleted", ES: "Consultó qué se eliminaría"},
	"deleted":          {EN: "Deleted an application", ES: "Eliminó una solicitud"},
	"retentionDeleted": {EN: "Deleted by age", ES: "Eliminada por antigüedad"},
	"eventSent":        {EN: "Sent an event again", ES: "Reenvió un evento"},
	"eventsOn":         {EN: "Turned events on again", ES: "Volvió a activar los eventos"},
	"personAdded":      {EN: "Added a person", ES: "Añadió a una persona"},
	"personChanged":    {EN: "Changed a person", ES: "Cambió a una persona"},
	"personLinked":     {EN: "Made a link for a person", ES: "Creó un enlace para una persona"},
	"passwordSet":      {EN: "Set a password", ES: "Eligió contraseña"},
	"auditRead":        {EN: "Read the audit trail", ES: "Leyó el registro de auditoría"},
}

// detailWords words the details of audit lines that no other table has.
var detailWords = map[string]contract.Words{
	"password":  {EN: "by password", ES: "con contraseña"},
	"link":      {EN: "by a link", ES: "con un enlace"},
	"elsewhere": {EN: "by the organization's account", ES: "con la cuenta de la organización"},
	"id":        {EN: "by an id", ES: "por identificador"},
	"email":     {EN: "by an e-mail address", ES: "por correo electrónico"},
	"words":     {EN: "by a name or external id", ES: "por nombre o identificador externo"},
	"disable":   {EN: "way in taken", ES: "acceso retirado"},
	"enable":    {EN: "way in given back", ES: "acceso devuelto"},
	"shared":    {EN: "for the first time", ES: "por primera vez"},
	"file":      {EN: "as a file", ES: "como archivo"},
	"renewed":   {EN: "for another 72 hours", ES: "por otras 72 horas"},

	"off":         {EN: "not sent by configuration", ES: "no se envía según la configuración"},
	"noServer":    {EN: "no mail server", ES: "sin servidor de correo"},
	"noAddress":   {EN: "no email address", ES: "sin correo"},
	"noCreditor":  {EN: "the creditor's address is not configured", ES: "falta configurar la dirección del acreedor"},
	"noRegulator": {EN: "the federal agency is not configured", ES: "falta configurar la agencia federal"},
	"noAgency":    {EN: "the report's maker is not configured", ES: "falta configurar quién elabora el informe"},
}

// incompleteWords describes what is missing, by the check that failed.
var incompleteWords = map[string]contract.Words{
	"EMPLOYERS_VERIFIED_OR_SKIPPED":     {EN: "Not every employer that you named could be verified", ES: "No se pudo verificar a cada empleador que usted indicó"},
	"ASSET_ACCOUNT_CONNECTED":           {EN: "No bank account was connected", ES: "No se conectó ninguna cuenta bancaria"},
	"DIRECT_DEPOSIT_ACCOUNTS_CONNECTED": {EN: "An account that an employer pays into was not connected", ES: "No se conectó una cuenta en la que paga un empleador"},
	"SIX_MONTHS_HISTORY_AVAILABLE":      {EN: "The accounts have less than six months of history", ES: "Las cuentas tienen menos de seis meses de historial"},
	"NO_FAILED_CONNECTIONS":             {EN: "A source of information could not be reached", ES: "No se pudo consultar una fuente de información"},
	"DOCUMENTS_READABLE":                {EN: "A document could not be read", ES: "No se pudo leer un documento"},
}

// ScoreReason is a score's reason in the wording of its report. The letter has full
// sentences for codes with the meaning that the embedded provider gives them.
func ScoreReason(code, description string) Reason {
	r := Reason{Code: code, Words: contract.Words{EN: description, ES: ReasonWords(contract.Spanish, code, description)}}
	if reasonWords[code].EN == description {
		r.Letter = letterReasons[code]
	}
	return r
}

// DocumentReason is an irregularity that was found in a document.
func DocumentReason(code string) Reason {
	return Reason{Code: code, Words: contract.Words{EN: IrregularityWords(contract.English, code), ES: IrregularityWords(contract.Spanish, code)}}
}

// IncompleteReason is what an application lacks, by the check that does not hold.
func IncompleteReason(check string) Reason {
	return Reason{Code: check, Words: contract.Words{EN: known(contract.English, incompleteWords, check), ES: known(contract.Spanish, incompleteWords, check)}}
}

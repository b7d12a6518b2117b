package provider

import (
	"net/http"
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Tone and words of what a page says was done.
type dashboardSays struct {
	tone  ui.Tone
	words contract.Words
}

var dashboardSaid = map[string]dashboardSays{
	"twice":       {ui.Info, contract.Words{EN: "That form had been sent before. It was done once.", ES: "Ese formulario ya se había enviado. Se hizo una sola vez."}},
	"too old":     {ui.Warning, contract.Words{EN: "That page was too old, and nothing was changed. Please do it again.", ES: "Esa página era demasiado antigua y no se cambió nada. Hágalo de nuevo."}},
	"no change":   {ui.Info, contract.Words{EN: "It was so already. Nothing was changed.", ES: "Ya estaba así. No se cambió nada."}},
	"callback":    {ui.Success, contract.Words{EN: "Events go to the new address from now on.", ES: "Desde ahora los eventos van a la nueva dirección."}},
	"callback on": {ui.Success, contract.Words{EN: "Delivery is on.", ES: "La entrega está activada."}},
	"callback off": {ui.Success, contract.Words{EN: "Delivery is off. What happens meanwhile is not delivered later.",
		ES: "La entrega está desactivada. Lo que ocurra mientras tanto no se entregará después."}},
	"subscription": {ui.Success, contract.Words{EN: "The subscription was changed.", ES: "La suscripción se ha cambiado."}},
	"signer": {ui.Success, contract.Words{EN: "This is the secret that signs your events. Copy it now: it is not shown again.",
		ES: "Este es el secreto que firma sus eventos. Cópielo ahora: no se volverá a mostrar."}},
	"signer rotated": {ui.Success, contract.Words{EN: "This is the new secret. Both sign for 24 hours. Copy it now: it is not shown again.",
		ES: "Este es el nuevo secreto. Ambos firman durante 24 horas. Cópielo ahora: no se volverá a mostrar."}},
	"redelivered": {ui.Success, contract.Words{EN: "The event is on its way again, under the same id.", ES: "El evento está de nuevo en camino, con el mismo identificador."}},
	"on its way":  {ui.Info, contract.Words{EN: "The event is on its way already.", ES: "El evento ya está en camino."}},
	"no callback": {ui.Warning, contract.Words{EN: "There is nowhere to deliver to: set a callback address and turn delivery on.",
		ES: "No hay adónde entregar: indique una dirección y active la entrega."}},
	"issued": {ui.Success, contract.Words{EN: "This is the secretKey of the new client. Copy it now: it is not shown again.",
		ES: "Esta es la secretKey del nuevo cliente. Cópiela ahora: no se volverá a mostrar."}},
	"rotated": {ui.Success, contract.Words{EN: "This is the new secretKey. The old one is good for 24 hours more. Copy it now: it is not shown again.",
		ES: "Esta es la nueva secretKey. La anterior vale 24 horas más. Cópiela ahora: no se volverá a mostrar."}},
	"overlap": {ui.Warning, contract.Words{EN: "This client has two good secrets already. Rotate again when the old one has ended, or revoke it.",
		ES: "Este cliente ya tiene dos secretos válidos. Rótelo de nuevo cuando termine el antiguo, o revóquelo."}},
	"revoked":        {ui.Success, contract.Words{EN: "The secret was revoked, with every access token it had obtained.", ES: "El secreto se ha revocado, con todos los tokens de acceso que había obtenido."}},
	"url added":      {ui.Success, contract.Words{EN: "The address was registered.", ES: "La dirección se ha registrado."}},
	"origin added":   {ui.Success, contract.Words{EN: "The site was registered.", ES: "El sitio se ha registrado."}},
	"origin removed": {ui.Success, contract.Words{EN: "The site was removed.", ES: "El sitio se ha eliminado."}},
	"url removed":    {ui.Success, contract.Words{EN: "The address was removed.", ES: "La dirección se ha eliminado."}},
	"url static":     {ui.Success, contract.Words{EN: "The address is the static one now.", ES: "Esa dirección es ahora la estática."}},
	"return":         {ui.Success, contract.Words{EN: "The way back was changed.", ES: "La forma de volver se ha cambiado."}},
	"shared": {ui.Success, contract.Words{EN: "The report is shared. The relay token is in the list.",
		ES: "El informe está compartido. El token de cesión está en la lista."}},
	"withdrawn": {ui.Success, contract.Words{EN: "The relay token was withdrawn for good.", ES: "El token de cesión se ha retirado definitivamente."}},
	"child":     {ui.Success, contract.Words{EN: "The child account was made.", ES: "La cuenta hija se ha creado."}},
	"product":   {ui.Success, contract.Words{EN: "The product was made.", ES: "El producto se ha creado."}},
	"assigned":  {ui.Success, contract.Words{EN: "The configuration was assigned.", ES: "La configuración se ha asignado."}},
	"person": {ui.Success, contract.Words{EN: "This is the first password. Hand it on now: it is not shown again.",
		ES: "Esta es la primera contraseña. Entréguela ahora: no se volverá a mostrar."}},
	"person gone": {ui.Success, contract.Words{EN: "The person can no longer sign in.", ES: "Esa persona ya no puede iniciar sesión."}},
	"password":    {ui.Success, contract.Words{EN: "Your password was changed. You are signed out everywhere else.", ES: "Su contraseña se ha cambiado. Se ha cerrado su sesión en los demás sitios."}},
	"corrected": {ui.Success, contract.Words{EN: "The report was made again with the corrected figures. Its readers are told.",
		ES: "El informe se hizo de nuevo con las cifras corregidas. Se avisa a quienes lo leen."}},
	"corrected meanwhile": {ui.Warning, contract.Words{EN: "The report was corrected meanwhile, and not by this form. See how it stands now.",
		ES: "El informe se corrigió entretanto, y no con este formulario. Vea cómo está ahora."}},
	"inherited": {ui.Success, contract.Words{EN: "The configuration is inherited from now on.", ES: "Desde ahora se hereda la configuración."}},
}

// dashboardActions names what the audit trail says.
var dashboardActions = map[string]contract.Words{
	"signed in":             {EN: "signed in", ES: "inició sesión"},
	"signed out":            {EN: "signed out", ES: "cerró la sesión"},
	"callback set":          {EN: "set the callback address", ES: "indicó la dirección de los eventos"},
	"callback on":           {EN: "turned delivery on", ES: "activó la entrega"},
	"callback off":          {EN: "turned delivery off", ES: "desactivó la entrega"},
	"subscription changed":  {EN: "changed the subscription", ES: "cambió la suscripción"},
	"signer rotated":        {EN: "rotated the signing secret", ES: "rotó el secreto de firma"},
	"event redelivered":     {EN: "sent an event again", ES: "reenvió un evento"},
	"credential issued":     {EN: "made a client", ES: "creó un cliente"},
	"credential rotated":    {EN: "rotated a secretKey", ES: "rotó una secretKey"},
	"credential revoked":    {EN: "revoked a secretKey", ES: "revocó una secretKey"},
	"complete URL added":    {EN: "registered a complete URL", ES: "registró una dirección de vuelta"},
	"complete URL removed":  {EN: "removed a complete URL", ES: "eliminó una dirección de vuelta"},
	"widget origin added":   {EN: "registered a site for the widget", ES: "registró un sitio para el widget"},
	"widget origin removed": {EN: "removed a site for the widget", ES: "eliminó un sitio para el widget"},
	"complete URL static":   {EN: "made a complete URL the static one", ES: "hizo estática una dirección de vuelta"},
	"return changed":        {EN: "changed the way back", ES: "cambió la forma de volver"},
	"report shared":         {EN: "shared a report", ES: "compartió un informe"},
	"report corrected":      {EN: "corrected a report", ES: "corrigió un informe"},
	"share withdrawn":       {EN: "withdrew a relay token", ES: "retiró un token de cesión"},
	"entitlement enabled":   {EN: "enabled a feature", ES: "habilitó una función"},
	"entitlement disabled":  {EN: "disabled a feature", ES: "deshabilitó una función"},
	"entitlement inherited": {EN: "had a feature follow the parent account", ES: "hizo que una función siga a la cuenta principal"},
	"child added":           {EN: "made a child account", ES: "creó una cuenta hija"},
	"product added":         {EN: "made a product", ES: "creó un producto"},
	"person added":          {EN: "let somebody in", ES: "dio acceso a alguien"},
	"person removed":        {EN: "removed somebody", ES: "retiró a alguien"},
	"password changed":      {EN: "changed the own password", ES: "cambió su contraseña"},
	"configuration changed": {EN: "changed a configuration in force", ES: "cambió una configuración vigente"},
}

// dashboardStates names the states of deliveries, relay tokens and visits.
var dashboardStates = map[string]struct {
	tone  ui.Tone
	words contract.Words
}{
	"pending":    {ui.Info, contract.Words{EN: "on its way", ES: "en camino"}},
	"delivered":  {ui.Success, contract.Words{EN: "delivered", ES: "entregado"}},
	"given up":   {ui.Danger, contract.Words{EN: "given up", ES: "abandonado"}},
	"disabled":   {ui.Danger, contract.Words{EN: "refused for good", ES: "rechazado definitivamente"}},
	"active":     {ui.Success, contract.Words{EN: "active", ES: "activo"}},
	"expired":    {ui.Neutral, contract.Words{EN: "expired", ES: "caducado"}},
	"revoked":    {ui.Danger, contract.Words{EN: "withdrawn", ES: "retirado"}},
	"created":    {ui.Neutral, contract.Words{EN: "nobody has come", ES: "nadie ha venido"}},
	"open":       {ui.Info, contract.Words{EN: "opened", ES: "abierta"}},
	"connecting": {ui.Info, contract.Words{EN: "connecting its sources", ES: "conectando sus fuentes"}},
	"generating": {ui.Info, contract.Words{EN: "report is being made", ES: "se prepara el informe"}},
	"complete":   {ui.Success, contract.Words{EN: "complete", ES: "completa"}},
	"closed":     {ui.Warning, contract.Words{EN: "closed", ES: "cerrada"}},
	"failed":     {ui.Danger, contract.Words{EN: "failed", ES: "fallida"}},
}

// dashboardMoments names the lines of a report's timeline.
var dashboardMoments = map[string]contract.Words{
	"report":             {EN: "The report was begun", ES: "Se inició el informe"},
	"redirect":           {EN: "A secure redirect was made", ES: "Se creó una redirección segura"},
	"visit begun":        {EN: "The visit was prepared", ES: "Se preparó la visita"},
	"visit came":         {EN: "The applicant opened the visit", ES: "El solicitante abrió la visita"},
	"visit prepared":     {EN: "A prepared report is served", ES: "Se sirve un informe preparado"},
	"visit consented":    {EN: "The applicant consented", ES: "El solicitante aceptó"},
	"visit verify":       {EN: "An employer is to be verified", ES: "Se va a verificar una empresa"},
	"visit skip":         {EN: "An employer is to be skipped", ES: "Se va a omitir una empresa"},
	"visit skipped":      {EN: "An employer was skipped", ES: "Se omitió una empresa"},
	"visit took":         {EN: "A kind of source was chosen", ES: "Se eligió un tipo de fuente"},
	"visit turned":       {EN: "Back from a source", ES: "De vuelta de una fuente"},
	"visit chose":        {EN: "A bank, payroll provider or supplier was chosen", ES: "Se eligió un banco, un proveedor de nóminas o un buró"},
	"visit confirmed":    {EN: "The chosen supplier was confirmed", ES: "Se confirmó el buró elegido"},
	"visit rechose":      {EN: "Back to the choice of it", ES: "De vuelta a esa elección"},
	"visit signed in":    {EN: "A sign-in there was tried", ES: "Se intentó iniciar sesión allí"},
	"visit added":        {EN: "A file was added", ES: "Se añadió un archivo"},
	"visit removed":      {EN: "A file was taken away", ES: "Se quitó un archivo"},
	"visit handed in":    {EN: "The files were handed in", ES: "Se entregaron los archivos"},
	"visit more":         {EN: "Another source was wanted", ES: "Se quiso otra fuente"},
	"visit enough":       {EN: "No more sources were wanted", ES: "No se quisieron más fuentes"},
	"visit resent":       {EN: "Another one-time code was asked for", ES: "Se pidió otro código de un solo uso"},
	"visit coded":        {EN: "The one-time code was answered", ES: "Se respondió al código de un solo uso"},
	"visit picked":       {EN: "The accounts were chosen", ES: "Se eligieron las cuentas"},
	"visit made":         {EN: "The journey was walked to its end", ES: "El recorrido llegó a su fin"},
	"visit left":         {EN: "The applicant closed the visit", ES: "El solicitante cerró la visita"},
	"visit went back":    {EN: "The applicant went a step back", ES: "El solicitante volvió un paso atrás"},
	"visit started over": {EN: "The applicant started over in another browser", ES: "El solicitante empezó de nuevo en otro navegador"},
	"visit came back":    {EN: "The applicant went on with it", ES: "El solicitante la retomó"},
	"visit broke":        {EN: "The visit could not go on", ES: "La visita no pudo continuar"},
	"visit time up":      {EN: "The visit’s time was over", ES: "Se acabó el tiempo de la visita"},
	"visit withdrew":     {EN: "It ended: the consumer withdrew consent", ES: "Terminó: el consumidor retiró su consentimiento"},
	"consent":            {EN: "The consumer withdrew consent", ES: "El consumidor retiró su consentimiento"},
	"status":             {EN: "Status", ES: "Estado"},
	"delivery":           {EN: "An event was sent", ES: "Se envió un evento"},
	"corrected":          {EN: "The figures were corrected: revision", ES: "Se corrigieron las cifras: revisión"},
	"relay made":         {EN: "Shared with", ES: "Compartido con"},
	"relay read":         {EN: "Read for the first time by", ES: "Leído por primera vez por"},
	"relay revoked":      {EN: "Withdrawn from", ES: "Retirado a"},
	"relay expired":      {EN: "Not read in time by", ES: "No leído a tiempo por"},
}

// dashboardErrors says why a delivery was not answered.
var dashboardErrors = map[string]contract.Words{
	"NAME":    {EN: "the host’s name leads nowhere", ES: "el nombre del servidor no existe"},
	"ADDRESS": {EN: "the address is not one that events may go to", ES: "a esa dirección no pueden ir eventos"},
	"REFUSED": {EN: "nobody listens there", ES: "allí no escucha nadie"},
	"TLS":     {EN: "the certificate or the secure connection failed", ES: "falló el certificado o la conexión segura"},
	"TIMEOUT": {EN: "no answer in time", ES: "no hubo respuesta a tiempo"},
	"NETWORK": {EN: "the connection broke", ES: "se cortó la conexión"},
}

var dashboardWays = map[string]contract.Words{
	"visit":      {EN: "visit in the widget", ES: "visita en el widget"},
	"redirect":   {EN: "visit by secure redirect", ES: "visita por redirección segura"},
	"form":       {EN: "visit by secure redirect, form only", ES: "visita por redirección segura, solo por formulario"},
	"forgotten":  {EN: "no longer kept", ES: "ya no se conserva"},
	"submission": {EN: "your own data, submitted", ES: "datos propios, enviados"},
}

var dashboardKinds = map[contract.Product]contract.Words{
	contract.Cashflow:    {EN: "Cash flow", ES: "Flujo de efectivo"},
	contract.Income:      {EN: "Income", ES: "Ingresos"},
	contract.Eligibility: {EN: "Eligibility", ES: "Elegibilidad"},
	contract.Passport:    {EN: "Credit passport", ES: "Pasaporte crediticio"},
}

// dashboardWord looks a word up; a missing key is returned as the word.
func dashboardWord[K ~string](l contract.Lang, table map[K]contract.Words, key K) string {
	if w, ok := table[key]; ok {
		return w.In(l)
	}
	return string(key)
}

func (d Dashboard) kind(k contract.Product) string { return dashboardWord(d.Lang, dashboardKinds, k) }

func statusTone(s contract.Status) ui.Tone {
	switch {
	case s == contract.StatusSuccess:
		return ui.Success
	case s == contract.StatusPending:
		return ui.Info
	case s == contract.StatusExpired:
		return ui.Neutral
	}
	return ui.Danger
}

var dashboardSpanishMonths = [...]string{"ene", "feb", "mar", "abr", "may", "jun", "jul", "ago", "sept", "oct", "nov", "dic"}

// moment writes an instant as people read it, in UTC.
func (d Dashboard) moment(t time.Time) string {
	t = t.UTC()
	day := t.Format("Jan 2, 2006")
	if d.Lang == contract.Spanish {
		day = strconv.Itoa(t.Day()) + " " + dashboardSpanishMonths[t.Month()-1] + " " + strconv.Itoa(t.Year())
	}
	return day + ", " + t.Format("15:04:05") + " UTC"
}

func number(n int) string { return strconv.Itoa(n) }

// took writes how long an attempt took.
func took(t time.Duration) string {
	if t < time.Second {
		return strconv.FormatInt(t.Milliseconds(), 10) + " ms"
	}
	return strconv.FormatFloat(t.Seconds(), 'f', 1, 64) + " s"
}

func (d Dashboard) httpCode(code int) string {
	if code == 0 {
		return d.say("no answer", "sin respuesta")
	}
	return strconv.Itoa(code)
}

func (d Dashboard) attemptResult(a DashboardAttempt) string {
	if a.Error != "" {
		return dashboardWord(d.Lang, dashboardErrors, a.Error)
	}
	if a.HTTP >= 300 {
		return strconv.Itoa(a.HTTP) + " " + http.StatusText(a.HTTP)
	}
	return strconv.Itoa(a.HTTP)
}

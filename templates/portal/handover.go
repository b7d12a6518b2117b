package portal

import (
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
)

// Handover shows a link that carries an application to another device, once.
type Handover struct {
	Base
	Link    string
	Code    string // the link as a QR code: a path in a square of Size units
	Size    int
	Minutes int    // how long the link works
	Local   bool   // the address means this machine only
	Again   string // where a new link is asked for, by POST
	Letter  string // POST address that requests an email; "" offers none
	Status  string
	Stream  string
	Version int64
}

func (h Handover) box() string {
	n := strconv.Itoa(h.Size)
	return "0 0 " + n + " " + n
}

func (h Handover) lasts() string {
	return strings.Replace(wordsLinkLasts.In(h.Lang), "%d", strconv.Itoa(h.Minutes), 1)
}

// Arrive is where such a link leads: it asks before it lets a browser in.
type Arrive struct {
	Base
	Product contract.Product
	Begun   time.Time
	Action  string
}

// Return is the form for applicants who return without a link.
type Return struct {
	Base
	Email   string
	Problem contract.Words
}

var (
	wordsPhoneTitle = contract.Words{EN: "Continue on another device", ES: "Siga en otro dispositivo"}
	wordsPhoneIntro = contract.Words{
		EN: "Open the link on the other device, or point a phone’s camera at the code. This page follows along.",
		ES: "Abra el enlace en el otro dispositivo, o apunte la cámara de un teléfono al código. Esta página le sigue."}
	wordsPhoneCode = contract.Words{EN: "QR code of the link below", ES: "Código QR del enlace de abajo"}
	wordsPhoneLink = contract.Words{EN: "Link to your application", ES: "Enlace a su solicitud"}
	wordsCopy      = contract.Words{EN: "Copy the link", ES: "Copiar el enlace"}
	wordsCopied    = contract.Words{EN: "The link is copied.", ES: "El enlace está copiado."}
	wordsLinkLasts = contract.Words{
		EN: "It works once, within %d minutes. Whoever opens it is in your application: do not pass it on.",
		ES: "Funciona una vez, durante %d minutos. Quien lo abra estará en su solicitud: no lo comparta."}
	wordsLinkLocal = contract.Words{
		EN: "This portal runs on this machine alone: a phone cannot reach it. Open the link in another browser here.",
		ES: "Este portal solo funciona en esta máquina: un teléfono no puede llegar a él. Abra el enlace en otro navegador de aquí."}
	wordsNewLink    = contract.Words{EN: "Make a new link", ES: "Crear otro enlace"}
	wordsByLetter   = contract.Words{EN: "Send me a link by e-mail", ES: "Enviarme un enlace por correo"}
	wordsBackStatus = contract.Words{EN: "Back to your application", ES: "Volver a su solicitud"}
	wordsLaterTitle = contract.Words{EN: "Another device, or later?", ES: "¿En otro dispositivo o más tarde?"}
	wordsLaterText  = contract.Words{
		EN: "This browser keeps your application for a week. Take it along to another device, or have a link sent to you.",
		ES: "Este navegador conserva su solicitud durante una semana. Llévela a otro dispositivo o pida que le enviemos un enlace."}

	wordsLaterAlone = contract.Words{
		EN: "This browser keeps your application for a week. You can also take it along to another device.",
		ES: "Este navegador conserva su solicitud durante una semana. También puede llevarla a otro dispositivo."}

	wordsArriveTitle = contract.Words{EN: "Go on with your application here?", ES: "¿Seguir con su solicitud aquí?"}
	wordsArriveText  = contract.Words{
		EN: "This link leads to an application that was begun in another browser. Go on only if you began it yourself.",
		ES: "Este enlace lleva a una solicitud que se inició en otro navegador. Siga solo si la inició usted."}
	wordsArriveButton = contract.Words{EN: "Yes, go on here", ES: "Sí, seguir aquí"}

	wordsReturnTitle = contract.Words{EN: "Find your application", ES: "Encuentre su solicitud"}
	wordsReturnText  = contract.Words{
		EN: "Enter the e-mail address that you applied with. We send a link to it with which you can go on in this or any other browser.",
		ES: "Indique el correo electrónico con el que hizo la solicitud. Le enviamos un enlace con el que puede seguir en este o en cualquier otro navegador."}
	wordsReturnButton = contract.Words{EN: "Send the link", ES: "Enviar el enlace"}
	wordsReturnOffer  = contract.Words{EN: "Began in another browser? Find your application", ES: "¿Empezó en otro navegador? Encuentre su solicitud"}
	wordsResume       = contract.Words{EN: "Go on where you stopped", ES: "Siga donde lo dejó"}
	wordsResumeButton = contract.Words{EN: "Go on", ES: "Continuar"}
)

// Elsewhere holds the ways to continue in another browser; the zero value has none.
type Elsewhere struct {
	Link   string // where a link is asked for, by POST
	Letter string // address of the email form; "" offers none
}

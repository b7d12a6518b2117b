package review

import (
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
)

// EventsView is a page of the callbacks to the onboarding app.
type EventsView struct {
	By            string // email of the signed-in user
	URL           string // where events go; "" is nowhere
	Stopped       time.Time
	Decides       bool // may send again
	State         webhook.State
	ApplicationID string // of one application only; "" is all
	Rows          []Delivery
	Older, Newest string // URLs
	Done          EventsDone
}

// EventsDone is the last completed action.
type EventsDone string

const (
	EventsNothing EventsDone = ""
	EventsOn      EventsDone = "on"
	EventSent     EventsDone = "sent"
	EventBusy     EventsDone = "busy"
	EventStopped  EventsDone = "stopped"
)

func (d EventsDone) words() (tone ui.Tone, words contract.Words) {
	switch d {
	case EventsOn:
		return ui.Success, eventsTurnedOn
	case EventSent:
		return ui.Success, eventsSent
	case EventBusy:
		return ui.Warning, eventsBusy
	case EventStopped:
		return ui.Warning, eventsNowhere
	}
	return ui.Neutral, contract.Words{}
}

// Delivery is an event on its way to the onboarding app, or there.
type Delivery struct {
	ID            string
	EventID       string
	ApplicationID string
	Type          string
	Sequence      int64
	Happened      time.Time
	State         webhook.State
	Tries         int
	HTTP          int
	Created       time.Time
	Resends       int64

	// Of one delivery's page only:
	By       string
	Decides  bool
	Done     EventsDone
	Attempts []Try
	Body     string // "" when its application was deleted
}

// Try is one attempt of a delivery.
type Try struct {
	At    time.Time
	HTTP  int
	Took  time.Duration
	Error webhook.Class
}

var deliveryWords = map[webhook.State]struct {
	words contract.Words
	tone  ui.Tone
}{
	webhook.StatePending:   {contract.Words{EN: "On its way", ES: "En camino"}, ui.Info},
	webhook.StateDelivered: {contract.Words{EN: "Delivered", ES: "Entregado"}, ui.Success},
	webhook.StateGivenUp:   {contract.Words{EN: "Given up", ES: "Abandonado"}, ui.Danger},
	webhook.StateDisabled:  {contract.Words{EN: "Not sent", ES: "No enviado"}, ui.Warning},
}

var classWords = map[webhook.Class]contract.Words{
	webhook.ClassName:    {EN: "the host’s name is unknown", ES: "se desconoce el nombre del servidor"},
	webhook.ClassAddress: {EN: "the address may not be reached", ES: "no se permite llegar a esa dirección"},
	webhook.ClassRefused: {EN: "nobody listens there", ES: "nadie escucha allí"},
	webhook.ClassTLS:     {EN: "the certificate or the handshake failed", ES: "falló el certificado o la negociación TLS"},
	webhook.ClassTimeout: {EN: "no answer in time", ES: "sin respuesta a tiempo"},
	webhook.ClassNetwork: {EN: "the connection broke", ES: "se cortó la conexión"},
}

func (t Try) answer(l contract.Lang) string {
	if t.HTTP == 0 {
		return known(l, classWords, t.Error)
	}
	return strconv.Itoa(t.HTTP)
}

func (d Delivery) answer(l contract.Lang) string {
	switch {
	case d.HTTP != 0:
		return strconv.Itoa(d.HTTP)
	case d.Tries > 0:
		return eventsNoAnswer.In(l)
	}
	return "–"
}

// filters are the states with the address of each.
func (v EventsView) filters(l contract.Lang) []ui.Link {
	out := []ui.Link{{Text: reviewAll.In(l), URL: "/review/events", Current: v.State == "" && v.ApplicationID == ""}}
	for _, s := range webhook.States() {
		out = append(out, ui.Link{Text: deliveryWords[s].words.In(l), URL: EventsURL(s, "", ""), Current: v.State == s})
	}
	return out
}

func (v EventsView) grid(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: eventsTitle.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewWhen.In(l)}, {Label: eventsType.In(l)}, {Label: reviewOpen.In(l)}, {Label: reviewState.In(l)},
		{Label: eventsAnswer.In(l)}, {Label: eventsTries.In(l), Number: true}}}
	for _, d := range v.Rows {
		g.Rows = append(g.Rows, []ui.Cell{
			{Body: deliveryLink(l, d)},
			{Text: d.Type},
			{Body: applicationLink(d.ApplicationID)},
			{Body: deliveryBadge(l, d.State)},
			{Text: d.answer(l)},
			{Text: strconv.Itoa(d.Tries)},
		})
	}
	return g
}

func (d Delivery) facts(l contract.Lang) []ui.Fact {
	facts := []ui.Fact{
		{Term: reviewState.In(l), Body: deliveryBadge(l, d.State)},
		{Term: eventsType.In(l), Text: d.Type},
		{Term: reviewOpen.In(l), Body: applicationLink(d.ApplicationID)},
		{Term: eventsHappened.In(l), Body: when(l, d.Happened)},
		{Term: eventsID.In(l), Text: d.EventID},
		{Term: eventsSequence.In(l), Text: strconv.FormatInt(d.Sequence, 10)},
	}
	if d.Resends > 0 {
		facts = append(facts, ui.Fact{Term: eventsResends.In(l), Text: strconv.FormatInt(d.Resends, 10) + "×"})
	}
	return facts
}

func (d Delivery) tries(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: eventsTries.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: "#", Number: true}, {Label: reviewWhen.In(l)}, {Label: eventsAnswer.In(l)}, {Label: eventsTook.In(l), Number: true}}}
	for i, t := range d.Attempts {
		g.Rows = append(g.Rows, []ui.Cell{{Text: strconv.Itoa(i + 1)}, {Body: when(l, t.At)}, {Text: t.answer(l)}, {Text: strconv.FormatInt(t.Took.Milliseconds(), 10) + " ms"}})
	}
	return g
}

// EventsURL is the address of a page of deliveries; the zero value of each is
// any, and the first page.
func EventsURL(state webhook.State, applicationID, after string) string {
	q := ""
	add := func(name, value string) {
		if value == "" {
			return
		}
		if q == "" {
			q = "?"
		} else {
			q += "&"
		}
		q += name + "=" + value
	}
	switch state {
	case webhook.StateGivenUp:
		add("state", "given_up") // no value with a space in an address
	default:
		add("state", string(state))
	}
	add("application", applicationID)
	add("after", after)
	return "/review/events" + q
}

var (
	eventsTitle     = contract.Words{EN: "Events", ES: "Eventos"}
	eventsIntro     = contract.Words{EN: "What your onboarding app was told of its applications in the last 30 days, and what it answered.", ES: "Lo que se comunicó a su aplicación sobre sus solicitudes en los últimos 30 días y lo que respondió."}
	eventsTo        = contract.Words{EN: "Sent to", ES: "Se envían a"}
	eventsUnset     = contract.Words{EN: "Events are sent nowhere", ES: "Los eventos no se envían a ningún sitio"}
	eventsUnsetHow  = contract.Words{EN: "Start the portal with --events-url (VESTIBULE_EVENTS_URL) to have your app told of every application.", ES: "Inicie el portal con --events-url (VESTIBULE_EVENTS_URL) para que su aplicación reciba noticias de cada solicitud."}
	eventsStopped   = contract.Words{EN: "Nothing is sent since the app answered 410", ES: "No se envía nada desde que la aplicación respondió 410"}
	eventsSince     = contract.Words{EN: "Since", ES: "Desde"}
	eventsTurnOn    = contract.Words{EN: "Send events again", ES: "Volver a enviar eventos"}
	eventsTurnedOn  = contract.Words{EN: "Events are sent again. What happened meanwhile is marked as not sent; open it to send it.", ES: "Los eventos se envían de nuevo. Lo ocurrido entretanto está marcado como no enviado; ábralo para enviarlo."}
	eventsSent      = contract.Words{EN: "The event is being sent again.", ES: "El evento se está enviando de nuevo."}
	eventsBusy      = contract.Words{EN: "This event is on its way already.", ES: "Este evento ya está en camino."}
	eventsNowhere   = contract.Words{EN: "It was not sent: events go nowhere at present.", ES: "No se envió: ahora los eventos no van a ningún sitio."}
	eventsByState   = contract.Words{EN: "By state", ES: "Por estado"}
	eventsOfOne     = contract.Words{EN: "Events of one application.", ES: "Eventos de una solicitud."}
	eventsThis      = contract.Words{EN: "What the app was told of it", ES: "Lo que se comunicó a la aplicación"}
	eventsShowAll   = contract.Words{EN: "Show all events", ES: "Mostrar todos los eventos"}
	eventsNone      = contract.Words{EN: "Nothing was sent", ES: "No se envió nada"}
	eventsNoneHow   = contract.Words{EN: "An event is sent each time an application comes to another state.", ES: "Se envía un evento cada vez que una solicitud cambia de estado."}
	eventsOlder     = contract.Words{EN: "Older events", ES: "Eventos anteriores"}
	eventsType      = contract.Words{EN: "Event", ES: "Evento"}
	eventsAnswer    = contract.Words{EN: "Answer", ES: "Respuesta"}
	eventsNoAnswer  = contract.Words{EN: "none", ES: "ninguna"}
	eventsTries     = contract.Words{EN: "Tries", ES: "Intentos"}
	eventsTook      = contract.Words{EN: "Took", ES: "Tardó"}
	eventsHappened  = contract.Words{EN: "Happened", ES: "Ocurrió"}
	eventsID        = contract.Words{EN: "Event id", ES: "Identificador del evento"}
	eventsSequence  = contract.Words{EN: "Sequence", ES: "Secuencia"}
	eventsResends   = contract.Words{EN: "Sent again by hand", ES: "Reenviado a mano"}
	eventsDelivery  = contract.Words{EN: "Delivery", ES: "Entrega"}
	eventsAll       = contract.Words{EN: "All events", ES: "Todos los eventos"}
	eventsResend    = contract.Words{EN: "Send it again", ES: "Enviarlo de nuevo"}
	eventsResendHow = contract.Words{EN: "Under the same id and with the same body.", ES: "Con el mismo identificador y el mismo cuerpo."}
	eventsLook      = contract.Words{EN: "It is on its way. Look again", ES: "Está en camino. Mirar de nuevo"}
	eventsBody      = contract.Words{EN: "Body", ES: "Cuerpo"}
	eventsBodyIs    = contract.Words{EN: "The body as it is sent", ES: "El cuerpo tal como se envía"}
	eventsBodyGone  = contract.Words{EN: "The application was deleted, and what was said of it with it.", ES: "La solicitud se eliminó, y con ella lo que se dijo de ella."}
	eventsUntried   = contract.Words{EN: "None was made yet.", ES: "Todavía no hubo ninguno."}
)

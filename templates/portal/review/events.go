package review

import (
	"strconv"
	"strings"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
)

// EventsView is a page of the events for the onboarding app.
type EventsView struct {
	URL           string // receiver of the events; "": none
	Stopped       time.Time
	Decides       bool // may resend events
	State         webhook.State
	ApplicationID string // filter; "" selects all
	Rows          []webhook.Delivery
	Health        []webhook.Health
	Next          time.Time // when the next attempt is due; zero for none
	Now           time.Time
	Older, Newest string // URLs
	Done          string // the last completed action, a code of review.events.done; empty for none
}

// EventView is the page of one delivery.
type EventView struct {
	webhook.Delivery
	Decides bool   // may resend it
	Done    string // as in EventsView
}

var deliveryTones = map[webhook.State]ui.Tone{
	webhook.StatePending:   ui.Info,
	webhook.StateDelivered: ui.Success,
	webhook.StateGivenUp:   ui.Danger,
	webhook.StateDisabled:  ui.Warning,
}

// tryAnswer says in words how a receiver answered an attempt.
func tryAnswer(l i18n.Lang, t webhook.Attempt) string {
	if t.HTTP/100 == 2 {
		return strconv.Itoa(t.HTTP)
	}
	return ui.DeliveryProblem(l, "", t)
}

// deliveryAnswer is the last answer of the receiver.
func deliveryAnswer(l i18n.Lang, d webhook.Delivery) string {
	switch {
	case d.HTTP != 0:
		return strconv.Itoa(d.HTTP)
	case d.Tries > 0:
		return i18n.T(l, "review.none")
	}
	return "–"
}

func (v EventsView) filters(l i18n.Lang) []ui.Link {
	out := []ui.Link{{Text: i18n.T(l, "review.events.all"), URL: "/review/events", Current: v.State == "" && v.ApplicationID == ""}}
	for _, s := range webhook.States() {
		out = append(out, ui.Link{Text: i18n.Code(l, "review.delivery_states", s), URL: EventsURL(s, "", ""), Current: v.State == s})
	}
	return out
}

func (v EventsView) grid(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.events.title"), HideCaption: true, Named: true, Columns: []ui.Column{
		{Label: i18n.T(l, "review.events.type")}, {Label: i18n.T(l, "review.application.state")},
		{Label: i18n.T(l, "review.application.label")}, {Label: i18n.T(l, "review.events.answer")},
		{Label: i18n.T(l, "review.events.tries"), Number: true}, {Label: i18n.T(l, "review.when")}}}
	for _, d := range v.Rows {
		g.Rows = append(g.Rows, []ui.Cell{
			{Body: deliveryLink(l, d)},
			{Body: deliveryState(l, d)},
			{Body: applicationLink(d.Subject)},
			{Text: deliveryAnswer(l, d)},
			{Text: strconv.Itoa(d.Tries)},
			{Body: when(l, d.Created)},
		})
	}
	return g
}

func (v EventView) facts(l i18n.Lang) []ui.Fact {
	facts := []ui.Fact{
		{Term: i18n.T(l, "review.application.state"), Body: deliveryState(l, v.Delivery)},
		{Term: i18n.T(l, "review.events.type"), Text: v.Type},
		{Term: i18n.T(l, "review.application.label"), Body: applicationLink(v.Subject)},
		{Term: i18n.T(l, "review.events.happened"), Body: when(l, v.Happened)},
		{Term: i18n.T(l, "review.events.id"), Text: v.EventID},
		{Term: i18n.T(l, "review.events.sequence"), Text: strconv.FormatInt(v.Sequence, 10)},
	}
	if v.Resends > 0 {
		facts = append(facts, ui.Fact{Term: i18n.T(l, "review.events.resends"), Text: strconv.FormatInt(v.Resends, 10) + "×"})
	}
	return facts
}

func (v EventView) tries(l i18n.Lang) ui.Grid {
	g := ui.Grid{Caption: i18n.T(l, "review.events.tries"), HideCaption: true, Columns: []ui.Column{
		{Label: "#", Number: true}, {Label: i18n.T(l, "review.when")}, {Label: i18n.T(l, "review.events.answer")},
		{Label: i18n.T(l, "review.events.took"), Number: true}}}
	for i, t := range v.Attempts {
		g.Rows = append(g.Rows, []ui.Cell{{Text: strconv.Itoa(i + 1)}, {Body: when(l, t.At)}, {Text: tryAnswer(l, t)},
			{Text: strconv.FormatInt(t.Took.Milliseconds(), 10) + " ms"}})
	}
	return g
}

// eventName says in words what the event is about: the state that the application reached, or
// that it was decided.
func eventName(l i18n.Lang, code string) string {
	state := strings.TrimPrefix(code, "application.")
	if state == "decided" {
		return i18n.T(l, "review.list.orders.decided")
	}
	if name, ok := i18n.Find(l, "review.event_names", state); ok {
		return name
	}
	return stateName(l, state)
}

// EventsURL returns the address of a page of deliveries. Zero values select all, and the
// first page.
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
		add("state", "given_up") // the state has a space
	default:
		add("state", string(state))
	}
	add("application", applicationID)
	add("after", after)
	return "/review/events" + q
}

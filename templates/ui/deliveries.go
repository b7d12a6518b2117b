package ui

import (
	"bytes"
	"encoding/json"
	"strconv"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/webhook"
)

// DeliveryProblem says in words why a delivery was not made, or why its last attempt
// failed; "" if it did not.
func DeliveryProblem(l i18n.Lang, state webhook.State, last webhook.Attempt) string {
	switch {
	case state == webhook.StateDelivered:
		return ""
	case last.Error != webhook.Answered:
		return i18n.Code(l, "dashboard.delivery_errors", last.Error)
	case last.HTTP == 0:
		text, _ := i18n.Find(l, "dashboard.delivery_unsent", state)
		return text
	}
	code := strconv.Itoa(last.HTTP)
	text, ok := i18n.Find(l, "dashboard.delivery_answers", code)
	if !ok {
		text = i18n.Code(l, "dashboard.delivery_answers", code[:1]+"xx")
	}
	return code + ": " + text
}

// DeliveryHealth is a table of the deliveries to a receiver over some times until now.
func DeliveryHealth(l i18n.Lang, now time.Time, all []webhook.Health) Grid {
	g := Grid{Caption: i18n.T(l, "dashboard.health.caption"), HideCaption: true, Named: true, Columns: []Column{
		{Label: i18n.T(l, "dashboard.health.period")}, {Label: i18n.T(l, "dashboard.health.sent"), Number: true},
		{Label: i18n.T(l, "dashboard.health.failed"), Number: true}, {Label: i18n.T(l, "dashboard.health.median"), Number: true}}}
	for _, h := range all {
		failed, median := "–", "–"
		if h.Sent > 0 {
			failed = i18n.Count(h.Failed) + " (" + strconv.FormatFloat(100*float64(h.Failed)/float64(h.Sent), 'f', 1, 64) + "%)"
		}
		if h.Answered > 0 {
			median = DurationText(h.Median)
		}
		const day = 24 * time.Hour
		period := i18n.N(l, "dashboard.health.days", int((now.Sub(h.Since)+day-1)/day))
		g.Rows = append(g.Rows, []Cell{{Text: period}, {Text: i18n.Count(h.Sent)}, {Text: failed}, {Text: median}})
	}
	return g
}

// DurationText formats how long something took: "120 ms", "1.5 s", and as Roughly does from a minute on.
func DurationText(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return Roughly(d)
}

// IndentedBody returns the body of a delivery for readers; it is sent in one line.
func IndentedBody(body []byte) string {
	var out bytes.Buffer
	if json.Indent(&out, body, "", "  ") != nil {
		return string(body)
	}
	return out.String()
}

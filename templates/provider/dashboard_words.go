package provider

import (
	"net/http"
	"strconv"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/webhook"
	"vestibule/templates/ui"
)

// dashboardStates maps the states of deliveries, sharing tokens and visits to tones.
var dashboardStates = map[string]ui.Tone{
	"pending": ui.Info, "delivered": ui.Success, "given up": ui.Danger, "disabled": ui.Danger, "active": ui.Success,
	"expired": ui.Neutral, "revoked": ui.Danger, "created": ui.Neutral, "open": ui.Info, "connecting": ui.Info,
	"generating": ui.Info, "complete": ui.Success, "closed": ui.Warning, "failed": ui.Danger,
}

func (d Dashboard) kind(k contract.Product) string { return i18n.Code(d.Lang, "dashboard.kinds", k) }

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

// answer names the last answer of a receiver: a status, -1 for no answer, 0 before the first
// attempt.
func (d Dashboard) answer(code int) string {
	switch code {
	case 0:
		return i18n.T(d.Lang, "dashboard.overview.answer_none_yet")
	case webhook.NoAnswer:
		return i18n.T(d.Lang, "dashboard.http_code.no_answer")
	}
	return strings.TrimSpace(strconv.Itoa(code) + " " + http.StatusText(code))
}

func (d Dashboard) attemptResult(a webhook.Attempt) string {
	if attemptTone(a) == ui.Success {
		return d.answer(a.HTTP)
	}
	return ui.DeliveryProblem(d.Lang, "", a)
}

// lastAnswer returns the last answer of a receiver for answer.
func lastAnswer(r webhook.Delivery) int {
	if r.HTTP == 0 && r.Tries > 0 {
		return webhook.NoAnswer
	}
	return r.HTTP
}

package applications

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	pages "vestibule/templates/portal"
	"vestibule/templates/ui"
)

// told reports whether applicants are notified of decisions of the kind; never of an
// escalation.
func (s *Service) told(kind string) bool {
	return slices.Contains([]string{journey.Approved, journey.Declined, journey.MoreAsked}, kind) && (s.NotifiedDecisions == nil || slices.Contains(s.NotifiedDecisions, kind))
}

// tells reports whether the applicant's page shows the newest decision of a. A
// request for more is shown until it is answered.
func (s *Service) tells(a Application) bool {
	return s.told(a.Decision.Kind) && (a.Decision.Kind != journey.MoreAsked || a.MoreAsked())
}

// decided sets a status page to show the decision. The status handler adds the
// reviewer's request.
func (s *Handler) decided(m *pages.Status, a Application) {
	m.Decision = a.Decision.Kind
	switch a.Decision.Kind {
	case journey.Approved, journey.Declined:
		m.Title, m.Text = wordsApproved, wordsApprovedText
		m.Tone = ui.Success
		if a.Decision.Kind == journey.Declined {
			m.Title, m.Text, m.Tone = wordsDeclined, wordsDeclinedText, ui.Neutral
		}
		m.Detail, m.Moving, m.Slow, m.Retry, m.Connect, m.Other, m.Correct = contract.Words{}, false, false, false, "", false, ""
		m.Elsewhere = pages.Elsewhere{}
	case journey.MoreAsked:
		if m.Moving {
			return // the answer is on its way; the page shows the request again if anything is still missing
		}
		m.Title, m.Text, m.Detail, m.Tone = wordsMore, wordsMoreText, contract.Words{}, ui.Warning
		if a.Journey.State == journey.Ready {
			m.Retry = a.Journey.Attempt < maxAttempts
		}
	}
}

var (
	wordsApproved     = contract.Words{EN: "Your application was approved", ES: "Su solicitud fue aprobada"}
	wordsApprovedText = contract.Words{
		EN: "The company you applied to will tell you what comes next. Nothing more is needed from you here.",
		ES: "La empresa a la que se dirigió le dirá cuál es el siguiente paso. Aquí no necesita hacer nada más."}
	wordsDeclined     = contract.Words{EN: "Your application was declined", ES: "Su solicitud fue rechazada"}
	wordsDeclinedText = contract.Words{
		EN: "You get a letter with the main reasons and your rights. If it does not reach you, ask the company you applied to.",
		ES: "Recibirá una carta con los motivos principales y sus derechos. Si no le llega, pídala a la empresa a la que se dirigió."}
	wordsMore     = contract.Words{EN: "More is needed", ES: "Hace falta algo más"}
	wordsMoreText = contract.Words{
		EN: "The company you applied to needs something more before it can decide. Continue to connect an account or another source, or to add documents. What you sent before is kept.",
		ES: "La empresa a la que se dirigió necesita algo más antes de decidir. Continúe para conectar una cuenta u otra fuente, o para agregar documentos. Lo que envió antes se conserva."}
	wordsAnswered = contract.Words{
		EN: "Your report is complete, with what you were asked for. Nothing more is needed from you now.",
		ES: "Su informe está completo, con lo que se le pidió. Por ahora no necesita hacer nada más."}
)

// Words returns what the applicant reads about the state of an application, a sentence
// or more each.
func (s *Service) Words(a Application) []contract.Words {
	switch kind := a.Decision.Kind; {
	case !s.told(kind):
	case kind == journey.Approved:
		return []contract.Words{wordsApproved, wordsApprovedText}
	case kind == journey.Declined:
		return []contract.Words{wordsDeclined, wordsDeclinedText}
	case a.Decision.Answered():
		return []contract.Words{wordsAnswered}
	case a.Journey.State == journey.Ready:
		return []contract.Words{wordsMoreText}
	}
	return []contract.Words{journey.Words(a.Journey)}
}

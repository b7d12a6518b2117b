package applications

import (
	"context"
	"slices"
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/store"
)

// RecordDecision stores a reviewer's decision, adds it to the timeline under its number
// within the application, and notifies the subscribers of status changes. A decision
// that is already stored changes nothing.
func (s *Service) RecordDecision(ctx context.Context, tx *store.Tx, id string, d Decision) error {
	a, err := lock(ctx, tx, id)
	if err != nil {
		return err
	}
	if ok, err := storeDecision(ctx, tx, id, d); err != nil || !ok {
		return err
	}
	a.Decision = d
	state := string(a.Journey.State)
	_, err = s.record(ctx, tx, a, "decision/"+strconv.FormatInt(d.Number, 10), TimelineEntry{Kind: d.Kind, From: state, To: state, Reasons: d.Reasons}, a.Journey, true)
	return err
}

// notifiesOf reports whether applicants are notified of decisions of the kind; never of an
// escalation.
func (s *Service) notifiesOf(kind string) bool {
	return slices.Contains([]string{journey.Approved, journey.Declined, journey.MoreAsked}, kind) && (s.NotifiedDecisions == nil || slices.Contains(s.NotifiedDecisions, kind))
}

// ShowsDecision reports whether the applicant's page shows the newest decision of a. A
// request for more is shown until it is answered.
func (s *Service) ShowsDecision(a Application) bool {
	return s.notifiesOf(a.Decision.Kind) && (a.Decision.Kind != journey.MoreAsked || a.MoreAsked())
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

// DecisionWords returns the heading and the text that applicants read about a decision
// of a kind; empty for a kind that is never shown.
func DecisionWords(kind string) (title, text contract.Words) {
	switch kind {
	case journey.Approved:
		return wordsApproved, wordsApprovedText
	case journey.Declined:
		return wordsDeclined, wordsDeclinedText
	case journey.MoreAsked:
		return wordsMore, wordsMoreText
	}
	return contract.Words{}, contract.Words{}
}

// Words returns what the applicant reads about the state of an application, a sentence
// or more each.
func (s *Service) Words(a Application) []contract.Words {
	title, text := DecisionWords(a.Decision.Kind)
	switch kind := a.Decision.Kind; {
	case !s.notifiesOf(kind):
	case kind == journey.Approved, kind == journey.Declined:
		return []contract.Words{title, text}
	case a.Decision.Answered():
		return []contract.Words{wordsAnswered}
	case a.Journey.State == journey.Ready:
		return []contract.Words{text}
	}
	return []contract.Words{journey.Words(a.Journey)}
}

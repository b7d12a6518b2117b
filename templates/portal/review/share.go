package review

import (
	"time"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Sharing is the card that lists the third parties of a report. PublicID and Label
// are as typed; Problem or Done is the result of the last action.
type Sharing struct {
	Open bool // there is a report that can be shared
	// ReadOnly is set for users who may only read.
	ReadOnly bool

	Shares []Share
	Lines  []ShareLine
	Known  []ThirdParty

	PublicID, Label string
	Problem         ShareProblem
	Code            string // the service's, of the problem
	Withdrawing     bool   // it is a problem of withdrawing
	Done            ShareDone
}

// Share is a third party that the report is or was shared with. By is an email
// address, or empty for a removed user.
type Share struct {
	ID, PublicID, Label  string
	Created, Granted     time.Time
	Until                time.Time // to be read for the first time
	Over                 bool      // until has passed
	Withdrawn            time.Time // zero for not
	CreatedBy, GrantedBy string
	WithdrawnBy          string
}

// name is what the third party is called.
func (s Share) name() string {
	if s.Label != "" {
		return s.Label
	}
	return s.PublicID
}

// ShareLine is one step of sharing the report. The outcome of an unfinished step is
// unknown.
type ShareLine struct {
	At              time.Time
	By              string
	Action          string // shared, renewed, withdrawn
	PublicID, Label string
	Done            bool
}

// ThirdParty is a third party that other reports were shared with.
type ThirdParty struct{ PublicID, Label string }

// WithdrawView asks whether a share is to be withdrawn.
type WithdrawView struct {
	By    string
	Row   Row
	Share Share
}

// ShareProblem is why nothing was shared or withdrawn.
type ShareProblem int

const (
	ShareFine ShareProblem = iota
	ShareNoPublicID
	ShareBadLabel
	ShareUnknownParty
	ShareTooOld
	ShareWithdrawn
	ShareGone
	ShareNoAnswer
	ShareRefused
)

// problems returns the messages for the fields, and the one for the whole card.
func (v Sharing) problems(l contract.Lang) (publicID, label, all string) {
	switch v.Problem {
	case ShareNoPublicID:
		return shareNoPublicID.In(l), "", ""
	case ShareBadLabel:
		return "", shareBadLabel.In(l), ""
	case ShareUnknownParty:
		return shareUnknownParty.In(l), "", ""
	case ShareTooOld:
		return "", "", shareTooOld.In(l)
	case ShareWithdrawn:
		return "", "", shareWithdrawnBefore.In(l)
	case ShareGone:
		return "", "", shareGone.In(l)
	case ShareNoAnswer:
		if v.Withdrawing {
			return "", "", shareNotWithdrawn.In(l)
		}
		return "", "", shareNoAnswer.In(l)
	case ShareRefused:
		return "", "", shareRefused.In(l)
	}
	return "", "", ""
}

// ShareDone is the last completed action: shared, renewed or withdrawn. Other values
// are ignored.
type ShareDone string

func (d ShareDone) words(l contract.Lang) string { return shareDoneWords[d].In(l) }

var (
	shareTitle       = contract.Words{EN: "Sharing", ES: "Uso compartido"}
	shareIntro       = contract.Words{EN: "A third party with an account at the report service can read this report under its own credentials.", ES: "Un tercero con cuenta en el servicio de informes puede leer este informe con sus propias credenciales."}
	shareNone        = contract.Words{EN: "This report is shared with nobody.", ES: "Este informe no se ha compartido con nadie."}
	shareUntil       = contract.Words{EN: "To be read until", ES: "Debe leerse antes del"}
	shareHow         = contract.Words{EN: "It has 72 hours to read the report; once read, the report stays open to it until you withdraw it.", ES: "Tiene 72 horas para leer el informe; una vez leído, sigue abierto hasta que usted lo retire."}
	shareParty       = contract.Words{EN: "Third party", ES: "Tercero"}
	shareFirst       = contract.Words{EN: "Shared", ES: "Compartido"}
	shareLast        = contract.Words{EN: "Last 72 hours given", ES: "Últimas 72 horas concedidas"}
	shareActive      = contract.Words{EN: "Active", ES: "Activo"}
	shareActiveHow   = contract.Words{EN: "for the first time; once read, it stays open", ES: "por primera vez; una vez leído, sigue abierto"}
	shareOver        = contract.Words{EN: "72 hours over", ES: "72 horas vencidas"}
	shareOverHow     = contract.Words{EN: "has passed: closed, unless it was read before", ES: "ya pasó: cerrado, salvo que se haya leído antes"}
	shareEnded       = contract.Words{EN: "Withdrawn", ES: "Retirado"}
	shareElsewhere   = contract.Words{EN: "not on these pages", ES: "fuera de estas páginas"}
	shareBy          = contract.Words{EN: "by", ES: "por"}
	shareRemovedUser = contract.Words{EN: "somebody who is no longer here", ES: "alguien que ya no está"}
	shareMore        = contract.Words{EN: "Give another 72 hours", ES: "Conceder otras 72 horas"}
	shareWithdraw    = contract.Words{EN: "Withdraw", ES: "Retirar"}
	shareFor         = contract.Words{EN: "for", ES: "para"}
	shareFrom        = contract.Words{EN: "from", ES: "a"}

	shareFormTitle   = contract.Words{EN: "Share with a third party", ES: "Compartir con un tercero"}
	sharePublicID    = contract.Words{EN: "Public id of the third party", ES: "Identificador público del tercero"}
	sharePublicHint  = contract.Words{EN: "Its account's id at the report service.", ES: "El de su cuenta en el servicio de informes."}
	shareLabel       = contract.Words{EN: "What you call it", ES: "Cómo lo llama usted"}
	shareLabelHint   = contract.Words{EN: "Shown on these pages only. At most 80 characters.", ES: "Solo se muestra en estas páginas. Como máximo 80 caracteres."}
	shareDo          = contract.Words{EN: "Share the report", ES: "Compartir el informe"}
	shareHistory     = contract.Words{EN: "Who shared and withdrew", ES: "Quién compartió y retiró"}
	shareHistoryWhat = contract.Words{EN: "What was done, newest first: the last hundred", ES: "Lo hecho, lo más reciente primero: los últimos cien"}
	shareWho         = contract.Words{EN: "Who", ES: "Quién"}
	shareUnknownEnd  = contract.Words{EN: "No answer from the service: do it again to be sure", ES: "Sin respuesta del servicio: repítalo para estar seguro"}

	shareWithdrawTitle = contract.Words{EN: "Withdraw this report", ES: "Retirar este informe"}
	shareWithdrawIntro = contract.Words{EN: "The third party can no longer read the report, from now on.", ES: "El tercero ya no podrá leer el informe a partir de ahora."}
	shareWithdrawGood  = contract.Words{EN: "This is for good: the report cannot be shared with this third party again. What it has read it may have kept.", ES: "Es definitivo: el informe no podrá compartirse de nuevo con este tercero. Puede haber conservado lo que ya leyó."}
	shareWithdrawDo    = contract.Words{EN: "Withdraw for good", ES: "Retirar definitivamente"}
	shareKeep          = contract.Words{EN: "Keep sharing", ES: "Seguir compartiendo"}

	shareNoPublicID      = contract.Words{EN: "Enter the third party's public id, at most 128 characters.", ES: "Indique el identificador público del tercero, de 128 caracteres como máximo."}
	shareBadLabel        = contract.Words{EN: "Use at most 80 characters that can be seen.", ES: "Use como máximo 80 caracteres visibles."}
	shareUnknownParty    = contract.Words{EN: "The report service knows no other account by this public id. Check it with the third party.", ES: "El servicio de informes no conoce ninguna otra cuenta con este identificador. Compruébelo con el tercero."}
	shareTooOld          = contract.Words{EN: "The report is over 30 days old and can no longer be shared with a third party that did not have it before. A new report can.", ES: "El informe tiene más de 30 días y ya no puede compartirse con un tercero que no lo tuviera antes. Un informe nuevo sí."}
	shareWithdrawnBefore = contract.Words{EN: "The report was withdrawn from this third party. That is for good: it cannot be shared with it again.", ES: "El informe se retiró a este tercero. Es definitivo: no puede volver a compartirse con él."}
	shareGone            = contract.Words{EN: "The report service no longer has this report, so that nobody can read it there.", ES: "El servicio de informes ya no tiene este informe, así que nadie puede leerlo allí."}
	shareNoAnswer        = contract.Words{EN: "The report service did not answer, and nothing is noted as shared. Try again: doing it twice shares it once.", ES: "El servicio de informes no respondió y no consta nada como compartido. Inténtelo de nuevo: repetirlo comparte una sola vez."}
	shareNotWithdrawn    = contract.Words{EN: "The report service did not answer, and the report is not noted as withdrawn. Try again shortly.", ES: "El servicio de informes no respondió y el informe no consta como retirado. Inténtelo de nuevo en un momento."}
	shareRefused         = contract.Words{EN: "The report service refused.", ES: "El servicio de informes lo rechazó."}

	shareDoneWords = map[ShareDone]contract.Words{
		"shared":    {EN: "The report is shared.", ES: "El informe se ha compartido."},
		"renewed":   {EN: "The third party has another 72 hours.", ES: "El tercero tiene otras 72 horas."},
		"withdrawn": {EN: "The report is withdrawn.", ES: "El informe se ha retirado."},
	}
	shareActionWords = map[string]contract.Words{
		"shared":    {EN: "Shared", ES: "Compartió"},
		"renewed":   {EN: "Gave another 72 hours", ES: "Concedió otras 72 horas"},
		"withdrawn": {EN: "Withdrew", ES: "Retiró"},
	}
)

// facts lists when the share was made, when it expires and which user withdrew it.
func (s Share) facts(l contract.Lang) []ui.Fact {
	by := func(email string) string {
		if email == "" {
			email = shareRemovedUser.In(l)
		}
		return shareBy.In(l) + " " + email
	}
	out := []ui.Fact{{Term: shareFirst.In(l), Body: shareWhen(l, s.Created, by(s.CreatedBy))}}
	if !s.Granted.Equal(s.Created) {
		out = append(out, ui.Fact{Term: shareLast.In(l), Body: shareWhen(l, s.Granted, by(s.GrantedBy))})
	}
	switch {
	case !s.Withdrawn.IsZero() && s.WithdrawnBy == "":
		out = append(out, ui.Fact{Term: shareEnded.In(l), Body: shareWhen(l, s.Withdrawn, shareElsewhere.In(l))})
	case !s.Withdrawn.IsZero():
		out = append(out, ui.Fact{Term: shareEnded.In(l), Body: shareWhen(l, s.Withdrawn, by(s.WithdrawnBy))})
	case s.Over:
		out = append(out, ui.Fact{Term: shareUntil.In(l), Body: shareWhen(l, s.Until, shareOverHow.In(l))})
	default:
		out = append(out, ui.Fact{Term: shareUntil.In(l), Body: shareWhen(l, s.Until, shareActiveHow.In(l))})
	}
	return out
}

func (v Sharing) history(l contract.Lang) ui.Grid {
	g := ui.Grid{Caption: shareHistoryWhat.In(l), HideCaption: true, Columns: []ui.Column{
		{Label: reviewWhen.In(l)}, {Label: shareWho.In(l)}, {Label: reviewWhat.In(l)}, {Label: shareParty.In(l)}, {Label: reviewResult.In(l)}}}
	for _, t := range v.Lines {
		who, result := t.By, ""
		if who == "" {
			who = shareRemovedUser.In(l)
		}
		if !t.Done {
			result = shareUnknownEnd.In(l)
		}
		g.Rows = append(g.Rows, []ui.Cell{{Body: when(l, t.At)}, {Text: who}, {Text: known(l, shareActionWords, t.Action)},
			{Body: thirdParty(t.PublicID, t.Label)}, {Text: result}})
	}
	return g
}

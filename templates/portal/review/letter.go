package review

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// LetterView is a decision letter to the applicant.
type LetterView struct {
	ApplicationID, Reference string
	Name                     string
	Address                  []string
	Creditor                 string // name and address of the creditor; "" for the brand's name alone
	Agency                   string // maker of the report; "" for Host alone
	Host                     string
	Regulator                string // agency that the legal notice names; "" for none
	Began                    time.Time
	ReportAt                 time.Time // zero without a report
	Score                    *LetterScore
	Decision                 Decision
	Lacks                    []string // what the law wants in it and the configuration does not say
	Draft                    bool     // says so in the text
}

// LetterScore is the score that a decision rests on.
type LetterScore struct {
	Value   int
	Of      time.Time
	Factors []Reason // that lowered it most, in its own order
}

func (v LetterView) title() contract.Words {
	switch v.Decision.Decision {
	case "declined":
		return letterDeclined
	case "approved":
		return letterApproved
	}
	return letterMore
}

func (v LetterView) dear(l contract.Lang) string {
	if v.Name != "" {
		return letterDear.In(l) + " " + v.Name + ","
	}
	return letterDear.In(l) + " " + letterSir.In(l) + ","
}

// letterPart is a paragraph or a list of a letter.
type letterPart struct {
	text    string
	bold    string // a part of text
	written bool   // as a reviewer wrote it
	fine    bool
	items   []Reason
	codes   bool // with the codes of items
}

// parts returns a letter from the salutation to the closing.
func (v LetterView) parts(l contract.Lang) (out []letterPart) {
	say := func(text ...string) { out = append(out, letterPart{text: strings.Join(text, " ")}) }
	list := func(codes bool, items []Reason) {
		if len(items) > 0 {
			out = append(out, letterPart{items: items, codes: codes})
		}
	}
	written := func() {
		if v.Decision.Text != "" {
			out = append(out, letterPart{text: v.Decision.Text, written: true})
		}
	}
	say(v.dear(l))
	thanks := letterThanks.In(l) + " " + ui.DayWords(l, v.Began.UTC()) + "."
	switch v.Decision.Decision {
	case "declined":
		thanks += " " + letterNo.In(l)
	case "approved":
		thanks += " " + letterYes.In(l)
	}
	say(thanks, letterRef.In(l)+":", v.Reference+".")
	switch v.Decision.Decision {
	case "approved":
		say(letterNext.In(l))
	case "moreAsked":
		say(letterAsk.In(l))
		written()
		list(false, v.Decision.Reasons)
		say(letterNot.In(l))
	case "declined":
		if len(v.Decision.Reasons) > 0 {
			say(letterWhy.In(l))
			list(true, v.Decision.Reasons)
		}
		written()
		if !v.ReportAt.IsZero() {
			say(letterReport.In(l), ui.DayWords(l, v.ReportAt.UTC())+",", letterFrom.In(l), cmp.Or(v.Agency, v.Host)+".",
				letterNotThem.In(l), letterRights.In(l))
			out[len(out)-1].bold = cmp.Or(v.Agency, v.Host)
		}
		if v.Score != nil {
			score := []string{letterScore.In(l), strconv.Itoa(v.Score.Value) + ",", reportScoreScale.In(l), strconv.Itoa(scoreLow), reportScoreTo.In(l),
				strconv.Itoa(scoreHigh) + ",", letterScoreOn.In(l), ui.DayWords(l, v.Score.Of.UTC()) + "."}
			if len(v.Score.Factors) > 0 {
				score = append(score, letterFactors.In(l))
			}
			say(score...)
			out[len(out)-1].bold = strconv.Itoa(v.Score.Value)
			list(true, v.Score.Factors)
		}
		notice := letterEqual.In(l)
		if v.Regulator != "" {
			notice += " " + letterRegulator.In(l) + " " + v.Regulator + "."
		}
		out = append(out, letterPart{text: notice, fine: true})
	}
	if v.Draft {
		for _, lack := range v.Lacks {
			say("["+known(l, lackWords, lack), lackFlags[lack]+"]")
		}
	}
	return out
}

// Email returns the letter as a plain-text email with a link; "" if there is none.
func (v LetterView) Email(l contract.Lang, brand, link, find string) (subject, text string) {
	var b strings.Builder
	for _, part := range v.parts(l) {
		for _, r := range part.items {
			b.WriteString("- " + r.tell(l))
			if part.codes {
				b.WriteString(" (" + r.Code + ")")
			}
			b.WriteString("\n")
		}
		if part.text != "" {
			b.WriteString(part.text + "\n")
		}
		b.WriteString("\n")
	}
	if link != "" {
		fmt.Fprintf(&b, emailLink.In(l), link, find)
	}
	b.WriteString(letterRegards.In(l) + "\n" + brand + "\n")
	if v.Creditor != "" {
		b.WriteString(v.Creditor + "\n")
	}
	return brand + ": " + v.title().In(l), b.String()
}

// Email is the delivery state of a decision's email; the zero value means no email.
type Email struct {
	State string // waiting, outbox, sent, failed, withheld
	Why   []string
	At    time.Time
}

func (e Email) tone() ui.Tone {
	switch e.State {
	case "sent", "outbox":
		return ui.Success
	case "waiting":
		return ui.Info
	case "failed":
		return ui.Danger
	}
	return ui.Warning
}

func (e Email) why(l contract.Lang) (out []string) {
	for _, w := range e.Why {
		line := known(l, withheldWords, w)
		if words, ok := lackWords[w]; ok {
			line = words.In(l) + " " + lackFlags[w] + "."
		}
		out = append(out, line)
	}
	return out
}

var (
	letterApproved = contract.Words{EN: "Your application was approved", ES: "Su solicitud fue aprobada"}
	letterYes      = contract.Words{EN: "We are glad to tell you that it was approved.", ES: "Nos complace comunicarle que fue aprobada."}
	letterNext     = contract.Words{EN: "We will tell you what comes next. You need not do anything now.", ES: "Le diremos cuál es el siguiente paso. Por ahora no necesita hacer nada."}

	emailLink = contract.Words{
		EN: "Continue here:\n%s\n\nThe link works once, for 30 days, in the browser that opens it first. Do not pass it on. Later, find your application with this email address at %s\n\n",
		ES: "Continúe aquí:\n%s\n\nEl enlace funciona una vez, durante 30 días, en el navegador que lo abra primero. No lo comparta. Después, busque su solicitud con este correo en %s\n\n"}
	emailAgain    = contract.Words{EN: "Send the email again", ES: "Enviar el correo de nuevo"}
	askedOpen     = contract.Words{EN: "Not answered yet", ES: "Aún sin respuesta"}
	askedAnswered = contract.Words{EN: "Answered by a new report", ES: "Respondida con un informe nuevo"}
)

// emailWords are what becomes of the email of a decision.
var emailWords = map[string]contract.Words{
	"waiting":  {EN: "The email to the applicant is on its way, since", ES: "El correo al solicitante está en camino desde el"},
	"outbox":   {EN: "The email to the applicant is among the letters of this sandbox, which sends none, since", ES: "El correo al solicitante está entre los mensajes de este entorno de pruebas, que no envía ninguno, desde el"},
	"sent":     {EN: "The email to the applicant was sent on", ES: "El correo al solicitante se envió el"},
	"failed":   {EN: "The email to the applicant could not be delivered. Last tried on", ES: "No se pudo entregar el correo al solicitante. Último intento el"},
	"withheld": {EN: "The email to the applicant was not sent:", ES: "No se envió el correo al solicitante:"},
}

// withheldWords word why an email was not sent although its letter is complete.
var withheldWords = map[string]contract.Words{
	"off":        {EN: "The portal is configured not to send this decision (--decision-emails). Make sure that the applicant gets it another way.", ES: "El portal está configurado para no enviar esta decisión (--decision-emails). Asegúrese de que el solicitante la reciba de otra manera."},
	"noServer":   {EN: "No mail server is configured (--smtp-addr).", ES: "No hay servidor de correo configurado (--smtp-addr)."},
	"noAddress":  {EN: "The applicant has given no email address.", ES: "El solicitante no dio ningún correo."},
	"superseded": {EN: "A later decision was made before it was sent.", ES: "Antes de enviarlo se tomó una decisión posterior."},
}

// lackWords name what a decline letter is missing; lackFlags name the flags that
// set it.
var lackWords = map[string]contract.Words{
	"noCreditor":  {EN: "The letter does not name the creditor with its address, as the law wants it to. The operator of the portal sets them once, by", ES: "La carta no nombra al acreedor con su dirección, como exige la ley. Quien opera el portal los indica una vez, con"},
	"noRegulator": letterNoAgency,
	"noAgency":    letterHost,
}

var lackFlags = map[string]string{"noCreditor": "--creditor", "noRegulator": "--regulator", "noAgency": "--report-agency"}

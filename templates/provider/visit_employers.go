package provider

import (
	"slices"

	"vestibule/internal/contract"
	"vestibule/templates/ui"
)

// Where an eligibility report verifies stated employers, its visit has a list of them,
// to which every one of them leads back.

// Stated is the list, and Why asks why one of them is skipped.
const (
	Stated Step = "employers"
	Why    Step = "skip"
)

// Letters is the source of documents other than pay stubs.
const Letters Way = "documents"

// Employer is a stated employer.
type Employer struct {
	N       int // from 1
	Name    string
	Sources []Connected
	Skipped bool
}

func (e Employer) shown() bool {
	for _, c := range e.Sources {
		if !c.Failed && !c.Empty {
			return true
		}
	}
	return false
}

// empty reports whether a source of it was connected that has nothing recent.
func (e Employer) empty() bool {
	return slices.ContainsFunc(e.Sources, func(c Connected) bool { return c.Empty })
}

// standing words the employer's state. Whether the source verifies the employer is
// only known from the report.
func (e Employer) standing(v Visit) (ui.Tone, string) {
	switch {
	case e.shown():
		return ui.Success, v.say("done", "lista")
	case e.Skipped:
		return ui.Neutral, v.say("skipped", "omitida")
	case e.empty():
		return ui.Warning, v.say("nothing recent found", "sin datos recientes")
	case len(e.Sources) > 0:
		return ui.Warning, v.say("did not work", "no funcionó")
	}
	return ui.Info, v.say("to do", "pendiente")
}

// verify is what its button says.
func (e Employer) verify(v Visit) string {
	switch {
	case e.shown(), e.empty() && !e.Skipped:
		return v.say("Add another source", "Añadir otra fuente")
	case e.Skipped:
		return v.say("Verify it after all", "Verificarla a pesar de todo")
	case len(e.Sources) > 0:
		return v.say("Try again", "Intentar de nuevo")
	}
	return v.say("Verify", "Verificar")
}

// by says what kind of source one is.
func (v Visit) by(c Connected) string {
	if c.Way == Payroll {
		return v.say("Payroll: ", "Nóminas de: ") + c.Name
	}
	return c.shown(v)
}

// full reports whether it has a source of every kind.
func (e Employer) full() bool {
	good := 0
	for _, c := range e.Sources {
		if !c.Failed {
			good++
		}
	}
	return good >= 3
}

// nextOpen is the number of the first that is neither shown nor skipped; 0 for none.
func (v Visit) nextOpen() int {
	for _, e := range v.Employers {
		if !e.shown() && !e.Skipped {
			return e.N
		}
	}
	return 0
}

func (v Visit) verifyTitle() string {
	if v.IncomeOnly {
		return v.say("Verify your employers", "Verifique sus empresas")
	}
	return v.say("Verify your employers and your money", "Verifique sus empresas y su dinero")
}

// verifySteps are the steps of such a visit, and the present one of them.
func (v Visit) verifySteps() (order []Step, now Step, rest Way) {
	order, now = []Step{Consent, Stated}, Banks
	if !v.IncomeOnly {
		order = append(order, Banks)
	}
	switch {
	case v.Step == Consent, v.Step == Stated, v.Step == Finish:
		now = v.Step
	case v.Employer != "":
		now = Stated
	}
	return order, now, Letters // which has no separate steps here
}

// reasons are why an employer may be skipped.
func (v Visit) reasons() []ui.Row {
	row := func(value, en, es string) ui.Row {
		return ui.Row{Name: "reason", Value: value, Title: v.say(en, es), Plain: true}
	}
	return []ui.Row{
		row("NO_LONGER_EMPLOYED", "I no longer work there", "Ya no trabajo allí"),
		row("PROVIDER_NOT_FOUND", "I cannot find it in the list", "No la encuentro en la lista"),
		row("CREDENTIALS_UNAVAILABLE", "I do not have the user name or password", "No tengo el usuario o la contraseña"),
		row("DOCUMENTS_UNAVAILABLE", "I have no pay stub or other document", "No tengo nóminas ni otros documentos"),
		row("OTHER", "Another reason", "Otro motivo"),
	}
}

// goOn labels the button below the list of employers.
func (v Visit) goOn() string {
	switch {
	case v.IncomeOnly && v.nextOpen() > 0:
		return v.say("Finish, and leave the rest open", "Terminar y dejar el resto sin verificar")
	case v.IncomeOnly:
		return v.say("Finish", "Terminar")
	case v.nextOpen() > 0:
		return v.say("Go on, and leave the rest open", "Continuar y dejar el resto sin verificar")
	}
	return v.say("Continue", "Continuar")
}

func (v Visit) goOnKind() ui.Kind {
	if v.nextOpen() > 0 {
		return ui.Secondary
	}
	return ""
}

// verifyWords are those of endWords that are others where employers are verified;
// empty where they are not.
func (v Visit) verifyWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess && v.IncomeOnly:
		return v.say("What you showed of your employers was shared with "+v.Customer+". There is nothing more to do here.",
			"Lo que mostró de sus empresas se compartió con "+v.Customer+". Aquí no queda nada por hacer.")
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return v.say("What you showed of your employers and your money was shared with "+v.Customer+". There is nothing more to do here.",
			"Lo que mostró de sus empresas y de su dinero se compartió con "+v.Customer+". Aquí no queda nada por hacer.")
	case v.End == "success":
		return v.say("You did everything right, but a report could not be made from this data. "+v.Customer+" will tell you how to go on.",
			"Usted hizo todo bien, pero no se pudo preparar un informe con estos datos. "+v.Customer+" le dirá cómo continuar.")
	}
	return ""
}

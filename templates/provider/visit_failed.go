package provider

import (
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
)

// Failed is the step for a source that could not be connected and has no other step.
const Failed Step = "failed"

// Failure is how a source failed; the zero value: it did not.
type Failure struct {
	Status    contract.Status
	Substatus contract.Substatus
}

// words say what happened at the source.
func (f Failure) words(v Visit) string {
	switch {
	case f.Substatus == contract.SubWidgetSessionExpired:
		return v.say("Your session there ended before we were done.", "Su sesión terminó antes de que acabáramos.")
	case f.Substatus == contract.SubMFARequired && v.Way == Payroll:
		return v.say("The one-time code was not confirmed, so the provider did not let us in.", "El código de un solo uso no se confirmó y el proveedor no nos dejó entrar.")
	case f.Substatus == contract.SubMFARequired:
		return v.say("The one-time code was not confirmed, so your bank did not let us in.", "El código de un solo uso no se confirmó y su banco no nos dejó entrar.")
	case f.Substatus == contract.SubIncompatibleAccounts:
		return v.say("This sign-in has no checking or savings account, and only those can be used.", "Con este usuario no hay cuentas corrientes ni de ahorro, y solo esas sirven.")
	case f.Substatus == contract.SubEBankingNotSupported:
		return v.say("This bank does not offer online access to account data.", "Este banco no ofrece acceso en línea a los datos de la cuenta.")
	case f.Status == contract.StatusNotAuthenticated:
		return v.say("The sign-in failed three times. To protect your account we stopped there.", "El inicio de sesión falló tres veces. Para proteger su cuenta nos detuvimos.")
	case f.Status == contract.StatusError:
		return v.say("The data that came from there cannot be used.", "Los datos que llegaron de allí no se pueden usar.")
	case v.Way == Payroll:
		return v.say("The provider is not answering at the moment.", "El proveedor no responde en este momento.")
	case v.Way == Abroad:
		return v.say("The bureau is not answering at the moment.", "La agencia de crédito no responde en este momento.")
	}
	return v.say("Your bank is not answering at the moment.", "Su banco no responde en este momento.")
}

// afterFailure says what to do now.
func (v Visit) afterFailure() string {
	switch v.Way {
	case Payroll:
		return v.say("Nothing was shared. Choose another employer or payroll provider, or the same one to try again.",
			"No se compartió nada. Elija otra empresa u otro proveedor de nóminas, o el mismo para intentarlo de nuevo.")
	case Abroad:
		return v.say("Nothing was shared. Choose another country, or the same one to try again.",
			"No se compartió nada. Elija otro país, o el mismo para intentarlo de nuevo.")
	}
	return v.say("Nothing was shared. Choose another bank, or the same one to try again.",
		"No se compartió nada. Elija otro banco, o el mismo para intentarlo de nuevo.")
}

// another names the way back to the list of what can be connected.
func (v Visit) another() string {
	switch v.Way {
	case Payroll:
		return v.say("Choose another employer", "Elegir otra empresa")
	case Abroad:
		return v.say("Choose another country", "Elegir otro país")
	}
	return v.say("Choose another bank", "Elegir otro banco")
}

// codeSent says where to find the code.
func (v Visit) codeSent() string {
	if v.Codes > 1 {
		return v.say("A new six-digit code from "+v.Bank+" is on its way to your phone. Only the latest one works.",
			"Un código nuevo de seis cifras de "+v.Bank+" va en camino a su teléfono. Solo sirve el último.")
	}
	return v.say("To be sure that it is you, "+v.Bank+" has sent a six-digit code to your phone.",
		"Para comprobar que es usted, "+v.Bank+" ha enviado un código de seis cifras a su teléfono.")
}

func (v Visit) wrongCode() string {
	if v.CodeTries == 1 {
		return v.say("That code is not right. You can try one more time.", "Ese código no es correcto. Puede intentarlo una vez más.")
	}
	n := strconv.Itoa(v.CodeTries)
	return v.say("That code is not right. You can try "+n+" more times.", "Ese código no es correcto. Puede intentarlo "+n+" veces más.")
}

// seconds is the time until another code can be asked for, rounded up.
func (v Visit) seconds() string {
	return strconv.Itoa(v.CodeWait)
}

// codeWait says when another code can be asked for. A script that counts down puts the
// number in the place of a percent sign.
func (v Visit) codeWait(seconds string) string {
	return v.say("You can ask for another code in "+seconds+" s.", "Podrá pedir otro código en "+seconds+" s.")
}

// countdown has a script keep the button from being pressed too early. Without one the
// button can be pressed, and the page says how long it still takes.
func (v Visit) countdown() templ.Attributes {
	if v.CodeWait == 0 {
		return nil
	}
	return templ.Attributes{"data-wait": v.seconds(), "aria-describedby": "code-wait"}
}

// trouble words the problem of a connected source; empty for none.
func (c Connected) trouble(v Visit) string {
	v.Way = c.Way
	switch {
	case c.Failed:
		return c.Why.words(v)
	case c.Empty && c.Way == Payroll:
		return v.say("There is no recent pay statement.", "No hay ninguna nómina reciente.")
	case c.Empty:
		return v.say("There was no money in or out recently.", "No hay movimientos recientes de dinero.")
	}
	return ""
}

// nothingYet reports whether no connected source has anything that can be used.
func (v Visit) nothingYet() bool {
	return !slices.ContainsFunc(v.Connected, func(c Connected) bool { return !c.Failed && !c.Empty })
}

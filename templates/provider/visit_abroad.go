package provider

import (
	"strconv"

	"vestibule/internal/contract"
)

// A passport's visit asks for a country, and for nothing to sign in with.

// Abroad is the way of a passport.
const Abroad Way = "supplier"

// Suppliers is the choice of a country and its bureau, Confirm the question whether it is
// the right one.
const (
	Suppliers Step = "supplier"
	Confirm   Step = "confirm"
)

func (v Visit) foundSuppliers() string {
	shown := strconv.Itoa(len(v.Banks))
	switch n := strconv.Itoa(len(v.Banks) + v.More); {
	case n == "0":
		return v.say("Nothing of that name. Try the country in English or in its own language.",
			"Nada con ese nombre. Pruebe con el país en inglés o en su propio idioma.")
	case n == "1":
		return v.say("1 result", "1 resultado")
	case v.More > 0:
		return v.say(n+" results; the first "+shown+" are shown. Type a country to narrow the list.",
			n+" resultados; se muestran los primeros "+shown+". Escriba un país para acortar la lista.")
	default:
		return v.say(n+" results", n+" resultados")
	}
}

// abroadWords are those of endWords that are others for a passport; empty where they
// are not.
func (v Visit) abroadWords() string {
	switch {
	case v.End == "success" && v.Status == contract.StatusSuccess && v.Substatus != "":
		return v.say("The bureau was asked and has no credit history under your name. "+v.Customer+" has been told so.",
			"Se preguntó al buró y no tiene historial de crédito a su nombre. "+v.Customer+" ya lo sabe.")
	case v.End == "success" && v.Status == contract.StatusSuccess:
		return v.say("Your credit history was shared with "+v.Customer+". There is nothing more to do here.",
			"Su historial de crédito se compartió con "+v.Customer+". Aquí no queda nada por hacer.")
	case v.End == "success":
		return v.say("You did everything right, but a report could not be made. "+v.Customer+" will tell you how to go on.",
			"Usted hizo todo bien, pero no se pudo preparar un informe. "+v.Customer+" le dirá cómo continuar.")
	case v.Status == contract.StatusSupplierUnresponsive, v.Status == contract.StatusBureauUnresponsive:
		return v.say("The bureau is not answering at the moment, and nothing was shared. Please try again later.",
			"El buró no responde en este momento y no se compartió nada. Inténtelo más tarde.")
	}
	return ""
}

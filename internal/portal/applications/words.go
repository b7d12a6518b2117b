package applications

import (
	"vestibule/internal/journey"
	"vestibule/internal/svc"
)

var (
	wordsBadMode     = svc.Words{EN: "Choose how you would like to verify.", ES: "Elija cómo desea verificar."}
	wordsBadReportID = svc.Words{EN: "Enter a sandboxReportId: a UUID of your account.", ES: "Indique un sandboxReportId: un UUID de su cuenta."}
	wordsTooOften    = svc.Words{
		EN: "Too many applications were begun from your network. Nothing you typed is lost: wait a minute and send the form again.",
		ES: "Se iniciaron demasiadas solicitudes desde su red. No se ha perdido nada de lo que escribió: espere un minuto y envíe de nuevo el formulario."}
	wordsNoRetry = svc.Words{
		EN: "Trying again with the same details will not help. Please contact the company you are applying to.",
		ES: "Intentarlo de nuevo con los mismos datos no servirá. Póngase en contacto con la empresa a la que se dirige."}
)

// title is a state as the heading of the status page.
func title(s journey.State) svc.Words {
	switch s {
	case journey.Started:
		return svc.Words{EN: "Your details are saved", ES: "Sus datos están guardados"}
	case journey.Connecting:
		return svc.Words{EN: "The verification is open", ES: "La verificación está abierta"}
	case journey.Returned:
		return svc.Words{EN: "Thank you, we are checking", ES: "Gracias, lo estamos comprobando"}
	case journey.Pending:
		return svc.Words{EN: "Your report is on its way", ES: "Su informe está en camino"}
	case journey.Ready:
		return svc.Words{EN: "All done", ES: "Todo listo"}
	case journey.Failed:
		return svc.Words{EN: "This did not work", ES: "Esto no funcionó"}
	case journey.Exited:
		return svc.Words{EN: "You stopped the verification", ES: "Detuvo la verificación"}
	}
	return svc.Words{EN: "The time ran out", ES: "Se acabó el tiempo"}
}

// happened is a line of the timeline as the applicant is told it; false for what
// says nothing to them.
func happened(l Line) (svc.Words, bool) {
	switch journey.Kind(l.Kind) {
	case Joined:
		return svc.Words{EN: "Another browser was let in by a link.", ES: "Otro navegador entró con un enlace."}, true
	case "created":
		return svc.Words{EN: "You filled in your details.", ES: "Completó sus datos."}, true
	case journey.Connect:
		return svc.Words{EN: "The verification was opened.", ES: "Se abrió la verificación."}, true
	case journey.Restart:
		return svc.Words{EN: "You started again.", ES: "Empezó de nuevo."}, true
	case journey.HookError:
		return svc.Words{EN: "The verification reported a problem.", ES: "La verificación informó de un problema."}, true
	case journey.Fetched:
		return svc.Words{EN: "The report arrived.", ES: "Llegó el informe."}, true
	}
	if l.From == l.To {
		return svc.Words{}, false
	}
	switch journey.State(l.To) {
	case journey.Returned:
		return svc.Words{EN: "You finished the verification.", ES: "Terminó la verificación."}, true
	case journey.Pending:
		return svc.Words{EN: "The verification service confirmed it.", ES: "El servicio de verificación lo confirmó."}, true
	case journey.Exited:
		return svc.Words{EN: "You closed the verification.", ES: "Cerró la verificación."}, true
	case journey.Failed:
		return svc.Words{EN: "The verification ended without a report.", ES: "La verificación terminó sin informe."}, true
	case journey.Expired:
		return svc.Words{EN: "The time to finish ran out.", ES: "Se acabó el tiempo para terminar."}, true
	}
	return svc.Words{}, false
}

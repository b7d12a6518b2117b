package applicant

import (
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
)

var (
	wordsBadMode     = contract.Words{EN: "Choose how you would like to verify.", ES: "Elija cómo desea verificar."}
	wordsBadReportID = contract.Words{EN: "Enter a sandboxReportId: a UUID of your account.", ES: "Indique un sandboxReportId: un UUID de su cuenta."}
	wordsTooOften    = contract.Words{
		EN: "Too many applications were begun from your network. Nothing you typed is lost: wait a minute and send the form again.",
		ES: "Se iniciaron demasiadas solicitudes desde su red. No se ha perdido nada de lo que escribió: espere un minuto y envíe de nuevo el formulario."}
	wordsNoRetry = contract.Words{
		EN: "Trying again with the same details will not help. Please contact the company you are applying to.",
		ES: "Intentarlo de nuevo con los mismos datos no servirá. Póngase en contacto con la empresa a la que se dirige."}
	wordsCorrect = contract.Words{
		EN: "The same details would be refused again. Fill in the form once more, and look at each of them.",
		ES: "Los mismos datos se rechazarían otra vez. Complete el formulario de nuevo y revise cada uno."}
	wordsClose = contract.Words{EN: "You can close this page.", ES: "Puede cerrar esta página."}
)

// title returns the heading of the status page.
func title(j journey.Application) contract.Words {
	switch j.State {
	case journey.Started:
		return contract.Words{EN: "Your details are saved", ES: "Sus datos están guardados"}
	case journey.Connecting:
		return contract.Words{EN: "The verification is open", ES: "La verificación está abierta"}
	case journey.Returned:
		return contract.Words{EN: "Thank you, we are checking", ES: "Gracias, lo estamos comprobando"}
	case journey.Pending:
		return contract.Words{EN: "Your report is on its way", ES: "Su informe está en camino"}
	case journey.Ready:
		return contract.Words{EN: "All done", ES: "Todo listo"}
	case journey.Failed:
		return failure(j)
	case journey.Exited:
		return contract.Words{EN: "You stopped the verification", ES: "Detuvo la verificación"}
	}
	return contract.Words{EN: "The time ran out", ES: "Se acabó el tiempo"}
}

// failure returns a heading that says what went wrong.
func failure(j journey.Application) contract.Words {
	switch {
	case correctable(j):
		return contract.Words{EN: "Some details were not accepted", ES: "Algunos datos no fueron aceptados"}
	case j.Cause() != "" && !j.Cause().Retry():
		return contract.Words{EN: "This application cannot go on", ES: "Esta solicitud no puede continuar"}
	case j.Cause() != "":
		return contract.Words{EN: "This did not work", ES: "Esto no funcionó"}
	}
	switch j.Substatus {
	case contract.SubMFARequired:
		return contract.Words{EN: "The one-time code was missing", ES: "Faltó el código de un solo uso"}
	case contract.SubEBankingNotSupported:
		return contract.Words{EN: "No connection was possible", ES: "No fue posible la conexión"}
	case contract.SubIncompatibleAccounts:
		return contract.Words{EN: "Another account is needed", ES: "Hace falta otra cuenta"}
	case contract.SubIncomplete:
		return contract.Words{EN: "Something was missing", ES: "Faltó algo"}
	case contract.SubWidgetSessionExpired:
		return contract.Words{EN: "The sign-in took too long", ES: "El inicio de sesión tardó demasiado"}
	}
	switch j.Status {
	case contract.StatusNotAuthenticated:
		return contract.Words{EN: "The sign-in did not work", ES: "El inicio de sesión no funcionó"}
	case contract.StatusBureauUnresponsive:
		return contract.Words{EN: "The credit bureau does not answer", ES: "La agencia de crédito no responde"}
	case contract.StatusSupplierUnresponsive:
		return contract.Words{EN: "Your bank or payroll provider does not answer", ES: "Su banco o proveedor de nómina no responde"}
	}
	return contract.Words{EN: "This did not work", ES: "Esto no funcionó"}
}

// correctable reports whether the attempt failed because of a detail that the applicant
// can correct.
func correctable(j journey.Application) bool {
	e := j.Error
	if e == "" {
		e = contract.WidgetError(j.Substatus)
	}
	switch e {
	case contract.WidgetPrefillKey:
		return false // not a field of the form
	case contract.WidgetPIIMissing:
		return true
	}
	return strings.HasPrefix(string(e), "INVALID_PREFILL_") && e.Valid()
}

// timelineWords returns the applicant's text for a timeline entry; false for entries that
// applicants do not see.
func timelineWords(l applications.TimelineEntry) (contract.Words, bool) {
	switch journey.Kind(l.Kind) {
	case journey.Reopen:
		return contract.Words{EN: "You began to give what was asked for.", ES: "Empezó a dar lo que se le pidió."}, true
	case journey.MoreAsked:
		return contract.Words{EN: "You were asked for more.", ES: "Se le pidió algo más."}, true
	case applications.Joined:
		return contract.Words{EN: "Another browser was let in by a link.", ES: "Otro navegador entró con un enlace."}, true
	case "created":
		return contract.Words{EN: "You filled in your details.", ES: "Completó sus datos."}, true
	case journey.Connect:
		return contract.Words{EN: "The verification was opened.", ES: "Se abrió la verificación."}, true
	case journey.Restart:
		return contract.Words{EN: "You started again.", ES: "Empezó de nuevo."}, true
	case journey.CallbackError:
		return contract.Words{EN: "The verification reported a problem.", ES: "La verificación informó de un problema."}, true
	case journey.Fetched:
		return contract.Words{EN: "The report arrived.", ES: "Llegó el informe."}, true
	}
	if l.From == l.To {
		return contract.Words{}, false
	}
	switch journey.State(l.To) {
	case journey.Returned:
		return contract.Words{EN: "You finished the verification.", ES: "Terminó la verificación."}, true
	case journey.Pending:
		return contract.Words{EN: "The verification service confirmed it.", ES: "El servicio de verificación lo confirmó."}, true
	case journey.Exited:
		return contract.Words{EN: "You closed the verification.", ES: "Cerró la verificación."}, true
	case journey.Failed:
		return contract.Words{EN: "The verification ended without a report.", ES: "La verificación terminó sin informe."}, true
	case journey.Expired:
		return contract.Words{EN: "The time to finish ran out.", ES: "Se acabó el tiempo para terminar."}, true
	}
	return contract.Words{}, false
}

package journey

import "vestibule/internal/contract"

// CanRetry reports whether starting again can help the applicant: always after an exit
// or expiry, and after a failure unless its cause would recur. While connecting, it
// applies to the error that the widget reported.
func (a Application) CanRetry() bool {
	switch a.State {
	case Exited, Expired:
		return true
	case Connecting:
		return a.Error != "" && a.Error.Retry()
	case Failed:
		if e := a.Cause(); e != "" {
			return e.Retry()
		}
		return !detailsRefused(a.Substatus)
	}
	return false
}

// Cause returns the error shown for a failed application, or "" if the status says
// more: a SUPPLIER_ERROR is any failure at the source.
func (a Application) Cause() contract.WidgetError {
	if a.Error == contract.WidgetSupplierError && a.Status != "" && a.Status != contract.StatusError {
		return ""
	}
	return a.Error
}

// detailsRefused reports whether s names an invalid detail of the applicant
// (INVALID_PREFILL_…): the same details would be refused again.
func detailsRefused(s contract.Substatus) bool { return contract.WidgetError(s).Valid() }

// Words returns the applicant's text for the state: what happened and what to do next.
func Words(a Application) contract.Words {
	switch a.State {
	case Pending:
		return contract.Words{
			EN: "Your report is being prepared. You may stay here or close this page; nothing is lost.",
			ES: "Su informe se está preparando. Puede quedarse aquí o cerrar esta página; no se pierde nada."}
	case Ready:
		if a.Substatus == contract.SubNoRecentInformation {
			return contract.Words{
				EN: "Your report is complete. Your accounts showed no recent activity; nothing more is needed from you.",
				ES: "Su informe está completo. Sus cuentas no mostraron actividad reciente; no necesita hacer nada más."}
		}
		return contract.Words{
			EN: "Your report is complete. Nothing more is needed from you.",
			ES: "Su informe está completo. No necesita hacer nada más."}
	case Failed:
		if e := a.Cause(); e != "" {
			return e.Applicant()
		}
		return StatusWords(a.Status, a.Substatus)
	case Expired:
		return StatusWords(contract.StatusExpired, "")
	}
	return a.HintWords()
}

// HintWords is Words for the states that a browser can have.
func (a Application) HintWords() contract.Words {
	switch a.State {
	case Started:
		return contract.Words{
			EN: "Your details are saved. Continue with the verification.",
			ES: "Sus datos están guardados. Continúe con la verificación."}
	case Returned:
		return contract.Words{
			EN: "Thank you. We are checking that everything arrived.",
			ES: "Gracias. Estamos comprobando que todo haya llegado."}
	case Exited:
		return contract.Words{
			EN: "You closed the connection before it was finished. You can go on whenever you like.",
			ES: "Cerró la conexión antes de terminar. Puede continuar cuando quiera."}
	}
	if a.Error != "" {
		return a.Error.Applicant()
	}
	return contract.Words{
		EN: "Finish the verification to complete your application.",
		ES: "Termine la verificación para completar su solicitud."}
}

// StatusWords returns the applicant's text for a report's status. A known substatus has
// a more specific text; an unknown one is ignored.
func StatusWords(status contract.Status, sub contract.Substatus) contract.Words {
	switch sub {
	case contract.SubIncompatibleAccounts:
		return contract.Words{
			EN: "The accounts you chose cannot be used. Start again and choose a checking or savings account.",
			ES: "Las cuentas que eligió no se pueden usar. Empiece de nuevo y elija una cuenta corriente o de ahorros."}
	case contract.SubNoRecentInformation:
		return contract.Words{
			EN: "Your accounts are connected, but showed no recent activity.",
			ES: "Sus cuentas están conectadas, pero no mostraron actividad reciente."}
	case contract.SubMFARequired:
		return contract.Words{
			EN: "Your bank asked for a one-time code that was missing or wrong. Start again and have your phone at hand.",
			ES: "Su banco pidió un código de un solo uso que faltó o no era correcto. Empiece de nuevo con su teléfono a mano."}
	case contract.SubIncomplete:
		return contract.Words{
			EN: "The source you chose did not give all that is needed. Start again and choose another one.",
			ES: "La fuente que eligió no dio todo lo necesario. Empiece de nuevo y elija otra."}
	case contract.SubEBankingNotSupported:
		return contract.Words{
			EN: "The account has no online banking, or the verification service has no source that can reach it. Start again with another account or source. If that does not help, contact us.",
			ES: "La cuenta no tiene banca en línea, o el servicio de verificación no tiene ninguna fuente que llegue a ella. Empiece de nuevo con otra cuenta o fuente. Si eso no ayuda, contáctenos."}
	case contract.SubWidgetSessionExpired:
		return contract.Words{
			EN: "The connection to your payroll provider took too long. Please start again.",
			ES: "La conexión con su proveedor de nómina tardó demasiado. Empiece de nuevo."}
	}
	if e := contract.WidgetError(sub); e.Valid() {
		return e.Applicant()
	}
	switch status {
	case contract.StatusPending:
		return contract.Words{
			EN: "The report is being prepared.",
			ES: "El informe se está preparando."}
	case contract.StatusSuccess:
		return contract.Words{
			EN: "The report is complete.",
			ES: "El informe está completo."}
	case contract.StatusNotAuthenticated:
		return contract.Words{
			EN: "Your bank did not accept the sign-in. Start again and check your user name and password.",
			ES: "Su banco no aceptó el inicio de sesión. Empiece de nuevo y revise su usuario y contraseña."}
	case contract.StatusBureauUnresponsive:
		return contract.Words{
			EN: "The credit bureau is not answering at the moment. Please try again in a while.",
			ES: "La agencia de crédito no responde en este momento. Inténtelo de nuevo más tarde."}
	case contract.StatusSupplierUnresponsive:
		return contract.Words{
			EN: "Your bank or payroll provider is not answering at the moment. Please try again in a while, or choose another one.",
			ES: "Su banco o proveedor de nómina no responde en este momento. Inténtelo más tarde o elija otro."}
	case contract.StatusExpired:
		return contract.Words{
			EN: "The time to finish has run out. You can start again; your details are kept.",
			ES: "Se acabó el tiempo para terminar. Puede empezar de nuevo; sus datos se conservan."}
	}
	return contract.Words{
		EN: "The report could not be put together. Please try again, or choose another account.",
		ES: "No se pudo elaborar el informe. Inténtelo de nuevo o elija otra cuenta."}
}

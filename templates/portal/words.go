package portal

import "vestibule/internal/contract"

var (
	wordsStepDetails = contract.Words{EN: "Your details", ES: "Sus datos"}
	wordsStepVerify  = contract.Words{EN: "Verification", ES: "Verificación"}
	wordsStepReport  = contract.Words{EN: "Report", ES: "Informe"}

	wordsLandingTitle = contract.Words{EN: "Share your finances, safely", ES: "Comparta sus finanzas con seguridad"}
	wordsLandingIntro = contract.Words{
		EN: "Fill in a short form, sign in at your bank, and the company you are applying to gets the report it asked for. Nothing more.",
		ES: "Complete un formulario breve, inicie sesión en su banco y la empresa a la que se dirige recibirá el informe que pidió. Nada más."}
	wordsChoose      = contract.Words{EN: "What would you like to share?", ES: "¿Qué desea compartir?"}
	wordsNone        = contract.Words{EN: "There is nothing to apply for yet", ES: "Todavía no hay nada que solicitar"}
	wordsNoneText    = contract.Words{EN: "This portal has no product configured. Please come back later.", ES: "Este portal no tiene ningún producto configurado. Vuelva más tarde."}
	wordsRecent      = contract.Words{EN: "Your applications in this browser", ES: "Sus solicitudes en este navegador"}
	wordsApplication = contract.Words{EN: "Application", ES: "Solicitud"}
	wordsState       = contract.Words{EN: "State", ES: "Estado"}
	wordsBegun       = contract.Words{EN: "Begun", ES: "Iniciada"}
	wordsMinutes     = contract.Words{EN: "About four minutes", ES: "Unos cuatro minutos"}

	wordsAsked = contract.Words{EN: "More is needed:", ES: "Hace falta:"}

	wordsNoCookies     = contract.Words{EN: "Your browser blocks cookies", ES: "Su navegador bloquea las cookies"}
	wordsNoCookiesText = contract.Words{
		EN: "Without a cookie we cannot tell that the application is yours. Allow cookies for this site in your browser's settings, or use another browser, and then try again. We set no cookie for advertising.",
		ES: "Sin una cookie no podemos saber que la solicitud es suya. Permita las cookies de este sitio en los ajustes de su navegador, o use otro navegador, e inténtelo de nuevo. No usamos cookies publicitarias."}

	wordsApplyIntro = contract.Words{
		EN: "Tell us who you are. In the next step you sign in at your bank; we never see your password.",
		ES: "Díganos quién es. En el siguiente paso iniciará sesión en su banco; nunca vemos su contraseña."}
	wordsAboutYou      = contract.Words{EN: "About you", ES: "Sobre usted"}
	wordsHome          = contract.Words{EN: "Where you live", ES: "Dónde vive"}
	wordsHomeHint      = contract.Words{EN: "Give your full address, or your date of birth above, or both.", ES: "Indique su dirección completa, o su fecha de nacimiento arriba, o ambas."}
	wordsMore          = contract.Words{EN: "Income and work", ES: "Ingresos y trabajo"}
	wordsHow           = contract.Words{EN: "How would you like to verify?", ES: "¿Cómo desea verificar?"}
	wordsFirstName     = contract.Words{EN: "First name", ES: "Nombre"}
	wordsLastName      = contract.Words{EN: "Last name", ES: "Apellidos"}
	wordsEmail         = contract.Words{EN: "E-mail", ES: "Correo electrónico"}
	wordsPhone         = contract.Words{EN: "Phone", ES: "Teléfono"}
	wordsDOB           = contract.Words{EN: "Date of birth", ES: "Fecha de nacimiento"}
	wordsDOBHint       = contract.Words{EN: "Not needed if you give your full address.", ES: "No es necesaria si indica su dirección completa."}
	wordsAddress       = contract.Words{EN: "Street and number", ES: "Calle y número"}
	wordsCity          = contract.Words{EN: "City", ES: "Ciudad"}
	wordsStateField    = contract.Words{EN: "State or territory", ES: "Estado o territorio"}
	wordsZIP           = contract.Words{EN: "ZIP code", ES: "Código postal"}
	wordsZIPHint       = contract.Words{EN: "12345 or 12345-6789", ES: "12345 o 12345-6789"}
	wordsIncome        = contract.Words{EN: "Yearly income before taxes", ES: "Ingresos anuales antes de impuestos"}
	wordsIncomeHint    = contract.Words{EN: "In whole dollars.", ES: "En dólares enteros."}
	wordsEmployer      = contract.Words{EN: "Employer", ES: "Empleador"}
	wordsEmployers     = contract.Words{EN: "Employers", ES: "Empleadores"}
	wordsEmployersHint = contract.Words{EN: "Everyone you are paid by: one to six names. Each of them is verified.", ES: "Todos los que le pagan: de uno a seis nombres. Se verifica cada uno."}
	wordsMoreEmployers = contract.Words{EN: "More employers", ES: "Más empleadores"}
	wordsPick          = contract.Words{EN: "Choose", ES: "Elija"}
	wordsHere          = contract.Words{EN: "Here on this page", ES: "Aquí, en esta página"}
	wordsHereText      = contract.Words{EN: "You stay with us; your bank's questions appear in a secure frame.", ES: "Se queda con nosotros; las preguntas de su banco aparecen en un marco seguro."}
	wordsThere         = contract.Words{EN: "On the verification service's site", ES: "En el sitio del servicio de verificación"}
	wordsThereText     = contract.Words{EN: "You go there and come back when you are done. Works in every browser.", ES: "Va allí y vuelve al terminar. Funciona en cualquier navegador."}
	wordsForm          = contract.Words{EN: "There, by a form", ES: "Allí, mediante un formulario"}
	wordsFormText      = contract.Words{EN: "The same, but the handle travels in a POST.", ES: "Lo mismo, pero el identificador viaja en un POST."}
	wordsAdvised       = contract.Words{EN: "Recommended", ES: "Recomendado"}
	wordsContinue      = contract.Words{EN: "Continue", ES: "Continuar"}

	wordsIntegrator     = contract.Words{EN: "For integrators (sandbox)", ES: "Para integradores (pruebas)"}
	wordsIntegratorHint = contract.Words{EN: "What the widget is begun with. Only the first is meant for production.", ES: "Con qué se inicia el widget. Solo la primera opción es para producción."}
	wordsVariant        = contract.Words{EN: "Begin with", ES: "Iniciar con"}
	wordsVToken         = contract.Words{EN: "Initialization token", ES: "Token de inicialización"}
	wordsVTokenText     = contract.Words{EN: "Data goes from server to server.", ES: "Los datos van de servidor a servidor."}
	wordsVPrefill       = contract.Words{EN: "Client-side prefill", ES: "Prefill en el cliente"}
	wordsVPrefillText   = contract.Words{EN: "Data goes from the page; not recommended.", ES: "Los datos van desde la página; no se recomienda."}
	wordsVConsumer      = contract.Words{EN: "consumerId", ES: "consumerId"}
	wordsVConsumerText  = contract.Words{EN: "A consumer is created first and named to the widget.", ES: "Primero se crea un consumidor y se indica al widget."}
	wordsVSandbox       = contract.Words{EN: "sandboxReportId", ES: "sandboxReportId"}
	wordsVSandboxText   = contract.Words{EN: "The widget completes by itself with a prepared report.", ES: "El widget termina solo con un informe preparado."}
	wordsManual         = contract.Words{EN: "Custom control: the widget waits for fire()", ES: "Control propio: el widget espera a fire()"}
	wordsReportID       = contract.Words{EN: "sandboxReportId", ES: "sandboxReportId"}

	wordsConnectTitle = contract.Words{EN: "Verify with your bank", ES: "Verifique con su banco"}
	wordsConnectIntro = contract.Words{EN: "The questions below come from the verification service. You can stop at any time.", ES: "Las preguntas de abajo vienen del servicio de verificación. Puede detenerse en cualquier momento."}
	wordsOpening      = contract.Words{EN: "Opening the secure frame …", ES: "Abriendo el marco seguro …"}
	wordsFire         = contract.Words{EN: "Start verification", ES: "Iniciar la verificación"}
	wordsDestroy      = contract.Words{EN: "Remove the widget", ES: "Quitar el widget"}
	wordsAgain        = contract.Words{EN: "Try again", ES: "Intentar de nuevo"}
	wordsGoOn         = contract.Words{EN: "Go on with the verification", ES: "Seguir con la verificación"}
	wordsSecurePage   = contract.Words{EN: "Continue on the secure page", ES: "Continuar en la página segura"}
	wordsBlocked      = contract.Words{EN: "The verification cannot be shown here", ES: "La verificación no se puede mostrar aquí"}
	wordsBlockedText  = contract.Words{EN: "Your browser could not load it. Continue on the verification service's own page; your details are kept.", ES: "Su navegador no pudo cargarla. Continúe en la página del servicio de verificación; sus datos se conservan."}
	wordsNoScript     = contract.Words{EN: "Without scripts the verification runs on the service's own page. It brings you back here.", ES: "Sin scripts, la verificación se hace en la página del servicio, que le traerá de vuelta."}
	wordsStopped      = contract.Words{EN: "You closed the verification", ES: "Cerró la verificación"}
	wordsStoppedText  = contract.Words{EN: "Nothing was shared. You can go on whenever you like.", ES: "No se compartió nada. Puede continuar cuando quiera."}
	wordsSeeStatus    = contract.Words{EN: "See your application", ES: "Ver su solicitud"}
	wordsChecking     = contract.Words{EN: "Thank you. One moment …", ES: "Gracias. Un momento …"}

	wordsLeaveTitle = contract.Words{EN: "On to the verification", ES: "Vamos a la verificación"}
	wordsLeaveText  = contract.Words{EN: "You are about to go to the verification service's site. It brings you back here when you are done.", ES: "Va a pasar al sitio del servicio de verificación, que le traerá de vuelta al terminar."}

	wordsYourApplication = contract.Words{EN: "Your application", ES: "Su solicitud"}
	wordsReference       = contract.Words{EN: "Reference", ES: "Referencia"}
	wordsReport          = contract.Words{EN: "Report", ES: "Informe"}
	wordsHistory         = contract.Words{EN: "What has happened so far", ES: "Lo que ha pasado hasta ahora"}
	wordsSlow            = contract.Words{EN: "This takes longer than usual. You can close this page and come back: nothing is lost.", ES: "Esto tarda más de lo normal. Puede cerrar esta página y volver: no se pierde nada."}
	wordsRefreshing      = contract.Words{EN: "This page looks for news every five seconds.", ES: "Esta página busca novedades cada cinco segundos."}
	wordsReload          = contract.Words{EN: "Look again", ES: "Volver a mirar"}
	wordsReturn          = contract.Words{EN: "Go on to where you came from", ES: "Volver al sitio de donde vino"}
	wordsWorking         = contract.Words{EN: "Working on it …", ES: "Trabajando en ello …"}

	wordsOffline     = contract.Words{EN: "There is no connection", ES: "No hay conexión"}
	wordsOfflineText = contract.Words{EN: "Nothing was sent, and what you filled in is still here. Send it when you are online again.", ES: "No se envió nada, y lo que completó sigue aquí. Envíelo cuando vuelva a tener conexión."}

	wordsCorrect   = contract.Words{EN: "Fill in the form once more", ES: "Completar el formulario de nuevo"}
	wordsHelp      = contract.Words{EN: "Questions? We are glad to help:", ES: "¿Preguntas? Le ayudamos con gusto:"}
	wordsHelpPages = contract.Words{EN: "Help pages", ES: "Páginas de ayuda"}
	wordsPrivacy   = contract.Words{EN: "Privacy", ES: "Privacidad"}
	wordsTerms     = contract.Words{EN: "Terms", ES: "Condiciones"}
	wordsAgree     = contract.Words{EN: "By continuing you agree to what stands here:", ES: "Al continuar acepta lo que se indica aquí:"}

	wordsBackHome  = contract.Words{EN: "To the first page", ES: "A la primera página"}
	wordsRequestID = contract.Words{EN: "If you ask for help, give this number:", ES: "Si pide ayuda, indique este número:"}
)

// ProductName is what a kind of report is called.
func ProductName(p contract.Product) contract.Words {
	switch p {
	case contract.Cashflow:
		return contract.Words{EN: "Cashflow report", ES: "Informe de flujo de efectivo"}
	case contract.Income:
		return contract.Words{EN: "Income report", ES: "Informe de ingresos"}
	case contract.Eligibility:
		return contract.Words{EN: "Eligibility report", ES: "Informe de elegibilidad"}
	}
	return contract.Words{EN: "Credit passport", ES: "Pasaporte crediticio"}
}

// productText describes a kind of report.
func (b Base) productText(p contract.Product) contract.Words {
	if b.AssetsOnly && p == contract.Eligibility {
		return contract.Words{EN: "Your savings, for a housing application.", ES: "Sus ahorros, para una solicitud de vivienda."}
	}
	switch p {
	case contract.Cashflow:
		return contract.Words{EN: "What comes in and what goes out of your bank accounts.", ES: "Lo que entra y lo que sale de sus cuentas bancarias."}
	case contract.Income:
		return contract.Words{EN: "What you earn, from your bank, your payroll or your pay stubs.", ES: "Lo que gana, según su banco, su nómina o sus recibos de pago."}
	case contract.Eligibility:
		return contract.Words{EN: "Income, work and savings for a housing application.", ES: "Ingresos, trabajo y ahorros para una solicitud de vivienda."}
	}
	return contract.Words{EN: "Your credit history from another country.", ES: "Su historial de crédito de otro país."}
}

// applyIntro words the steps after the form.
func applyIntro(p contract.Product) contract.Words {
	if p == contract.Income {
		return contract.Words{
			EN: "Tell us who you are. In the next step you sign in at your bank or your payroll provider; we never see your password.",
			ES: "Díganos quién es. En el siguiente paso iniciará sesión en su banco o en su proveedor de nómina; nunca vemos su contraseña."}
	}
	if p == contract.Passport {
		return contract.Words{
			EN: "Tell us who you are. In the next step you say where you have your credit history, and we ask the credit bureau there.",
			ES: "Díganos quién es. En el siguiente paso dirá dónde tiene su historial de crédito, y preguntaremos al buró de allí."}
	}
	return wordsApplyIntro
}

// connectTitle is the title of the page with the widget.
func (b Base) connectTitle(p contract.Product) contract.Words {
	if b.AssetsOnly && p == contract.Eligibility {
		return contract.Words{EN: "Verify your savings", ES: "Verifique sus ahorros"}
	}
	switch p {
	case contract.Income:
		return contract.Words{EN: "Verify your income", ES: "Verifique sus ingresos"}
	case contract.Eligibility:
		return contract.Words{EN: "Verify your income and savings", ES: "Verifique sus ingresos y ahorros"}
	case contract.Passport:
		return contract.Words{EN: "Bring your credit history", ES: "Traiga su historial de crédito"}
	}
	return wordsConnectTitle
}

func applyTitle(p contract.Product) contract.Words {
	switch p {
	case contract.Cashflow:
		return contract.Words{EN: "Apply with a cashflow report", ES: "Solicitud con informe de flujo de efectivo"}
	case contract.Income:
		return contract.Words{EN: "Apply with an income report", ES: "Solicitud con informe de ingresos"}
	case contract.Eligibility:
		return contract.Words{EN: "Apply with an eligibility report", ES: "Solicitud con informe de elegibilidad"}
	}
	return contract.Words{EN: "Apply with a credit passport", ES: "Solicitud con pasaporte crediticio"}
}

// StateName is a state of an application in one or two words.
func StateName(state string) contract.Words {
	switch state {
	case "started":
		return contract.Words{EN: "Saved", ES: "Guardada"}
	case "connecting":
		return contract.Words{EN: "Verification open", ES: "Verificación abierta"}
	case "returned":
		return contract.Words{EN: "Being checked", ES: "En comprobación"}
	case "pending":
		return contract.Words{EN: "Report on its way", ES: "Informe en camino"}
	case "ready":
		return contract.Words{EN: "Done", ES: "Terminada"}
	case "failed":
		return contract.Words{EN: "Did not work", ES: "No funcionó"}
	case "exited":
		return contract.Words{EN: "Stopped", ES: "Detenida"}
	}
	return contract.Words{EN: "Ran out of time", ES: "Caducada"}
}

package resume

import "vestibule/internal/contract"

var (
	wordsSubject = contract.Words{EN: "%s: go on with your application", ES: "%s: siga con su solicitud"}
	wordsLine    = contract.Words{EN: "%s, begun on %s:\n%s", ES: "%s, iniciada el %s:\n%s"}
	wordsLetter  = contract.Words{
		EN: "You asked to go on with your application at %s.\n\n%s\n\nEach link works once, in the browser that opens it first, until tomorrow at this time. Do not pass it on.\n\nIf you did not ask for this, you need not do anything.\n",
		ES: "Pidió seguir con su solicitud en %s.\n\n%s\n\nCada enlace funciona una vez, en el navegador que lo abra primero, hasta mañana a esta hora. No lo comparta.\n\nSi usted no lo pidió, no tiene que hacer nada.\n"}

	wordsUsed     = contract.Words{EN: "This link does not work any more", ES: "Este enlace ya no funciona"}
	wordsUsedText = contract.Words{
		EN: "It was used, or its time is over. Your application is not lost: make a new link where you are still in it, or have one sent to you.",
		ES: "Ya se usó o se acabó su tiempo. Su solicitud no se ha perdido: cree un enlace nuevo donde aún la tenga abierta, o pida que le envíen uno."}
	wordsSent     = contract.Words{EN: "Look into your mailbox", ES: "Mire su correo"}
	wordsSentText = contract.Words{
		EN: "If there is an application of the last three months with this address, a letter with a link is on its way to it. It may take a few minutes; look among the unwanted mail, too. No more than three letters an hour go to one address.",
		ES: "Si hay una solicitud de los últimos tres meses con esta dirección, va en camino un mensaje con un enlace. Puede tardar unos minutos; mire también en el correo no deseado. A una dirección se envían como máximo tres mensajes por hora."}
	wordsMine     = contract.Words{EN: "A letter is on its way", ES: "El mensaje va en camino"}
	wordsMineText = contract.Words{
		EN: "It goes to the e-mail address that you gave in your application. Its link works once, until tomorrow at this time, in any browser. No more than three letters an hour go to one address.",
		ES: "Va a la dirección de correo que indicó en su solicitud. Su enlace funciona una vez, hasta mañana a esta hora, en cualquier navegador. A una dirección se envían como máximo tres mensajes por hora."}
	wordsNoEmail = contract.Words{EN: "Enter the e-mail address that you applied with.", ES: "Indique el correo electrónico con el que hizo la solicitud."}
)

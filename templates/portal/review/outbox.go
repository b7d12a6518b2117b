package review

import (
	"time"

	"vestibule/internal/contract"
)

// OutboxView lists, in the review dashboard, the emails of a sandbox that has no
// mail server.
type OutboxView struct {
	By      string
	Letters []OutboxLetter
}

// OutboxLetter is one of them.
type OutboxLetter struct {
	At                time.Time
	To, Subject, Text string
}

var (
	outboxTitle = contract.Words{EN: "Letters of the sandbox", ES: "Mensajes del entorno de pruebas"}
	outboxText  = contract.Words{
		EN: "The portal was started without a mail server, so letters to applicants wait here.",
		ES: "El portal se inició sin servidor de correo, así que los mensajes a los solicitantes esperan aquí."}
	outboxNone    = contract.Words{EN: "No letter is waiting", ES: "No espera ningún mensaje"}
	outboxHow     = contract.Words{EN: "One is written when an applicant asks for a link by e-mail.", ES: "Se escribe uno cuando un solicitante pide un enlace por correo."}
	outboxTo      = contract.Words{EN: "To", ES: "Para"}
	outboxWritten = contract.Words{EN: "Written", ES: "Escrito"}
)

package provider_test

import (
	"testing"

	"vestibule/internal/contract"
)

// TestSandboxEventsAnswers checks the answers to `vestibule listen`.
func TestSandboxEventsAnswers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		const events = "/connect/sandbox/events"
		b.want("the newest event", b.get(events, b.basic()), 200, "")
		b.want("events after no id", b.get(events+"?after=%27", b.basic()), 400, contract.CodeInvalidParameters)
		b.want("events after an unset variable", b.get(events+"?after=undefined", b.basic()), 400, contract.CodeInvalidParameters)
		b.want("the newest event, with a parameter that it does not have", b.get(events+"?verbose=1", b.basic()), 200, "")
		b.want("events without credentials", b.get(events, headers{}), 400, contract.CodeMalformedHeaders)
		b.want("events of an unknown account", b.get(events, basic("client-none", "none")), 403, contract.CodeUnknownCustomer)
	})
}

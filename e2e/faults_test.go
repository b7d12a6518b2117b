package e2e

import (
	"testing"

	"vestibule/internal/testutil/tools"
)

// TestFlowsWithFaults walks both ways through a service that does all that the contract
// allows; VESTIBULE_E2E_FAULTS=7 has every other test here meet one.
func TestFlowsWithFaults(t *testing.T) {
	tools.FullOnly(t)
	t.Parallel()
	s := alone(t, "--sandbox-faults=7")
	for _, mode := range []string{"embedded", "redirect"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			v := visit(t)
			a := s.begin(t, mode)
			v.follow(t, a.ConnectURL)
			if mode == "embedded" {
				walk(t, v.widget, "default")
			} else {
				walkAndReturn(t, v, "default")
				at(t, v, s.statusURL(a))
			}
			state(t, v, "ready")
		})
	}
}

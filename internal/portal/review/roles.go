package review

import "vestibule/internal/contract"

// Role is what one of the desk's people may do.
type Role string

const (
	Reviewer      Role = "reviewer"      // sees and decides
	Administrator Role = "administrator" // a reviewer who also sees to people, retention and deletion
	Auditor       Role = "auditor"       // reads everything, the audit trail too, and changes nothing
)

// Roles are all of them, in the order in which people are asked.
var Roles = [...]Role{Reviewer, Administrator, Auditor}

// may is a set of roles: the column of the route table.
type may uint8

const (
	reviewers may = 1 << iota
	administrators
	auditors

	all       = reviewers | administrators | auditors
	deciders  = reviewers | administrators
	overseers = administrators | auditors
)

// has reports whether a person of role r is in the set. An unknown role is in none.
func (m may) has(r Role) bool {
	switch r {
	case Reviewer:
		return m&reviewers != 0
	case Administrator:
		return m&administrators != 0
	case Auditor:
		return m&auditors != 0
	}
	return false
}

// decides reports whether the person may change what is known of applications.
func (p person) decides() bool { return deciders.has(p.role) }

// states are the journey's states in the order of the filter, and decisions those
// that can be taken.
var (
	states    = [...]string{"started", "connecting", "returned", "pending", "ready", "failed", "exited", "expired"}
	decisions = [...]string{Approved, Declined, MoreAsked, Escalated}
	outcomes  = [...]string{string(contract.OutcomeSuccess), string(contract.OutcomeExit), string(contract.OutcomeError)}
)

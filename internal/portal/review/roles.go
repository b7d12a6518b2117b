package review

import "vestibule/internal/contract"

// Role is a user's role in the review dashboard.
type Role string

const (
	Reviewer      Role = "reviewer"      // sees and decides
	Administrator Role = "administrator" // a reviewer who also manages users, retention and deletion
	Auditor       Role = "auditor"       // reads everything, including the audit trail; changes nothing
)

// Roles lists all roles, in the order of the form.
var Roles = [...]Role{Reviewer, Administrator, Auditor}

// may is a set of roles: a column of the route table.
type may uint8

const (
	reviewers may = 1 << iota
	administrators
	auditors

	all       = reviewers | administrators | auditors
	deciders  = reviewers | administrators
	overseers = administrators | auditors
)

// has reports whether the set contains r; false for an unknown role.
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

// decides reports whether the user may change applications.
func (p person) decides() bool { return deciders.has(p.role) }

// states lists the journey's states in the order of the filter; decisions lists the
// decisions that reviewers can make.
var (
	states    = [...]string{"started", "connecting", "returned", "pending", "ready", "failed", "exited", "expired"}
	decisions = [...]string{Approved, Declined, MoreAsked, Escalated}
	outcomes  = [...]string{string(contract.OutcomeSuccess), string(contract.OutcomeExit), string(contract.OutcomeError)}
)

package visits

import (
	"context"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/provider/visits/flow"
	"vestibule/internal/store"
)

// Summary is the state of a report's visit, without personal data.
type Summary struct {
	ID string
	contract.Environment
	State   flow.State
	Step    flow.Step
	Created time.Time
	Expires time.Time
	Ended   time.Time // zero: not yet
	Sources []SourceSummary
}

// SourceSummary is a source that the applicant connected, failed to connect, or skipped.
// They are deleted some time after the visit's end.
type SourceSummary struct {
	Type        flow.SourceType
	Institution string // name; "" for files
	Empty       bool   // it has no recent data
	Skipped     string // why an employer was skipped; then there is no source
	Failed      contract.Status
	Substatus   contract.Substatus
	Reason      string // with Failed, of an authorization: sources.Reason
}

// Summary returns the visit of a report, or store.ErrNotFound for a submission. The
// caller checks the owner.
func (s *Service) Summary(ctx context.Context, q store.Queryer, publicToken string) (Summary, error) {
	v, err := byPublicToken(ctx, q, publicToken)
	out := Summary{ID: v.id, Environment: v.environment, State: v.State, Step: v.Step, Created: v.created, Expires: v.expires, Ended: v.ended}
	for _, c := range v.Connections() {
		one := SourceSummary{Type: c.SourceType, Empty: c.Empty, Skipped: c.Skipped, Failed: c.Failed, Substatus: c.Substatus, Reason: c.Reason}
		if c.Bank != "" {
			one.Institution = s.InstitutionName(v.environment, c.Bank)
		}
		out.Sources = append(out.Sources, one)
	}
	return out, err
}

package report

// NameMatching says which sources agree with the name of the consumer's input.
type NameMatching[R reference] struct {
	FullName Agreement[R] `json:"full_name"`
}

// Agreement lists the sources that agree with the input and those that do not. Both are arrays, never null.
type Agreement[R reference] struct {
	Matched   []R `json:"matched_sources"`
	Unmatched []R `json:"unmatched_sources"`
}

// The comparisons of a cashflow report, of an income report and a passport, and of an eligibility report,
// which has each source once.
type (
	Matching            = NameMatching[SourceRef]
	MatchingField       = Agreement[SourceRef]
	IncomeMatching      = NameMatching[RecordRef]
	RecordMatching      = Agreement[RecordRef]
	EligibilityMatching = NameMatching[ConnectionRef]
	ConnectionMatching  = Agreement[ConnectionRef]
)

// reference names a source, in the form of a kind of report.
type reference interface{ source() SourceRef }

func (r SourceRef) source() SourceRef { return r }
func (r RecordRef) source() SourceRef {
	return SourceRef{SourceID: r.SourceID, SourceRecordID: r.SourceRecordID}
}
func (r ConnectionRef) source() SourceRef {
	return SourceRef{SourceID: r.SourceID, SourceUUID: r.SourceUUID}
}

// NewAgreement returns an agreement without any source.
func NewAgreement[R reference]() Agreement[R] { return Agreement[R]{[]R{}, []R{}} }

// Add adds a source.
func (a *Agreement[R]) Add(agrees bool, r R) {
	if agrees {
		a.Matched = append(a.Matched, r)
	} else {
		a.Unmatched = append(a.Unmatched, r)
	}
}

// Common returns the comparison in the form of a cashflow report; nil for nil.
func (m *NameMatching[R]) Common() *Matching {
	if m == nil {
		return nil
	}
	var out Matching
	for _, r := range m.FullName.Matched {
		out.FullName.Add(true, r.source())
	}
	for _, r := range m.FullName.Unmatched {
		out.FullName.Add(false, r.source())
	}
	return &out
}

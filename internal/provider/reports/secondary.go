package reports

import (
	"context"
	"slices"
	"time"

	"vestibule/internal/analysis/corrections"
	"vestibule/internal/report"

	"vestibule/internal/store"
)

// A secondary report is generated from the data of another report (API reference:
// Sharing). It stores its own copy of the data, encrypted under the same key, and is
// independent from then on. Retention periods count from when the service first held
// the data, not from the copy.

// Given is other data about the consumer that reports use.
type Given struct {
	DOB          bool     `json:"dob,omitempty"`   // whether a date of birth was given
	State        string   `json:"state,omitempty"` // two capital letters
	Employers    []string `json:"employers,omitempty"`
	AnnualIncome *int64   `json:"annualIncome,omitempty"` // whole dollars
}

// Empty reports whether nothing was given.
func (g Given) Empty() bool {
	return !g.DOB && g.State == "" && len(g.Employers) == 0 && g.AnnualIncome == nil
}

// OrNil returns &g, or nil if it is empty.
func (g Given) OrNil() *Given {
	if g.Empty() {
		return nil
	}
	return &g
}

// BirthDate parses a date of birth that was already validated; "" is the zero date.
func BirthDate(dob string) report.Date {
	day, _ := time.Parse(time.DateOnly, dob)
	return report.Date{Time: day}
}

// Material is the decrypted input of a report.
type Material struct {
	source Report
	in     Input
}

// Material decrypts the input of a report. It returns ErrDeleted or store.ErrShredded
// if the data no longer exist.
func (s *Service) Material(ctx context.Context, r Report) (Material, error) {
	r, in, err := s.input(ctx, r.PublicToken)
	if err != nil {
		return Material{r, in}, err
	}
	made, err := s.inForce(ctx, s.DB.SQL, r)
	in.Corrections = slices.DeleteFunc(corrections.Merge(in.Corrections, made), func(c corrections.Correction) bool {
		return c.Target == corrections.Figures || c.Target == corrections.Dispute
	})
	return Material{r, in}, err
}

// Bank reports whether it contains bank data.
func (m Material) Bank() bool { return m.in.Data != nil && len(m.in.Data.Connections) > 0 }

// Complete reports whether the consumer data included firstName, lastName, email, dob,
// and state.
func (m Material) Complete() bool {
	p, g := m.in.Consumer, m.in.Given
	return p != nil && p.FirstName != "" && p.LastName != "" && len(p.Emails) > 0 && g != nil && g.DOB && g.State != ""
}

// Derive prepares a report of the material for the same consumer, with n's product,
// labels, and PublicToken. The returned function begins the report in a transaction as
// PENDING and may be called several times there. It fails like Create, and with
// freeze.ErrFrozen if the person's file is frozen.
func (s *Service) Derive(m Material, n New) (func(ctx context.Context, tx *store.Tx) error, error) {
	m.in.At = m.source.Retrieved
	packed, err := Pack(m.in)
	if err != nil {
		return nil, err
	}
	n.ConsumerID, n.KeyID = m.source.ConsumerID, m.source.KeyID
	n.source, n.held = m.source.PublicToken, m.source.HeldSince()
	return func(ctx context.Context, tx *store.Tx) error {
		if err := s.Freeze.Require(ctx, tx, m.source.PublicToken); err != nil {
			return err
		}
		if _, err := s.Create(ctx, tx, n); err != nil {
			return err
		}
		return s.AttachPacked(ctx, tx, n.PublicToken, packed)
	}, nil
}

// Revision returns how often r was revised.
func (r Report) Revision() int { return r.revision }

// Secondary reports whether r was made from another report's data.
func (r Report) Secondary() bool { return r.source != "" }

// Source returns the publicToken of the report whose data it was made from, or "".
func (r Report) Source() string { return r.source }

// HeldSince returns since when the service has held the report's data. Submitted data may
// have been retrieved earlier, and a secondary report's data count from the first
// report.
func (r Report) HeldSince() time.Time {
	switch {
	case r.Secondary():
		return r.held
	case r.Retrieved.After(r.Created):
		return r.Retrieved
	}
	return r.Created
}

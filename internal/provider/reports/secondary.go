package reports

import (
	"context"
	"time"

	"vestibule/internal/report"

	"vestibule/internal/store"
)

// A secondary report is made from what another one was made from (document 2,
// "Multi-product tokens"). It has a copy of that, sealed for itself under the same
// key, and so stands on its own from then on; but the data are no younger for being
// copied, and are given out and kept no longer.

// Given is what else was given of the consumer, as far as reports are made with it.
type Given struct {
	DOB          bool     `json:"dob,omitempty"`   // a date of birth; which one, no report says
	State        string   `json:"state,omitempty"` // two capital letters
	Employers    []string `json:"employers,omitempty"`
	AnnualIncome *int64   `json:"annualIncome,omitempty"` // whole dollars
}

// Empty reports whether nothing was given.
func (g Given) Empty() bool {
	return !g.DOB && g.State == "" && len(g.Employers) == 0 && g.AnnualIncome == nil
}

// OrNil is g, or nil where nothing was given.
func (g Given) OrNil() *Given {
	if g.Empty() {
		return nil
	}
	return &g
}

// Born is a date of birth that was checked when it was given; zero for none.
func Born(dob string) report.Date {
	day, _ := time.Parse(time.DateOnly, dob)
	return report.Date{Time: day}
}

// Material is what a report was made from, opened.
type Material struct {
	source Report
	in     Input
}

// Material opens what a report was made from. ErrDeleted and store.ErrShredded are
// what is no longer there.
func (s *Service) Material(ctx context.Context, r Report) (Material, error) {
	r, in, err := s.input(ctx, r.PublicToken)
	return Material{r, in}, err
}

// Bank reports whether it is bank data.
func (m Material) Bank() bool { return m.in.Data != nil && len(m.in.Data.Connections) > 0 }

// Complete reports whether the consumer data included firstName, lastName, email,
// dob and state.
func (m Material) Complete() bool {
	p, g := m.in.Consumer, m.in.Given
	return p != nil && p.FirstName != "" && p.LastName != "" && len(p.Emails) > 0 && g != nil && g.DOB && g.State != ""
}

// Derive readies a report of the material, of n's product and labels, under n's
// PublicToken; its consumer is the source's. What it returns begins the report in a
// transaction, as PENDING, and may be called several times there; it fails like
// Create.
func (s *Service) Derive(m Material, n New) (func(ctx context.Context, tx *store.Tx) error, error) {
	m.in.At = m.source.Retrieved
	packed, err := Pack(m.in)
	if err != nil {
		return nil, err
	}
	n.ConsumerID, n.KeyID = m.source.ConsumerID, m.source.KeyID
	n.source, n.held = m.source.PublicToken, m.source.Held()
	return func(ctx context.Context, tx *store.Tx) error {
		if _, err := s.Create(ctx, tx, n); err != nil {
			return err
		}
		return s.AttachPacked(ctx, tx, n.PublicToken, packed)
	}, nil
}

// Secondary reports whether r was made from another report's data.
func (r Report) Secondary() bool { return r.source != "" }

// Source is the publicToken of the report whose data it was made from; empty for
// none.
func (r Report) Source() string { return r.source }

// Held is since when the service holds the report's data: what was submitted may
// have been retrieved before, and another report's are as old as they were there.
func (r Report) Held() time.Time {
	switch {
	case r.Secondary():
		return r.held
	case r.Retrieved.After(r.Created):
		return r.Retrieved
	}
	return r.Created
}

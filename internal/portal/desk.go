package portal

import (
	"context"
	"database/sql"

	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// Desk has the reviewers' desk know of every application: what is kept of it to be
// found by, and whom it is of.
func Desk(d *review.Desk, s *applications.Service) {
	d.Applications, d.Files = forReview{s}, forReview{s}
	s.Tell = append(s.Tell, func(ctx context.Context, tx *sql.Tx, a applications.Application, _ applications.Line) error {
		return d.Index(ctx, tx, entry(a))
	})
	s.Learned = append(s.Learned, func(ctx context.Context, tx *sql.Tx, a applications.Application, f prefill.Fields) error {
		return d.Name(ctx, tx, a.ID, a.CreatedAt, applicant(f))
	})
}

func entry(a applications.Application) review.Entry {
	j := a.Journey
	return review.Entry{ID: a.ID, DataKey: a.DataKey(), Product: a.Product, Mode: string(a.Mode), ExternalID: a.ExternalID, PublicToken: j.PublicToken,
		State: string(j.State), Outcome: j.Outcome(), Attempt: j.Attempt, HasReport: a.HasReport(), CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

func applicant(f prefill.Fields) review.Applicant {
	a := review.Applicant{FirstName: f.FirstName, LastName: f.LastName, Email: f.Email, Stated: f}
	if f.Address != "" {
		a.Address = append(a.Address, f.Address)
	}
	if f.City != "" {
		a.Address = append(a.Address, f.City+", "+f.State+" "+f.ZIP)
	}
	return a
}

// forReview shows the applications to the reviewers.
type forReview struct{ s *applications.Service }

func (n forReview) Entry(ctx context.Context, q store.Queryer, id string) (review.Entry, error) {
	a, err := n.s.In(ctx, q, id)
	return entry(a), err
}

func (n forReview) Applicants(ctx context.Context, ids []string) (map[string]review.Applicant, error) {
	found, err := n.s.Applicants(ctx, ids)
	out := make(map[string]review.Applicant, len(found))
	for id, f := range found {
		out[id] = applicant(f)
	}
	return out, err
}

func (n forReview) Decided(ctx context.Context, tx *sql.Tx, id string, d review.Decided) error {
	return n.s.Decided(ctx, tx, id, applications.Decision{Kind: d.Kind, Number: d.Number, Reasons: d.Reasons, At: d.At})
}

func (n forReview) Hold(ctx context.Context, tx *sql.Tx, id string) error {
	return n.s.Hold(ctx, tx, id)
}

func (n forReview) Consumers(ctx context.Context, id string) ([]string, error) {
	return n.s.Consumers(ctx, id)
}

func (n forReview) Get(ctx context.Context, id string) (review.Application, error) {
	a, err := n.s.Get(ctx, id)
	return reviewed(a), err
}

func (n forReview) Timeline(ctx context.Context, id string, after int64, limit int) ([]review.Line, error) {
	lines, err := n.s.Timeline(ctx, id, after, limit)
	out := make([]review.Line, len(lines))
	for i, l := range lines {
		out[i] = review.Line{Seq: l.Seq, At: l.At, Kind: l.Kind, Attempt: l.Attempt, Status: l.Status, Substatus: l.Substatus, Error: l.Error, From: l.From, To: l.To}
	}
	return out, err
}

func (n forReview) Report(ctx context.Context, id string, attempt int) ([]byte, error) {
	return n.s.ReportOf(ctx, id, attempt)
}

func (n forReview) Reports(ctx context.Context, id string) ([]review.Held, error) {
	all, err := n.s.Reports(ctx, id)
	out := make([]review.Held, len(all))
	for i, h := range all {
		out[i] = review.Held{Attempt: h.Attempt, At: h.At}
	}
	return out, err
}

func (n forReview) Analysis(ctx context.Context, id string, attempt int) ([]byte, bool, error) {
	return n.s.Analysis(ctx, id, attempt)
}

func (n forReview) Files(ctx context.Context, id string) ([]svcapi.File, error) {
	return n.s.Files(ctx, id)
}

func (n forReview) File(ctx context.Context, id, path string) (svcapi.Content, error) {
	return n.s.File(ctx, id, path)
}

func (n forReview) Newest(ctx context.Context, id string) ([]byte, error) {
	return n.s.Newest(ctx, id)
}

func reviewed(a applications.Application) review.Application {
	j := a.Journey
	return review.Application{ID: a.ID, Product: a.Product, Mode: string(a.Mode), Origin: a.Origin, ExternalID: a.ExternalID,
		UserArgs: a.UserArgs, State: string(j.State), Attempt: j.Attempt, PublicToken: j.PublicToken, Status: j.Status,
		Substatus: j.Substatus, Error: j.Error, Words: a.Words(), HasReport: a.HasReport(), ReportAt: a.Report.At, ReportToken: a.Report.PublicToken,
		AnsweredAt: a.Decision.AnsweredAt, Lang: a.Lang,
		CreatedAt: a.CreatedAt, UpdatedAt: a.UpdatedAt}
}

package portal

import (
	"context"
	"database/sql"

	"vestibule/internal/portal/resume"
	"vestibule/internal/portal/review"
	"vestibule/internal/store"
	pages "vestibule/templates/portal"
)

// decisionLetters sends the emails of the reviewers' decisions.
type decisionLetters struct{ d *resume.Desk }

func (l decisionLetters) Tell(ctx context.Context, tx *sql.Tx, in review.DecisionEmail) error {
	return l.d.Tell(ctx, tx, resume.Decision(in))
}

func (l decisionLetters) TellAgain(ctx context.Context, tx *sql.Tx, in review.DecisionEmail) (bool, error) {
	return l.d.TellAgain(ctx, tx, resume.Decision(in))
}

func (l decisionLetters) States(ctx context.Context, q store.Queryer, id string) ([]review.EmailState, error) {
	all, err := l.d.DecisionLetters(ctx, q, id)
	out := make([]review.EmailState, len(all))
	for i, e := range all {
		out[i] = review.EmailState(e)
	}
	return out, err
}

func (l decisionLetters) Withheld(email string) []string { return l.d.Withheld(email) }

// asked shows the applicant what a reviewer asked for.
func asked(d *review.Desk) func(context.Context, string) (pages.Asked, error) {
	return func(ctx context.Context, id string) (pages.Asked, error) {
		text, reasons, err := d.Asked(ctx, id)
		return pages.Asked{Text: text, Reasons: reasons}, err
	}
}

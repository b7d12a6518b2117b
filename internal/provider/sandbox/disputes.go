package sandbox

import (
	"context"
	"errors"
	"net/http"
	"slices"

	"vestibule/internal/analysis/corrections"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/provider/reports"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// dispute opens a dispute about a report, as its consumer would. With correct, it is answered as staff would: the newest
// deposit is left out.
func (c *Control) dispute(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		PublicToken string        `json:"publicToken"`
		Kind        disputes.Kind `json:"kind"`
		About       string        `json:"about"`
		Statement   string        `json:"statement"`
		Note        string        `json:"note"`
		Correct     bool          `json:"correct"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	ctx := r.Context()
	about, err := c.Reports.Get(ctx, c.DB.SQL, in.PublicToken)
	var p disputes.Prepared
	if err == nil {
		p, err = c.Disputes.PrepareNew(ctx, disputes.New{CustomerID: about.CustomerID, PublicToken: in.PublicToken, Kind: in.Kind,
			About: in.About, Statement: in.Statement, Note: in.Note, Lang: i18n.English})
	}
	var opened disputes.Dispute
	if err == nil {
		err = c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			opened, err = c.Disputes.Add(ctx, tx, p)
			return err
		})
	}
	if err == nil && in.Correct {
		err = c.correct(ctx, opened)
	}
	var no disputes.Invalid
	switch {
	case errors.As(err, &no):
		return invalidField(no.Field, "is not what a dispute takes")
	case errors.Is(err, disputes.ErrLimit):
		return httpx.NewError(contract.CodeRateLimited, err)
	case errors.Is(err, store.ErrNotFound):
		return httpx.NewError(contract.CodeInvalidToken, err)
	case err != nil:
		return err
	}
	return httpx.JSON(w, http.StatusCreated, struct {
		Number string           `json:"number"`
		Due    report.Timestamp `json:"due"`
	}{opened.Number, report.TimestampOf(opened.Due)})
}

// correct leaves the newest deposit out of a report for a dispute, and answers the dispute.
func (c *Control) correct(ctx context.Context, d disputes.Dispute) error {
	now, err := c.Reports.Correcting(ctx, c.DB.SQL, d.CustomerID, d.PublicToken)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(now.Items, func(x corrections.Item) bool { return x.Target == corrections.Transaction && x.In })
	if i < 0 {
		return store.ErrNotFound
	}
	leftOut := now.Items[i].Correction
	leftOut.Field, leftOut.Value = corrections.Excluded, corrections.Yes
	draft, err := c.Reports.Draft(ctx, c.DB.SQL, d.CustomerID, d.PublicToken, reports.Change{Revision: now.Revision,
		Corrections: []corrections.Correction{leftOut}, Reason: d.Statement, By: "sandbox", Dispute: d.Number})
	if err == nil {
		err = c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
			_, err := c.Reports.Revise(ctx, tx, draft)
			return err
		})
	}
	if err != nil {
		return err
	}
	p, err := c.Disputes.PrepareAnswer(ctx, d.CustomerID, d.Number, disputes.Reply{Result: disputes.Corrected,
		Text: "You are right. We left the deposit out, and made the report again.", By: "sandbox"})
	if err != nil {
		return err
	}
	return c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error { return c.Disputes.Answer(ctx, tx, p) })
}

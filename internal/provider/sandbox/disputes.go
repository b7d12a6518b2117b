package sandbox

import (
	"context"
	"errors"
	"net/http"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider/disputes"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// dispute opens a dispute about a report, as its consumer would.
func (c *Control) dispute(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		PublicToken string        `json:"publicToken"`
		Kind        disputes.Kind `json:"kind"`
		About       string        `json:"about"`
		Statement   string        `json:"statement"`
		Note        string        `json:"note"`
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

// Package applicationstest stores applications directly, without their journey, for
// tests of packages that import internal/portal/applications.
package applicationstest

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"vestibule/internal/portal/applications"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
)

// Row is an application with its related data. Put fills in a missing mode, variant,
// origin, external ID and update time.
type Row struct {
	applications.Application
	Applicant *prefill.Fields // nil: the applicant was not asked yet

	Body            []byte // report of Report.Attempt; may be nil
	Analysis        []byte // analysis of the report; may be nil
	AnalysisPending bool   // the analysis has not been fetched yet

	Timeline  []applications.TimelineEntry
	Consumers []string // by attempt, starting with the first
}

// Put stores a row, replacing one with the same ID, and returns the application as
// Service.Get does.
func Put(t testing.TB, db *store.DB, r Row) applications.Application {
	t.Helper()
	s := &applications.Service{DB: db}
	err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		key, err := s.Key(ctx, tx, r.ID)
		if errors.Is(err, store.ErrNotFound) {
			key, err = db.Vault.NewKey(ctx, tx)
		} else if err == nil {
			err = s.Delete(ctx, tx, r.ID)
		}
		return errors.Join(err, put(ctx, tx, db.Vault, key, r))
	})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Get(t.Context(), r.ID)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func put(ctx context.Context, tx *store.Tx, v *store.Vault, key string, r Row) error {
	var errs []error
	seal := func(column string, plain []byte) []byte {
		if plain == nil {
			return nil
		}
		sealed, err := v.Seal(ctx, tx, key, store.Cell{Table: "applications", Column: column, Row: r.ID}, plain)
		errs = append(errs, err)
		return sealed
	}
	var given []byte
	if r.Applicant != nil {
		raw, err := json.Marshal(r.Applicant)
		errs = append(errs, err)
		given = seal("prefill", raw)
	}
	j := r.Journey
	succeeded, reportAt, analysisAt := j.Succeeded, int64(0), int64(0)
	if r.Body != nil {
		succeeded, reportAt = r.Report.Attempt, store.Micros(r.Report.At)
		if !r.AnalysisPending {
			analysisAt = reportAt
		}
	}
	decidedAt := int64(0)
	if r.Decision.Kind != "" {
		decidedAt = store.Micros(r.Decision.At)
	}
	if r.UpdatedAt.IsZero() {
		r.UpdatedAt = r.CreatedAt
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO applications
			(
			id,
			product,
			mode,
			variant,
			manual,
			sandbox_report_id,
			origin,
			external_id,
			user_args,
			return_url,
			allowed_origin,
			lang,
			data_key,
			prefill,
			state,
			attempt,
			since,
			public_token,
			status,
			substatus,
			error,
			succeeded,
			fetch_until,
			report,
			report_at,
			analysis,
			analysis_at,
			decision,
			decisions,
			decided_at,
			reasons,
			version,
			created_at,
			updated_at)
		VALUES (
			$1, $2, $3, $4, FALSE, '', $5, $6, $7, $8,
			$9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
			$19, $20, 0, $21, $22, $23, $24, $25, $26, $27,
			$28, $29, $30, $31)`,
		r.ID,
		string(r.Product),
		string(cmp.Or(r.Mode, applications.Embedded)),
		string(cmp.Or(r.Variant, applications.ByToken)),
		cmp.Or(r.Origin, applications.FromWeb),
		cmp.Or(r.ExternalID, r.ID),
		r.UserArgs,
		r.ReturnURL,
		r.AllowedOrigin,
		string(r.Lang),
		key,
		given,
		string(j.State),
		int64(j.Attempt),
		j.Since,
		j.PublicToken,
		string(j.Status),
		string(j.Substatus),
		string(j.Error),
		int64(succeeded),
		seal("report", r.Body),
		reportAt,
		seal("analysis", r.Analysis),
		analysisAt,
		r.Decision.Kind,
		r.Decision.Number,
		decidedAt,
		strings.Join(r.Decision.Reasons, " "),
		int64(len(r.Timeline)),
		store.Micros(r.CreatedAt),
		store.Micros(r.UpdatedAt),
	)
	errs = append(errs, err)
	for n := 1; n <= max(j.Attempt, r.Report.Attempt); n++ {
		consumer, external := "", cmp.Or(r.ExternalID, r.ID)
		if n <= len(r.Consumers) {
			consumer = r.Consumers[n-1]
		}
		if n > 1 {
			external += fmt.Sprintf("~%d", n)
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO application_attempts (application_id,
			attempt, mode, external_id, consumer_id, token_until, opened,
				public_token, asked_at, created_at)
			VALUES ($1, $2, $3, $4, $5, 0, TRUE, '', 0, $6)`,
			r.ID, int64(n), string(cmp.Or(r.Mode, applications.Embedded)), external, consumer, store.Micros(r.CreatedAt))
		errs = append(errs, err)
	}
	for i, l := range r.Timeline {
		_, err := tx.ExecContext(ctx, `INSERT INTO application_timeline
				(application_id, key, seq, at, kind, attempt, status, substatus, error, from_state, to_state, reasons)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`,
			r.ID, fmt.Sprint("test/", i), l.Seq, store.Micros(l.At), l.Kind, int64(l.Attempt),
			string(l.Status), string(l.Substatus), string(l.Error),
			l.From, l.To, strings.Join(l.Reasons, " "))
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

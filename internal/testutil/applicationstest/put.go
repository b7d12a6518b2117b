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
	"vestibule/internal/testutil"
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
	testutil.Must(t, err)
	a, err := s.Get(t.Context(), db.SQL, r.ID)
	testutil.Must(t, err)
	return a
}

func put(ctx context.Context, tx *store.Tx, v *store.Vault, key string, r Row) error {
	var errs []error
	seal := func(table, column, row string, plain []byte) []byte {
		if plain == nil {
			return nil
		}
		sealed, err := v.Seal(ctx, tx, key, store.Cell{Table: table, Column: column, Row: row}, plain)
		errs = append(errs, err)
		return sealed
	}
	var given []byte
	if r.Applicant != nil {
		raw, err := json.Marshal(r.Applicant)
		errs = append(errs, err)
		given = seal("applications", "prefill", r.ID, raw)
	}
	j := r.Journey
	succeeded, reportAt, revisionAt := j.Succeeded, int64(0), int64(0)
	if r.Body != nil {
		succeeded, reportAt = r.Report.Attempt, store.Micros(r.Report.At)
		if r.Report.Revision > 0 {
			revisionAt = reportAt
		}
		analysisAt, row := reportAt, fmt.Sprintf("%s/%d/%d", r.ID, r.Report.Attempt, r.Report.Revision)
		if r.AnalysisPending {
			analysisAt = 0
		}
		const table = "application_report_revisions"
		errs = append(errs, insert(ctx, tx, table, map[string]any{"application_id": r.ID, "attempt": int64(r.Report.Attempt),
			"revision": int64(r.Report.Revision), "public_token": j.PublicToken, "report": seal(table, "report", row, r.Body),
			"fetched_at": reportAt, "revised_at": store.MicrosOrZero(r.Report.RevisedAt), "sealed_in": table,
			"analysis": seal(table, "analysis", row, r.Analysis), "analysis_at": analysisAt}))
	}
	decidedAt := int64(0)
	if r.Decision.Kind != "" {
		decidedAt = store.Micros(r.Decision.At)
	}
	if r.UpdatedAt.IsZero() {
		r.UpdatedAt = r.CreatedAt
	}
	errs = append(errs, insert(ctx, tx, "applications", map[string]any{
		"id": r.ID, "product": string(r.Product), "mode": string(cmp.Or(r.Mode, applications.Embedded)),
		"variant": string(cmp.Or(r.Variant, applications.ByToken)), "manual": false, "sandbox_report_id": "",
		"origin": cmp.Or(r.Origin, applications.FromWeb), "external_id": cmp.Or(r.ExternalID, r.ID), "user_args": r.UserArgs,
		"return_url": r.ReturnURL, "allowed_origin": r.AllowedOrigin, "lang": string(r.Lang), "data_key": key, "prefill": given,
		"state": string(j.State), "attempt": int64(j.Attempt), "since": j.Since, "public_token": j.PublicToken,
		"status": string(j.Status), "substatus": string(j.Substatus), "error": string(j.Error), "succeeded": int64(succeeded),
		"fetch_until": 0, "report_at": reportAt,
		"revision": int64(r.Report.Revision), "revision_at": revisionAt,
		"revised_at": store.MicrosOrZero(r.Report.RevisedAt), "decision_outdated": r.Decision.Outdated,
		"decision": r.Decision.Kind, "decisions": r.Decision.Number, "decided_at": decidedAt,
		"reasons": strings.Join(r.Decision.Reasons, " "), "version": int64(len(r.Timeline)),
		"created_at": store.Micros(r.CreatedAt), "updated_at": store.Micros(r.UpdatedAt)}))
	for n := 1; n <= max(j.Attempt, r.Report.Attempt); n++ {
		consumer, external := "", cmp.Or(r.ExternalID, r.ID)
		if n <= len(r.Consumers) {
			consumer = r.Consumers[n-1]
		}
		if n > 1 {
			external += fmt.Sprintf("~%d", n)
		}
		errs = append(errs, insert(ctx, tx, "application_attempts", map[string]any{"application_id": r.ID, "attempt": int64(n),
			"mode": string(cmp.Or(r.Mode, applications.Embedded)), "external_id": external, "consumer_id": consumer, "token_until": 0,
			"opened": true, "public_token": "", "hurried_at": 0, "created_at": store.Micros(r.CreatedAt)}))
	}
	for i, l := range r.Timeline {
		errs = append(errs, insert(ctx, tx, "application_timeline", map[string]any{"application_id": r.ID, "key": fmt.Sprint("test/", i),
			"seq": l.Seq, "at": store.Micros(l.At), "kind": l.Kind, "attempt": int64(l.Attempt), "status": string(l.Status),
			"substatus": string(l.Substatus), "error": string(l.Error), "from_state": l.From, "to_state": l.To,
			"reasons": strings.Join(l.Reasons, " ")}))
	}
	return errors.Join(errs...)
}

// insert adds a row by the names of its columns.
func insert(ctx context.Context, tx *store.Tx, table string, row map[string]any) error {
	var columns, values []string
	var args []any
	for column, value := range row {
		args = append(args, value)
		columns, values = append(columns, column), append(values, fmt.Sprintf("$%d", len(args)))
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO `+table+` (`+strings.Join(columns, ", ")+`) VALUES (`+strings.Join(values, ", ")+`)`, args...)
	return err
}

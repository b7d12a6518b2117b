-- +goose Up
-- A report that was stored in applications alone: by a version without application_report_revisions, while a newer one
-- already ran. The table has all of the others. The next version drops report, analysis, and analysis_at of
-- applications, and application_reports.
INSERT INTO application_report_revisions (application_id, attempt, revision, public_token, report, fetched_at, revised_at,
        analysis, analysis_at, sealed_in, available_until)
    SELECT id, succeeded, 0, public_token, report, report_at, 0, analysis, analysis_at, 'applications', 0
    FROM applications WHERE report IS NOT NULL AND NOT EXISTS (SELECT 1 FROM application_report_revisions r
        WHERE r.application_id = applications.id AND r.attempt = applications.succeeded);

-- The transactions of an analysis, compressed and encrypted; NULL if the analysis has them itself, as before this column.
ALTER TABLE application_report_revisions ADD COLUMN transactions BYTEA;

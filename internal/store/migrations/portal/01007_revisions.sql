-- +goose Up
-- Every report that the portal fetched, the newest too: one for each attempt, and one more for
-- each revision that the service made of it. report and analysis are encrypted under the
-- application's key. sealed_in is the table to whose name their encryption is bound.
CREATE TABLE application_report_revisions (
    application_id TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    revision       BIGINT NOT NULL, -- 0: as the service first made it
    public_token   TEXT   NOT NULL,
    report         BYTEA  NOT NULL,
    fetched_at     BIGINT NOT NULL,
    revised_at     BIGINT NOT NULL, -- when the service revised it; 0: never
    -- The file behind a cashflow report's figures. analysis_at is when the portal fetched it or
    -- learned that there is none; 0 before that.
    analysis       BYTEA,
    analysis_at    BIGINT NOT NULL,
    sealed_in      TEXT   NOT NULL,
    PRIMARY KEY (application_id, attempt, revision)
);

-- The table replaces application_reports, and report and analysis of applications. All of them
-- stay for one version, because replicas of the previous version still read and write them
-- while this one starts:
-- - Each report is written to applications.report too, so that those replicas can show it.
-- - Reports that those replicas store after this migration are read from applications.report,
--   and copied here before anything replaces them.
-- The next version copies again what is missing, and drops the table and the columns. Until
-- then the database holds each newest report twice.
INSERT INTO application_report_revisions (application_id, attempt, revision, public_token, report, fetched_at, revised_at,
        analysis, analysis_at, sealed_in)
    SELECT application_id, attempt, 0, public_token, report, report_at, 0, analysis, report_at, 'application_reports'
    FROM application_reports;
INSERT INTO application_report_revisions (application_id, attempt, revision, public_token, report, fetched_at, revised_at,
        analysis, analysis_at, sealed_in)
    SELECT id, succeeded, 0, public_token, report, report_at, 0, analysis, analysis_at, 'applications'
    FROM applications WHERE report IS NOT NULL
    ON CONFLICT (application_id, attempt, revision) DO NOTHING;

-- The revision of the newest report, when the service made it, and when the portal fetched it;
-- 0 for a report that was never revised. report_at stays the time of the attempt's first report.
ALTER TABLE applications ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN revised_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN revision_at BIGINT NOT NULL DEFAULT 0;
-- Whether the newest decision was made on an older revision, and no reviewer has confirmed it.
ALTER TABLE applications ADD COLUMN decision_outdated BOOLEAN NOT NULL DEFAULT FALSE;

-- The same of the newest report and decision, and whether the applicant gave what the newest
-- decision asked for.
ALTER TABLE review_index ADD COLUMN revised_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE review_index ADD COLUMN outdated BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE review_index ADD COLUMN answered BOOLEAN NOT NULL DEFAULT FALSE;
CREATE INDEX review_index_outdated ON review_index (outdated, created_at, application_id);

-- +goose Up
-- Earlier reports of an application whose reviewer asked for more, so that the applicant
-- began again. The newest report is in applications.
CREATE TABLE application_reports (
    application_id TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    public_token   TEXT   NOT NULL,
    report         BYTEA  NOT NULL, -- encrypted under the application's key, like analysis
    report_at      BIGINT NOT NULL,
    analysis       BYTEA,
    PRIMARY KEY (application_id, attempt)
);
-- The newest earlier report, while applications.report is empty.
ALTER TABLE applications ADD COLUMN earlier_attempt BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN earlier_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN earlier_token TEXT NOT NULL DEFAULT '';
-- The last attempt before the application was opened again. Results of this attempt and of
-- earlier ones change nothing.
ALTER TABLE applications ADD COLUMN closed_attempt BIGINT NOT NULL DEFAULT 0;

-- Emails about decisions, one for each decision, by its number. withheld says why an email
-- was not sent; failed_at is then set too, so that older versions do not send it.
ALTER TABLE application_letters ADD COLUMN decision BIGINT NOT NULL DEFAULT 0; -- 0 for a resume link
ALTER TABLE application_letters ADD COLUMN withheld TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX application_letters_decision ON application_letters (application_id, decision) WHERE decision > 0;

-- +goose Up
-- Reports that a later attempt of the same application is to replace: a reviewer asked
-- for more, and the applicant began again. The newest report stays in applications.
CREATE TABLE application_reports (
    application_id TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    public_token   TEXT   NOT NULL,
    report         BYTEA  NOT NULL, -- encrypted under the application's key, as is the next
    report_at      BIGINT NOT NULL,
    analysis       BYTEA,
    PRIMARY KEY (application_id, attempt)
);
-- The newest of them, while applications.report is empty.
ALTER TABLE applications ADD COLUMN earlier_attempt BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN earlier_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE applications ADD COLUMN earlier_token TEXT NOT NULL DEFAULT '';
-- The last attempt before the application was opened again: proofs of it and of those
-- before it move nothing.
ALTER TABLE applications ADD COLUMN closed_attempt BIGINT NOT NULL DEFAULT 0;

-- Emails that tell an applicant of a decision: one for each, by its number. Why one was
-- not sent stands in withheld, with failed_at, so that no older version sends it.
ALTER TABLE application_letters ADD COLUMN decision BIGINT NOT NULL DEFAULT 0; -- 0: a resume link
ALTER TABLE application_letters ADD COLUMN withheld TEXT NOT NULL DEFAULT '';
CREATE UNIQUE INDEX application_letters_decision ON application_letters (application_id, decision) WHERE decision > 0;

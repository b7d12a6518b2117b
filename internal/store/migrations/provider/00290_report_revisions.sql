-- +goose Up
-- How often users corrected a report. A correction is conditional on the count that it
-- read, so that one of two concurrent corrections succeeds.
ALTER TABLE reports ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;

-- The corrections of a report, from 1 on: who corrected it, why, and the body that it
-- replaced. reason and replaced are encrypted under the report's key_id. The rows are
-- deleted with the report's body.
CREATE TABLE report_revisions (
    public_token TEXT   NOT NULL REFERENCES report_data (public_token) ON DELETE CASCADE,
    revision     BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    staff_id     TEXT   NOT NULL,
    reason       BYTEA  NOT NULL,
    replaced     BYTEA  NOT NULL,
    PRIMARY KEY (public_token, revision)
);

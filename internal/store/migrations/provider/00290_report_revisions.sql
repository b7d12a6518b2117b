-- +goose Up
-- How often people corrected a report; each correction is conditional on the one
-- before, so that of two at once one is made.
ALTER TABLE reports ADD COLUMN revision BIGINT NOT NULL DEFAULT 0;

-- The corrections of a report, from 1 on: who made it, why, and the body that it
-- replaced. reason and replaced are sealed under the report's key_id. A row goes
-- with what else the report holds.
CREATE TABLE report_revisions (
    public_token TEXT   NOT NULL REFERENCES report_data (public_token) ON DELETE CASCADE,
    revision     BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    staff_id     TEXT   NOT NULL,
    reason       BYTEA  NOT NULL,
    replaced     BYTEA  NOT NULL,
    PRIMARY KEY (public_token, revision)
);

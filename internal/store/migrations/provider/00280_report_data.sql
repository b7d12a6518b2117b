-- +goose Up
-- What a report is made from and what was made, both sealed under the report's
-- key_id. They are large, and stand apart so that the rows of reports, which every
-- request reads, are small. created_at and held_at are the report's own, which never
-- change: what the sweep looks for. The row goes when the report is forgotten.
CREATE TABLE report_data (
    public_token TEXT   PRIMARY KEY REFERENCES reports (public_token) ON DELETE CASCADE,
    created_at   BIGINT NOT NULL,
    held_at      BIGINT,
    input        BYTEA,
    body         BYTEA
);
INSERT INTO report_data (public_token, created_at, held_at, input, body)
    SELECT public_token, created_at, held_at, input, body FROM reports WHERE input IS NOT NULL OR body IS NOT NULL;

DROP INDEX reports_inputs;
DROP INDEX reports_secondary;
ALTER TABLE reports DROP COLUMN input;
ALTER TABLE reports DROP COLUMN body;
CREATE INDEX report_data_created ON report_data (created_at);
CREATE INDEX report_data_inputs  ON report_data (created_at) WHERE input IS NOT NULL;
CREATE INDEX report_data_held    ON report_data (held_at) WHERE input IS NOT NULL AND held_at IS NOT NULL;

-- +goose Up
-- The input and the body of a report, encrypted under the report's key_id. They are in a
-- table of their own because they are large and every request reads the rows of reports.
-- created_at and held_at are the report's, which never change; the retention job reads
-- them. Deleting the report's body deletes the row.
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

-- +goose Up
-- Corrections that were made in a report after a dispute, for later reports about the consumer. made
-- is encrypted under key_id, the consumer's data key.
CREATE TABLE consumer_corrections (
    public_token TEXT   NOT NULL,
    revision     BIGINT NOT NULL,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    consumer_id  TEXT   NOT NULL REFERENCES consumers (id) ON DELETE CASCADE,
    key_id       TEXT   NOT NULL,
    at           BIGINT NOT NULL,
    made         BYTEA  NOT NULL,
    PRIMARY KEY (public_token, revision)
);
CREATE INDEX consumer_corrections_consumer ON consumer_corrections (consumer_id, at);

-- Whether a dispute about a passport was passed to its bureau: waiting, passed, unsupported, failed; empty:
-- a report of another kind, or of an earlier version. receipt is the bureau's answer, encrypted under key_id.
ALTER TABLE disputes ADD COLUMN passing TEXT NOT NULL DEFAULT '';
ALTER TABLE disputes ADD COLUMN passed_at BIGINT;
ALTER TABLE disputes ADD COLUMN receipt BYTEA;

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

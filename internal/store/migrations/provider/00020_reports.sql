-- +goose Up
-- A report and the input that it is computed from. input and body are encrypted under
-- key_id, the consumer's data key.
CREATE TABLE reports (
    public_token TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    product_id   TEXT   NOT NULL REFERENCES products (id),
    kind         TEXT   NOT NULL,
    external_id  TEXT,
    user_args    TEXT,
    consumer_id  TEXT   REFERENCES consumers (id),
    key_id       TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    substatus    TEXT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    retrieved_at BIGINT,
    input        BYTEA,
    body         BYTEA,
    UNIQUE (customer_id, external_id)
);
CREATE INDEX reports_consumer ON reports (consumer_id);

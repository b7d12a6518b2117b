-- +goose Up
-- The address that receives a customer's webhooks. Answering 410 disables it.
CREATE TABLE callbacks (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL UNIQUE REFERENCES customers (id),
    url         TEXT   NOT NULL,
    disabled_at BIGINT,
    created_at  BIGINT NOT NULL
);

-- Secrets that sign a callback's webhooks, encrypted under the system key. All secrets that
-- have not expired sign, so that a receiver can change from one to the next.
CREATE TABLE callback_secrets (
    id          TEXT   PRIMARY KEY,
    callback_id TEXT   NOT NULL REFERENCES callbacks (id),
    sealed      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT
);
CREATE INDEX callback_secrets_callback ON callback_secrets (callback_id);

-- Webhook events: one row for each change of a report's status, written in the transaction
-- that changes it. The customer's own ids are read from the report when the event is sent.
CREATE TABLE events (
    id           TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    public_token TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    substatus    TEXT,
    created_at   BIGINT NOT NULL
);
CREATE INDEX events_report ON events (public_token);

-- The delivery of an event to a callback. state is pending, delivered, disabled or given
-- up. attempts counts the requests sent.
CREATE TABLE deliveries (
    id          TEXT   PRIMARY KEY,
    event_id    TEXT   NOT NULL REFERENCES events (id),
    callback_id TEXT   NOT NULL REFERENCES callbacks (id),
    state       TEXT   NOT NULL,
    attempts    BIGINT NOT NULL DEFAULT 0,
    last_http   BIGINT,
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL
);
CREATE INDEX deliveries_event ON deliveries (event_id);

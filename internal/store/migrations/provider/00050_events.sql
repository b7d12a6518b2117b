-- +goose Up
-- Where a customer's events go. A callback that answered 410 is disabled.
CREATE TABLE callbacks (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL UNIQUE REFERENCES customers (id),
    url         TEXT   NOT NULL,
    disabled_at BIGINT,
    created_at  BIGINT NOT NULL
);

-- Secrets that sign a callback's events, sealed under the system key. All that
-- have not expired sign, so that a receiver can change from one to the other.
CREATE TABLE callback_secrets (
    id          TEXT   PRIMARY KEY,
    callback_id TEXT   NOT NULL REFERENCES callbacks (id),
    sealed      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT
);
CREATE INDEX callback_secrets_callback ON callback_secrets (callback_id);

-- The outbox: one row for each change of a report's status, written in the
-- transaction that changes it. What the customer called the report is read from
-- the report when the event is sent.
CREATE TABLE events (
    id           TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    public_token TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    substatus    TEXT,
    created_at   BIGINT NOT NULL
);
CREATE INDEX events_report ON events (public_token);

-- An event on its way to a callback. state is pending, delivered, disabled or
-- given up; attempts counts those that were made.
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

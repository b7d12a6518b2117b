-- +goose Up
-- Webhook events for the onboarding app: one row for each change of an application's state,
-- written in the transaction that changes it, if a webhook address is configured. seq is
-- that of the application's timeline.
CREATE TABLE app_events (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    seq            BIGINT NOT NULL,
    type           TEXT   NOT NULL,
    body           BYTEA  NOT NULL, -- encrypted under the application's data key
    resends        BIGINT NOT NULL,
    created_at     BIGINT NOT NULL,
    UNIQUE (application_id, seq)
);
CREATE INDEX app_events_by_age ON app_events (created_at);

-- The delivery of an event. state is pending, delivered, disabled or given up. attempts
-- counts the requests sent.
CREATE TABLE app_deliveries (
    id         TEXT   PRIMARY KEY,
    event_id   TEXT   NOT NULL,
    state      TEXT   NOT NULL,
    attempts   BIGINT NOT NULL,
    last_http  BIGINT NOT NULL, -- 0 before an answer
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX app_deliveries_newest ON app_deliveries (created_at, id);
CREATE INDEX app_deliveries_state ON app_deliveries (state, created_at);
CREATE INDEX app_deliveries_event ON app_deliveries (event_id);

CREATE TABLE app_delivery_attempts (
    delivery_id TEXT   NOT NULL,
    attempt     BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    http        BIGINT NOT NULL,
    took_ms     BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
);

-- Webhook addresses that answered 410. They receive nothing until a user enables them
-- again.
CREATE TABLE app_stops (
    url_hash BYTEA  PRIMARY KEY, -- SHA-256
    at       BIGINT NOT NULL
);

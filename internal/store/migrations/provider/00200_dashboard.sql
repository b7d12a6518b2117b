-- +goose Up
-- Users of a customer, who sign in to the dashboard.
CREATE TABLE staff (
    id            TEXT   PRIMARY KEY,
    customer_id   TEXT   NOT NULL REFERENCES customers (id),
    email_hash    BYTEA  NOT NULL UNIQUE, -- SHA-256 of the address in lower case
    email_sealed  BYTEA  NOT NULL,
    password_hash TEXT   NOT NULL, -- argon2id in PHC string format
    created_at    BIGINT NOT NULL
);
CREATE INDEX staff_customer ON staff (customer_id);

-- Keys that sign the session cookie, and sessions, as in the portal's database.
CREATE TABLE session_keys (
    id         TEXT   PRIMARY KEY,
    sealed     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE sessions (
    id           TEXT   PRIMARY KEY,
    secret_hash  BYTEA  NOT NULL UNIQUE,
    principal    TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- Attempts to sign in within a window, by address and by network.
CREATE TABLE sign_in_tries (
    key   BYTEA  PRIMARY KEY, -- SHA-256 of the address, alone or with the network
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- A message for the next page of a session, and the secret that it shows once. Reading it
-- deletes it.
CREATE TABLE dashboard_notices (
    session_id TEXT   PRIMARY KEY,
    said       TEXT   NOT NULL,
    sealed     BYTEA, -- the secret, encrypted; null for none
    expires_at BIGINT NOT NULL
);

-- The audit trail: who changed what, written in the transaction that makes the change.
-- Users and objects are ids, detail is a fixed word: nothing is personal or secret.
CREATE TABLE audit (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    staff_id    TEXT   NOT NULL,
    at          BIGINT NOT NULL,
    action      TEXT   NOT NULL,
    object      TEXT   NOT NULL,
    detail      TEXT   NOT NULL,
    request_id  TEXT   NOT NULL
);
CREATE INDEX audit_customer ON audit (customer_id, at, id);

-- The statuses that a callback is notified of; empty for all.
ALTER TABLE callbacks ADD COLUMN statuses TEXT NOT NULL DEFAULT '';

-- How often a user sent an event again. Each resend is conditional on the count that it
-- read, so that a form posted twice sends once.
ALTER TABLE events ADD COLUMN resends BIGINT NOT NULL DEFAULT 0;
CREATE INDEX events_customer ON events (customer_id, created_at, id);

-- The body of the first attempt, encrypted under the report's data key.
ALTER TABLE deliveries ADD COLUMN body BYTEA;
CREATE INDEX deliveries_newest ON deliveries (callback_id, created_at, id);

-- An attempt of a delivery. error is a class of errors, empty if the receiver answered.
CREATE TABLE delivery_attempts (
    delivery_id TEXT   NOT NULL REFERENCES deliveries (id),
    attempt     BIGINT NOT NULL, -- from 1
    at          BIGINT NOT NULL,
    http        BIGINT NOT NULL, -- 0 for no answer
    took_ms     BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
);

-- For the list of a customer's reports, newest first.
CREATE INDEX reports_customer ON reports (customer_id, created_at, public_token);

-- +goose Up
-- The customer's people, who sign in to the dashboard.
CREATE TABLE staff (
    id            TEXT   PRIMARY KEY,
    customer_id   TEXT   NOT NULL REFERENCES customers (id),
    email_hash    BYTEA  NOT NULL UNIQUE, -- SHA-256 of the address in lower case
    email_sealed  BYTEA  NOT NULL,
    password_hash TEXT   NOT NULL, -- argon2id, in its usual written form
    created_at    BIGINT NOT NULL
);
CREATE INDEX staff_customer ON staff (customer_id);

-- Keys that sign the session cookie, and the browsers it was given to. As in the
-- portal's database, of which this one knows nothing.
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

-- Tries to sign in, by whom and from where, within a window.
CREATE TABLE sign_in_tries (
    key   BYTEA  PRIMARY KEY, -- SHA-256 of the address, alone or with the place it came from
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- What the next page of a session says once: what was done, and a secret that
-- was made by it. Reading it takes it.
CREATE TABLE dashboard_notices (
    session_id TEXT   PRIMARY KEY,
    said       TEXT   NOT NULL,
    sealed     BYTEA, -- the secret; null for none
    expires_at BIGINT NOT NULL
);

-- Who changed what, written by the transaction that changed it. Nothing in it is
-- personal or secret: staff and objects are ids, detail is a word of the
-- dashboard's own.
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

-- Which statuses a callback is told of; empty is all.
ALTER TABLE callbacks ADD COLUMN statuses TEXT NOT NULL DEFAULT '';

-- How often an event was sent again by hand; each is conditional on the one
-- before, so that a form that is posted twice sends once.
ALTER TABLE events ADD COLUMN resends BIGINT NOT NULL DEFAULT 0;
CREATE INDEX events_customer ON events (customer_id, created_at, id);

-- The body as it was sent first, sealed under the report's data key.
ALTER TABLE deliveries ADD COLUMN body BYTEA;
CREATE INDEX deliveries_newest ON deliveries (callback_id, created_at, id);

-- An attempt at a delivery. error is a class, empty where there was an answer.
CREATE TABLE delivery_attempts (
    delivery_id TEXT   NOT NULL REFERENCES deliveries (id),
    attempt     BIGINT NOT NULL, -- from 1
    at          BIGINT NOT NULL,
    http        BIGINT NOT NULL, -- 0: no answer
    took_ms     BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    PRIMARY KEY (delivery_id, attempt)
);

-- For the list of a customer's reports, newest first.
CREATE INDEX reports_customer ON reports (customer_id, created_at, public_token);

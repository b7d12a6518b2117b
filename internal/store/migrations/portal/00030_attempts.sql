-- +goose Up
-- An attempt to verify an application by secure redirect. It is found by the hash of the
-- redirectArgs that it sent. One conditional UPDATE consumes it (landed_at). args is the
-- caller's part of redirectArgs, encrypted.
CREATE TABLE attempts (
    id             TEXT   PRIMARY KEY,
    reference_hash BYTEA  NOT NULL UNIQUE,
    application    TEXT   NOT NULL,
    number         BIGINT NOT NULL,
    browser_hash   BYTEA  NOT NULL,
    args           BYTEA  NOT NULL,
    started_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    landed_at      BIGINT NOT NULL,
    outcome        TEXT   NOT NULL,
    status         TEXT   NOT NULL,
    error          TEXT   NOT NULL,
    public_token   TEXT   UNIQUE
);
CREATE INDEX attempts_open ON attempts (landed_at, expires_at);

-- A verified outcome that arrived by cross-site POST and waits until the browser returns
-- with its cookie.
CREATE TABLE parked_outcomes (
    handle_hash  BYTEA  PRIMARY KEY,
    attempt_id   TEXT   NOT NULL,
    outcome      TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    error        TEXT   NOT NULL,
    public_token TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX parked_outcomes_attempt ON parked_outcomes (attempt_id);
CREATE INDEX parked_outcomes_expiry ON parked_outcomes (expires_at);

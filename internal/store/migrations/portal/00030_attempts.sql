-- +goose Up
-- One try of one application to be verified by secure redirect. It is found by
-- the redirectArgs that it sent, of which only the hash is here, and landed once,
-- by one conditional UPDATE. Args are the caller's own part of them, sealed.
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

-- An outcome that came by cross-site POST, verified, waiting for the browser to
-- come back for it with its cookie.
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

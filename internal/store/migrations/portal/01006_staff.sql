-- +goose Up
-- Whether email_hash is keyed. The next start converts rows of earlier versions.
ALTER TABLE users ADD COLUMN email_keyed BOOLEAN NOT NULL DEFAULT FALSE;

-- Second factors of users: codes by time (RFC 6238).
CREATE TABLE second_factors (
    user_id       TEXT   PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret_sealed BYTEA  NOT NULL,
    last_period   BIGINT NOT NULL, -- of the last code that was used: this and earlier ones are used up
    created_at    BIGINT NOT NULL
);

-- Unused recovery codes, which replace a code once.
CREATE TABLE recovery_codes (
    hash    BYTEA PRIMARY KEY, -- keyed
    user_id TEXT  NOT NULL REFERENCES users (id) ON DELETE CASCADE
);
CREATE INDEX recovery_codes_user ON recovery_codes (user_id);

-- Sessions of users who signed in at the OpenID Connect issuer, and when it last confirmed them.
CREATE TABLE issuer_sessions (
    session_id     TEXT   PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    refresh_sealed BYTEA, -- null without a refresh token
    checked_at     BIGINT NOT NULL,
    tried_at       BIGINT NOT NULL -- when a check began
);

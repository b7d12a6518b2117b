-- +goose Up
-- Keys that sign the session cookie. The newest signs; older ones verify until
-- the longest session signed with them has ended.
CREATE TABLE session_keys (
    id         TEXT   PRIMARY KEY,
    sealed     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);

-- A browser. The id stays, and other tables refer to it; the secret in the
-- cookie, of which only the hash is here, is replaced at each renewal.
CREATE TABLE sessions (
    id           TEXT   PRIMARY KEY,
    secret_hash  BYTEA  NOT NULL UNIQUE,
    principal    TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

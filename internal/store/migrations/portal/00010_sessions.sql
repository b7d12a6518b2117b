-- +goose Up
-- Keys that sign the session cookie. The newest key signs. Older keys verify until the
-- longest session that they signed has ended.
CREATE TABLE session_keys (
    id         TEXT   PRIMARY KEY,
    sealed     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);

-- A browser's session. Other tables refer to its id, which stays the same. The cookie holds
-- a secret, stored here as a hash, that each renewal replaces.
CREATE TABLE sessions (
    id           TEXT   PRIMARY KEY,
    secret_hash  BYTEA  NOT NULL UNIQUE,
    principal    TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- +goose Up
-- Authorizations at institutions, and the access that they gave.
CREATE TABLE source_authorizations (
    state_hash   BYTEA PRIMARY KEY,   -- SHA-256 of the state parameter
    browser_hash BYTEA  NOT NULL,     -- SHA-256 of the secret in the browser's cookie
    visit_id     TEXT   NOT NULL,
    environment  TEXT   NOT NULL,
    institution  TEXT   NOT NULL,
    key_id       TEXT   NOT NULL,
    pending      BYTEA  NOT NULL,     -- encrypted: what completes the authorization
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    used_at      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX source_authorizations_expiry ON source_authorizations (expires_at);
CREATE INDEX source_authorizations_visit ON source_authorizations (visit_id);

CREATE TABLE source_connections (
    id           TEXT PRIMARY KEY,
    public_token TEXT   NOT NULL,     -- of the report that the access was given for
    customer_id  TEXT   NOT NULL,
    consumer_id  TEXT   NOT NULL,
    environment  TEXT   NOT NULL,
    institution  TEXT   NOT NULL,
    key_id       TEXT   NOT NULL,
    access       BYTEA,               -- encrypted; NULL after the access ended
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0 -- one fetch at a time uses the access
);
CREATE INDEX source_connections_report ON source_connections (public_token);
CREATE INDEX source_connections_consumer ON source_connections (consumer_id);
CREATE INDEX source_connections_expiry ON source_connections (ended_at, expires_at);

-- What was done with each connection, without personal data.
CREATE TABLE source_events (
    connection_id TEXT   NOT NULL,
    seq           BIGINT NOT NULL,
    at            BIGINT NOT NULL,
    kind          TEXT   NOT NULL,    -- authorized, fetched, failed, renewed, ended, revoked
    reason        TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (connection_id, seq)
);

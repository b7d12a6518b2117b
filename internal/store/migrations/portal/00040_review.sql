-- +goose Up
-- Those who may look at applications and reports.
CREATE TABLE reviewers (
    id            TEXT PRIMARY KEY,
    email_hash    BYTEA NOT NULL UNIQUE, -- SHA-256 of the address in lower case
    email_sealed  BYTEA NOT NULL,
    password_hash TEXT NOT NULL, -- argon2id, in its usual written form
    created_at    BIGINT NOT NULL
);

-- Tries to sign in, by whom and from where, within a window.
CREATE TABLE sign_in_tries (
    key   BYTEA PRIMARY KEY, -- SHA-256 of the address, alone or with the place it came from
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- Who looked at which report, and took it away.
CREATE TABLE report_views (
    id             TEXT PRIMARY KEY,
    reviewer_id    TEXT NOT NULL,
    application_id TEXT NOT NULL,
    action         TEXT NOT NULL, -- viewed, downloaded
    request_id     TEXT NOT NULL,
    at             BIGINT NOT NULL
);
CREATE INDEX report_views_by_application ON report_views (application_id, at);

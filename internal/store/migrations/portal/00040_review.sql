-- +goose Up
-- Users of the review dashboard.
CREATE TABLE reviewers (
    id            TEXT PRIMARY KEY,
    email_hash    BYTEA NOT NULL UNIQUE, -- SHA-256 of the address in lower case
    email_sealed  BYTEA NOT NULL,
    password_hash TEXT NOT NULL, -- argon2id in PHC string format
    created_at    BIGINT NOT NULL
);

-- Attempts to sign in within a window, by address and by network.
CREATE TABLE sign_in_tries (
    key   BYTEA PRIMARY KEY, -- SHA-256 of the address, alone or with the network
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- Who viewed or downloaded which report.
CREATE TABLE report_views (
    id             TEXT PRIMARY KEY,
    reviewer_id    TEXT NOT NULL,
    application_id TEXT NOT NULL,
    action         TEXT NOT NULL, -- viewed, downloaded
    request_id     TEXT NOT NULL,
    at             BIGINT NOT NULL
);
CREATE INDEX report_views_by_application ON report_views (application_id, at);

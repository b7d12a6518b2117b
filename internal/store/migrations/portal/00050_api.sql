-- +goose Up
-- An embed token: it admits one browser to an application that an onboarding app created.
-- Stored as SHA-256.
CREATE TABLE embed_grants (
    hash           BYTEA PRIMARY KEY,
    application_id TEXT NOT NULL,
    session_id     TEXT, -- the browser that used it; null before
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL
);
CREATE INDEX embed_grants_by_expiry ON embed_grants (expires_at);

-- Requests that an onboarding app can repeat under the same Idempotency-Key.
CREATE TABLE api_requests (
    hash           BYTEA PRIMARY KEY, -- of the API key and the Idempotency-Key
    request_hash   BYTEA NOT NULL,    -- of the body, keyed with the API key
    application_id TEXT NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX api_requests_by_age ON api_requests (created_at);

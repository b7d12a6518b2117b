-- +goose Up
-- The sandbox's FDX bank. Its secrets are stored as SHA-256 alone.

-- Authorization requests, from the push or the first page to the consent.
CREATE TABLE fdx_bank_requests (
    id_hash      BYTEA PRIMARY KEY,   -- of the request_uri, then of the id in the page's address
    browser_hash BYTEA,               -- of the secret in the browser's cookie; null: pushed, and not yet opened
    institution  TEXT   NOT NULL,
    client_id    TEXT   NOT NULL,
    parameters   TEXT   NOT NULL,     -- the client's, as JSON
    step         TEXT   NOT NULL,     -- pushed, sign-in, code, accounts, consent, refused, done
    username     TEXT   NOT NULL DEFAULT '',
    tries        BIGINT NOT NULL DEFAULT 0,  -- wrong passwords or codes at this step
    accounts     TEXT   NOT NULL DEFAULT '', -- chosen, as JSON
    expires_at   BIGINT NOT NULL
);
CREATE INDEX fdx_bank_requests_expiry ON fdx_bank_requests (expires_at);

-- Consents, each with the one code that was issued for it.
CREATE TABLE fdx_bank_consents (
    id              TEXT PRIMARY KEY,
    institution     TEXT   NOT NULL,
    client_id       TEXT   NOT NULL,
    username        TEXT   NOT NULL,
    accounts        TEXT   NOT NULL,  -- as JSON
    parameters      TEXT   NOT NULL,  -- of the request, as JSON
    code_hash       BYTEA  NOT NULL UNIQUE,
    code_expires_at BIGINT NOT NULL,
    code_used_at    BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    revoked_at      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX fdx_bank_consents_expiry ON fdx_bank_consents (expires_at);

CREATE TABLE fdx_bank_tokens (
    token_hash BYTEA PRIMARY KEY,
    consent_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL,       -- access, refresh
    scope      TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL DEFAULT 0 -- of a refresh token: when it was exchanged
);
CREATE INDEX fdx_bank_tokens_expiry ON fdx_bank_tokens (expires_at);

-- Client assertions that were used.
CREATE TABLE fdx_bank_assertions (
    jti_hash   BYTEA PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX fdx_bank_assertions_expiry ON fdx_bank_assertions (expires_at);

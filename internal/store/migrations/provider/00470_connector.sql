-- +goose Up
-- Authorizations at the sandbox's payroll providers, from the request of the provider's
-- connector to the end of the access. Secrets are stored as SHA-256 alone.
CREATE TABLE connector_authorizations (
    authorization_hash BYTEA PRIMARY KEY, -- of what completes it
    page_hash    BYTEA  NOT NULL UNIQUE,  -- of the id in the page's address
    browser_hash BYTEA,                   -- of the secret in the browser's cookie; null: not yet opened
    institution  TEXT   NOT NULL,
    redirect_uri TEXT   NOT NULL,
    state        TEXT   NOT NULL,         -- the client's
    language     TEXT   NOT NULL,
    step         TEXT   NOT NULL,         -- sign-in, code, consent, refused, done, agreed, granted
    username     TEXT   NOT NULL DEFAULT '',
    tries        BIGINT NOT NULL DEFAULT 0, -- wrong passwords or codes at this step
    code_hash    BYTEA,                   -- of the code of the redirect; null before the consent
    access_hash  BYTEA  UNIQUE,           -- of the access; null before the code was exchanged
    expires_at   BIGINT NOT NULL          -- of the pages, then of the code, then of the access
);
CREATE INDEX connector_authorizations_expiry ON connector_authorizations (expires_at);

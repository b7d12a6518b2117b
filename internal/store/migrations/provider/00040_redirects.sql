-- +goose Up

-- A secure redirect: a visit to the hosted page that returns to the customer's complete
-- URL.
CREATE TABLE redirects (
    id            TEXT PRIMARY KEY,
    visit_id      TEXT NOT NULL UNIQUE,
    customer_id   TEXT NOT NULL,
    handle_hash   BYTEA NOT NULL UNIQUE, -- of the handle in redirectUrl
    token_hash    BYTEA NOT NULL UNIQUE, -- of redirectToken
    form_only     BOOLEAN NOT NULL,      -- whether only a POST of the token opens it, not the address alone
    complete_url  TEXT NOT NULL,         -- the requested one, or the static one at that time
    redirect_args BYTEA NOT NULL,        -- encrypted; the customer's text, which may be personal
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);

-- +goose Up

-- A secure redirect: the way to a visit on the hosted page, and back.
CREATE TABLE redirects (
    id            TEXT PRIMARY KEY,
    visit_id      TEXT NOT NULL UNIQUE,
    customer_id   TEXT NOT NULL,
    handle_hash   BYTEA NOT NULL UNIQUE, -- of the handle in redirectUrl
    token_hash    BYTEA NOT NULL UNIQUE, -- of redirectToken
    form_only     BOOLEAN NOT NULL,      -- opened by posting the token, not by the address alone
    complete_url  TEXT NOT NULL,         -- as asked for, or the static one at that time
    redirect_args BYTEA NOT NULL,        -- sealed: the customer's text, which may be personal
    created_at    BIGINT NOT NULL,
    expires_at    BIGINT NOT NULL
);

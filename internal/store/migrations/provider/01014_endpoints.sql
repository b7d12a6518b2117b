-- +goose Up
-- Endpoints of a customer's webhooks beside the first, which is the customer's row in
-- callbacks: earlier versions know that one alone. The columns are those of callbacks.
CREATE TABLE further_callbacks (
    id          TEXT   PRIMARY KEY,
    first_id    TEXT   NOT NULL REFERENCES callbacks (id),
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    url         TEXT   NOT NULL,
    disabled_at BIGINT,
    created_at  BIGINT NOT NULL,
    statuses    TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX further_callbacks_customer ON further_callbacks (customer_id, created_at);

-- Their secrets, with the columns of callback_secrets.
CREATE TABLE further_callback_secrets (
    id          TEXT   PRIMARY KEY,
    callback_id TEXT   NOT NULL REFERENCES further_callbacks (id) ON DELETE CASCADE,
    sealed      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT
);
CREATE INDEX further_callback_secrets_callback ON further_callback_secrets (callback_id);

CREATE VIEW all_callbacks AS
    SELECT id, id AS first_id, '' AS further_id, customer_id, url, disabled_at, created_at, statuses FROM callbacks
    UNION ALL
    SELECT id, first_id, id, customer_id, url, disabled_at, created_at, statuses FROM further_callbacks;

-- The further endpoint that a delivery goes to; empty for the first, which callback_id names.
-- It may be removed.
ALTER TABLE deliveries ADD COLUMN further_id TEXT NOT NULL DEFAULT '';

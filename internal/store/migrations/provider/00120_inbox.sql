-- +goose Up
-- Webhooks that the sandbox's third party received, shown to its operator: one row for each
-- event.
CREATE TABLE sandbox_inbox (
    event_id    TEXT   PRIMARY KEY,
    received_at BIGINT NOT NULL, -- the first time
    times       BIGINT NOT NULL,
    event       TEXT   NOT NULL  -- JSON; contains sharing tokens, no personal data
);

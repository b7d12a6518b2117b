-- +goose Up
-- Webhooks that the generated third party has received, for its operator to see:
-- one row an event, however often it came.
CREATE TABLE sandbox_inbox (
    event_id    TEXT   PRIMARY KEY,
    received_at BIGINT NOT NULL, -- the first time
    times       BIGINT NOT NULL,
    event       TEXT   NOT NULL  -- JSON; names relay tokens, and nothing of the consumer
);

-- +goose Up
-- The HTML of an email, encrypted like its text. Null: without one, or deleted.
ALTER TABLE outbox ADD COLUMN html BYTEA;

-- The language in which a consumer last agreed to a visit. Empty: unknown.
ALTER TABLE consumers ADD COLUMN lang TEXT NOT NULL DEFAULT '';

-- +goose Up
-- The employers that a visit verifies, as they were stated when it began, encrypted under
-- the consumer's key; null for none.
ALTER TABLE visits ADD COLUMN stated BYTEA;

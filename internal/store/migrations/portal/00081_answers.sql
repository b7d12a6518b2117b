-- +goose Up
-- The answer to a request with an Idempotency-Key, encrypted under the system key because
-- it contains an embed token.
ALTER TABLE api_requests ADD COLUMN answer BYTEA;

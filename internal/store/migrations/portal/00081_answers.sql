-- +goose Up
-- What a request under an Idempotency-Key was answered, sealed under the system
-- key, since it lets a browser in.
ALTER TABLE api_requests ADD COLUMN answer BYTEA;

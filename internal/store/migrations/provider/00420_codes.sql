-- +goose Up
-- Wrong one-time codes of a visit so far, the number of codes sent for its current sign-in,
-- and when the last code was sent, in microseconds.
ALTER TABLE visits ADD COLUMN code_tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN codes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN code_sent_at BIGINT NOT NULL DEFAULT 0;

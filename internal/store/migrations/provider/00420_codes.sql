-- +goose Up
-- Wrong one-time codes of a visit so far, the codes that were sent for its present
-- sign-in, and when the last of them was, in microseconds.
ALTER TABLE visits ADD COLUMN code_tries BIGINT NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN codes BIGINT NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN code_sent_at BIGINT NOT NULL DEFAULT 0;

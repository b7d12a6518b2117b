-- +goose Up
-- A report that was made from the data of another one of the customer's, and
-- since when the service holds those data; both null for all others.
ALTER TABLE reports ADD COLUMN source_token TEXT REFERENCES reports (public_token);
ALTER TABLE reports ADD COLUMN held_at      BIGINT;

-- What the sweep looks for: nothing is made from what a secondary report has.
CREATE INDEX reports_secondary ON reports (held_at) WHERE input IS NOT NULL AND held_at IS NOT NULL;

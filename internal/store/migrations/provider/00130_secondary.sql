-- +goose Up
-- A report made from the data of another report of the same customer: that report's token,
-- and since when the service holds the data. Both are null for other reports.
ALTER TABLE reports ADD COLUMN source_token TEXT REFERENCES reports (public_token);
ALTER TABLE reports ADD COLUMN held_at      BIGINT;

-- For the retention job. No report is made from the input of a secondary report.
CREATE INDEX reports_secondary ON reports (held_at) WHERE input IS NOT NULL AND held_at IS NOT NULL;

-- +goose Up
-- What stands behind a cashflow report's figures: a file of the report, sealed
-- beside it. analysis_at is when it was settled, with the file or without one; 0
-- while it is owed.
ALTER TABLE applications ADD COLUMN analysis BYTEA;
ALTER TABLE applications ADD COLUMN analysis_at BIGINT NOT NULL DEFAULT 0;

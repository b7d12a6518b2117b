-- +goose Up
-- The analysis behind a cashflow report's figures: a file of the report, encrypted beside
-- it. analysis_at is when the portal fetched the file or learned that the report has none;
-- 0 before that.
ALTER TABLE applications ADD COLUMN analysis BYTEA;
ALTER TABLE applications ADD COLUMN analysis_at BIGINT NOT NULL DEFAULT 0;

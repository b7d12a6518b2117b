-- +goose Up
-- When the service stops giving the report out, as it said with the report; 0: unknown.
ALTER TABLE application_report_revisions ADD COLUMN available_until BIGINT NOT NULL DEFAULT 0;

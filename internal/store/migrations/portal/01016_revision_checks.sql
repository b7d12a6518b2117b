-- +goose Up
-- The ETag that a report came with, and when to ask the service next whether it was corrected;
-- 0: never.
ALTER TABLE application_report_revisions ADD COLUMN etag TEXT NOT NULL DEFAULT '';
ALTER TABLE application_report_revisions ADD COLUMN check_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX application_report_revisions_check ON application_report_revisions (check_at) WHERE check_at > 0;

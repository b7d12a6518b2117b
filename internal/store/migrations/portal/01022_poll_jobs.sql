-- +goose Up
-- The job that polls for the attempt's status, which is deleted once the report has arrived. 0: a replica of the version
-- before began the attempt, and the job ends by itself.
ALTER TABLE application_attempts ADD COLUMN poll_job BIGINT NOT NULL DEFAULT 0;

-- +goose Up
-- When a report's body was deleted because of its age. The report cannot be read from then
-- on, even if the sandbox's clock goes back.
ALTER TABLE reports ADD COLUMN forgotten_at BIGINT;

-- For the retention job.
CREATE INDEX reports_inputs   ON reports (created_at) WHERE input IS NOT NULL;
CREATE INDEX reports_readable ON reports (created_at) WHERE forgotten_at IS NULL;

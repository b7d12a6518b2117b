-- +goose Up
-- When a report's body was deleted for its age; from then on nobody reads the
-- report, wherever the clock stands.
ALTER TABLE reports ADD COLUMN forgotten_at BIGINT;

-- What the sweep looks for.
CREATE INDEX reports_inputs   ON reports (created_at) WHERE input IS NOT NULL;
CREATE INDEX reports_readable ON reports (created_at) WHERE forgotten_at IS NULL;

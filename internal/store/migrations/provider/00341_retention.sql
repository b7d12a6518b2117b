-- +goose Up
-- For the retention jobs.
CREATE INDEX visits_ended  ON visits (ended_at) WHERE ended_at > 0;
CREATE INDEX events_age    ON events (created_at);
CREATE INDEX audit_age     ON audit (at);
CREATE INDEX reports_key   ON reports (key_id) WHERE forgotten_at IS NULL;
CREATE INDEX consumers_key ON consumers (key_id);

-- When a consumer's details and data key were destroyed, because no request can need them
-- any more. The row remains as the record of a withdrawn consent.
ALTER TABLE consumers ADD COLUMN erased_at BIGINT;
CREATE INDEX consumers_idle ON consumers (updated_at) WHERE erased_at IS NULL AND (external_id IS NULL OR withdrawn_at IS NOT NULL);

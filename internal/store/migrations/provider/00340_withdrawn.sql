-- +goose Up
-- The visits that wait for a consumer, which end when it withdraws consent.
CREATE INDEX visits_consumer ON visits (consumer_id) WHERE ended_at = 0;

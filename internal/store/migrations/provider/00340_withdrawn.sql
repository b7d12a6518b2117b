-- +goose Up
-- For the visits in progress of a consumer, which end when the consumer withdraws consent.
CREATE INDEX visits_consumer ON visits (consumer_id) WHERE ended_at = 0;

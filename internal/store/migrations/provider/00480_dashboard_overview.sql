-- +goose Up
-- For the visits of a customer since a given time, on the dashboard's overview and its
-- lists.
CREATE INDEX visits_customer ON visits (customer_id, created_at);

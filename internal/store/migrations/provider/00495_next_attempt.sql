-- +goose Up
-- When the next attempt of a pending delivery is due; 0 before the first attempt.
ALTER TABLE deliveries ADD COLUMN next_at BIGINT NOT NULL DEFAULT 0;

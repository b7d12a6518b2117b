-- +goose Up
-- The hour in which a secret last authenticated a request; 0 for never.
ALTER TABLE credentials ADD COLUMN used_at BIGINT NOT NULL DEFAULT 0;

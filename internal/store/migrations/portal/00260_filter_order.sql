-- +goose Up
-- The place of a saved filter among those of its user.
ALTER TABLE review_filters ADD COLUMN position BIGINT NOT NULL DEFAULT 0;
UPDATE review_filters SET position = created_at;

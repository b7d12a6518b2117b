-- +goose Up
-- The user who works on an application; empty for none.
ALTER TABLE review_index ADD COLUMN assignee TEXT NOT NULL DEFAULT '';
CREATE INDEX review_index_assignee ON review_index (assignee, created_at, application_id);

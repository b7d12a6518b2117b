-- +goose Up
-- The HTML of an email, encrypted like its text. Null: without one, or deleted.
ALTER TABLE application_letters ADD COLUMN html BYTEA;

-- +goose Up
-- The columns that a user chose for the list; empty for the default.
ALTER TABLE review_settings ADD COLUMN list_columns TEXT NOT NULL DEFAULT '';

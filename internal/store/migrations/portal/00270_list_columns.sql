-- +goose Up
-- The columns that a user wants in the list; empty for the usual ones.
ALTER TABLE review_settings ADD COLUMN list_columns TEXT NOT NULL DEFAULT '';

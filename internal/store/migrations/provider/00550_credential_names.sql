-- +goose Up
-- What a client is for, in the words of the account's users. Empty: without a name. All
-- secrets of a client have its name.
ALTER TABLE credentials ADD COLUMN name TEXT NOT NULL DEFAULT '';

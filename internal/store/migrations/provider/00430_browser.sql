-- +goose Up
-- A visit on the hosted page belongs to the browser that began it. A visit of the
-- widget's frame is not hosted: its handle is known to that frame alone.
ALTER TABLE visits ADD COLUMN hosted BOOLEAN NOT NULL DEFAULT FALSE;
-- SHA-256 of the secret in that browser's cookie; null: no browser has begun it.
ALTER TABLE visits ADD COLUMN browser_hash BYTEA;

-- +goose Up
-- A visit on the hosted page belongs to the browser that began it. A visit in the widget's
-- frame is not hosted: only that frame has its handle.
ALTER TABLE visits ADD COLUMN hosted BOOLEAN NOT NULL DEFAULT FALSE;
-- SHA-256 of the secret in that browser's cookie; null before a browser began the visit.
ALTER TABLE visits ADD COLUMN browser_hash BYTEA;

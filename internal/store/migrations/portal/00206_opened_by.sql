-- +goose Up
-- The session of the browser, or of the frame of another site's page, in which the widget
-- of an attempt was opened. It gets the same attempt when it loads the page again.
ALTER TABLE application_attempts ADD COLUMN opened_by TEXT NOT NULL DEFAULT '';

-- +goose Up
-- The browser, or the frame of another site's page, that an attempt's widget was begun
-- in. That one gets the same attempt when it loads the page again.
ALTER TABLE application_attempts ADD COLUMN opened_by TEXT NOT NULL DEFAULT '';

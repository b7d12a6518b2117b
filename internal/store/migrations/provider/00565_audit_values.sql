-- +goose Up
-- What a change replaced: a JSON array of arrays with the setting, its value before and its value
-- after. Empty for entries without values, and for all of earlier versions. No value is personal
-- or secret.
ALTER TABLE audit ADD COLUMN changed TEXT NOT NULL DEFAULT '';

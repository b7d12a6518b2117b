-- +goose Up
-- The applicant's connections so far, as JSON: providers, the mock bank's usernames and ids
-- of accounts. None of it is personal.
ALTER TABLE visits ADD COLUMN sources TEXT NOT NULL DEFAULT '';

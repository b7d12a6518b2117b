-- +goose Up
-- What the applicant has connected so far, as JSON: which providers, the mock's user
-- names, ids of accounts. Nothing of it is his.
ALTER TABLE visits ADD COLUMN sources TEXT NOT NULL DEFAULT '';

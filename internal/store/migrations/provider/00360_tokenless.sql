-- +goose Up
-- Whether a visit began without an initialization token, from the applicant's page.
ALTER TABLE visits ADD COLUMN tokenless BOOLEAN NOT NULL DEFAULT FALSE;

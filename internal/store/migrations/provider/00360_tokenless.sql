-- +goose Up
-- Whether a visit was begun from the applicant's page, without a token of the customer's.
ALTER TABLE visits ADD COLUMN tokenless BOOLEAN NOT NULL DEFAULT FALSE;

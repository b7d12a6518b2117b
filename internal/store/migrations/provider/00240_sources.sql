-- +goose Up
-- Of the ways that a product has, the one that the applicant chose; empty before.
ALTER TABLE visits ADD COLUMN way TEXT NOT NULL DEFAULT '';
UPDATE visits SET way = 'bank' WHERE state NOT IN ('created', 'open');

-- When the present sign-in was right: a payroll provider's session does not wait
-- for ever. 0: there is none.
ALTER TABLE visits ADD COLUMN signed_in_at BIGINT NOT NULL DEFAULT 0;

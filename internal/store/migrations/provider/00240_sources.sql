-- +goose Up
-- The type of source that the applicant chose; empty before the choice.
ALTER TABLE visits ADD COLUMN way TEXT NOT NULL DEFAULT '';
UPDATE visits SET way = 'bank' WHERE state NOT IN ('created', 'open');

-- When the current sign-in at a payroll provider succeeded, because its session ends after
-- a time; 0 for none.
ALTER TABLE visits ADD COLUMN signed_in_at BIGINT NOT NULL DEFAULT 0;

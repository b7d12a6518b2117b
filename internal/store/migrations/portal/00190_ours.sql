-- +goose Up
-- Whether the visit of an attempt's external id is one that the portal began: it alone
-- proves anything. Of the attempts that are there already it is taken to be.
ALTER TABLE application_attempts ADD COLUMN ours BOOLEAN NOT NULL DEFAULT TRUE;

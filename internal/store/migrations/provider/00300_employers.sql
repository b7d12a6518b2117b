-- +goose Up
-- For visits of eligibility reports: how many stated employers are verified, the number of
-- the current one (from 1; 0 for none), and whether the product asks for nothing else. The
-- names are the consumer's, encrypted there.
ALTER TABLE visits ADD COLUMN employers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN employer INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN income_only BOOLEAN NOT NULL DEFAULT FALSE;

-- The number of the stated employer that a document was uploaded for; 0 for none.
ALTER TABLE documents ADD COLUMN employer INTEGER NOT NULL DEFAULT 0;

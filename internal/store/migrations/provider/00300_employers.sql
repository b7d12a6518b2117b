-- +goose Up
-- Of an eligibility report's visit: how many stated employers are verified, which of
-- them is at the moment (from 1; 0: none), and whether that is all that is asked for.
-- Their names are the consumer's, sealed there.
ALTER TABLE visits ADD COLUMN employers INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN employer INTEGER NOT NULL DEFAULT 0;
ALTER TABLE visits ADD COLUMN income_only BOOLEAN NOT NULL DEFAULT FALSE;

-- Which of them a document was uploaded for; 0: none.
ALTER TABLE documents ADD COLUMN employer INTEGER NOT NULL DEFAULT 0;

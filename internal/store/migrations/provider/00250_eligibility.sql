-- +goose Up
-- What eligibility reports verify: INCOME, ASSETS or INCOME_AND_ASSETS; empty, as of
-- other kinds, is the last.
ALTER TABLE product_configurations ADD COLUMN eligibility_kind TEXT NOT NULL DEFAULT '';

-- +goose Up
-- What eligibility reports verify: INCOME, ASSETS or INCOME_AND_ASSETS. Empty means
-- INCOME_AND_ASSETS, and is the value of other kinds.
ALTER TABLE product_configurations ADD COLUMN eligibility_kind TEXT NOT NULL DEFAULT '';

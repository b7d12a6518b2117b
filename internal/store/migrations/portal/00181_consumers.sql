-- +goose Up
-- The provider's id for an attempt's applicant, as its webhook or report named it. Deleting
-- an application at the applicant's request withdraws this consumer's consent.
ALTER TABLE application_attempts ADD COLUMN named_consumer TEXT NOT NULL DEFAULT '';

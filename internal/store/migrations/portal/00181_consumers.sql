-- +goose Up
-- Whom the service knows an attempt's applicant as, as its webhook or report said: whose
-- consent is withdrawn there when the application is deleted at their request.
ALTER TABLE application_attempts ADD COLUMN named_consumer TEXT NOT NULL DEFAULT '';

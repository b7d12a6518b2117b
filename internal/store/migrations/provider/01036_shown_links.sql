-- +goose Up
-- The user who was shown a link to set another user's password; empty: it was emailed. The link ends with the access of that user.
ALTER TABLE password_links ADD COLUMN shown_to TEXT NOT NULL DEFAULT '';

-- The user of a customer's dashboard who was shown a link for a consumer, likewise.
ALTER TABLE access_links ADD COLUMN shown_to TEXT NOT NULL DEFAULT '';

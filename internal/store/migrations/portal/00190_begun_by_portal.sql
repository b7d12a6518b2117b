-- +goose Up
-- Whether the portal itself began the visit with this attempt's external id. Only such a
-- visit proves anything. Existing attempts count as begun by the portal.
ALTER TABLE application_attempts ADD COLUMN ours BOOLEAN NOT NULL DEFAULT TRUE;

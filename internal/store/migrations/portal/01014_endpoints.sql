-- +goose Up
-- A column that the provider's deliveries have, so that both parties use the same queries. It
-- stays empty here: the portal has one receiver.
ALTER TABLE deliveries ADD COLUMN further_id TEXT NOT NULL DEFAULT '';

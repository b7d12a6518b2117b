-- +goose Up
-- Columns that the provider's deliveries have, so that both parties use the same queries.
-- They stay empty here: the portal has one receiver and stores bodies with their events.
ALTER TABLE app_deliveries ADD COLUMN callback_id TEXT NOT NULL DEFAULT '';
ALTER TABLE app_deliveries ADD COLUMN body BYTEA;

-- +goose Up
-- The columns that deliveries of the provider's outbox have too, so that both parties
-- use the same queries. The portal has one receiver and stores bodies with their
-- events, so both columns stay empty here.
ALTER TABLE app_deliveries ADD COLUMN callback_id TEXT NOT NULL DEFAULT '';
ALTER TABLE app_deliveries ADD COLUMN body BYTEA;

-- +goose Up
-- What the receiver answered to an attempt, sealed like the event's body.
ALTER TABLE app_delivery_attempts ADD COLUMN answer BYTEA;

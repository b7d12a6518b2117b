-- +goose Up
-- The beginning of the receiver's answer to an attempt, encrypted like the event's body.
ALTER TABLE delivery_attempts ADD COLUMN answer BYTEA;

-- +goose Up
-- The keyed hash of the network that a document came from, which limits its uploads of 24
-- hours. Null: from an earlier version of the program, or from the sandbox's controls.
ALTER TABLE documents ADD COLUMN network BYTEA;

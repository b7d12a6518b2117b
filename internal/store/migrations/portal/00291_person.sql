-- +goose Up
-- The test person of a playground's run. Empty: of an older version.
ALTER TABLE developer_runs ADD COLUMN person TEXT NOT NULL DEFAULT '';

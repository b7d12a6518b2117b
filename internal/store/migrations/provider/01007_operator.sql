-- +goose Up
-- When the operator suspended the account, in microseconds; 0: it is not suspended. Children of a
-- suspended parent are suspended with it.
ALTER TABLE customers ADD COLUMN suspended_at BIGINT NOT NULL DEFAULT 0;

-- How many submissions the account can make within a minute.
ALTER TABLE customers ADD COLUMN submissions_per_minute INTEGER NOT NULL DEFAULT 30;

-- The last finished backup, as `vestibule operator backup-done` recorded it: one row.
CREATE TABLE backups (
    id       TEXT   PRIMARY KEY,
    ended_at BIGINT NOT NULL,
    place    TEXT   NOT NULL -- in the operator's words
);

-- +goose Up
-- One data key per consumer, wrapped by the master key; deleting the row
-- shreds whatever was sealed under it.
CREATE TABLE data_keys (
    id         TEXT   PRIMARY KEY,
    wrapped    BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);

-- What a party made once at its first start and must find again: sealed under
-- the system key.
CREATE TABLE keepsakes (
    name   TEXT  PRIMARY KEY,
    sealed BYTEA NOT NULL
);

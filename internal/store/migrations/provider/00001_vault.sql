-- +goose Up
-- A data key for each consumer, encrypted under the key-encryption key. Deleting the row
-- makes everything that was encrypted under it unreadable.
CREATE TABLE data_keys (
    id         TEXT   PRIMARY KEY,
    wrapped    BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);

-- Secrets that a party creates at its first start and reads at later ones, encrypted under
-- the system key.
CREATE TABLE keepsakes (
    name   TEXT  PRIMARY KEY,
    sealed BYTEA NOT NULL
);

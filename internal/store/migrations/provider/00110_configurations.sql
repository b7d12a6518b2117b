-- +goose Up
-- What a product's reports contain and how they are computed. The provider creates the
-- configurations of a parent account. A product uses the one in configuration_id, else its
-- account's, else that of the account's parent.
CREATE TABLE product_configurations (
    id                    TEXT    PRIMARY KEY,
    customer_id           TEXT    NOT NULL REFERENCES customers (id),
    kind                  TEXT    NOT NULL,
    alias                 TEXT    NOT NULL,
    inquiry_type          TEXT    NOT NULL,
    deprecated_attributes BOOLEAN NOT NULL DEFAULT FALSE,
    score_v1              BOOLEAN NOT NULL DEFAULT FALSE,
    income_model_suite    TEXT    NOT NULL DEFAULT '',
    created_at            BIGINT  NOT NULL,
    UNIQUE (customer_id, alias)
);

ALTER TABLE customers ADD COLUMN display_name     TEXT;
ALTER TABLE customers ADD COLUMN configuration_id TEXT REFERENCES product_configurations (id);
ALTER TABLE customers ADD COLUMN configurations   BOOLEAN NOT NULL DEFAULT FALSE; -- may assign configurations
ALTER TABLE customers ADD COLUMN rotation         BOOLEAN NOT NULL DEFAULT FALSE; -- may rotate its secret
CREATE UNIQUE INDEX customers_child ON customers (parent_id, name);

-- kind and inquiry_type apply to a product without a configuration; empty for none.
ALTER TABLE products ADD COLUMN display_name     TEXT;
ALTER TABLE products ADD COLUMN configuration_id TEXT REFERENCES product_configurations (id);
ALTER TABLE products ADD COLUMN updated_at       BIGINT;

-- How often a secret was rotated. A rotation is conditional on the count that it read, so
-- that one of several concurrent rotations succeeds. The row of a revoked secret stays, so
-- that the secret cannot be issued again.
ALTER TABLE credentials ADD COLUMN rotations  BIGINT NOT NULL DEFAULT 0;
ALTER TABLE credentials ADD COLUMN revoked_at BIGINT;
CREATE INDEX credentials_customer ON credentials (customer_id);

-- +goose Up
-- What reports of a product are and how they are made. A parent account has its
-- own; the provider makes them. A product has the one of configuration_id, else
-- its account's, else that of the account's parent.
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
ALTER TABLE customers ADD COLUMN configurations   BOOLEAN NOT NULL DEFAULT FALSE; -- may assign them
ALTER TABLE customers ADD COLUMN rotation         BOOLEAN NOT NULL DEFAULT FALSE; -- may rotate its secret
CREATE UNIQUE INDEX customers_child ON customers (parent_id, name);

-- kind and inquiry_type are a product's own where no configuration is in force;
-- empty for none.
ALTER TABLE products ADD COLUMN display_name     TEXT;
ALTER TABLE products ADD COLUMN configuration_id TEXT REFERENCES product_configurations (id);
ALTER TABLE products ADD COLUMN updated_at       BIGINT;

-- rotations counts how often a secret was rotated: of rotations at once, one
-- finds the count it has read. A revoked secret stays as a row, so that nothing
-- brings it back.
ALTER TABLE credentials ADD COLUMN rotations  BIGINT NOT NULL DEFAULT 0;
ALTER TABLE credentials ADD COLUMN revoked_at BIGINT;
CREATE INDEX credentials_customer ON credentials (customer_id);

-- +goose Up
-- A customer's account in one environment. A child account names its parent. generated
-- marks the accounts that a sandbox creates at its first start.
CREATE TABLE customers (
    id           TEXT    PRIMARY KEY,
    public_id    TEXT    NOT NULL UNIQUE,
    environment  TEXT    NOT NULL,
    parent_id    TEXT    REFERENCES customers (id),
    name         TEXT    NOT NULL,
    generated    TEXT    UNIQUE,
    return_mode  TEXT    NOT NULL DEFAULT 'get',
    require_form BOOLEAN NOT NULL DEFAULT FALSE,
    created_at   BIGINT  NOT NULL
);

-- A secret of a client. During a rotation, two rows with one client_id are valid;
-- expires_at ends the older one. Deleting a row revokes the secret.
CREATE TABLE credentials (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    client_id   TEXT   NOT NULL,
    secret_hash BYTEA  NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT
);
CREATE INDEX credentials_client ON credentials (client_id);

CREATE TABLE products (
    id           TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    kind         TEXT   NOT NULL,
    name         TEXT   NOT NULL,
    inquiry_type TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    UNIQUE (customer_id, name)
);

-- The complete URLs that secure redirect may return to. Position 0 is the static one.
CREATE TABLE complete_urls (
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    position    BIGINT NOT NULL,
    url         TEXT   NOT NULL,
    PRIMARY KEY (customer_id, position)
);

-- Consumers. prefill is encrypted under key_id, the consumer's own data key.
CREATE TABLE consumers (
    id           TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    external_id  TEXT,
    key_id       TEXT   NOT NULL,
    prefill      BYTEA,
    withdrawn_at BIGINT,
    created_at   BIGINT NOT NULL,
    updated_at   BIGINT NOT NULL,
    UNIQUE (customer_id, external_id)
);

-- Signing keys. The public halves of the keys with purpose 'outcome' are the published key
-- set; keys with purpose 'access' are not published. A key signs from signs_from until a
-- newer key does, and is stored until everything that it signed has expired.
CREATE TABLE signing_keys (
    id         TEXT   PRIMARY KEY,
    purpose    TEXT   NOT NULL,
    generation BIGINT NOT NULL,
    sealed     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    signs_from BIGINT NOT NULL,
    UNIQUE (purpose, generation)
);

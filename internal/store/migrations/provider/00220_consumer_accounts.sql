-- +goose Up
-- A consumer's connection to a bank, or submitted data, and until when the numbers of its
-- accounts can be requested for the first time. key_id, the consumer's data key, identifies
-- the consumer, because submitted data have no consumer row.
CREATE TABLE bank_connections (
    key_id       TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- source_uuid of the report
    connected_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (key_id, id)
);

-- An account of a consumer, one row for all of the consumer's reports. Its id is an HMAC of
-- the consumer and the bank's own id, so that reports that end at the same time meet in one
-- row. details is what the list of accounts shows; numbers is what the ACH details contain.
-- Both are encrypted under key_id.
CREATE TABLE bank_accounts (
    id            TEXT   PRIMARY KEY,
    key_id        TEXT   NOT NULL,
    customer_id   TEXT   NOT NULL REFERENCES customers (id),
    consumer_id   TEXT   REFERENCES consumers (id),
    connection_id TEXT   NOT NULL, -- the newest
    account_id    TEXT   NOT NULL, -- the account_id in the consumer's first report with the account
    number_type   TEXT   NOT NULL, -- AN or TAN
    retrieved_at  BIGINT NOT NULL, -- of details
    details       BYTEA  NOT NULL,
    numbers       BYTEA,           -- null if unknown
    first_at      BIGINT,          -- when the numbers were first requested
    revoked_at    BIGINT,          -- at the bank; an AN cannot be revoked
    FOREIGN KEY (key_id, connection_id) REFERENCES bank_connections (key_id, id)
);
CREATE INDEX bank_accounts_consumer   ON bank_accounts (consumer_id);
CREATE INDEX bank_accounts_connection ON bank_accounts (key_id, connection_id);

-- The account_id of the account in each report.
CREATE TABLE bank_account_names (
    public_token    TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    account_id      TEXT NOT NULL,
    bank_account_id TEXT NOT NULL REFERENCES bank_accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (public_token, account_id)
);
CREATE INDEX bank_account_names_account ON bank_account_names (account_id);
CREATE INDEX bank_account_names_of      ON bank_account_names (bank_account_id);

-- bank_accounts has its numbers now.
DROP TABLE ach_details;

-- +goose Up
-- A consumer's sign-in at a bank, or what was submitted of him, and until when
-- numbers of its accounts can be asked for the first time. Consumers are told
-- apart by key_id, their data key, since what was submitted has no consumer.
CREATE TABLE bank_connections (
    key_id       TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- source_uuid of the report
    connected_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (key_id, id)
);

-- An account of a consumer, however many of his reports have it. Its id is an
-- HMAC of the consumer and of what the bank knows the account by, so that reports
-- that end at once meet in one row. details is what the list of accounts shows,
-- numbers what the ACH details give out; both are sealed under key_id.
CREATE TABLE bank_accounts (
    id            TEXT   PRIMARY KEY,
    key_id        TEXT   NOT NULL,
    customer_id   TEXT   NOT NULL REFERENCES customers (id),
    consumer_id   TEXT   REFERENCES consumers (id),
    connection_id TEXT   NOT NULL, -- the latest one
    account_id    TEXT   NOT NULL, -- by which the consumer's first report with it names it
    number_type   TEXT   NOT NULL, -- AN or TAN
    retrieved_at  BIGINT NOT NULL, -- of details
    details       BYTEA  NOT NULL,
    numbers       BYTEA,           -- null: not known
    first_at      BIGINT,          -- when numbers were given out first
    revoked_at    BIGINT,          -- at the bank; never of an AN
    FOREIGN KEY (key_id, connection_id) REFERENCES bank_connections (key_id, id)
);
CREATE INDEX bank_accounts_consumer   ON bank_accounts (consumer_id);
CREATE INDEX bank_accounts_connection ON bank_accounts (key_id, connection_id);

-- The account_id of each report that has the account.
CREATE TABLE bank_account_names (
    public_token    TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    account_id      TEXT NOT NULL,
    bank_account_id TEXT NOT NULL REFERENCES bank_accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (public_token, account_id)
);
CREATE INDEX bank_account_names_account ON bank_account_names (account_id);
CREATE INDEX bank_account_names_of      ON bank_account_names (bank_account_id);

-- Its numbers stand in bank_accounts now.
DROP TABLE ach_details;

-- +goose Up
-- The keyed hash of the email address in prefill. Null: not computed yet, or erased.
ALTER TABLE consumers ADD COLUMN mailbox BYTEA;
CREATE INDEX consumers_mailbox  ON consumers (mailbox) WHERE mailbox IS NOT NULL;
CREATE INDEX consumers_unhashed ON consumers (id) WHERE mailbox IS NULL AND prefill IS NOT NULL;

-- Emails that users of the dashboard must not read, because they open a consumer's page.
ALTER TABLE outbox ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;

-- A request for a link to what an email address has shared. The job that writes the email
-- deletes it.
CREATE TABLE access_requests (
    id         TEXT   PRIMARY KEY,
    mailbox    BYTEA  NOT NULL,
    lang       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

-- A link, and after its use the session that it opened. Secrets are SHA-256.
CREATE TABLE access_links (
    hash         BYTEA  PRIMARY KEY,
    mailbox      BYTEA  NOT NULL,
    session_hash BYTEA  UNIQUE,   -- null until the link is used
    expires_at   BIGINT NOT NULL  -- of the link, then of the session
);
CREATE INDEX access_links_expiry ON access_links (expires_at);

-- How many emails were requested within a window, by a hash of the mailbox or network.
CREATE TABLE link_tries (
    key   BYTEA  PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

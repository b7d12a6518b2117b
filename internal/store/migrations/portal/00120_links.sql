-- +goose Up
-- Resume links: each admits one more browser to an application, once. Secrets are stored as
-- SHA-256.
CREATE TABLE application_links (
    hash           BYTEA  PRIMARY KEY,
    application_id TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    used_at        BIGINT -- null before its use
);
CREATE INDEX application_links_by_application ON application_links (application_id);
CREATE INDEX application_links_by_expiry ON application_links (expires_at);

-- A request for an email with resume links, for one application or for the applications of
-- an email address. The job that writes the email deletes the request.
CREATE TABLE letter_requests (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL, -- or empty
    mailbox        BYTEA,           -- keyed hash of the address, or null
    lang           TEXT   NOT NULL,
    created_at     BIGINT NOT NULL
);

-- Emails to applicants, encrypted under the key of their application. The text, which
-- contains links, is deleted after the email is sent.
CREATE TABLE application_letters (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    key_id         TEXT   NOT NULL,
    recipient      BYTEA  NOT NULL,
    subject        TEXT   NOT NULL,
    body           BYTEA,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    sent_at        BIGINT,
    failed_at      BIGINT
);
CREATE INDEX application_letters_by_application ON application_letters (application_id);
CREATE INDEX application_letters_by_expiry ON application_letters (expires_at);

-- How many links and emails were requested within a window, by a hash of the requester or
-- the address.
CREATE TABLE link_tries (
    key   BYTEA  PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- The email address of an application as a keyed hash.
CREATE TABLE application_mailboxes (
    application_id TEXT   PRIMARY KEY,
    mailbox        BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX application_mailboxes_newest ON application_mailboxes (mailbox, created_at);

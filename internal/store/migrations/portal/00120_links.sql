-- +goose Up
-- Links that let one more browser into an application, each once. Of the secret
-- only the SHA-256 is here.
CREATE TABLE application_links (
    hash           BYTEA  PRIMARY KEY,
    application_id TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    used_at        BIGINT -- null until a browser was let in
);
CREATE INDEX application_links_by_application ON application_links (application_id);
CREATE INDEX application_links_by_expiry ON application_links (expires_at);

-- Somebody asked for a letter with links: for one application, or for those of an
-- e-mail address. The job that looks takes the row away.
CREATE TABLE letter_requests (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL, -- or empty
    mailbox        BYTEA,           -- keyed hash of the address, or null
    lang           TEXT   NOT NULL,
    created_at     BIGINT NOT NULL
);

-- Letters, sealed by the key of the application that they are about. The text,
-- with its links, goes when the letter was sent.
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

-- How often links and letters were asked for within a window, by a hash of who or
-- for what.
CREATE TABLE link_tries (
    key   BYTEA  PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- By which e-mail address an application is found: a keyed hash.
CREATE TABLE application_mailboxes (
    application_id TEXT   PRIMARY KEY,
    mailbox        BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX application_mailboxes_newest ON application_mailboxes (mailbox, created_at);

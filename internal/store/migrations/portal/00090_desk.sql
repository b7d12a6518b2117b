-- +goose Up
-- What each of the desk's people may do: reviewer, administrator, auditor. Those
-- who were here before could do all that there was. A person who signs in by
-- another house's account is known by the hash of its issuer and subject, from the
-- first time on.
ALTER TABLE reviewers ADD COLUMN role TEXT NOT NULL DEFAULT 'administrator';
ALTER TABLE reviewers ADD COLUMN disabled_at BIGINT NOT NULL DEFAULT 0; -- 0: may sign in
ALTER TABLE reviewers ADD COLUMN subject_hash BYTEA;
ALTER TABLE reviewers ADD COLUMN signed_in_at BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX reviewers_subject ON reviewers (subject_hash);

-- Links by which a person sets a password, once. There is one for a person.
CREATE TABLE review_links (
    reviewer_id TEXT   PRIMARY KEY,
    hash        BYTEA  NOT NULL UNIQUE,
    expires_at  BIGINT NOT NULL
);

-- Who saw and did what, in lines that nothing changes and nothing deletes. All of
-- it is ids and words of the desk's own.
CREATE TABLE review_audit (
    id             TEXT   PRIMARY KEY,
    at             BIGINT NOT NULL,
    actor          TEXT   NOT NULL, -- a person's id; empty for nobody who is known
    action         TEXT   NOT NULL,
    application_id TEXT   NOT NULL, -- empty: of none
    object         TEXT   NOT NULL, -- what else it was done to: a person, a share; empty for nothing
    detail         TEXT   NOT NULL,
    request_id     TEXT   NOT NULL
);
CREATE INDEX review_audit_newest ON review_audit (at, id);
CREATE INDEX review_audit_by_actor ON review_audit (actor, at, id);
CREATE INDEX review_audit_by_action ON review_audit (action, at, id);
CREATE INDEX review_audit_by_application ON review_audit (application_id, at, id);
INSERT INTO review_audit (id, at, actor, action, application_id, object, detail, request_id)
SELECT id, at, reviewer_id, CASE action WHEN 'viewed' THEN 'reportViewed' WHEN 'file' THEN 'fileOpened' ELSE 'reportExported' END,
    application_id, '', '', request_id FROM report_views;
DROP TABLE report_views;

-- What the desk looks applications up by, one narrow row for each.
CREATE TABLE review_index (
    application_id TEXT    PRIMARY KEY,
    data_key       TEXT    NOT NULL,
    product        TEXT    NOT NULL,
    mode           TEXT    NOT NULL,
    external_id    TEXT    NOT NULL,
    external_key   BYTEA, -- external_id in lower case: bytes sort alike on every database
    public_token   TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    outcome        TEXT    NOT NULL, -- SUCCESS, EXIT, ERROR; empty while it has none
    attempt        BIGINT  NOT NULL,
    decision       TEXT    NOT NULL, -- the newest; empty for none
    has_report     BOOLEAN NOT NULL,
    named          BOOLEAN NOT NULL, -- this row and the applicant's words are as they should be
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL
);
CREATE INDEX review_index_newest ON review_index (created_at, application_id);
CREATE INDEX review_index_state ON review_index (state, created_at, application_id);
CREATE INDEX review_index_product ON review_index (product, created_at, application_id);
CREATE INDEX review_index_decision ON review_index (decision, created_at, application_id);
CREATE INDEX review_index_outcome ON review_index (outcome, created_at, application_id);
CREATE INDEX review_index_cell ON review_index (state, product, decision, created_at, application_id, outcome);
CREATE INDEX review_index_external ON review_index (external_key, application_id);
CREATE INDEX review_index_token ON review_index (public_token);
CREATE INDEX review_index_moved ON review_index (updated_at, application_id);
CREATE INDEX review_index_unnamed ON review_index (named, application_id);
-- The rest of these is filled in by the program, which can open what is sealed.
INSERT INTO review_index (application_id, data_key, product, mode, external_id, public_token, state, outcome,
    attempt, decision, has_report, named, created_at, updated_at)
SELECT id, data_key, product, mode, external_id, public_token, state, '', attempt, '', report_at <> 0, FALSE, created_at, updated_at
FROM applications;

-- An applicant's names and address, word by word, each as a keyed hash: who has
-- the database alone cannot tell whether somebody is in it.
CREATE TABLE review_tokens (
    token          BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL, -- of the application
    application_id TEXT   NOT NULL,
    PRIMARY KEY (token, created_at, application_id)
);
CREATE INDEX review_tokens_by_application ON review_tokens (application_id);

-- What somebody looks for, for as long as the pages that show it are turned: a
-- name has no place in an address.
CREATE TABLE review_searches (
    handle      TEXT   PRIMARY KEY,
    reviewer_id TEXT   NOT NULL,
    query       BYTEA  NOT NULL, -- sealed
    expires_at  BIGINT NOT NULL
);
CREATE INDEX review_searches_expiry ON review_searches (expires_at);

-- What was decided, the newest last. Seq counts from 1 within an application.
CREATE TABLE review_decisions (
    application_id TEXT   NOT NULL,
    seq            BIGINT NOT NULL,
    decision       TEXT   NOT NULL, -- approved, declined, moreAsked, escalated
    reasons        TEXT   NOT NULL, -- codes of the report, with a space between them
    text           BYTEA, -- sealed under the application's key
    reviewer_id    TEXT   NOT NULL,
    at             BIGINT NOT NULL,
    PRIMARY KEY (application_id, seq)
);

-- What reviewers tell each other of an application.
CREATE TABLE review_notes (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    text           BYTEA  NOT NULL, -- sealed under the application's key
    reviewer_id    TEXT   NOT NULL,
    at             BIGINT NOT NULL
);
CREATE INDEX review_notes_by_application ON review_notes (application_id, at, id);

-- What is left of an application that was deleted.
CREATE TABLE review_deletions (
    application_id TEXT   PRIMARY KEY,
    at             BIGINT NOT NULL,
    reviewer_id    TEXT   NOT NULL, -- empty: it was as old as any may get
    reason         TEXT   NOT NULL
);
CREATE INDEX review_deletions_newest ON review_deletions (at, application_id);

-- Sign-ins by another house's account that are under way, each good once and in
-- the browser in which it was begun.
CREATE TABLE review_arrivals (
    state_hash BYTEA  PRIMARY KEY,
    id         TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    sealed     BYTEA  NOT NULL, -- nonce and verifier
    next       TEXT   NOT NULL,
    used       BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX review_arrivals_expiry ON review_arrivals (expires_at);

-- +goose Up
-- The role of each user: reviewer, administrator or auditor. Existing users become
-- administrators, because they could do everything before. From the first sign-in by OpenID
-- Connect, a user is found by the hash of issuer and subject.
ALTER TABLE reviewers ADD COLUMN role TEXT NOT NULL DEFAULT 'administrator';
ALTER TABLE reviewers ADD COLUMN disabled_at BIGINT NOT NULL DEFAULT 0; -- 0 if the user may sign in
ALTER TABLE reviewers ADD COLUMN subject_hash BYTEA;
ALTER TABLE reviewers ADD COLUMN signed_in_at BIGINT NOT NULL DEFAULT 0;
CREATE UNIQUE INDEX reviewers_subject ON reviewers (subject_hash);

-- Single-use links to set a password, at most one for each user.
CREATE TABLE review_links (
    reviewer_id TEXT   PRIMARY KEY,
    hash        BYTEA  NOT NULL UNIQUE,
    expires_at  BIGINT NOT NULL
);

-- The audit trail: who saw and did what. Rows are never changed or deleted. They hold ids
-- and fixed words, no personal data.
CREATE TABLE review_audit (
    id             TEXT   PRIMARY KEY,
    at             BIGINT NOT NULL,
    actor          TEXT   NOT NULL, -- a user's id; empty for an unknown user
    action         TEXT   NOT NULL,
    application_id TEXT   NOT NULL, -- empty for none
    object         TEXT   NOT NULL, -- a user or a share; empty for none
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

-- The index that lists and searches of applications read: one narrow row for each
-- application.
CREATE TABLE review_index (
    application_id TEXT    PRIMARY KEY,
    data_key       TEXT    NOT NULL,
    product        TEXT    NOT NULL,
    mode           TEXT    NOT NULL,
    external_id    TEXT    NOT NULL,
    external_key   BYTEA, -- external_id in lower case; bytes sort alike on both engines
    public_token   TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    outcome        TEXT    NOT NULL, -- SUCCESS, EXIT, ERROR; empty while it has none
    attempt        BIGINT  NOT NULL,
    decision       TEXT    NOT NULL, -- the newest; empty for none
    has_report     BOOLEAN NOT NULL,
    named          BOOLEAN NOT NULL, -- whether this row and the applicant's review_tokens are up to date
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
-- The program fills in the other columns, because it can decrypt what they are made from.
INSERT INTO review_index (application_id, data_key, product, mode, external_id, public_token, state, outcome,
    attempt, decision, has_report, named, created_at, updated_at)
SELECT id, data_key, product, mode, external_id, public_token, state, '', attempt, '', report_at <> 0, FALSE, created_at, updated_at
FROM applications;

-- The words of an applicant's names and address, each as a keyed hash. The database alone
-- does not tell whether a person is in it.
CREATE TABLE review_tokens (
    token          BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL, -- of the application
    application_id TEXT   NOT NULL,
    PRIMARY KEY (token, created_at, application_id)
);
CREATE INDEX review_tokens_by_application ON review_tokens (application_id);

-- A search text, stored while its pages of results are open, because names must not be in
-- URLs.
CREATE TABLE review_searches (
    handle      TEXT   PRIMARY KEY,
    reviewer_id TEXT   NOT NULL,
    query       BYTEA  NOT NULL, -- encrypted
    expires_at  BIGINT NOT NULL
);
CREATE INDEX review_searches_expiry ON review_searches (expires_at);

-- The decisions of an application. seq counts from 1 within an application.
CREATE TABLE review_decisions (
    application_id TEXT   NOT NULL,
    seq            BIGINT NOT NULL,
    decision       TEXT   NOT NULL, -- approved, declined, moreAsked, escalated
    reasons        TEXT   NOT NULL, -- the report's reason codes, separated by spaces
    text           BYTEA, -- encrypted under the application's key
    reviewer_id    TEXT   NOT NULL,
    at             BIGINT NOT NULL,
    PRIMARY KEY (application_id, seq)
);

-- Notes of reviewers on an application.
CREATE TABLE review_notes (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    text           BYTEA  NOT NULL, -- encrypted under the application's key
    reviewer_id    TEXT   NOT NULL,
    at             BIGINT NOT NULL
);
CREATE INDEX review_notes_by_application ON review_notes (application_id, at, id);

-- A record of each deleted application.
CREATE TABLE review_deletions (
    application_id TEXT   PRIMARY KEY,
    at             BIGINT NOT NULL,
    reviewer_id    TEXT   NOT NULL, -- empty if the retention period ended
    reason         TEXT   NOT NULL
);
CREATE INDEX review_deletions_newest ON review_deletions (at, application_id);

-- OpenID Connect sign-ins in progress. Each is used once, in the browser in which it began.
CREATE TABLE review_arrivals (
    state_hash BYTEA  PRIMARY KEY,
    id         TEXT   NOT NULL,
    session_id TEXT   NOT NULL,
    sealed     BYTEA  NOT NULL, -- encrypted nonce and PKCE verifier
    next       TEXT   NOT NULL,
    used       BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX review_arrivals_expiry ON review_arrivals (expires_at);

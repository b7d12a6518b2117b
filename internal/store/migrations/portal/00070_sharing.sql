-- +goose Up
-- Whom the report of an application is shared with. There is one row for the pair,
-- for good: repeating the grant moves granted_at, and what was withdrawn stays so.
CREATE TABLE report_shares (
    id             TEXT   PRIMARY KEY, -- made of the pair
    application_id TEXT   NOT NULL,
    public_id      TEXT   NOT NULL, -- the third party's account at the service
    label          BYTEA, -- sealed: what reviewers call it
    relay_token    BYTEA  NOT NULL, -- sealed
    created_at     BIGINT NOT NULL,
    created_by     TEXT   NOT NULL, -- a reviewer
    granted_at     BIGINT NOT NULL, -- for the last time; good for 72 hours
    granted_by     TEXT   NOT NULL,
    withdrawn_at   BIGINT,
    withdrawn_by   TEXT   NOT NULL, -- empty: nobody here
    UNIQUE (application_id, public_id)
);
CREATE INDEX report_shares_newest ON report_shares (granted_at);

-- Who shared which report with whom, and withdrew it. A line is written before the
-- service is asked, and removed when it refuses: one without done_at is of a
-- request that nobody knows the answer to.
CREATE TABLE report_share_log (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    public_id      TEXT   NOT NULL,
    reviewer_id    TEXT   NOT NULL,
    action         TEXT   NOT NULL, -- shared, renewed, withdrawn
    request_id     TEXT   NOT NULL,
    at             BIGINT NOT NULL,
    done_at        BIGINT
);
CREATE INDEX report_share_log_by_application ON report_share_log (application_id, at);

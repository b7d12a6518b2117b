-- +goose Up
-- The third parties that a report is shared with: one row for each application and third
-- party. Sharing again moves granted_at. A withdrawn share stays withdrawn.
CREATE TABLE report_shares (
    id             TEXT   PRIMARY KEY, -- derived from application_id and public_id
    application_id TEXT   NOT NULL,
    public_id      TEXT   NOT NULL, -- the third party's account at the service
    label          BYTEA, -- encrypted; the name that reviewers see
    relay_token    BYTEA  NOT NULL, -- encrypted
    created_at     BIGINT NOT NULL,
    created_by     TEXT   NOT NULL, -- a reviewer
    granted_at     BIGINT NOT NULL, -- the last time; valid for 72 hours
    granted_by     TEXT   NOT NULL,
    withdrawn_at   BIGINT,
    withdrawn_by   TEXT   NOT NULL, -- a reviewer; empty if not withdrawn here
    UNIQUE (application_id, public_id)
);
CREATE INDEX report_shares_newest ON report_shares (granted_at);

-- Who shared which report with whom, and who withdrew it. A row is written before the
-- request to the service and deleted if the service refuses. Without done_at, the answer to
-- the request is unknown.
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

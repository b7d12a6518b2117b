-- Changes the tables of the last version before the baseline to those of the baseline.

ALTER TABLE keepsakes RENAME TO secrets;

CREATE TABLE users (
    id            TEXT   PRIMARY KEY,
    customer_id   TEXT   NOT NULL DEFAULT '',
    email_hash    BYTEA  NOT NULL UNIQUE,
    email_sealed  BYTEA  NOT NULL,
    password_hash TEXT   NOT NULL,
    role          TEXT   NOT NULL DEFAULT '',
    subject_hash  BYTEA,
    created_at    BIGINT NOT NULL,
    signed_in_at  BIGINT NOT NULL DEFAULT 0,
    disabled_at   BIGINT NOT NULL DEFAULT 0
);
INSERT INTO users (id, email_hash, email_sealed, password_hash, role, subject_hash, created_at, signed_in_at, disabled_at)
    SELECT id, email_hash, email_sealed, password_hash, role, subject_hash, created_at, signed_in_at, disabled_at FROM reviewers;
DROP TABLE reviewers;
CREATE UNIQUE INDEX users_subject ON users (subject_hash);

ALTER TABLE review_settings RENAME TO user_settings;
ALTER TABLE user_settings RENAME COLUMN reviewer_id TO user_id;
ALTER TABLE review_links RENAME TO password_links;
ALTER TABLE password_links RENAME COLUMN reviewer_id TO user_id;
DROP TABLE review_arrivals;
CREATE TABLE sign_in_states (
    state_hash BYTEA  PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_states_expiry ON sign_in_states (expires_at);

ALTER TABLE review_audit RENAME TO audit;
ALTER TABLE audit RENAME COLUMN application_id TO subject_id;
DROP INDEX review_audit_newest;
DROP INDEX review_audit_by_actor;
DROP INDEX review_audit_by_action;
DROP INDEX review_audit_by_application;
CREATE INDEX audit_newest ON audit (at, id);
CREATE INDEX audit_actor ON audit (actor, at, id);
CREATE INDEX audit_action ON audit (action, at, id);
CREATE INDEX audit_subject ON audit (subject_id, at, id);

DROP INDEX applications_moved;
CREATE INDEX applications_updated ON applications (updated_at);
ALTER TABLE application_attempts RENAME COLUMN asked_at TO hurried_at;
ALTER TABLE application_attempts RENAME COLUMN ours TO verified;

ALTER TABLE attempts RENAME TO redirect_attempts;
ALTER TABLE redirect_attempts RENAME COLUMN application TO application_id;
ALTER TABLE redirect_attempts RENAME COLUMN landed_at TO returned_at;
DROP INDEX attempts_open;
CREATE INDEX redirect_attempts_open ON redirect_attempts (returned_at, expires_at);
ALTER TABLE parked_outcomes RENAME TO pending_outcomes;
DROP INDEX parked_outcomes_attempt;
DROP INDEX parked_outcomes_expiry;
CREATE INDEX pending_outcomes_attempt ON pending_outcomes (attempt_id);
CREATE INDEX pending_outcomes_expiry ON pending_outcomes (expires_at);

ALTER TABLE app_events RENAME TO events;
ALTER TABLE events RENAME COLUMN application_id TO subject_id;
ALTER TABLE events RENAME COLUMN seq TO sequence;
ALTER TABLE events ADD COLUMN detail TEXT;
DROP INDEX app_events_by_age;
CREATE INDEX events_age ON events (created_at);
ALTER TABLE app_deliveries RENAME TO deliveries;
DROP INDEX app_deliveries_newest;
DROP INDEX app_deliveries_state;
DROP INDEX app_deliveries_event;
CREATE INDEX deliveries_newest ON deliveries (created_at, id);
CREATE INDEX deliveries_state ON deliveries (state, created_at);
CREATE INDEX deliveries_event ON deliveries (event_id);
ALTER TABLE app_delivery_attempts RENAME TO delivery_attempts;
ALTER TABLE app_stops RENAME TO disabled_urls;
ALTER TABLE disabled_urls RENAME COLUMN at TO disabled_at;

ALTER TABLE application_letters RENAME TO emails;
ALTER TABLE emails RENAME COLUMN application_id TO subject_id;
ALTER TABLE emails ADD COLUMN customer_id TEXT NOT NULL DEFAULT '';
ALTER TABLE emails ADD COLUMN hidden BOOLEAN NOT NULL DEFAULT FALSE;
DROP INDEX application_letters_by_application;
DROP INDEX application_letters_by_expiry;
DROP INDEX application_letters_decision;
CREATE INDEX emails_subject ON emails (subject_id);
CREATE INDEX emails_expiry ON emails (expires_at);
CREATE UNIQUE INDEX emails_decision ON emails (subject_id, decision) WHERE decision > 0;
ALTER TABLE letter_requests RENAME TO email_requests;
ALTER TABLE application_links RENAME TO resume_links;
DROP INDEX application_links_by_application;
DROP INDEX application_links_by_expiry;
CREATE INDEX resume_links_application ON resume_links (application_id);
CREATE INDEX resume_links_expiry ON resume_links (expires_at);

DROP INDEX review_index_moved;
CREATE INDEX review_index_updated ON review_index (updated_at, application_id);
ALTER TABLE review_searches RENAME COLUMN reviewer_id TO user_id;
ALTER TABLE review_filters RENAME COLUMN reviewer_id TO user_id;
DROP INDEX review_filters_by_reviewer;
CREATE INDEX review_filters_user ON review_filters (user_id, created_at, id);
ALTER TABLE review_decisions RENAME COLUMN reviewer_id TO user_id;
ALTER TABLE review_notes RENAME COLUMN reviewer_id TO user_id;
ALTER TABLE review_deletions RENAME COLUMN reviewer_id TO user_id;
ALTER TABLE report_share_log RENAME COLUMN reviewer_id TO user_id;

ALTER TABLE developer_runs RENAME COLUMN way TO integration;

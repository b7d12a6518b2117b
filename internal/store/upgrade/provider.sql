-- Changes the tables of the last version before the baseline to those of the baseline.

ALTER TABLE keepsakes RENAME TO secrets;

-- Only versions before the table entitlements read these columns.
ALTER TABLE customers DROP COLUMN custom_reports;
ALTER TABLE customers DROP COLUMN ach_details;
ALTER TABLE customers DROP COLUMN configurations;
ALTER TABLE customers DROP COLUMN rotation;

ALTER TABLE staff RENAME TO users;
ALTER TABLE users ADD COLUMN role TEXT NOT NULL DEFAULT '';
ALTER TABLE users ADD COLUMN subject_hash BYTEA;
ALTER TABLE users ADD COLUMN signed_in_at BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN disabled_at BIGINT NOT NULL DEFAULT 0;
DROP INDEX staff_customer;
CREATE UNIQUE INDEX users_subject ON users (subject_hash);
CREATE INDEX users_customer ON users (customer_id);
ALTER TABLE staff_settings RENAME TO user_settings;
ALTER TABLE user_settings RENAME COLUMN staff_id TO user_id;
ALTER TABLE staff_links RENAME TO password_links;
ALTER TABLE password_links RENAME COLUMN staff_id TO user_id;
CREATE TABLE sign_in_states (
    state_hash BYTEA  PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_states_expiry ON sign_in_states (expires_at);
ALTER TABLE dashboard_notices RENAME COLUMN said TO message;

ALTER TABLE audit RENAME COLUMN customer_id TO subject_id;
ALTER TABLE audit RENAME COLUMN staff_id TO actor;
DROP INDEX audit_customer;
CREATE INDEX audit_subject ON audit (subject_id, at, id);
UPDATE audit SET action = CASE action WHEN 'signed in' THEN 'signedIn' WHEN 'signed out' THEN 'signedOut'
        WHEN 'password link sent' THEN 'resetSent' ELSE 'passwordSet' END
    WHERE action IN ('signed in', 'signed out', 'password link sent', 'password set');
UPDATE users SET signed_in_at = coalesce((SELECT MAX(a.at) FROM audit a
    WHERE a.subject_id = users.customer_id AND a.actor = users.id AND a.action = 'signedIn'), 0);

ALTER TABLE reports RENAME COLUMN forgotten_at TO erased_at;
ALTER TABLE report_revisions RENAME COLUMN staff_id TO user_id;
ALTER TABLE documents RENAME COLUMN begun_at TO created_at;
ALTER TABLE documents RENAME COLUMN kept_at TO completed_at;
DROP INDEX documents_begun;
CREATE INDEX documents_created ON documents (created_at);
ALTER TABLE bank_accounts RENAME COLUMN first_at TO first_requested_at;
DROP INDEX bank_account_names_of;
CREATE INDEX bank_account_names_bank_account ON bank_account_names (bank_account_id);
ALTER TABLE source_connections RENAME COLUMN kept_at TO retained_at;

ALTER TABLE visits RENAME COLUMN rehearsal TO scenario;
ALTER TABLE visits RENAME COLUMN way TO source_type;

ALTER TABLE events RENAME COLUMN public_token TO subject_id;
ALTER TABLE events RENAME COLUMN status TO type;
ALTER TABLE events RENAME COLUMN substatus TO detail;
ALTER TABLE events ADD COLUMN sequence BIGINT NOT NULL DEFAULT 0;
ALTER TABLE events ADD COLUMN body BYTEA;
DROP INDEX events_report;
CREATE INDEX events_subject ON events (subject_id);

ALTER TABLE outbox RENAME TO emails;
ALTER TABLE emails RENAME COLUMN public_token TO subject_id;
ALTER TABLE emails ADD COLUMN decision BIGINT NOT NULL DEFAULT 0;
ALTER TABLE emails ADD COLUMN withheld TEXT NOT NULL DEFAULT '';
DROP INDEX outbox_customer;
DROP INDEX outbox_expiry;
CREATE INDEX emails_customer ON emails (customer_id, created_at, id);
CREATE INDEX emails_expiry ON emails (expires_at);

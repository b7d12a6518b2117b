-- +goose Up
-- A link to a visit on the hosted page that a customer sends to an applicant. It is valid
-- while the visit waits.
CREATE TABLE invites (
    id          TEXT   PRIMARY KEY,
    visit_id    TEXT   NOT NULL UNIQUE REFERENCES visits (id),
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    handle_hash BYTEA  NOT NULL UNIQUE, -- of the handle in inviteLink
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

-- Emails to applicants. The mail server sends them; without one, a user reads them on the
-- dashboard and passes them on. recipient and body are encrypted under key_id, the
-- consumer's data key. The body is deleted after it was sent, the row when its link
-- expires.
CREATE TABLE outbox (
    id           TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    public_token TEXT   NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id       TEXT   NOT NULL,
    recipient    BYTEA  NOT NULL,
    subject      TEXT   NOT NULL, -- without personal data
    body         BYTEA,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    sent_at      BIGINT, -- null before
    failed_at    BIGINT  -- null unless given up
);
CREATE INDEX outbox_customer ON outbox (customer_id, created_at, id);
CREATE INDEX outbox_expiry   ON outbox (expires_at);

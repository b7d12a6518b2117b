-- +goose Up
-- A link that a customer sends to an applicant: the way to a visit on the hosted
-- page, as long as the visit waits.
CREATE TABLE invites (
    id          TEXT   PRIMARY KEY,
    visit_id    TEXT   NOT NULL UNIQUE REFERENCES visits (id),
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    handle_hash BYTEA  NOT NULL UNIQUE, -- of the handle in inviteLink
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

-- Letters to applicants: to be sent by the mail server, or, without one, to be read
-- on the dashboard and passed on by hand. recipient and body are sealed under
-- key_id, the consumer's data key; a body is dropped when it was sent, and the whole
-- letter when its link is over.
CREATE TABLE outbox (
    id           TEXT   PRIMARY KEY,
    customer_id  TEXT   NOT NULL REFERENCES customers (id),
    public_token TEXT   NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id       TEXT   NOT NULL,
    recipient    BYTEA  NOT NULL,
    subject      TEXT   NOT NULL, -- nothing of the applicant
    body         BYTEA,
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    sent_at      BIGINT, -- null: not
    failed_at    BIGINT  -- null: not given up
);
CREATE INDEX outbox_customer ON outbox (customer_id, created_at, id);
CREATE INDEX outbox_expiry   ON outbox (expires_at);

-- +goose Up
-- A report that its owner shares with a third party: one row for each report and third
-- party. Sharing again moves expires_at. A revoked row stays revoked. read_at is when the
-- third party first read the report; after that, expires_at no longer applies.
CREATE TABLE relay_tokens (
    token          TEXT   PRIMARY KEY,
    public_token   TEXT   NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    customer_id    TEXT   NOT NULL REFERENCES customers (id), -- the owner
    third_party_id TEXT   NOT NULL REFERENCES customers (id),
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    read_at        BIGINT,
    revoked_at     BIGINT,
    UNIQUE (public_token, third_party_id)
);

-- +goose Up

-- An applicant's visit to the widget or the hosted page. It stores nothing that the
-- applicant typed except for the mock bank's username, which is not personal. The
-- applicant's details are the consumer's, encrypted there.
CREATE TABLE visits (
    id                TEXT PRIMARY KEY,
    public_token      TEXT NOT NULL UNIQUE,
    customer_id       TEXT NOT NULL,
    product_id        TEXT NOT NULL,
    product           TEXT NOT NULL,
    environment       TEXT NOT NULL,
    consumer_id       TEXT NOT NULL,
    handle_hash       BYTEA UNIQUE, -- SHA-256; null before the visit can be opened
    state             TEXT NOT NULL,
    step              TEXT NOT NULL,
    rehearsal         TEXT NOT NULL,
    bank              TEXT NOT NULL,
    username          TEXT NOT NULL,
    tries             INTEGER NOT NULL,
    status            TEXT NOT NULL,
    substatus         TEXT NOT NULL,
    error             TEXT NOT NULL,
    sandbox_report_id TEXT NOT NULL,
    version           BIGINT NOT NULL, -- counts the changes; each change is conditional on the version that it read
    created_at        BIGINT NOT NULL,
    expires_at        BIGINT NOT NULL,
    ended_at          BIGINT NOT NULL  -- 0 before
);

CREATE INDEX visits_due ON visits (expires_at) WHERE ended_at = 0;

-- The timeline of a visit: one row for each change, without personal data.
CREATE TABLE visit_events (
    visit_id TEXT NOT NULL REFERENCES visits (id),
    seq      BIGINT NOT NULL, -- the visit's version after the change
    at       BIGINT NOT NULL,
    kind     TEXT NOT NULL,
    state    TEXT NOT NULL,
    step     TEXT NOT NULL,
    PRIMARY KEY (visit_id, seq)
);

CREATE TABLE initialization_tokens (
    hash       BYTEA PRIMARY KEY, -- SHA-256 of the token
    visit_id   TEXT NOT NULL UNIQUE REFERENCES visits (id),
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL    -- 0 before
);

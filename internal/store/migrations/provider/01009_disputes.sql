-- +goose Up
-- What a revision corrected, encrypted; null: figures alone, by an earlier version of the
-- program. dispute is the number of the dispute that it follows from; empty for none.
ALTER TABLE report_revisions ADD COLUMN corrections BYTEA;
ALTER TABLE report_revisions ADD COLUMN dispute TEXT NOT NULL DEFAULT '';

-- Disputes of consumers about reports. A row remains after its report and its consumer are
-- deleted, as the record that law requires (docs/how-to/disputes.md). about, statement,
-- note, facts and answer are encrypted under key_id, a data key of the dispute's own.
CREATE TABLE disputes (
    number       TEXT    PRIMARY KEY,
    customer_id  TEXT    NOT NULL REFERENCES customers (id),
    public_token TEXT    NOT NULL, -- of the report, which may be deleted
    report_kind  TEXT    NOT NULL,
    revision     BIGINT  NOT NULL, -- of the report when the dispute was opened
    consumer_id  TEXT    NOT NULL, -- empty for a report without a consumer
    mailbox      BYTEA, -- keyed hash of the consumer's email address; null: unknown
    key_id       TEXT    NOT NULL,
    lang         TEXT    NOT NULL, -- of the consumer
    kind         TEXT    NOT NULL, -- transaction, account, employer, inflow, figure, identity, document
    about        BYTEA   NOT NULL, -- what is disputed, in the consumer's words
    statement    BYTEA   NOT NULL,
    note         BYTEA   NOT NULL, -- statement for the report, at most 100 words; empty plain text for none
    opened_at    BIGINT  NOT NULL,
    opened_by    TEXT    NOT NULL, -- id of the user; empty for the consumer
    due_at       BIGINT  NOT NULL,
    facts        BYTEA, -- new facts, which extend the time once; null before
    facts_at     BIGINT,
    state        TEXT    NOT NULL, -- open, answered
    result       TEXT    NOT NULL DEFAULT '', -- corrected, confirmed, deleted
    answer       BYTEA, -- to the consumer; null before
    answered_at  BIGINT,
    answered_by  TEXT    NOT NULL DEFAULT '', -- id of the user
    attached     BOOLEAN NOT NULL DEFAULT FALSE, -- the answer added the note to the report
    form         BYTEA   UNIQUE -- SHA-256 of the form's random field, so that a form sent twice opens one; null: by staff
);
CREATE INDEX disputes_due ON disputes (state, due_at, number);
CREATE INDEX disputes_report ON disputes (public_token);
CREATE INDEX disputes_mailbox ON disputes (mailbox, opened_at) WHERE mailbox IS NOT NULL;
CREATE INDEX disputes_customer ON disputes (customer_id, opened_at);

-- Files of a dispute, encrypted under its key_id. They are deleted some time after the answer.
CREATE TABLE dispute_files (
    id           TEXT   PRIMARY KEY,
    number       TEXT   NOT NULL REFERENCES disputes (number) ON DELETE CASCADE,
    position     BIGINT NOT NULL,
    content_type TEXT   NOT NULL, -- detected from the contents
    name         BYTEA  NOT NULL,
    size         BIGINT NOT NULL, -- bytes
    contents     BYTEA  NOT NULL
);
CREATE INDEX dispute_files_number ON dispute_files (number);

-- Every customer could correct reports before it became a feature. Children follow their parents.
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
    SELECT id, 'corrections', TRUE, created_at FROM customers WHERE parent_id IS NULL;

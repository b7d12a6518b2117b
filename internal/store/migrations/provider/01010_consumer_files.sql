-- +goose Up
-- What a consumer asked for about the data of one email address, by its keyed hash. Every
-- mailbox with a consumer has a row, which transactions lock.
CREATE TABLE consumer_files (
    mailbox      BYTEA  PRIMARY KEY,
    frozen_at    BIGINT NOT NULL DEFAULT 0, -- 0: not frozen
    lifted_until BIGINT NOT NULL DEFAULT 0, -- until then a freeze has no effect
    alert_until  BIGINT NOT NULL DEFAULT 0, -- end of a fraud alert; 0: none
    used_at      BIGINT NOT NULL
);
CREATE INDEX consumer_files_used ON consumer_files (used_at) WHERE frozen_at = 0;
INSERT INTO consumer_files (mailbox, used_at)
    SELECT mailbox, max(updated_at) FROM consumers WHERE mailbox IS NOT NULL GROUP BY mailbox;

-- What happened to a consumer's file, for the consumer.
CREATE TABLE consumer_file_log (
    id          TEXT   PRIMARY KEY,
    mailbox     BYTEA  NOT NULL,
    at          BIGINT NOT NULL,
    action      TEXT   NOT NULL,
    customer_id TEXT   NOT NULL DEFAULT '', -- of the company concerned; empty: none
    until       BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX consumer_file_log_mailbox ON consumer_file_log (mailbox, at);
CREATE INDEX consumer_file_log_at ON consumer_file_log (at);

-- Which account read the contents of which revision of a report: the first time, the last
-- time, and on how many days.
CREATE TABLE report_reads (
    public_token TEXT   NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    reader       TEXT   NOT NULL REFERENCES customers (id),
    revision     BIGINT NOT NULL,
    first_at     BIGINT NOT NULL,
    last_at      BIGINT NOT NULL,
    days         BIGINT NOT NULL DEFAULT 1,
    PRIMARY KEY (public_token, reader, revision)
);

-- The mailbox of a report that no consumer's details name: of a submission, or of data that
-- were deleted at the consumer's request.
ALTER TABLE reports ADD COLUMN mailbox BYTEA;
CREATE INDEX reports_mailbox ON reports (mailbox) WHERE mailbox IS NOT NULL;
-- When the consumer ended the reading of a report, or had it deleted. 0: not.
ALTER TABLE reports ADD COLUMN closed_at BIGINT NOT NULL DEFAULT 0;

-- Whether a visit ended because the consumer's file is frozen.
ALTER TABLE visits ADD COLUMN frozen BOOLEAN NOT NULL DEFAULT FALSE;

-- The company that handed out a link, whose data alone the link shows. Empty: every company's.
ALTER TABLE access_links ADD COLUMN customer_id TEXT NOT NULL DEFAULT '';
CREATE INDEX reports_closed ON reports (erased_at) WHERE closed_at <> 0;

-- +goose Up
-- How many submissions an account has made, and when it made the last thirty: submission n
-- is in slot n modulo 30. The next one can take its slot when the row in it is a minute
-- old.
CREATE TABLE submission_counts (
    customer_id TEXT   PRIMARY KEY REFERENCES customers (id),
    accepted    BIGINT NOT NULL
);
CREATE TABLE submission_slots (
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    slot        BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (customer_id, slot)
);

-- Features enabled for an account.
ALTER TABLE customers ADD COLUMN custom_reports BOOLEAN NOT NULL DEFAULT FALSE; -- sandboxReportId
ALTER TABLE customers ADD COLUMN ach_details    BOOLEAN NOT NULL DEFAULT FALSE; -- account numbers in full

-- +goose Up
-- How many submissions of an account were ever accepted, and when the last thirty
-- of them were: number n stands in slot n modulo 30. The next one may take its
-- slot once what is there is a minute old.
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

-- What an account may do beyond the ordinary.
ALTER TABLE customers ADD COLUMN custom_reports BOOLEAN NOT NULL DEFAULT FALSE; -- sandboxReportId
ALTER TABLE customers ADD COLUMN ach_details    BOOLEAN NOT NULL DEFAULT FALSE; -- account numbers in full

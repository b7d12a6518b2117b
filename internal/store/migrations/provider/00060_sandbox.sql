-- +goose Up
-- The difference between the sandbox's clock and the time of day.
CREATE TABLE sandbox_clock (
    id     BIGINT PRIMARY KEY CHECK (id = 1),
    offset_micros BIGINT NOT NULL
);

-- Reports that a sandbox serves as they were configured, without computing them.
CREATE TABLE sandbox_reports (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    kind        TEXT   NOT NULL,
    key_id      TEXT   NOT NULL,
    sealed      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL
);

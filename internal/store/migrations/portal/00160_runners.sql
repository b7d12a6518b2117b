-- +goose Up
-- Processes that run jobs, so that what a killed one ran is taken up by another.
CREATE TABLE job_runners (
    id      TEXT   PRIMARY KEY,
    seen_at BIGINT NOT NULL -- by the database's clock
);

-- +goose Up
-- Processes that run jobs. When one stops without notice, another takes up its jobs.
CREATE TABLE job_runners (
    id      TEXT   PRIMARY KEY,
    seen_at BIGINT NOT NULL -- by the database's clock
);

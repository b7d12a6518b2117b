-- +goose Up
-- Forms of the dashboard that were submitted. Each is accepted once.
CREATE TABLE dashboard_forms (
    nonce      TEXT   PRIMARY KEY,
    session_id TEXT   NOT NULL,
    at         BIGINT NOT NULL
);
CREATE INDEX dashboard_forms_age ON dashboard_forms (at);

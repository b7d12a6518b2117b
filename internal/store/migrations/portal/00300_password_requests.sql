-- +goose Up
-- Requests of users of the review dashboard for a link to set a new password. The job that
-- sends it deletes the row.
CREATE TABLE password_requests (
    id           TEXT   PRIMARY KEY,
    email_sealed BYTEA  NOT NULL,
    lang         TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);

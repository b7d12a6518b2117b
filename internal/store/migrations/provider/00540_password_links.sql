-- +goose Up
-- Links to set a password, one for each user of the dashboard. Of the secret only the
-- SHA-256 is here.
CREATE TABLE staff_links (
    staff_id   TEXT   PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
    hash       BYTEA  NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);

-- Requests for such a link. The job that sends it deletes the row.
CREATE TABLE password_requests (
    id           TEXT   PRIMARY KEY,
    email_sealed BYTEA  NOT NULL,
    lang         TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);

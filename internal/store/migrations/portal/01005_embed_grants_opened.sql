-- +goose Up
-- When a session followed the link of a token that is not bound to it yet; 0: the client came
-- back without the session's cookie.
ALTER TABLE embed_grants ADD COLUMN opened_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX embed_grants_by_application ON embed_grants (application_id);

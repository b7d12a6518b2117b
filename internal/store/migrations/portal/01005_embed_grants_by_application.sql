-- +goose Up
CREATE INDEX embed_grants_by_application ON embed_grants (application_id);

-- +goose Up
-- A link's GET changes nothing any more: links that were opened but not used are free.
UPDATE embed_grants SET session_id = NULL WHERE session_id LIKE 'opened:%';

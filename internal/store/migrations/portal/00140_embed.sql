-- +goose Up
-- The origin that may frame the pages of an embed token; '' for none. Existing tokens get
-- the origin of their application.
ALTER TABLE embed_grants ADD COLUMN allowed_origin TEXT NOT NULL DEFAULT '';
UPDATE embed_grants
  SET allowed_origin = COALESCE((SELECT a.allowed_origin FROM applications a WHERE a.id = embed_grants.application_id), '');

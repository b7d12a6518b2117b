-- +goose Up
-- Whether the configuration's cashflow reports include score v2.1 besides v2.0.
ALTER TABLE product_configurations ADD COLUMN score_v21 BOOLEAN NOT NULL DEFAULT FALSE;

-- +goose Up
-- Whether cashflow reports of the configuration have score v2.1 beside v2.0.
ALTER TABLE product_configurations ADD COLUMN score_v21 BOOLEAN NOT NULL DEFAULT FALSE;

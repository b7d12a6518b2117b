-- +goose Up
-- Whether income reports of model suite 2.0 include inflows. Existing configurations of the
-- suite include them.
ALTER TABLE product_configurations ADD COLUMN income_inflows BOOLEAN NOT NULL DEFAULT FALSE;
UPDATE product_configurations SET income_inflows = TRUE WHERE income_model_suite <> '' AND income_model_suite NOT LIKE '1.%';

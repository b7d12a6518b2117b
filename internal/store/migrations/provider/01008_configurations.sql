-- +goose Up
-- When the configuration was retired: products that have it keep it, and none can get it.
ALTER TABLE product_configurations ADD COLUMN retired_at BIGINT;
-- How many banks a visit connects at most; 0: as many as any visit.
ALTER TABLE product_configurations ADD COLUMN bank_limit BIGINT NOT NULL DEFAULT 0;
-- Days between the reports of products with the inquiry type MONITORING; 0: the default.
ALTER TABLE product_configurations ADD COLUMN refresh_days BIGINT NOT NULL DEFAULT 0;
-- Sandbox: the prepared report that each report of the configuration is; empty: none.
ALTER TABLE product_configurations ADD COLUMN prepared_report_id TEXT NOT NULL DEFAULT '';

-- The configuration's limit when the visit began.
ALTER TABLE visits ADD COLUMN bank_limit BIGINT NOT NULL DEFAULT 0;

-- What people call the prepared report.
ALTER TABLE sandbox_reports ADD COLUMN name TEXT NOT NULL DEFAULT '';

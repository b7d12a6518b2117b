-- +goose Up
-- Features that the provider enabled or disabled for an account, by name. A child account
-- without a row has its parent's value; for a parent account without a row, the feature is
-- disabled. Only older replicas read the columns custom_reports, ach_details,
-- configurations and rotation.
CREATE TABLE entitlements (
    customer_id TEXT    NOT NULL REFERENCES customers (id),
    name        TEXT    NOT NULL,
    enabled     BOOLEAN NOT NULL,
    changed_at  BIGINT  NOT NULL,
    PRIMARY KEY (customer_id, name)
);
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'prepared-reports', TRUE, created_at FROM customers WHERE custom_reports;
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'account-numbers', TRUE, created_at FROM customers WHERE ach_details;
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'configurations', TRUE, created_at FROM customers WHERE configurations;
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'credential-rotation', TRUE, created_at FROM customers WHERE rotation;
-- Features that every account had before they had to be enabled.
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'relay-tokens', TRUE, created_at FROM customers WHERE parent_id IS NULL;
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'multi-product-tokens', TRUE, created_at FROM customers WHERE parent_id IS NULL;
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'hierarchy', TRUE, created_at FROM customers WHERE parent_id IS NULL;
INSERT INTO entitlements (customer_id, name, enabled, changed_at)
  SELECT id, 'secure-redirect', TRUE, created_at FROM customers WHERE parent_id IS NULL;

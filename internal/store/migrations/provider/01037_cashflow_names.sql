-- +goose Up
-- Generated configurations and products are called "Cashflow" everywhere. Those with other settings were added by people and keep
-- their names, as does one beside which the new name exists.
UPDATE product_configurations SET alias = 'Cashflow' || SUBSTR(alias, 10)
WHERE kind = 'cashflow' AND alias IN ('Cash flow', 'Cash flow with AV attributes and score v1.0', 'Cash flow with score v2.1')
  AND deprecated_attributes = (alias LIKE '%AV%') AND score_v1 = (alias LIKE '%AV%') AND score_v21 = (alias LIKE '%v2.1')
  AND NOT EXISTS (SELECT 1 FROM product_configurations AS c
    WHERE c.customer_id = product_configurations.customer_id AND c.alias = 'Cashflow' || SUBSTR(product_configurations.alias, 10));
UPDATE products SET name = 'Cashflow report'
WHERE name = 'Cash flow report'
  AND NOT EXISTS (SELECT 1 FROM products AS p WHERE p.customer_id = products.customer_id AND p.name = 'Cashflow report');

-- +goose Up
-- The origins of pages that may show an account's widget. Without a row, any page may.
CREATE TABLE widget_origins (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    origin      TEXT NOT NULL,
    PRIMARY KEY (customer_id, origin)
);

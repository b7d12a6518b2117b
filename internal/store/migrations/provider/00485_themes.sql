-- +goose Up
-- The theme of an account's pages for applicants. A child account without a row has its
-- parent's theme.
CREATE TABLE themes (
    customer_id   TEXT    PRIMARY KEY REFERENCES customers (id),
    light_color   TEXT    NOT NULL, -- "#rrggbb"; empty: derived
    dark_color    TEXT    NOT NULL,
    corners       TEXT    NOT NULL,
    font          TEXT    NOT NULL,
    color_scheme  TEXT    NOT NULL, -- auto, light, dark
    logo_has_name BOOLEAN NOT NULL,
    changed_at    BIGINT  NOT NULL
);
CREATE TABLE theme_logos (
    customer_id TEXT   NOT NULL REFERENCES themes (customer_id),
    color_scheme TEXT  NOT NULL, -- light, dark
    hash        TEXT   NOT NULL, -- of the body, in the address
    extension   TEXT   NOT NULL, -- svg, png
    width       BIGINT NOT NULL, -- in pixels, as shown
    height      BIGINT NOT NULL,
    body        BYTEA  NOT NULL,
    PRIMARY KEY (customer_id, color_scheme)
);
CREATE INDEX theme_logos_hash ON theme_logos (hash);

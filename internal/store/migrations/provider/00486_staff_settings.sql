-- +goose Up
-- Settings that users of the dashboard chose.
CREATE TABLE staff_settings (
    staff_id TEXT PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
    density  TEXT NOT NULL -- comfortable, dense
);

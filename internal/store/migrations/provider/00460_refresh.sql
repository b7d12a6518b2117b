-- +goose Up
-- When access was kept open after its report, so that new reports can be made from it; 0 if
-- it was not.
ALTER TABLE source_connections ADD COLUMN kept_at BIGINT NOT NULL DEFAULT 0;

-- The report for which the consumer gave the access that this report was made from.
ALTER TABLE reports ADD COLUMN refreshed_from TEXT;

-- Input of new reports besides the data of the institutions.
CREATE TABLE report_refreshes (
    public_token TEXT PRIMARY KEY,           -- of the report for which the consumer gave the access
    input        BYTEA  NOT NULL,            -- encrypted
    latest       TEXT,                       -- publicToken of the newest report
    scheduled    BIGINT NOT NULL DEFAULT 0   -- number of scheduled turns taken
);

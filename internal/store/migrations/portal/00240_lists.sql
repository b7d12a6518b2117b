-- +goose Up
-- When the newest decision was made; 0 for none.
ALTER TABLE review_index ADD COLUMN decided_at BIGINT NOT NULL DEFAULT 0;
UPDATE review_index SET decided_at = COALESCE((SELECT MAX(d.at) FROM review_decisions d
    WHERE d.application_id = review_index.application_id), 0) WHERE decision <> '';
CREATE INDEX review_index_decided ON review_index (decided_at, application_id);

-- What the list shows of the newest report. The verdict is a word. Figures are encrypted
-- under the application's data key. report_at is the time of the report that they come
-- from.
ALTER TABLE review_index ADD COLUMN verdict TEXT NOT NULL DEFAULT '';
ALTER TABLE review_index ADD COLUMN summary BYTEA;
ALTER TABLE review_index ADD COLUMN report_at BIGINT NOT NULL DEFAULT 0;
CREATE INDEX review_index_verdict ON review_index (verdict, created_at, application_id);

-- The version of the rules by which the row was indexed. A job indexes older rows again.
ALTER TABLE review_index ADD COLUMN version BIGINT NOT NULL DEFAULT 0;
CREATE INDEX review_index_version ON review_index (version, application_id);

-- Filters that a user saved. They hold no search texts.
CREATE TABLE review_filters (
    id          TEXT   PRIMARY KEY,
    reviewer_id TEXT   NOT NULL,
    name        BYTEA  NOT NULL, -- encrypted
    query       TEXT   NOT NULL, -- parameters of the list's address
    created_at  BIGINT NOT NULL
);
CREATE INDEX review_filters_by_reviewer ON review_filters (reviewer_id, created_at, id);

-- A user's settings of the list.
CREATE TABLE review_settings (
    reviewer_id TEXT PRIMARY KEY,
    density     TEXT NOT NULL -- comfortable, dense
);

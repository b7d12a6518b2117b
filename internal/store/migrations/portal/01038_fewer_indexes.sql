-- +goose Up
-- Indexes that no query uses: a timeline is found by its primary key, and is short.
DROP INDEX applications_token;
DROP INDEX review_index_unnamed;
DROP INDEX application_timeline_seq;

-- Most applications have no assignee, and none of their decisions is outdated: only the others are in these indexes. Each
-- change of an application writes its entries in all indexes again.
DROP INDEX review_index_assignee;
CREATE INDEX review_index_assigned ON review_index (assignee, created_at, application_id) WHERE assignee <> '';
DROP INDEX review_index_outdated;
CREATE INDEX review_index_to_confirm ON review_index (created_at, application_id) WHERE outdated = TRUE;
DROP INDEX review_index_decided;
CREATE INDEX review_index_decided_at ON review_index (decided_at, application_id) WHERE decided_at > 0;

-- Versions repeat, so that PostgreSQL stores each once.
DROP INDEX review_index_version;
CREATE INDEX review_index_rules ON review_index (version);

-- +goose Up
-- What the service holds of a person is found by the keys of their details, also where reports were deleted: their readers are
-- shown longer. The index had the other reports alone, so that such a query, which does not leave deleted reports out, read them all.
DROP INDEX reports_key;
CREATE INDEX reports_by_key ON reports (key_id);

-- +goose Up
-- Banks, employers and countries that applicants of a customer missed in the lists, without a
-- link to the applicant. folded is the name in lower case.
CREATE TABLE unlisted_institutions (
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    source_type TEXT   NOT NULL,
    folded      TEXT   NOT NULL,
    name        TEXT   NOT NULL,
    reports     BIGINT NOT NULL,
    last_at     BIGINT NOT NULL,
    PRIMARY KEY (customer_id, source_type, folded)
);

-- What a visit has reported, so that it counts once: hashes of names.
CREATE TABLE unlisted_reports (
    visit_id  TEXT  NOT NULL REFERENCES visits (id) ON DELETE CASCADE,
    name_hash BYTEA NOT NULL,
    PRIMARY KEY (visit_id, name_hash)
);

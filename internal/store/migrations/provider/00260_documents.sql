-- +goose Up
-- Files that applicants upload, encrypted under the report's data key: the name here, the
-- contents in parts, so that no file is in memory as a whole. A row without kept_at is an
-- upload in progress or an abandoned one.
CREATE TABLE documents (
    id           TEXT   PRIMARY KEY,
    public_token TEXT   NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id       TEXT   NOT NULL,
    kind         TEXT   NOT NULL, -- document_type of the files list
    content_type TEXT   NOT NULL, -- detected from the contents
    name         BYTEA  NOT NULL, -- encrypted
    size         BIGINT NOT NULL, -- bytes
    begun_at     BIGINT NOT NULL,
    kept_at      BIGINT
);
CREATE INDEX documents_report ON documents (public_token);
CREATE INDEX documents_begun ON documents (begun_at);

CREATE TABLE document_parts (
    document_id TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    seq         BIGINT NOT NULL,
    sealed      BYTEA  NOT NULL,
    PRIMARY KEY (document_id, seq)
);

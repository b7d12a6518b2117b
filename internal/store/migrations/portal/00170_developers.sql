-- +goose Up
-- Applications of the developers' playground, and how the playground shows them.
CREATE TABLE developer_runs (
    application_id TEXT   PRIMARY KEY,
    way            TEXT   NOT NULL,
    lang           TEXT   NOT NULL, -- language of the embedded element
    theme          TEXT   NOT NULL, -- own (the browser's), light or dark
    username       TEXT   NOT NULL, -- the mock bank's username that the playground proposes
    token          BYTEA  NOT NULL, -- the embed token, encrypted
    created_at     BIGINT NOT NULL
);

-- Claims of the verified result of such an application, besides its outcome.
CREATE TABLE developer_returns (
    application_id TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    key_id         TEXT   NOT NULL,
    issued_at      BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    PRIMARY KEY (application_id, attempt)
);

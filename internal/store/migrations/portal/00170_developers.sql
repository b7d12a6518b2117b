-- +goose Up
-- Applications that were made on the playground, and how they are shown there.
CREATE TABLE developer_runs (
    application_id TEXT   PRIMARY KEY,
    way            TEXT   NOT NULL,
    lang           TEXT   NOT NULL, -- of the element
    theme          TEXT   NOT NULL, -- own (the person's), light or dark
    username       TEXT   NOT NULL, -- the mock bank's, to be proposed
    token          BYTEA  NOT NULL, -- the embed token, sealed
    created_at     BIGINT NOT NULL
);

-- What a verified outcome token of such an application had besides its outcome.
CREATE TABLE developer_returns (
    application_id TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    key_id         TEXT   NOT NULL,
    issued_at      BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    PRIMARY KEY (application_id, attempt)
);

-- +goose Up
-- An application of one applicant. Package journey owns the columns from state to
-- succeeded. version grows by one with each row of the timeline.
CREATE TABLE applications (
    id                TEXT    PRIMARY KEY,
    product           TEXT    NOT NULL,
    mode              TEXT    NOT NULL,
    variant           TEXT    NOT NULL,
    manual            BOOLEAN NOT NULL,
    sandbox_report_id TEXT    NOT NULL,
    origin            TEXT    NOT NULL,
    external_id       TEXT    NOT NULL UNIQUE,
    user_args         TEXT    NOT NULL,
    return_url        TEXT    NOT NULL,
    allowed_origin    TEXT    NOT NULL,
    lang              TEXT    NOT NULL,
    data_key          TEXT    NOT NULL,
    prefill           BYTEA,
    state             TEXT    NOT NULL,
    attempt           BIGINT  NOT NULL,
    since             BIGINT  NOT NULL,
    public_token      TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    substatus         TEXT    NOT NULL,
    error             TEXT    NOT NULL,
    succeeded         BIGINT  NOT NULL,
    fetch_until       BIGINT  NOT NULL,
    report            BYTEA,
    report_at         BIGINT  NOT NULL,
    version           BIGINT  NOT NULL,
    created_at        BIGINT  NOT NULL,
    updated_at        BIGINT  NOT NULL
);
CREATE INDEX applications_newest ON applications (created_at, id);
CREATE INDEX applications_moved ON applications (updated_at);
CREATE INDEX applications_state ON applications (state, created_at);
CREATE INDEX applications_token ON applications (public_token);

-- The browsers that may see an application.
CREATE TABLE application_sessions (
    session_id     TEXT NOT NULL,
    application_id TEXT NOT NULL,
    PRIMARY KEY (session_id, application_id)
);

-- A visit at the provider. The token is encrypted and stored until the widget has opened
-- with it.
CREATE TABLE application_attempts (
    application_id TEXT    NOT NULL,
    attempt        BIGINT  NOT NULL,
    mode           TEXT    NOT NULL,
    external_id    TEXT    NOT NULL UNIQUE,
    consumer_id    TEXT    NOT NULL,
    token          BYTEA,
    token_until    BIGINT  NOT NULL,
    opened         BOOLEAN NOT NULL,
    public_token   TEXT    NOT NULL,
    asked_at       BIGINT  NOT NULL,
    created_at     BIGINT  NOT NULL,
    PRIMARY KEY (application_id, attempt)
);
CREATE INDEX application_attempts_token ON application_attempts (public_token);

-- Every input of an application, also those that changed nothing, without personal data.
-- The key identifies the input, so that the same input is stored once.
CREATE TABLE application_timeline (
    application_id TEXT   NOT NULL,
    key            TEXT   NOT NULL,
    seq            BIGINT NOT NULL,
    at             BIGINT NOT NULL,
    kind           TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    status         TEXT   NOT NULL,
    substatus      TEXT   NOT NULL,
    error          TEXT   NOT NULL,
    from_state     TEXT   NOT NULL,
    to_state       TEXT   NOT NULL,
    PRIMARY KEY (application_id, key)
);
CREATE UNIQUE INDEX application_timeline_seq ON application_timeline (application_id, seq);

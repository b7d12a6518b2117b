-- +goose Up
-- Account and routing number of an account of a report, stored at the first request for
-- them, encrypted under the report's key_id.
CREATE TABLE ach_details (
    public_token TEXT   NOT NULL REFERENCES reports (public_token),
    account_id   TEXT   NOT NULL,
    sealed       BYTEA  NOT NULL,
    first_at     BIGINT NOT NULL,
    PRIMARY KEY (public_token, account_id)
);

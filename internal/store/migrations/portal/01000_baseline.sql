-- +goose Up
-- The tables of the portal's database, by subject.

-- Keys and secrets

-- A data key for each consumer, encrypted under the key-encryption key. Deleting the row
-- makes everything that was encrypted under it unreadable.
CREATE TABLE data_keys (
    id         TEXT   PRIMARY KEY,
    wrapped    BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);

-- Secrets that a party creates at its first start and reads at later ones, encrypted under
-- the system key.
CREATE TABLE secrets (
    name   TEXT  PRIMARY KEY,
    sealed BYTEA NOT NULL
);

-- Keys that sign the session cookie. The newest key signs. Older keys verify until the
-- longest session that they signed has ended.
CREATE TABLE session_keys (
    id         TEXT   PRIMARY KEY,
    sealed     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL
);

-- Users of the review dashboard

-- Users of the review dashboard, who have roles. customer_id is empty.
CREATE TABLE users (
    id            TEXT   PRIMARY KEY,
    customer_id   TEXT   NOT NULL DEFAULT '',
    email_hash    BYTEA  NOT NULL UNIQUE, -- SHA-256 of the address in lower case
    email_sealed  BYTEA  NOT NULL,
    password_hash TEXT   NOT NULL, -- argon2id in PHC string format; empty without a password
    role          TEXT   NOT NULL DEFAULT '', -- reviewer, administrator or auditor; empty at the provider
    subject_hash  BYTEA, -- of issuer and subject, from the first sign-in by OpenID Connect
    created_at    BIGINT NOT NULL,
    signed_in_at  BIGINT NOT NULL DEFAULT 0, -- the last time; 0 for never
    disabled_at   BIGINT NOT NULL DEFAULT 0 -- 0 if the user may sign in
);
CREATE UNIQUE INDEX users_subject ON users (subject_hash);

-- Settings that users chose.
CREATE TABLE user_settings (
    user_id      TEXT PRIMARY KEY,
    density      TEXT NOT NULL, -- comfortable, dense
    -- The columns that a user chose for the list; empty for the default.
    list_columns TEXT NOT NULL DEFAULT ''
);

-- Single-use links to set a password, at most one for each user.
CREATE TABLE password_links (
    user_id    TEXT   PRIMARY KEY,
    hash       BYTEA  NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);

-- Requests of users for a link to set a new password. The job that
-- sends it deletes the row.
CREATE TABLE password_requests (
    id           TEXT   PRIMARY KEY,
    email_sealed BYTEA  NOT NULL,
    lang         TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);

-- A browser's session. Other tables refer to its id, which stays the same. The cookie holds
-- a secret, stored here as a hash, that each renewal replaces.
CREATE TABLE sessions (
    id           TEXT   PRIMARY KEY,
    secret_hash  BYTEA  NOT NULL UNIQUE,
    principal    TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);

-- States of OpenID Connect sign-ins that were used, because each is used once. The browser
-- keeps a sign-in in progress in a cookie.
CREATE TABLE sign_in_states (
    state_hash BYTEA  PRIMARY KEY, -- SHA-256
    expires_at BIGINT NOT NULL
);
CREATE INDEX sign_in_states_expiry ON sign_in_states (expires_at);

-- Attempts to sign in within a window, by address and by network.
CREATE TABLE sign_in_tries (
    key   BYTEA  PRIMARY KEY, -- SHA-256 of the address, alone or with the network
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- The audit trail: who saw and did what. Rows are never changed or deleted. They hold ids
-- and fixed words, no personal data.
CREATE TABLE audit (
    id         TEXT   PRIMARY KEY,
    at         BIGINT NOT NULL,
    actor      TEXT   NOT NULL, -- a user's id; empty for an unknown user
    action     TEXT   NOT NULL,
    subject_id TEXT   NOT NULL, -- the application; empty for none
    object     TEXT   NOT NULL, -- a user or a share; empty for none
    detail     TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    -- What a change replaced: a JSON array of arrays with the setting, its value before and its value
    -- after. Empty for entries without values. No value is personal or secret.
    changed    TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX audit_newest ON audit (at, id);
CREATE INDEX audit_actor ON audit (actor, at, id);
CREATE INDEX audit_action ON audit (action, at, id);
CREATE INDEX audit_subject ON audit (subject_id, at, id);

-- Applications

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
    updated_at        BIGINT  NOT NULL,
    -- The analysis behind a cashflow report's figures: a file of the report, encrypted beside
    -- it. analysis_at is when the portal fetched the file or learned that the report has none;
    -- 0 before that.
    analysis          BYTEA,
    analysis_at       BIGINT  NOT NULL DEFAULT 0,
    -- The newest decision on an application as the onboarding app sees it: the decision and its
    -- reason codes, without the reviewer's text. decisions counts all of them.
    decision          TEXT    NOT NULL DEFAULT '', -- empty for none
    decisions         BIGINT  NOT NULL DEFAULT 0,
    decided_at        BIGINT  NOT NULL DEFAULT 0,
    reasons           TEXT    NOT NULL DEFAULT '', -- separated by spaces
    -- The newest earlier report, while applications.report is empty.
    earlier_attempt   BIGINT  NOT NULL DEFAULT 0,
    earlier_at        BIGINT  NOT NULL DEFAULT 0,
    earlier_token     TEXT    NOT NULL DEFAULT '',
    -- The last attempt before the application was opened again. Results of this attempt and of
    -- earlier ones change nothing.
    closed_attempt    BIGINT  NOT NULL DEFAULT 0
);
CREATE INDEX applications_newest ON applications (created_at, id);
CREATE INDEX applications_updated ON applications (updated_at);
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
    hurried_at     BIGINT  NOT NULL,
    created_at     BIGINT  NOT NULL,
    -- The provider's id for an attempt's applicant, as its webhook or report named it. Deleting
    -- an application at the applicant's request withdraws this consumer's consent.
    named_consumer TEXT    NOT NULL DEFAULT '',
    -- Whether the portal itself began the visit with this attempt's external id. Only such a
    -- visit proves anything.
    verified       BOOLEAN NOT NULL DEFAULT TRUE,
    -- The session of the browser, or of the frame of another site's page, in which the widget
    -- of an attempt was opened. It gets the same attempt when it loads the page again.
    opened_by      TEXT    NOT NULL DEFAULT '',
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
    reasons        TEXT   NOT NULL DEFAULT '', -- of a decision, separated by spaces
    PRIMARY KEY (application_id, key)
);
CREATE UNIQUE INDEX application_timeline_seq ON application_timeline (application_id, seq);

-- Earlier reports of an application whose reviewer asked for more, so that the applicant
-- began again. The newest report is in applications.
CREATE TABLE application_reports (
    application_id TEXT   NOT NULL,
    attempt        BIGINT NOT NULL,
    public_token   TEXT   NOT NULL,
    report         BYTEA  NOT NULL, -- encrypted under the application's key, like analysis
    report_at      BIGINT NOT NULL,
    analysis       BYTEA,
    PRIMARY KEY (application_id, attempt)
);

-- An attempt to verify an application by secure redirect. It is found by the hash of the
-- redirectArgs that it sent. One conditional UPDATE consumes it (returned_at). args is the
-- caller's part of redirectArgs, encrypted.
CREATE TABLE redirect_attempts (
    id             TEXT   PRIMARY KEY,
    reference_hash BYTEA  NOT NULL UNIQUE,
    application_id TEXT   NOT NULL,
    number         BIGINT NOT NULL,
    browser_hash   BYTEA  NOT NULL,
    args           BYTEA  NOT NULL,
    started_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    returned_at    BIGINT NOT NULL,
    outcome        TEXT   NOT NULL,
    status         TEXT   NOT NULL,
    error          TEXT   NOT NULL,
    public_token   TEXT   UNIQUE
);
CREATE INDEX redirect_attempts_open ON redirect_attempts (returned_at, expires_at);

-- A verified outcome that arrived by cross-site POST and waits until the browser returns
-- with its cookie.
CREATE TABLE pending_outcomes (
    handle_hash  BYTEA  PRIMARY KEY,
    attempt_id   TEXT   NOT NULL,
    outcome      TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    error        TEXT   NOT NULL,
    public_token TEXT   NOT NULL,
    expires_at   BIGINT NOT NULL
);
CREATE INDEX pending_outcomes_attempt ON pending_outcomes (attempt_id);
CREATE INDEX pending_outcomes_expiry ON pending_outcomes (expires_at);

-- Requests of onboarding apps

-- An embed token: it admits one browser to an application that an onboarding app created.
-- Stored as SHA-256.
CREATE TABLE embed_grants (
    hash           BYTEA  PRIMARY KEY,
    application_id TEXT   NOT NULL,
    session_id     TEXT, -- the browser that used it; null before
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    -- The origin that may frame the pages of an embed token; '' for none.
    allowed_origin TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX embed_grants_by_expiry ON embed_grants (expires_at);

-- Requests that an onboarding app can repeat under the same Idempotency-Key.
CREATE TABLE api_requests (
    hash           BYTEA  PRIMARY KEY, -- of the API key and the Idempotency-Key
    request_hash   BYTEA  NOT NULL, -- of the body, keyed with the API key
    application_id TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    -- The answer to a request with an Idempotency-Key, encrypted under the system key because
    -- it contains an embed token.
    answer         BYTEA
);
CREATE INDEX api_requests_by_age ON api_requests (created_at);

-- Webhooks

-- Webhook events for the onboarding app: one row for each change of an application's state,
-- written in the transaction that changes it, if a webhook address is configured.
CREATE TABLE events (
    id         TEXT   PRIMARY KEY,
    subject_id TEXT   NOT NULL, -- the application
    sequence   BIGINT NOT NULL, -- seq of the application's timeline
    type       TEXT   NOT NULL,
    detail     TEXT, -- null, because only the provider's events have one
    body       BYTEA  NOT NULL, -- encrypted under the application's data key
    resends    BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (subject_id, sequence)
);
CREATE INDEX events_age ON events (created_at);

-- The delivery of an event. state is pending, delivered, disabled or given up. attempts
-- counts the requests sent.
CREATE TABLE deliveries (
    id          TEXT   PRIMARY KEY,
    event_id    TEXT   NOT NULL,
    state       TEXT   NOT NULL,
    attempts    BIGINT NOT NULL,
    last_http   BIGINT NOT NULL, -- 0 before an answer
    created_at  BIGINT NOT NULL,
    updated_at  BIGINT NOT NULL,
    -- Columns that the provider's deliveries have, so that both parties use the same queries.
    -- They stay empty here: the portal has one receiver and stores bodies with their events.
    callback_id TEXT   NOT NULL DEFAULT '',
    body        BYTEA,
    -- When the next attempt of a pending delivery is due; 0 before the first attempt.
    next_at     BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_newest ON deliveries (created_at, id);
CREATE INDEX deliveries_state ON deliveries (state, created_at);
CREATE INDEX deliveries_event ON deliveries (event_id);

CREATE TABLE delivery_attempts (
    delivery_id TEXT   NOT NULL,
    attempt     BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    http        BIGINT NOT NULL,
    took_ms     BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    -- The beginning of the receiver's answer to an attempt, encrypted like the event's body.
    answer      BYTEA,
    PRIMARY KEY (delivery_id, attempt)
);

-- Webhook addresses that answered 410. They receive nothing until a user enables them
-- again.
CREATE TABLE disabled_urls (
    url_hash    BYTEA  PRIMARY KEY, -- SHA-256
    disabled_at BIGINT NOT NULL
);

-- Emails

-- Emails to applicants. recipient, body and html are encrypted under key_id, the
-- application's data key. body and html contain links, and are deleted after the email is
-- sent.
CREATE TABLE emails (
    id          TEXT    PRIMARY KEY,
    customer_id TEXT    NOT NULL DEFAULT '', -- empty
    subject_id  TEXT    NOT NULL, -- the application
    key_id      TEXT    NOT NULL,
    recipient   BYTEA   NOT NULL,
    subject     TEXT    NOT NULL, -- without personal data
    body        BYTEA,
    html        BYTEA,
    hidden      BOOLEAN NOT NULL DEFAULT FALSE,
    decision    BIGINT  NOT NULL DEFAULT 0, -- number of the decision that the email is about; 0 for a resume link
    withheld    TEXT    NOT NULL DEFAULT '', -- why the email is not sent; failed_at is then set too
    created_at  BIGINT  NOT NULL,
    expires_at  BIGINT  NOT NULL,
    sent_at     BIGINT, -- null before
    failed_at   BIGINT -- null unless given up
);
CREATE INDEX emails_subject ON emails (subject_id);
CREATE INDEX emails_expiry ON emails (expires_at);
CREATE UNIQUE INDEX emails_decision ON emails (subject_id, decision) WHERE decision > 0;

-- A request for an email with resume links, for one application or for the applications of
-- an email address. The job that writes the email deletes the request.
CREATE TABLE email_requests (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL, -- or empty
    mailbox        BYTEA, -- keyed hash of the address, or null
    lang           TEXT   NOT NULL,
    created_at     BIGINT NOT NULL
);

-- Resume links: each admits one more browser to an application, once. Secrets are stored as
-- SHA-256.
CREATE TABLE resume_links (
    hash           BYTEA  PRIMARY KEY,
    application_id TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT NOT NULL,
    used_at        BIGINT -- null before its use
);
CREATE INDEX resume_links_application ON resume_links (application_id);
CREATE INDEX resume_links_expiry ON resume_links (expires_at);

-- The email address of an application as a keyed hash.
CREATE TABLE application_mailboxes (
    application_id TEXT   PRIMARY KEY,
    mailbox        BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL
);
CREATE INDEX application_mailboxes_newest ON application_mailboxes (mailbox, created_at);

-- How many links and emails were requested within a window, by a hash of the requester or
-- the address.
CREATE TABLE link_tries (
    key   BYTEA  PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- Review of applications

-- The index that lists and searches of applications read: one narrow row for each
-- application.
CREATE TABLE review_index (
    application_id TEXT    PRIMARY KEY,
    data_key       TEXT    NOT NULL,
    product        TEXT    NOT NULL,
    mode           TEXT    NOT NULL,
    external_id    TEXT    NOT NULL,
    external_key   BYTEA, -- external_id in lower case; bytes sort alike on both engines
    public_token   TEXT    NOT NULL,
    state          TEXT    NOT NULL,
    outcome        TEXT    NOT NULL, -- SUCCESS, EXIT, ERROR; empty while it has none
    attempt        BIGINT  NOT NULL,
    decision       TEXT    NOT NULL, -- the newest; empty for none
    has_report     BOOLEAN NOT NULL,
    named          BOOLEAN NOT NULL, -- whether this row and the applicant's review_tokens are up to date
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    -- The user who works on an application; empty for none.
    assignee       TEXT    NOT NULL DEFAULT '',
    -- When the newest decision was made; 0 for none.
    decided_at     BIGINT  NOT NULL DEFAULT 0,
    -- What the list shows of the newest report. The verdict is a word. Figures are encrypted
    -- under the application's data key. report_at is the time of the report that they come
    -- from.
    verdict        TEXT    NOT NULL DEFAULT '',
    summary        BYTEA,
    report_at      BIGINT  NOT NULL DEFAULT 0,
    -- The version of the rules by which the row was indexed. A job indexes older rows again.
    version        BIGINT  NOT NULL DEFAULT 0
);
CREATE INDEX review_index_newest ON review_index (created_at, application_id);
CREATE INDEX review_index_state ON review_index (state, created_at, application_id);
CREATE INDEX review_index_product ON review_index (product, created_at, application_id);
CREATE INDEX review_index_decision ON review_index (decision, created_at, application_id);
CREATE INDEX review_index_outcome ON review_index (outcome, created_at, application_id);
CREATE INDEX review_index_cell ON review_index (state, product, decision, created_at, application_id, outcome);
CREATE INDEX review_index_external ON review_index (external_key, application_id);
CREATE INDEX review_index_token ON review_index (public_token);
CREATE INDEX review_index_updated ON review_index (updated_at, application_id);
CREATE INDEX review_index_unnamed ON review_index (named, application_id);
CREATE INDEX review_index_assignee ON review_index (assignee, created_at, application_id);
CREATE INDEX review_index_decided ON review_index (decided_at, application_id);
CREATE INDEX review_index_verdict ON review_index (verdict, created_at, application_id);
CREATE INDEX review_index_version ON review_index (version, application_id);

-- The words of an applicant's names and address, each as a keyed hash. The database alone
-- does not tell whether a person is in it.
CREATE TABLE review_tokens (
    token          BYTEA  NOT NULL,
    created_at     BIGINT NOT NULL, -- of the application
    application_id TEXT   NOT NULL,
    PRIMARY KEY (token, created_at, application_id)
);
CREATE INDEX review_tokens_by_application ON review_tokens (application_id);

-- A search text, stored while its pages of results are open, because names must not be in
-- URLs.
CREATE TABLE review_searches (
    handle     TEXT   PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    query      BYTEA  NOT NULL, -- encrypted
    expires_at BIGINT NOT NULL
);
CREATE INDEX review_searches_expiry ON review_searches (expires_at);

-- Filters that a user saved. They hold no search texts.
CREATE TABLE review_filters (
    id         TEXT   PRIMARY KEY,
    user_id    TEXT   NOT NULL,
    name       BYTEA  NOT NULL, -- encrypted
    query      TEXT   NOT NULL, -- parameters of the list's address
    created_at BIGINT NOT NULL,
    -- The place of a saved filter among those of its user.
    position   BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX review_filters_user ON review_filters (user_id, created_at, id);

-- The decisions of an application. seq counts from 1 within an application.
CREATE TABLE review_decisions (
    application_id TEXT   NOT NULL,
    seq            BIGINT NOT NULL,
    decision       TEXT   NOT NULL, -- approved, declined, moreAsked, escalated
    reasons        TEXT   NOT NULL, -- the report's reason codes, separated by spaces
    text           BYTEA, -- encrypted under the application's key
    user_id        TEXT   NOT NULL,
    at             BIGINT NOT NULL,
    PRIMARY KEY (application_id, seq)
);

-- Notes of reviewers on an application.
CREATE TABLE review_notes (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    text           BYTEA  NOT NULL, -- encrypted under the application's key
    user_id        TEXT   NOT NULL,
    at             BIGINT NOT NULL
);
CREATE INDEX review_notes_by_application ON review_notes (application_id, at, id);

-- A record of each deleted application.
CREATE TABLE review_deletions (
    application_id TEXT   PRIMARY KEY,
    at             BIGINT NOT NULL,
    user_id        TEXT   NOT NULL, -- empty if the retention period ended
    reason         TEXT   NOT NULL
);
CREATE INDEX review_deletions_newest ON review_deletions (at, application_id);

-- The third parties that a report is shared with: one row for each application and third
-- party. Sharing again moves granted_at. A withdrawn share stays withdrawn.
CREATE TABLE report_shares (
    id             TEXT    PRIMARY KEY, -- derived from application_id and public_id
    application_id TEXT    NOT NULL,
    public_id      TEXT    NOT NULL, -- the third party's account at the service
    label          BYTEA, -- encrypted; the name that reviewers see
    relay_token    BYTEA   NOT NULL, -- encrypted
    created_at     BIGINT  NOT NULL,
    created_by     TEXT    NOT NULL, -- a reviewer
    granted_at     BIGINT  NOT NULL, -- the last time; valid for 72 hours
    granted_by     TEXT    NOT NULL,
    withdrawn_at   BIGINT,
    withdrawn_by   TEXT    NOT NULL, -- a reviewer; empty if not withdrawn here
    UNIQUE (application_id, public_id)
);
CREATE INDEX report_shares_newest ON report_shares (granted_at);

-- Who shared which report with whom, and who withdrew it. A row is written before the
-- request to the service and deleted if the service refuses. Without done_at, the answer to
-- the request is unknown.
CREATE TABLE report_share_log (
    id             TEXT   PRIMARY KEY,
    application_id TEXT   NOT NULL,
    public_id      TEXT   NOT NULL,
    user_id        TEXT   NOT NULL,
    action         TEXT   NOT NULL, -- shared, renewed, withdrawn
    request_id     TEXT   NOT NULL,
    at             BIGINT NOT NULL,
    done_at        BIGINT
);
CREATE INDEX report_share_log_by_application ON report_share_log (application_id, at);

-- Developers' playground

-- Applications of the developers' playground, and how the playground shows them.
CREATE TABLE developer_runs (
    application_id TEXT   PRIMARY KEY,
    integration    TEXT   NOT NULL,
    lang           TEXT   NOT NULL, -- language of the embedded element
    theme          TEXT   NOT NULL, -- own (the browser's), light or dark
    username       TEXT   NOT NULL, -- the mock bank's username that the playground proposes
    token          BYTEA  NOT NULL, -- the embed token, encrypted
    created_at     BIGINT NOT NULL,
    -- The test person of a playground's run.
    person         TEXT   NOT NULL DEFAULT ''
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

-- Jobs

-- Processes that run jobs. When one stops without notice, another takes up its jobs.
CREATE TABLE job_runners (
    id      TEXT   PRIMARY KEY,
    seen_at BIGINT NOT NULL -- by the database's clock
);

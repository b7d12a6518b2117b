-- +goose Up
-- The tables of the provider's database, by subject.

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

-- Signing keys. The public halves of the keys with purpose 'outcome' are the published key
-- set; keys with purpose 'access' are not published. A key signs from signs_from until a
-- newer key does, and is stored until everything that it signed has expired.
CREATE TABLE signing_keys (
    id         TEXT   PRIMARY KEY,
    purpose    TEXT   NOT NULL,
    generation BIGINT NOT NULL,
    sealed     BYTEA  NOT NULL,
    created_at BIGINT NOT NULL,
    signs_from BIGINT NOT NULL,
    UNIQUE (purpose, generation)
);

-- Customers

-- A customer's account in one environment. A child account names its parent. generated
-- marks the accounts that a sandbox creates at its first start.
CREATE TABLE customers (
    id           TEXT    PRIMARY KEY,
    public_id    TEXT    NOT NULL UNIQUE,
    environment  TEXT    NOT NULL,
    parent_id    TEXT    REFERENCES customers (id),
    name         TEXT    NOT NULL,
    generated    TEXT    UNIQUE,
    return_mode  TEXT    NOT NULL DEFAULT 'get',
    require_form BOOLEAN NOT NULL DEFAULT FALSE,
    created_at   BIGINT  NOT NULL,
    display_name TEXT
);
CREATE UNIQUE INDEX customers_child ON customers (parent_id, name);

-- What a product's reports contain and how they are computed. The provider creates the
-- configurations of a parent account. A product uses the one in configuration_id, else its
-- account's, else that of the account's parent.
CREATE TABLE product_configurations (
    id                    TEXT    PRIMARY KEY,
    customer_id           TEXT    NOT NULL REFERENCES customers (id),
    kind                  TEXT    NOT NULL,
    alias                 TEXT    NOT NULL,
    inquiry_type          TEXT    NOT NULL,
    deprecated_attributes BOOLEAN NOT NULL DEFAULT FALSE,
    score_v1              BOOLEAN NOT NULL DEFAULT FALSE,
    income_model_suite    TEXT    NOT NULL DEFAULT '',
    created_at            BIGINT  NOT NULL,
    -- What eligibility reports verify: INCOME, ASSETS or INCOME_AND_ASSETS. Empty means
    -- INCOME_AND_ASSETS, and is the value of other kinds.
    eligibility_kind      TEXT    NOT NULL DEFAULT '',
    -- Whether income reports of model suite 2.0 include inflows.
    income_inflows        BOOLEAN NOT NULL DEFAULT FALSE,
    -- Whether the configuration's cashflow reports include score v2.1 besides v2.0.
    score_v21             BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE (customer_id, alias)
);
ALTER TABLE customers ADD COLUMN configuration_id TEXT REFERENCES product_configurations (id);

CREATE TABLE products (
    id               TEXT    PRIMARY KEY,
    customer_id      TEXT    NOT NULL REFERENCES customers (id),
    kind             TEXT    NOT NULL,
    name             TEXT    NOT NULL,
    inquiry_type     TEXT    NOT NULL,
    created_at       BIGINT  NOT NULL,
    -- kind and inquiry_type apply to a product without a configuration; empty for none.
    display_name     TEXT,
    configuration_id TEXT    REFERENCES product_configurations (id),
    updated_at       BIGINT,
    UNIQUE (customer_id, name)
);

-- Features that the provider enabled or disabled for an account, by name. A child account
-- without a row has its parent's value; for a parent account without a row, the feature is
-- disabled.
CREATE TABLE entitlements (
    customer_id TEXT    NOT NULL REFERENCES customers (id),
    name        TEXT    NOT NULL,
    enabled     BOOLEAN NOT NULL,
    changed_at  BIGINT  NOT NULL,
    PRIMARY KEY (customer_id, name)
);

-- A secret of a client. During a rotation, two rows with one client_id are valid;
-- expires_at ends the older one. Deleting a row revokes the secret.
CREATE TABLE credentials (
    id          TEXT    PRIMARY KEY,
    customer_id TEXT    NOT NULL REFERENCES customers (id),
    client_id   TEXT    NOT NULL,
    secret_hash BYTEA   NOT NULL UNIQUE,
    created_at  BIGINT  NOT NULL,
    expires_at  BIGINT,
    -- How often a secret was rotated. A rotation is conditional on the count that it read, so
    -- that one of several concurrent rotations succeeds. The row of a revoked secret stays, so
    -- that the secret cannot be issued again.
    rotations   BIGINT  NOT NULL DEFAULT 0,
    revoked_at  BIGINT,
    -- The hour in which a secret last authenticated a request; 0 for never.
    used_at     BIGINT  NOT NULL DEFAULT 0,
    -- What a client is for, in the words of the account's users. Empty: without a name. All
    -- secrets of a client have its name.
    name        TEXT    NOT NULL DEFAULT ''
);
CREATE INDEX credentials_client ON credentials (client_id);
CREATE INDEX credentials_customer ON credentials (customer_id);

-- The complete URLs that secure redirect may return to. Position 0 is the static one.
CREATE TABLE complete_urls (
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    position    BIGINT NOT NULL,
    url         TEXT   NOT NULL,
    PRIMARY KEY (customer_id, position)
);

-- The origins of pages that may show an account's widget. Without a row, any page may.
CREATE TABLE widget_origins (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    origin      TEXT NOT NULL,
    PRIMARY KEY (customer_id, origin)
);

-- The theme of an account's pages for applicants. A child account without a row has its
-- parent's theme.
CREATE TABLE themes (
    customer_id   TEXT    PRIMARY KEY REFERENCES customers (id),
    light_color   TEXT    NOT NULL, -- "#rrggbb"; empty: derived
    dark_color    TEXT    NOT NULL,
    corners       TEXT    NOT NULL,
    font          TEXT    NOT NULL,
    color_scheme  TEXT    NOT NULL, -- auto, light, dark
    logo_has_name BOOLEAN NOT NULL,
    changed_at    BIGINT  NOT NULL
);

CREATE TABLE theme_logos (
    customer_id  TEXT   NOT NULL REFERENCES themes (customer_id),
    color_scheme TEXT   NOT NULL, -- light, dark
    hash         TEXT   NOT NULL, -- of the body, in the address
    extension    TEXT   NOT NULL, -- svg, png
    width        BIGINT NOT NULL, -- in pixels, as shown
    height       BIGINT NOT NULL,
    body         BYTEA  NOT NULL,
    PRIMARY KEY (customer_id, color_scheme)
);
CREATE INDEX theme_logos_hash ON theme_logos (hash);

-- Users of the dashboard

-- Users of a customer, who sign in to the dashboard.
CREATE TABLE users (
    id            TEXT   PRIMARY KEY,
    customer_id   TEXT   NOT NULL REFERENCES customers (id),
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
CREATE INDEX users_customer ON users (customer_id);

-- Settings that users of the dashboard chose.
CREATE TABLE user_settings (
    user_id TEXT PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    density TEXT NOT NULL -- comfortable, dense
);

-- Links to set a password, one for each user of the dashboard. Of the secret only the
-- SHA-256 is here.
CREATE TABLE password_links (
    user_id    TEXT   PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    hash       BYTEA  NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);

-- Requests for such a link. The job that sends it deletes the row.
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

-- The audit trail: who changed what, written in the transaction that makes the change.
-- Users and objects are ids, detail is a fixed word: nothing is personal or secret.
CREATE TABLE audit (
    id         TEXT   PRIMARY KEY,
    subject_id TEXT   NOT NULL REFERENCES customers (id),
    actor      TEXT   NOT NULL,
    at         BIGINT NOT NULL,
    action     TEXT   NOT NULL,
    object     TEXT   NOT NULL,
    detail     TEXT   NOT NULL,
    request_id TEXT   NOT NULL,
    -- What a change replaced: a JSON array of arrays with the setting, its value before and its value
    -- after. Empty for entries without values. No value is personal or secret.
    changed    TEXT   NOT NULL DEFAULT ''
);
CREATE INDEX audit_subject ON audit (subject_id, at, id);
CREATE INDEX audit_age ON audit (at);

-- A message for the next page of a session, and the secret that it shows once. Reading it
-- deletes it.
CREATE TABLE dashboard_notices (
    session_id TEXT   PRIMARY KEY,
    message    TEXT   NOT NULL,
    sealed     BYTEA, -- the secret, encrypted; null for none
    expires_at BIGINT NOT NULL
);

-- Forms of the dashboard that were submitted. Each is accepted once.
CREATE TABLE dashboard_forms (
    nonce      TEXT   PRIMARY KEY,
    session_id TEXT   NOT NULL,
    at         BIGINT NOT NULL
);
CREATE INDEX dashboard_forms_age ON dashboard_forms (at);

-- Consumers and reports

-- Consumers. prefill is encrypted under key_id, the consumer's own data key.
CREATE TABLE consumers (
    id           TEXT    PRIMARY KEY,
    customer_id  TEXT    NOT NULL REFERENCES customers (id),
    external_id  TEXT,
    key_id       TEXT    NOT NULL,
    prefill      BYTEA,
    withdrawn_at BIGINT,
    created_at   BIGINT  NOT NULL,
    updated_at   BIGINT  NOT NULL,
    -- When a consumer's details and data key were destroyed, because no request can need them
    -- any more. The row remains as the record of a withdrawn consent.
    erased_at    BIGINT,
    -- The keyed hash of the email address in prefill. Null: not computed yet, or erased.
    mailbox      BYTEA,
    -- The language in which a consumer last agreed to a visit. Empty: unknown.
    lang         TEXT    NOT NULL DEFAULT '',
    UNIQUE (customer_id, external_id)
);
CREATE INDEX consumers_key ON consumers (key_id);
CREATE INDEX consumers_idle ON consumers (updated_at) WHERE erased_at IS NULL AND (external_id IS NULL OR withdrawn_at IS NOT NULL);
CREATE INDEX consumers_mailbox ON consumers (mailbox) WHERE mailbox IS NOT NULL;
CREATE INDEX consumers_unhashed ON consumers (id) WHERE mailbox IS NULL AND prefill IS NOT NULL;

-- A report and the input that it is computed from. input and body are encrypted under
-- key_id, the consumer's data key.
CREATE TABLE reports (
    public_token   TEXT    PRIMARY KEY,
    customer_id    TEXT    NOT NULL REFERENCES customers (id),
    product_id     TEXT    NOT NULL REFERENCES products (id),
    kind           TEXT    NOT NULL,
    external_id    TEXT,
    user_args      TEXT,
    consumer_id    TEXT    REFERENCES consumers (id),
    key_id         TEXT    NOT NULL,
    status         TEXT    NOT NULL,
    substatus      TEXT,
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    retrieved_at   BIGINT,
    -- When a report's body was deleted because of its age. The report cannot be read from then
    -- on, even if the sandbox's clock goes back.
    erased_at      BIGINT,
    -- A report made from the data of another report of the same customer: that report's token,
    -- and since when the service holds the data. Both are null for other reports.
    source_token   TEXT    REFERENCES reports (public_token),
    held_at        BIGINT,
    -- How often users corrected a report. A correction is conditional on the count that it
    -- read, so that one of two concurrent corrections succeeds.
    revision       BIGINT  NOT NULL DEFAULT 0,
    -- The report for which the consumer gave the access that this report was made from.
    refreshed_from TEXT,
    UNIQUE (customer_id, external_id)
);
CREATE INDEX reports_consumer ON reports (consumer_id);
CREATE INDEX reports_readable ON reports (created_at) WHERE erased_at IS NULL;
CREATE INDEX reports_customer ON reports (customer_id, created_at, public_token);
CREATE INDEX reports_key ON reports (key_id) WHERE erased_at IS NULL;

-- The input and the body of a report, encrypted under the report's key_id. They are in a
-- table of their own because they are large and every request reads the rows of reports.
-- created_at and held_at are the report's, which never change; the retention job reads
-- them. Deleting the report's body deletes the row.
CREATE TABLE report_data (
    public_token TEXT    PRIMARY KEY REFERENCES reports (public_token) ON DELETE CASCADE,
    created_at   BIGINT  NOT NULL,
    held_at      BIGINT,
    input        BYTEA,
    body         BYTEA
);
CREATE INDEX report_data_created ON report_data (created_at);
CREATE INDEX report_data_inputs ON report_data (created_at) WHERE input IS NOT NULL;
CREATE INDEX report_data_held ON report_data (held_at) WHERE input IS NOT NULL AND held_at IS NOT NULL;

-- The corrections of a report, from 1 on: who corrected it, why, and the body that it
-- replaced. reason and replaced are encrypted under the report's key_id. The rows are
-- deleted with the report's body.
CREATE TABLE report_revisions (
    public_token TEXT   NOT NULL REFERENCES report_data (public_token) ON DELETE CASCADE,
    revision     BIGINT NOT NULL,
    at           BIGINT NOT NULL,
    user_id      TEXT   NOT NULL,
    reason       BYTEA  NOT NULL,
    replaced     BYTEA  NOT NULL,
    PRIMARY KEY (public_token, revision)
);

-- Input of new reports besides the data of the institutions.
CREATE TABLE report_refreshes (
    public_token TEXT   PRIMARY KEY, -- of the report for which the consumer gave the access
    input        BYTEA  NOT NULL, -- encrypted
    latest       TEXT, -- publicToken of the newest report
    scheduled    BIGINT NOT NULL DEFAULT 0 -- number of scheduled turns taken
);

-- Files that applicants upload, encrypted under the report's data key: the name here, the
-- contents in parts, so that no file is in memory as a whole. A row without completed_at is an
-- upload in progress or an abandoned one.
CREATE TABLE documents (
    id           TEXT    PRIMARY KEY,
    public_token TEXT    NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id       TEXT    NOT NULL,
    kind         TEXT    NOT NULL, -- document_type of the files list
    content_type TEXT    NOT NULL, -- detected from the contents
    name         BYTEA   NOT NULL, -- encrypted
    size         BIGINT  NOT NULL, -- bytes
    created_at   BIGINT  NOT NULL,
    completed_at BIGINT,
    -- The number of the stated employer that a document was uploaded for; 0 for none.
    employer     INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX documents_report ON documents (public_token);
CREATE INDEX documents_created ON documents (created_at);

CREATE TABLE document_parts (
    document_id TEXT   NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    seq         BIGINT NOT NULL,
    sealed      BYTEA  NOT NULL,
    PRIMARY KEY (document_id, seq)
);

-- A report that its owner shares with a third party: one row for each report and third
-- party. Sharing again moves expires_at. A revoked row stays revoked. read_at is when the
-- third party first read the report; after that, expires_at no longer applies.
CREATE TABLE relay_tokens (
    token          TEXT    PRIMARY KEY,
    public_token   TEXT    NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    customer_id    TEXT    NOT NULL REFERENCES customers (id), -- the owner
    third_party_id TEXT    NOT NULL REFERENCES customers (id),
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL,
    read_at        BIGINT,
    revoked_at     BIGINT,
    UNIQUE (public_token, third_party_id)
);

-- A consumer's connection to a bank, or submitted data, and until when the numbers of its
-- accounts can be requested for the first time. key_id, the consumer's data key, identifies
-- the consumer, because submitted data have no consumer row.
CREATE TABLE bank_connections (
    key_id       TEXT   NOT NULL,
    id           TEXT   NOT NULL, -- source_uuid of the report
    connected_at BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    PRIMARY KEY (key_id, id)
);

-- An account of a consumer, one row for all of the consumer's reports. Its id is an HMAC of
-- the consumer and the bank's own id, so that reports that end at the same time meet in one
-- row. details is what the list of accounts shows; numbers is what the ACH details contain.
-- Both are encrypted under key_id.
CREATE TABLE bank_accounts (
    id                 TEXT    PRIMARY KEY,
    key_id             TEXT    NOT NULL,
    customer_id        TEXT    NOT NULL REFERENCES customers (id),
    consumer_id        TEXT    REFERENCES consumers (id),
    connection_id      TEXT    NOT NULL, -- the newest
    account_id         TEXT    NOT NULL, -- the account_id in the consumer's first report with the account
    number_type        TEXT    NOT NULL, -- AN or TAN
    retrieved_at       BIGINT  NOT NULL, -- of details
    details            BYTEA   NOT NULL,
    numbers            BYTEA, -- null if unknown
    first_requested_at BIGINT, -- when the numbers were first requested
    revoked_at         BIGINT, -- at the bank; an AN cannot be revoked
    FOREIGN KEY (key_id, connection_id) REFERENCES bank_connections (key_id, id)
);
CREATE INDEX bank_accounts_consumer ON bank_accounts (consumer_id);
CREATE INDEX bank_accounts_connection ON bank_accounts (key_id, connection_id);

-- The account_id of the account in each report.
CREATE TABLE bank_account_names (
    public_token    TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    account_id      TEXT NOT NULL,
    bank_account_id TEXT NOT NULL REFERENCES bank_accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (public_token, account_id)
);
CREATE INDEX bank_account_names_account ON bank_account_names (account_id);
CREATE INDEX bank_account_names_bank_account ON bank_account_names (bank_account_id);

-- Visits

-- An applicant's visit to the widget or the hosted page. It stores nothing that the
-- applicant typed except for the mock bank's username, which is not personal. The
-- applicant's details are the consumer's, encrypted there.
CREATE TABLE visits (
    id                TEXT    PRIMARY KEY,
    public_token      TEXT    NOT NULL UNIQUE,
    customer_id       TEXT    NOT NULL,
    product_id        TEXT    NOT NULL,
    product           TEXT    NOT NULL,
    environment       TEXT    NOT NULL,
    consumer_id       TEXT    NOT NULL,
    handle_hash       BYTEA   UNIQUE, -- SHA-256; null before the visit can be opened
    state             TEXT    NOT NULL,
    step              TEXT    NOT NULL,
    scenario          TEXT    NOT NULL,
    bank              TEXT    NOT NULL,
    username          TEXT    NOT NULL,
    tries             INTEGER NOT NULL,
    status            TEXT    NOT NULL,
    substatus         TEXT    NOT NULL,
    error             TEXT    NOT NULL,
    sandbox_report_id TEXT    NOT NULL,
    version           BIGINT  NOT NULL, -- counts the changes; each change is conditional on the version that it read
    created_at        BIGINT  NOT NULL,
    expires_at        BIGINT  NOT NULL,
    ended_at          BIGINT  NOT NULL, -- 0 before
    -- The type of source that the applicant chose; empty before the choice.
    source_type       TEXT    NOT NULL DEFAULT '',
    -- When the current sign-in at a payroll provider succeeded, because its session ends after
    -- a time; 0 for none.
    signed_in_at      BIGINT  NOT NULL DEFAULT 0,
    -- The applicant's connections so far, as JSON: providers, the mock bank's usernames and ids
    -- of accounts. None of it is personal.
    sources           TEXT    NOT NULL DEFAULT '',
    -- For visits of eligibility reports: how many stated employers are verified, the number of
    -- the current one (from 1; 0 for none), and whether the product asks for nothing else. The
    -- names are the consumer's, encrypted there.
    employers         INTEGER NOT NULL DEFAULT 0,
    employer          INTEGER NOT NULL DEFAULT 0,
    income_only       BOOLEAN NOT NULL DEFAULT FALSE,
    -- The employers that a visit verifies, as they were stated when it began, encrypted under
    -- the consumer's key; null for none.
    stated            BYTEA,
    -- Whether a visit began without an initialization token, from the applicant's page.
    tokenless         BOOLEAN NOT NULL DEFAULT FALSE,
    -- Wrong one-time codes of a visit so far, the number of codes sent for its current sign-in,
    -- and when the last code was sent, in microseconds.
    code_tries        BIGINT  NOT NULL DEFAULT 0,
    codes             BIGINT  NOT NULL DEFAULT 0,
    code_sent_at      BIGINT  NOT NULL DEFAULT 0,
    -- A visit on the hosted page belongs to the browser that began it. A visit in the widget's
    -- frame is not hosted: only that frame has its handle.
    hosted            BOOLEAN NOT NULL DEFAULT FALSE,
    -- SHA-256 of the secret in that browser's cookie; null before a browser began the visit.
    browser_hash      BYTEA
);
CREATE INDEX visits_due ON visits (expires_at) WHERE ended_at = 0;
CREATE INDEX visits_consumer ON visits (consumer_id) WHERE ended_at = 0;
CREATE INDEX visits_ended ON visits (ended_at) WHERE ended_at > 0;
CREATE INDEX visits_customer ON visits (customer_id, created_at);

-- The timeline of a visit: one row for each change, without personal data.
CREATE TABLE visit_events (
    visit_id TEXT   NOT NULL REFERENCES visits (id),
    seq      BIGINT NOT NULL, -- the visit's version after the change
    at       BIGINT NOT NULL,
    kind     TEXT   NOT NULL,
    state    TEXT   NOT NULL,
    step     TEXT   NOT NULL,
    PRIMARY KEY (visit_id, seq)
);

CREATE TABLE initialization_tokens (
    hash       BYTEA  PRIMARY KEY, -- SHA-256 of the token
    visit_id   TEXT   NOT NULL UNIQUE REFERENCES visits (id),
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL -- 0 before
);

-- A secure redirect: a visit to the hosted page that returns to the customer's complete
-- URL.
CREATE TABLE redirects (
    id            TEXT    PRIMARY KEY,
    visit_id      TEXT    NOT NULL UNIQUE,
    customer_id   TEXT    NOT NULL,
    handle_hash   BYTEA   NOT NULL UNIQUE, -- of the handle in redirectUrl
    token_hash    BYTEA   NOT NULL UNIQUE, -- of redirectToken
    form_only     BOOLEAN NOT NULL, -- whether only a POST of the token opens it, not the address alone
    complete_url  TEXT    NOT NULL, -- the requested one, or the static one at that time
    redirect_args BYTEA   NOT NULL, -- encrypted; the customer's text, which may be personal
    created_at    BIGINT  NOT NULL,
    expires_at    BIGINT  NOT NULL
);

-- A link to a visit on the hosted page that a customer sends to an applicant. It is valid
-- while the visit waits.
CREATE TABLE invites (
    id          TEXT   PRIMARY KEY,
    visit_id    TEXT   NOT NULL UNIQUE REFERENCES visits (id),
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    handle_hash BYTEA  NOT NULL UNIQUE, -- of the handle in inviteLink
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT NOT NULL
);

-- How many submissions an account has made, and when it made the last thirty: submission n
-- is in slot n modulo 30. The next one can take its slot when the row in it is a minute
-- old.
CREATE TABLE submission_counts (
    customer_id TEXT   PRIMARY KEY REFERENCES customers (id),
    accepted    BIGINT NOT NULL
);

CREATE TABLE submission_slots (
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    slot        BIGINT NOT NULL,
    at          BIGINT NOT NULL,
    PRIMARY KEY (customer_id, slot)
);

-- Data sources

-- Authorizations at institutions, and the access that they gave.
CREATE TABLE source_authorizations (
    state_hash   BYTEA  PRIMARY KEY, -- SHA-256 of the state parameter
    browser_hash BYTEA  NOT NULL, -- SHA-256 of the secret in the browser's cookie
    visit_id     TEXT   NOT NULL,
    environment  TEXT   NOT NULL,
    institution  TEXT   NOT NULL,
    key_id       TEXT   NOT NULL,
    pending      BYTEA  NOT NULL, -- encrypted: what completes the authorization
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    used_at      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX source_authorizations_expiry ON source_authorizations (expires_at);
CREATE INDEX source_authorizations_visit ON source_authorizations (visit_id);

CREATE TABLE source_connections (
    id           TEXT   PRIMARY KEY,
    public_token TEXT   NOT NULL, -- of the report that the access was given for
    customer_id  TEXT   NOT NULL,
    consumer_id  TEXT   NOT NULL,
    environment  TEXT   NOT NULL,
    institution  TEXT   NOT NULL,
    key_id       TEXT   NOT NULL,
    access       BYTEA, -- encrypted; NULL after the access ended
    created_at   BIGINT NOT NULL,
    expires_at   BIGINT NOT NULL,
    ended_at     BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0, -- one fetch at a time uses the access
    -- When access was kept open after its report, so that new reports can be made from it; 0 if
    -- it was not.
    retained_at  BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX source_connections_report ON source_connections (public_token);
CREATE INDEX source_connections_consumer ON source_connections (consumer_id);
CREATE INDEX source_connections_expiry ON source_connections (ended_at, expires_at);

-- What was done with each connection, without personal data.
CREATE TABLE source_events (
    connection_id TEXT   NOT NULL,
    seq           BIGINT NOT NULL,
    at            BIGINT NOT NULL,
    kind          TEXT   NOT NULL, -- authorized, fetched, failed, renewed, ended, revoked
    reason        TEXT   NOT NULL DEFAULT '',
    PRIMARY KEY (connection_id, seq)
);

-- Webhooks

-- The address that receives a customer's webhooks. Answering 410 disables it.
CREATE TABLE callbacks (
    id          TEXT    PRIMARY KEY,
    customer_id TEXT    NOT NULL UNIQUE REFERENCES customers (id),
    url         TEXT    NOT NULL,
    disabled_at BIGINT,
    created_at  BIGINT  NOT NULL,
    -- The statuses that a callback is notified of; empty for all.
    statuses    TEXT    NOT NULL DEFAULT ''
);

-- Secrets that sign a callback's webhooks, encrypted under the system key. All secrets that
-- have not expired sign, so that a receiver can change from one to the next.
CREATE TABLE callback_secrets (
    id          TEXT   PRIMARY KEY,
    callback_id TEXT   NOT NULL REFERENCES callbacks (id),
    sealed      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL,
    expires_at  BIGINT
);
CREATE INDEX callback_secrets_callback ON callback_secrets (callback_id);

-- Webhook events: one row for each change of a report's status, written in the transaction
-- that changes it. The customer's own ids are read from the report when the event is sent.
CREATE TABLE events (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    subject_id  TEXT   NOT NULL, -- publicToken or sharing token of the report; empty for a test
    sequence    BIGINT NOT NULL DEFAULT 0, -- 0, because events are sent in any order
    type        TEXT   NOT NULL, -- the report's status
    detail      TEXT, -- the report's substatus
    body        BYTEA, -- null, because a delivery has the body
    -- How often a user sent an event again. Each resend is conditional on the count that it
    -- read, so that a form posted twice sends once.
    resends     BIGINT NOT NULL DEFAULT 0,
    created_at  BIGINT NOT NULL
);
CREATE INDEX events_subject ON events (subject_id);
CREATE INDEX events_customer ON events (customer_id, created_at, id);
CREATE INDEX events_age ON events (created_at);

-- The delivery of an event to a callback. state is pending, delivered, disabled or given
-- up. attempts counts the requests sent.
CREATE TABLE deliveries (
    id          TEXT    PRIMARY KEY,
    event_id    TEXT    NOT NULL REFERENCES events (id),
    callback_id TEXT    NOT NULL REFERENCES callbacks (id),
    state       TEXT    NOT NULL,
    attempts    BIGINT  NOT NULL DEFAULT 0,
    last_http   BIGINT,
    created_at  BIGINT  NOT NULL,
    updated_at  BIGINT  NOT NULL,
    -- The body of the first attempt, encrypted under the report's data key.
    body        BYTEA,
    -- When the next attempt of a pending delivery is due; 0 before the first attempt.
    next_at     BIGINT  NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_newest ON deliveries (callback_id, created_at, id);

-- An attempt of a delivery. error is a class of errors, empty if the receiver answered.
CREATE TABLE delivery_attempts (
    delivery_id TEXT   NOT NULL REFERENCES deliveries (id),
    attempt     BIGINT NOT NULL, -- from 1
    at          BIGINT NOT NULL,
    http        BIGINT NOT NULL, -- 0 for no answer
    took_ms     BIGINT NOT NULL,
    error       TEXT   NOT NULL,
    -- The beginning of the receiver's answer to an attempt, encrypted like the event's body.
    answer      BYTEA,
    PRIMARY KEY (delivery_id, attempt)
);

-- Emails

-- Emails to applicants. The mail server sends them; without one, a user reads them on the
-- dashboard and passes them on. recipient, body and html are encrypted under key_id, the
-- consumer's data key. body and html are deleted after the email is sent, the row when its
-- link expires.
CREATE TABLE emails (
    id          TEXT    PRIMARY KEY,
    customer_id TEXT    NOT NULL REFERENCES customers (id),
    subject_id  TEXT    NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id      TEXT    NOT NULL,
    recipient   BYTEA   NOT NULL,
    subject     TEXT    NOT NULL, -- without personal data
    body        BYTEA,
    html        BYTEA,
    hidden      BOOLEAN NOT NULL DEFAULT FALSE, -- users must not read it, because it opens a consumer's page
    decision    BIGINT  NOT NULL DEFAULT 0, -- 0: only the portal's emails are about decisions
    withheld    TEXT    NOT NULL DEFAULT '', -- empty
    created_at  BIGINT  NOT NULL,
    expires_at  BIGINT  NOT NULL,
    sent_at     BIGINT, -- null before
    failed_at   BIGINT -- null unless given up
);
CREATE INDEX emails_customer ON emails (customer_id, created_at, id);
CREATE INDEX emails_expiry ON emails (expires_at);

-- A request for a link to what an email address has shared. The job that writes the email
-- deletes it.
CREATE TABLE access_requests (
    id         TEXT   PRIMARY KEY,
    mailbox    BYTEA  NOT NULL,
    lang       TEXT   NOT NULL,
    created_at BIGINT NOT NULL
);

-- A link, and after its use the session that it opened. Secrets are SHA-256.
CREATE TABLE access_links (
    hash         BYTEA  PRIMARY KEY,
    mailbox      BYTEA  NOT NULL,
    session_hash BYTEA  UNIQUE, -- null until the link is used
    expires_at   BIGINT NOT NULL -- of the link, then of the session
);
CREATE INDEX access_links_expiry ON access_links (expires_at);

-- How many emails were requested within a window, by a hash of the mailbox or network.
CREATE TABLE link_tries (
    key   BYTEA  PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);

-- Sandbox

-- The difference between the sandbox's clock and the time of day.
CREATE TABLE sandbox_clock (
    id            BIGINT PRIMARY KEY CHECK (id = 1),
    offset_micros BIGINT NOT NULL
);

-- Reports that a sandbox serves as they were configured, without computing them.
CREATE TABLE sandbox_reports (
    id          TEXT   PRIMARY KEY,
    customer_id TEXT   NOT NULL REFERENCES customers (id),
    kind        TEXT   NOT NULL,
    key_id      TEXT   NOT NULL,
    sealed      BYTEA  NOT NULL,
    created_at  BIGINT NOT NULL
);

-- Webhooks that the sandbox's third party received, shown to its operator: one row for each
-- event.
CREATE TABLE sandbox_inbox (
    event_id    TEXT   PRIMARY KEY,
    received_at BIGINT NOT NULL, -- the first time
    times       BIGINT NOT NULL,
    event       TEXT   NOT NULL -- JSON; contains sharing tokens, no personal data
);

-- The sandbox's FDX bank. Its secrets are stored as SHA-256 alone.
-- Authorization requests, from the push or the first page to the consent.
CREATE TABLE fdx_bank_requests (
    id_hash      BYTEA  PRIMARY KEY, -- of the request_uri, then of the id in the page's address
    browser_hash BYTEA, -- of the secret in the browser's cookie; null: pushed, and not yet opened
    institution  TEXT   NOT NULL,
    client_id    TEXT   NOT NULL,
    parameters   TEXT   NOT NULL, -- the client's, as JSON
    step         TEXT   NOT NULL, -- pushed, sign-in, code, accounts, consent, refused, done
    username     TEXT   NOT NULL DEFAULT '',
    tries        BIGINT NOT NULL DEFAULT 0, -- wrong passwords or codes at this step
    accounts     TEXT   NOT NULL DEFAULT '', -- chosen, as JSON
    expires_at   BIGINT NOT NULL
);
CREATE INDEX fdx_bank_requests_expiry ON fdx_bank_requests (expires_at);

-- Consents, each with the one code that was issued for it.
CREATE TABLE fdx_bank_consents (
    id              TEXT   PRIMARY KEY,
    institution     TEXT   NOT NULL,
    client_id       TEXT   NOT NULL,
    username        TEXT   NOT NULL,
    accounts        TEXT   NOT NULL, -- as JSON
    parameters      TEXT   NOT NULL, -- of the request, as JSON
    code_hash       BYTEA  NOT NULL UNIQUE,
    code_expires_at BIGINT NOT NULL,
    code_used_at    BIGINT NOT NULL DEFAULT 0,
    created_at      BIGINT NOT NULL,
    expires_at      BIGINT NOT NULL,
    revoked_at      BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX fdx_bank_consents_expiry ON fdx_bank_consents (expires_at);

CREATE TABLE fdx_bank_tokens (
    token_hash BYTEA  PRIMARY KEY,
    consent_id TEXT   NOT NULL,
    kind       TEXT   NOT NULL, -- access, refresh
    scope      TEXT   NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at    BIGINT NOT NULL DEFAULT 0 -- of a refresh token: when it was exchanged
);
CREATE INDEX fdx_bank_tokens_expiry ON fdx_bank_tokens (expires_at);

-- Client assertions that were used.
CREATE TABLE fdx_bank_assertions (
    jti_hash   BYTEA  PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX fdx_bank_assertions_expiry ON fdx_bank_assertions (expires_at);

-- Authorizations at the sandbox's payroll providers, from the request of the provider's
-- connector to the end of the access. Secrets are stored as SHA-256 alone.
CREATE TABLE connector_authorizations (
    authorization_hash BYTEA  PRIMARY KEY, -- of what completes it
    page_hash          BYTEA  NOT NULL UNIQUE, -- of the id in the page's address
    browser_hash       BYTEA, -- of the secret in the browser's cookie; null: not yet opened
    institution        TEXT   NOT NULL,
    redirect_uri       TEXT   NOT NULL,
    state              TEXT   NOT NULL, -- the client's
    language           TEXT   NOT NULL,
    step               TEXT   NOT NULL, -- sign-in, code, consent, refused, done, agreed, granted
    username           TEXT   NOT NULL DEFAULT '',
    tries              BIGINT NOT NULL DEFAULT 0, -- wrong passwords or codes at this step
    code_hash          BYTEA, -- of the code of the redirect; null before the consent
    access_hash        BYTEA  UNIQUE, -- of the access; null before the code was exchanged
    expires_at         BIGINT NOT NULL -- of the pages, then of the code, then of the access
);
CREATE INDEX connector_authorizations_expiry ON connector_authorizations (expires_at);

-- Jobs

-- Processes that run jobs. When one stops without notice, another takes up its jobs.
CREATE TABLE job_runners (
    id      TEXT   PRIMARY KEY,
    seen_at BIGINT NOT NULL -- by the database's clock
);

-- The tables before the baseline, as the migrations up to the last one made them.
CREATE TABLE data_keys (
    id TEXT PRIMARY KEY,
    wrapped BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE keepsakes (
    name TEXT PRIMARY KEY,
    sealed BYTEA NOT NULL
);
CREATE TABLE session_keys (
    id TEXT PRIMARY KEY,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    secret_hash BYTEA NOT NULL UNIQUE,
    principal TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    signed_in_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE TABLE applications (
    id TEXT PRIMARY KEY,
    product TEXT NOT NULL,
    mode TEXT NOT NULL,
    variant TEXT NOT NULL,
    manual BOOLEAN NOT NULL,
    sandbox_report_id TEXT NOT NULL,
    origin TEXT NOT NULL,
    external_id TEXT NOT NULL UNIQUE,
    user_args TEXT NOT NULL,
    return_url TEXT NOT NULL,
    allowed_origin TEXT NOT NULL,
    lang TEXT NOT NULL,
    data_key TEXT NOT NULL,
    prefill BYTEA,
    state TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    since BIGINT NOT NULL,
    public_token TEXT NOT NULL,
    status TEXT NOT NULL,
    substatus TEXT NOT NULL,
    error TEXT NOT NULL,
    succeeded BIGINT NOT NULL,
    fetch_until BIGINT NOT NULL,
    report BYTEA,
    report_at BIGINT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    analysis BYTEA,
    analysis_at BIGINT NOT NULL DEFAULT 0,
    decision TEXT NOT NULL DEFAULT '',
    decisions BIGINT NOT NULL DEFAULT 0,
    decided_at BIGINT NOT NULL DEFAULT 0,
    reasons TEXT NOT NULL DEFAULT '',
    earlier_attempt BIGINT NOT NULL DEFAULT 0,
    earlier_at BIGINT NOT NULL DEFAULT 0,
    earlier_token TEXT NOT NULL DEFAULT '',
    closed_attempt BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX applications_newest ON applications (created_at, id);
CREATE INDEX applications_moved ON applications (updated_at);
CREATE INDEX applications_state ON applications (state, created_at);
CREATE INDEX applications_token ON applications (public_token);
CREATE TABLE application_sessions (
    session_id TEXT NOT NULL,
    application_id TEXT NOT NULL,
    PRIMARY KEY (session_id, application_id)
);
CREATE TABLE application_attempts (
    application_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    mode TEXT NOT NULL,
    external_id TEXT NOT NULL UNIQUE,
    consumer_id TEXT NOT NULL,
    token BYTEA,
    token_until BIGINT NOT NULL,
    opened BOOLEAN NOT NULL,
    public_token TEXT NOT NULL,
    asked_at BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    named_consumer TEXT NOT NULL DEFAULT '',
    ours BOOLEAN NOT NULL DEFAULT TRUE,
    opened_by TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (application_id, attempt)
);
CREATE INDEX application_attempts_token ON application_attempts (public_token);
CREATE TABLE application_timeline (
    application_id TEXT NOT NULL,
    key TEXT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    status TEXT NOT NULL,
    substatus TEXT NOT NULL,
    error TEXT NOT NULL,
    from_state TEXT NOT NULL,
    to_state TEXT NOT NULL,
    reasons TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (application_id, key)
);
CREATE UNIQUE INDEX application_timeline_seq ON application_timeline (application_id, seq);
CREATE TABLE attempts (
    id TEXT PRIMARY KEY,
    reference_hash BYTEA NOT NULL UNIQUE,
    application TEXT NOT NULL,
    number BIGINT NOT NULL,
    browser_hash BYTEA NOT NULL,
    args BYTEA NOT NULL,
    started_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    landed_at BIGINT NOT NULL,
    outcome TEXT NOT NULL,
    status TEXT NOT NULL,
    error TEXT NOT NULL,
    public_token TEXT UNIQUE
);
CREATE INDEX attempts_open ON attempts (landed_at, expires_at);
CREATE TABLE parked_outcomes (
    handle_hash BYTEA PRIMARY KEY,
    attempt_id TEXT NOT NULL,
    outcome TEXT NOT NULL,
    status TEXT NOT NULL,
    error TEXT NOT NULL,
    public_token TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX parked_outcomes_attempt ON parked_outcomes (attempt_id);
CREATE INDEX parked_outcomes_expiry ON parked_outcomes (expires_at);
CREATE TABLE reviewers (
    id TEXT PRIMARY KEY,
    email_hash BYTEA NOT NULL UNIQUE,
    email_sealed BYTEA NOT NULL,
    password_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    role TEXT NOT NULL DEFAULT 'administrator',
    disabled_at BIGINT NOT NULL DEFAULT 0,
    subject_hash BYTEA,
    signed_in_at BIGINT NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX reviewers_subject ON reviewers (subject_hash);
CREATE TABLE sign_in_tries (
    key BYTEA PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);
CREATE TABLE embed_grants (
    hash BYTEA PRIMARY KEY,
    application_id TEXT NOT NULL,
    session_id TEXT,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    allowed_origin TEXT NOT NULL DEFAULT ''
);
CREATE INDEX embed_grants_by_expiry ON embed_grants (expires_at);
CREATE TABLE api_requests (
    hash BYTEA PRIMARY KEY,
    request_hash BYTEA NOT NULL,
    application_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    answer BYTEA
);
CREATE INDEX api_requests_by_age ON api_requests (created_at);
CREATE TABLE report_shares (
    id TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    public_id TEXT NOT NULL,
    label BYTEA,
    relay_token BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    created_by TEXT NOT NULL,
    granted_at BIGINT NOT NULL,
    granted_by TEXT NOT NULL,
    withdrawn_at BIGINT,
    withdrawn_by TEXT NOT NULL,
    UNIQUE (application_id, public_id)
);
CREATE INDEX report_shares_newest ON report_shares (granted_at);
CREATE TABLE report_share_log (
    id TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    public_id TEXT NOT NULL,
    reviewer_id TEXT NOT NULL,
    action TEXT NOT NULL,
    request_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    done_at BIGINT
);
CREATE INDEX report_share_log_by_application ON report_share_log (application_id, at);
CREATE TABLE app_events (
    id TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    type TEXT NOT NULL,
    body BYTEA NOT NULL,
    resends BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    UNIQUE (application_id, seq)
);
CREATE INDEX app_events_by_age ON app_events (created_at);
CREATE TABLE app_deliveries (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL,
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL,
    last_http BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    callback_id TEXT NOT NULL DEFAULT '',
    body BYTEA,
    next_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX app_deliveries_newest ON app_deliveries (created_at, id);
CREATE INDEX app_deliveries_state ON app_deliveries (state, created_at);
CREATE INDEX app_deliveries_event ON app_deliveries (event_id);
CREATE TABLE app_delivery_attempts (
    delivery_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    at BIGINT NOT NULL,
    http BIGINT NOT NULL,
    took_ms BIGINT NOT NULL,
    error TEXT NOT NULL,
    answer BYTEA,
    PRIMARY KEY (delivery_id, attempt)
);
CREATE TABLE app_stops (
    url_hash BYTEA PRIMARY KEY,
    at BIGINT NOT NULL
);
CREATE TABLE review_links (
    reviewer_id TEXT PRIMARY KEY,
    hash BYTEA NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);
CREATE TABLE review_audit (
    id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    actor TEXT NOT NULL,
    action TEXT NOT NULL,
    application_id TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    request_id TEXT NOT NULL,
    changed TEXT NOT NULL DEFAULT ''
);
CREATE INDEX review_audit_newest ON review_audit (at, id);
CREATE INDEX review_audit_by_actor ON review_audit (actor, at, id);
CREATE INDEX review_audit_by_action ON review_audit (action, at, id);
CREATE INDEX review_audit_by_application ON review_audit (application_id, at, id);
CREATE TABLE review_index (
    application_id TEXT PRIMARY KEY,
    data_key TEXT NOT NULL,
    product TEXT NOT NULL,
    mode TEXT NOT NULL,
    external_id TEXT NOT NULL,
    external_key BYTEA,
    public_token TEXT NOT NULL,
    state TEXT NOT NULL,
    outcome TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    decision TEXT NOT NULL,
    has_report BOOLEAN NOT NULL,
    named BOOLEAN NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    assignee TEXT NOT NULL DEFAULT '',
    decided_at BIGINT NOT NULL DEFAULT 0,
    verdict TEXT NOT NULL DEFAULT '',
    summary BYTEA,
    report_at BIGINT NOT NULL DEFAULT 0,
    version BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX review_index_newest ON review_index (created_at, application_id);
CREATE INDEX review_index_state ON review_index (state, created_at, application_id);
CREATE INDEX review_index_product ON review_index (product, created_at, application_id);
CREATE INDEX review_index_decision ON review_index (decision, created_at, application_id);
CREATE INDEX review_index_outcome ON review_index (outcome, created_at, application_id);
CREATE INDEX review_index_cell ON review_index (state, product, decision, created_at, application_id, outcome);
CREATE INDEX review_index_external ON review_index (external_key, application_id);
CREATE INDEX review_index_token ON review_index (public_token);
CREATE INDEX review_index_moved ON review_index (updated_at, application_id);
CREATE INDEX review_index_unnamed ON review_index (named, application_id);
CREATE INDEX review_index_assignee ON review_index (assignee, created_at, application_id);
CREATE INDEX review_index_decided ON review_index (decided_at, application_id);
CREATE INDEX review_index_verdict ON review_index (verdict, created_at, application_id);
CREATE INDEX review_index_version ON review_index (version, application_id);
CREATE TABLE review_tokens (
    token BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    application_id TEXT NOT NULL,
    PRIMARY KEY (token, created_at, application_id)
);
CREATE INDEX review_tokens_by_application ON review_tokens (application_id);
CREATE TABLE review_searches (
    handle TEXT PRIMARY KEY,
    reviewer_id TEXT NOT NULL,
    query BYTEA NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX review_searches_expiry ON review_searches (expires_at);
CREATE TABLE review_decisions (
    application_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    decision TEXT NOT NULL,
    reasons TEXT NOT NULL,
    text BYTEA,
    reviewer_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (application_id, seq)
);
CREATE TABLE review_notes (
    id TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    text BYTEA NOT NULL,
    reviewer_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX review_notes_by_application ON review_notes (application_id, at, id);
CREATE TABLE review_deletions (
    application_id TEXT PRIMARY KEY,
    at BIGINT NOT NULL,
    reviewer_id TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX review_deletions_newest ON review_deletions (at, application_id);
CREATE TABLE review_arrivals (
    state_hash BYTEA PRIMARY KEY,
    id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    next TEXT NOT NULL,
    used BOOLEAN NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE INDEX review_arrivals_expiry ON review_arrivals (expires_at);
CREATE TABLE application_links (
    hash BYTEA PRIMARY KEY,
    application_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT
);
CREATE INDEX application_links_by_application ON application_links (application_id);
CREATE INDEX application_links_by_expiry ON application_links (expires_at);
CREATE TABLE letter_requests (
    id TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    mailbox BYTEA,
    lang TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE application_letters (
    id TEXT PRIMARY KEY,
    application_id TEXT NOT NULL,
    key_id TEXT NOT NULL,
    recipient BYTEA NOT NULL,
    subject TEXT NOT NULL,
    body BYTEA,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sent_at BIGINT,
    failed_at BIGINT,
    decision BIGINT NOT NULL DEFAULT 0,
    withheld TEXT NOT NULL DEFAULT '',
    html BYTEA
);
CREATE INDEX application_letters_by_application ON application_letters (application_id);
CREATE INDEX application_letters_by_expiry ON application_letters (expires_at);
CREATE UNIQUE INDEX application_letters_decision ON application_letters (application_id, decision) WHERE decision > 0;
CREATE TABLE link_tries (
    key BYTEA PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);
CREATE TABLE application_mailboxes (
    application_id TEXT PRIMARY KEY,
    mailbox BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX application_mailboxes_newest ON application_mailboxes (mailbox, created_at);
CREATE TABLE job_runners (
    id TEXT PRIMARY KEY,
    seen_at BIGINT NOT NULL
);
CREATE TABLE developer_runs (
    application_id TEXT PRIMARY KEY,
    way TEXT NOT NULL,
    lang TEXT NOT NULL,
    theme TEXT NOT NULL,
    username TEXT NOT NULL,
    token BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    person TEXT NOT NULL DEFAULT ''
);
CREATE TABLE developer_returns (
    application_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    key_id TEXT NOT NULL,
    issued_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (application_id, attempt)
);
CREATE TABLE application_reports (
    application_id TEXT NOT NULL,
    attempt BIGINT NOT NULL,
    public_token TEXT NOT NULL,
    report BYTEA NOT NULL,
    report_at BIGINT NOT NULL,
    analysis BYTEA,
    PRIMARY KEY (application_id, attempt)
);
CREATE TABLE review_filters (
    id TEXT PRIMARY KEY,
    reviewer_id TEXT NOT NULL,
    name BYTEA NOT NULL,
    query TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    position BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX review_filters_by_reviewer ON review_filters (reviewer_id, created_at, id);
CREATE TABLE review_settings (
    reviewer_id TEXT PRIMARY KEY,
    density TEXT NOT NULL,
    list_columns TEXT NOT NULL DEFAULT ''
);
CREATE TABLE password_requests (
    id TEXT PRIMARY KEY,
    email_sealed BYTEA NOT NULL,
    lang TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

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
CREATE TABLE customers (
    id TEXT PRIMARY KEY,
    public_id TEXT NOT NULL UNIQUE,
    environment TEXT NOT NULL,
    parent_id TEXT REFERENCES customers (id),
    name TEXT NOT NULL,
    generated TEXT UNIQUE,
    return_mode TEXT NOT NULL DEFAULT 'get',
    require_form BOOLEAN NOT NULL DEFAULT FALSE,
    created_at BIGINT NOT NULL,
    custom_reports BOOLEAN NOT NULL DEFAULT FALSE,
    ach_details BOOLEAN NOT NULL DEFAULT FALSE,
    display_name TEXT,
    configurations BOOLEAN NOT NULL DEFAULT FALSE,
    rotation BOOLEAN NOT NULL DEFAULT FALSE
);
CREATE UNIQUE INDEX customers_child ON customers (parent_id, name);
CREATE TABLE product_configurations (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    kind TEXT NOT NULL,
    alias TEXT NOT NULL,
    inquiry_type TEXT NOT NULL,
    deprecated_attributes BOOLEAN NOT NULL DEFAULT FALSE,
    score_v1 BOOLEAN NOT NULL DEFAULT FALSE,
    income_model_suite TEXT NOT NULL DEFAULT '',
    created_at BIGINT NOT NULL,
    eligibility_kind TEXT NOT NULL DEFAULT '',
    income_inflows BOOLEAN NOT NULL DEFAULT FALSE,
    score_v21 BOOLEAN NOT NULL DEFAULT FALSE,
    UNIQUE (customer_id, alias)
);
ALTER TABLE customers ADD COLUMN configuration_id TEXT REFERENCES product_configurations (id);
CREATE TABLE credentials (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    client_id TEXT NOT NULL,
    secret_hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    rotations BIGINT NOT NULL DEFAULT 0,
    revoked_at BIGINT,
    used_at BIGINT NOT NULL DEFAULT 0,
    name TEXT NOT NULL DEFAULT ''
);
CREATE INDEX credentials_client ON credentials (client_id);
CREATE INDEX credentials_customer ON credentials (customer_id);
CREATE TABLE products (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    kind TEXT NOT NULL,
    name TEXT NOT NULL,
    inquiry_type TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    display_name TEXT,
    configuration_id TEXT REFERENCES product_configurations (id),
    updated_at BIGINT,
    UNIQUE (customer_id, name)
);
CREATE TABLE complete_urls (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    position BIGINT NOT NULL,
    url TEXT NOT NULL,
    PRIMARY KEY (customer_id, position)
);
CREATE TABLE consumers (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    external_id TEXT,
    key_id TEXT NOT NULL,
    prefill BYTEA,
    withdrawn_at BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    erased_at BIGINT,
    mailbox BYTEA,
    lang TEXT NOT NULL DEFAULT '',
    UNIQUE (customer_id, external_id)
);
CREATE INDEX consumers_key ON consumers (key_id);
CREATE INDEX consumers_idle ON consumers (updated_at) WHERE erased_at IS NULL AND (external_id IS NULL OR withdrawn_at IS NOT NULL);
CREATE INDEX consumers_mailbox ON consumers (mailbox) WHERE mailbox IS NOT NULL;
CREATE INDEX consumers_unhashed ON consumers (id) WHERE mailbox IS NULL AND prefill IS NOT NULL;
CREATE TABLE signing_keys (
    id TEXT PRIMARY KEY,
    purpose TEXT NOT NULL,
    generation BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    signs_from BIGINT NOT NULL,
    UNIQUE (purpose, generation)
);
CREATE TABLE reports (
    public_token TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    product_id TEXT NOT NULL REFERENCES products (id),
    kind TEXT NOT NULL,
    external_id TEXT,
    user_args TEXT,
    consumer_id TEXT REFERENCES consumers (id),
    key_id TEXT NOT NULL,
    status TEXT NOT NULL,
    substatus TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    retrieved_at BIGINT,
    forgotten_at BIGINT,
    source_token TEXT REFERENCES reports (public_token),
    held_at BIGINT,
    revision BIGINT NOT NULL DEFAULT 0,
    refreshed_from TEXT,
    UNIQUE (customer_id, external_id)
);
CREATE INDEX reports_consumer ON reports (consumer_id);
CREATE INDEX reports_readable ON reports (created_at) WHERE forgotten_at IS NULL;
CREATE INDEX reports_customer ON reports (customer_id, created_at, public_token);
CREATE INDEX reports_key ON reports (key_id) WHERE forgotten_at IS NULL;
CREATE TABLE visits (
    id TEXT PRIMARY KEY,
    public_token TEXT NOT NULL UNIQUE,
    customer_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    product TEXT NOT NULL,
    environment TEXT NOT NULL,
    consumer_id TEXT NOT NULL,
    handle_hash BYTEA UNIQUE,
    state TEXT NOT NULL,
    step TEXT NOT NULL,
    rehearsal TEXT NOT NULL,
    bank TEXT NOT NULL,
    username TEXT NOT NULL,
    tries INTEGER NOT NULL,
    status TEXT NOT NULL,
    substatus TEXT NOT NULL,
    error TEXT NOT NULL,
    sandbox_report_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL,
    way TEXT NOT NULL DEFAULT '',
    signed_in_at BIGINT NOT NULL DEFAULT 0,
    sources TEXT NOT NULL DEFAULT '',
    employers INTEGER NOT NULL DEFAULT 0,
    employer INTEGER NOT NULL DEFAULT 0,
    income_only BOOLEAN NOT NULL DEFAULT FALSE,
    stated BYTEA,
    tokenless BOOLEAN NOT NULL DEFAULT FALSE,
    code_tries BIGINT NOT NULL DEFAULT 0,
    codes BIGINT NOT NULL DEFAULT 0,
    code_sent_at BIGINT NOT NULL DEFAULT 0,
    hosted BOOLEAN NOT NULL DEFAULT FALSE,
    browser_hash BYTEA
);
CREATE INDEX visits_due ON visits (expires_at) WHERE ended_at = 0;
CREATE INDEX visits_consumer ON visits (consumer_id) WHERE ended_at = 0;
CREATE INDEX visits_ended ON visits (ended_at) WHERE ended_at > 0;
CREATE INDEX visits_customer ON visits (customer_id, created_at);
CREATE TABLE visit_events (
    visit_id TEXT NOT NULL REFERENCES visits (id),
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL,
    step TEXT NOT NULL,
    PRIMARY KEY (visit_id, seq)
);
CREATE TABLE initialization_tokens (
    hash BYTEA PRIMARY KEY,
    visit_id TEXT NOT NULL UNIQUE REFERENCES visits (id),
    expires_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL
);
CREATE TABLE redirects (
    id TEXT PRIMARY KEY,
    visit_id TEXT NOT NULL UNIQUE,
    customer_id TEXT NOT NULL,
    handle_hash BYTEA NOT NULL UNIQUE,
    token_hash BYTEA NOT NULL UNIQUE,
    form_only BOOLEAN NOT NULL,
    complete_url TEXT NOT NULL,
    redirect_args BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE TABLE callbacks (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL UNIQUE REFERENCES customers (id),
    url TEXT NOT NULL,
    disabled_at BIGINT,
    created_at BIGINT NOT NULL,
    statuses TEXT NOT NULL DEFAULT ''
);
CREATE TABLE callback_secrets (
    id TEXT PRIMARY KEY,
    callback_id TEXT NOT NULL REFERENCES callbacks (id),
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
);
CREATE INDEX callback_secrets_callback ON callback_secrets (callback_id);
CREATE TABLE events (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    public_token TEXT NOT NULL,
    status TEXT NOT NULL,
    substatus TEXT,
    created_at BIGINT NOT NULL,
    resends BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX events_report ON events (public_token);
CREATE INDEX events_customer ON events (customer_id, created_at, id);
CREATE INDEX events_age ON events (created_at);
CREATE TABLE deliveries (
    id TEXT PRIMARY KEY,
    event_id TEXT NOT NULL REFERENCES events (id),
    callback_id TEXT NOT NULL REFERENCES callbacks (id),
    state TEXT NOT NULL,
    attempts BIGINT NOT NULL DEFAULT 0,
    last_http BIGINT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    body BYTEA,
    next_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_newest ON deliveries (callback_id, created_at, id);
CREATE TABLE sandbox_clock (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    offset_micros BIGINT NOT NULL
);
CREATE TABLE sandbox_reports (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    kind TEXT NOT NULL,
    key_id TEXT NOT NULL,
    sealed BYTEA NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE submission_counts (
    customer_id TEXT PRIMARY KEY REFERENCES customers (id),
    accepted BIGINT NOT NULL
);
CREATE TABLE submission_slots (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    slot BIGINT NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (customer_id, slot)
);
CREATE TABLE relay_tokens (
    token TEXT PRIMARY KEY,
    public_token TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    third_party_id TEXT NOT NULL REFERENCES customers (id),
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    read_at BIGINT,
    revoked_at BIGINT,
    UNIQUE (public_token, third_party_id)
);
CREATE TABLE sandbox_inbox (
    event_id TEXT PRIMARY KEY,
    received_at BIGINT NOT NULL,
    times BIGINT NOT NULL,
    event TEXT NOT NULL
);
CREATE TABLE staff (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    email_hash BYTEA NOT NULL UNIQUE,
    email_sealed BYTEA NOT NULL,
    password_hash TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE INDEX staff_customer ON staff (customer_id);
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
CREATE TABLE sign_in_tries (
    key BYTEA PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);
CREATE TABLE dashboard_notices (
    session_id TEXT PRIMARY KEY,
    said TEXT NOT NULL,
    sealed BYTEA,
    expires_at BIGINT NOT NULL
);
CREATE TABLE audit (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    staff_id TEXT NOT NULL,
    at BIGINT NOT NULL,
    action TEXT NOT NULL,
    object TEXT NOT NULL,
    detail TEXT NOT NULL,
    request_id TEXT NOT NULL,
    changed TEXT NOT NULL DEFAULT ''
);
CREATE INDEX audit_customer ON audit (customer_id, at, id);
CREATE INDEX audit_age ON audit (at);
CREATE TABLE delivery_attempts (
    delivery_id TEXT NOT NULL REFERENCES deliveries (id),
    attempt BIGINT NOT NULL,
    at BIGINT NOT NULL,
    http BIGINT NOT NULL,
    took_ms BIGINT NOT NULL,
    error TEXT NOT NULL,
    answer BYTEA,
    PRIMARY KEY (delivery_id, attempt)
);
CREATE TABLE dashboard_forms (
    nonce TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    at BIGINT NOT NULL
);
CREATE INDEX dashboard_forms_age ON dashboard_forms (at);
CREATE TABLE bank_connections (
    key_id TEXT NOT NULL,
    id TEXT NOT NULL,
    connected_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, id)
);
CREATE TABLE bank_accounts (
    id TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    consumer_id TEXT REFERENCES consumers (id),
    connection_id TEXT NOT NULL,
    account_id TEXT NOT NULL,
    number_type TEXT NOT NULL,
    retrieved_at BIGINT NOT NULL,
    details BYTEA NOT NULL,
    numbers BYTEA,
    first_at BIGINT,
    revoked_at BIGINT,
    FOREIGN KEY (key_id, connection_id) REFERENCES bank_connections (key_id, id)
);
CREATE INDEX bank_accounts_consumer ON bank_accounts (consumer_id);
CREATE INDEX bank_accounts_connection ON bank_accounts (key_id, connection_id);
CREATE TABLE bank_account_names (
    public_token TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    account_id TEXT NOT NULL,
    bank_account_id TEXT NOT NULL REFERENCES bank_accounts (id) ON DELETE CASCADE,
    PRIMARY KEY (public_token, account_id)
);
CREATE INDEX bank_account_names_account ON bank_account_names (account_id);
CREATE INDEX bank_account_names_of ON bank_account_names (bank_account_id);
CREATE TABLE invites (
    id TEXT PRIMARY KEY,
    visit_id TEXT NOT NULL UNIQUE REFERENCES visits (id),
    customer_id TEXT NOT NULL REFERENCES customers (id),
    handle_hash BYTEA NOT NULL UNIQUE,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
);
CREATE TABLE outbox (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    public_token TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id TEXT NOT NULL,
    recipient BYTEA NOT NULL,
    subject TEXT NOT NULL,
    body BYTEA,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    sent_at BIGINT,
    failed_at BIGINT,
    hidden BOOLEAN NOT NULL DEFAULT FALSE,
    html BYTEA
);
CREATE INDEX outbox_customer ON outbox (customer_id, created_at, id);
CREATE INDEX outbox_expiry ON outbox (expires_at);
CREATE TABLE documents (
    id TEXT PRIMARY KEY,
    public_token TEXT NOT NULL REFERENCES reports (public_token) ON DELETE CASCADE,
    key_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    content_type TEXT NOT NULL,
    name BYTEA NOT NULL,
    size BIGINT NOT NULL,
    begun_at BIGINT NOT NULL,
    kept_at BIGINT,
    employer INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX documents_report ON documents (public_token);
CREATE INDEX documents_begun ON documents (begun_at);
CREATE TABLE document_parts (
    document_id TEXT NOT NULL REFERENCES documents (id) ON DELETE CASCADE,
    seq BIGINT NOT NULL,
    sealed BYTEA NOT NULL,
    PRIMARY KEY (document_id, seq)
);
CREATE TABLE report_data (
    public_token TEXT PRIMARY KEY REFERENCES reports (public_token) ON DELETE CASCADE,
    created_at BIGINT NOT NULL,
    held_at BIGINT,
    input BYTEA,
    body BYTEA
);
CREATE INDEX report_data_created ON report_data (created_at);
CREATE INDEX report_data_inputs ON report_data (created_at) WHERE input IS NOT NULL;
CREATE INDEX report_data_held ON report_data (held_at) WHERE input IS NOT NULL AND held_at IS NOT NULL;
CREATE TABLE report_revisions (
    public_token TEXT NOT NULL REFERENCES report_data (public_token) ON DELETE CASCADE,
    revision BIGINT NOT NULL,
    at BIGINT NOT NULL,
    staff_id TEXT NOT NULL,
    reason BYTEA NOT NULL,
    replaced BYTEA NOT NULL,
    PRIMARY KEY (public_token, revision)
);
CREATE TABLE job_runners (
    id TEXT PRIMARY KEY,
    seen_at BIGINT NOT NULL
);
CREATE TABLE entitlements (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    name TEXT NOT NULL,
    enabled BOOLEAN NOT NULL,
    changed_at BIGINT NOT NULL,
    PRIMARY KEY (customer_id, name)
);
CREATE TABLE widget_origins (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    origin TEXT NOT NULL,
    PRIMARY KEY (customer_id, origin)
);
CREATE TABLE source_authorizations (
    state_hash BYTEA PRIMARY KEY,
    browser_hash BYTEA NOT NULL,
    visit_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    institution TEXT NOT NULL,
    key_id TEXT NOT NULL,
    pending BYTEA NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX source_authorizations_expiry ON source_authorizations (expires_at);
CREATE INDEX source_authorizations_visit ON source_authorizations (visit_id);
CREATE TABLE source_connections (
    id TEXT PRIMARY KEY,
    public_token TEXT NOT NULL,
    customer_id TEXT NOT NULL,
    consumer_id TEXT NOT NULL,
    environment TEXT NOT NULL,
    institution TEXT NOT NULL,
    key_id TEXT NOT NULL,
    access BYTEA,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    ended_at BIGINT NOT NULL DEFAULT 0,
    leased_until BIGINT NOT NULL DEFAULT 0,
    kept_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX source_connections_report ON source_connections (public_token);
CREATE INDEX source_connections_consumer ON source_connections (consumer_id);
CREATE INDEX source_connections_expiry ON source_connections (ended_at, expires_at);
CREATE TABLE source_events (
    connection_id TEXT NOT NULL,
    seq BIGINT NOT NULL,
    at BIGINT NOT NULL,
    kind TEXT NOT NULL,
    reason TEXT NOT NULL DEFAULT '',
    PRIMARY KEY (connection_id, seq)
);
CREATE TABLE fdx_bank_requests (
    id_hash BYTEA PRIMARY KEY,
    browser_hash BYTEA,
    institution TEXT NOT NULL,
    client_id TEXT NOT NULL,
    parameters TEXT NOT NULL,
    step TEXT NOT NULL,
    username TEXT NOT NULL DEFAULT '',
    tries BIGINT NOT NULL DEFAULT 0,
    accounts TEXT NOT NULL DEFAULT '',
    expires_at BIGINT NOT NULL
);
CREATE INDEX fdx_bank_requests_expiry ON fdx_bank_requests (expires_at);
CREATE TABLE fdx_bank_consents (
    id TEXT PRIMARY KEY,
    institution TEXT NOT NULL,
    client_id TEXT NOT NULL,
    username TEXT NOT NULL,
    accounts TEXT NOT NULL,
    parameters TEXT NOT NULL,
    code_hash BYTEA NOT NULL UNIQUE,
    code_expires_at BIGINT NOT NULL,
    code_used_at BIGINT NOT NULL DEFAULT 0,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL,
    revoked_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX fdx_bank_consents_expiry ON fdx_bank_consents (expires_at);
CREATE TABLE fdx_bank_tokens (
    token_hash BYTEA PRIMARY KEY,
    consent_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    scope TEXT NOT NULL,
    expires_at BIGINT NOT NULL,
    used_at BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX fdx_bank_tokens_expiry ON fdx_bank_tokens (expires_at);
CREATE TABLE fdx_bank_assertions (
    jti_hash BYTEA PRIMARY KEY,
    expires_at BIGINT NOT NULL
);
CREATE INDEX fdx_bank_assertions_expiry ON fdx_bank_assertions (expires_at);
CREATE TABLE report_refreshes (
    public_token TEXT PRIMARY KEY,
    input BYTEA NOT NULL,
    latest TEXT,
    scheduled BIGINT NOT NULL DEFAULT 0
);
CREATE TABLE connector_authorizations (
    authorization_hash BYTEA PRIMARY KEY,
    page_hash BYTEA NOT NULL UNIQUE,
    browser_hash BYTEA,
    institution TEXT NOT NULL,
    redirect_uri TEXT NOT NULL,
    state TEXT NOT NULL,
    language TEXT NOT NULL,
    step TEXT NOT NULL,
    username TEXT NOT NULL DEFAULT '',
    tries BIGINT NOT NULL DEFAULT 0,
    code_hash BYTEA,
    access_hash BYTEA UNIQUE,
    expires_at BIGINT NOT NULL
);
CREATE INDEX connector_authorizations_expiry ON connector_authorizations (expires_at);
CREATE TABLE themes (
    customer_id TEXT PRIMARY KEY REFERENCES customers (id),
    light_color TEXT NOT NULL,
    dark_color TEXT NOT NULL,
    corners TEXT NOT NULL,
    font TEXT NOT NULL,
    color_scheme TEXT NOT NULL,
    logo_has_name BOOLEAN NOT NULL,
    changed_at BIGINT NOT NULL
);
CREATE TABLE theme_logos (
    customer_id TEXT NOT NULL REFERENCES themes (customer_id),
    color_scheme TEXT NOT NULL,
    hash TEXT NOT NULL,
    extension TEXT NOT NULL,
    width BIGINT NOT NULL,
    height BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (customer_id, color_scheme)
);
CREATE INDEX theme_logos_hash ON theme_logos (hash);
CREATE TABLE staff_settings (
    staff_id TEXT PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
    density TEXT NOT NULL
);
CREATE TABLE access_requests (
    id TEXT PRIMARY KEY,
    mailbox BYTEA NOT NULL,
    lang TEXT NOT NULL,
    created_at BIGINT NOT NULL
);
CREATE TABLE access_links (
    hash BYTEA PRIMARY KEY,
    mailbox BYTEA NOT NULL,
    session_hash BYTEA UNIQUE,
    expires_at BIGINT NOT NULL
);
CREATE INDEX access_links_expiry ON access_links (expires_at);
CREATE TABLE link_tries (
    key BYTEA PRIMARY KEY,
    tries BIGINT NOT NULL,
    since BIGINT NOT NULL
);
CREATE TABLE staff_links (
    staff_id TEXT PRIMARY KEY REFERENCES staff (id) ON DELETE CASCADE,
    hash BYTEA NOT NULL UNIQUE,
    expires_at BIGINT NOT NULL
);
CREATE TABLE password_requests (
    id TEXT PRIMARY KEY,
    email_sealed BYTEA NOT NULL,
    lang TEXT NOT NULL,
    expires_at BIGINT NOT NULL
);

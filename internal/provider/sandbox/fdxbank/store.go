package fdxbank

import (
	"context"
	"database/sql"
	"encoding/json"
	"time"

	"vestibule/internal/provider/sandbox/signin"
	"vestibule/internal/store"
)

// Steps of an authorization request besides those of package signin.
const (
	stepPushed   signin.Step = "pushed"
	stepAccounts signin.Step = "accounts"
)

// parameters are those of an authorization request.
type parameters struct {
	RedirectURI string   `json:"redirectUri"`
	Scope       string   `json:"scope"`
	State       string   `json:"state,omitempty"`
	Nonce       string   `json:"nonce,omitempty"`
	Challenge   string   `json:"challenge"`
	Locales     []string `json:"locales,omitempty"`
}

// request is a row of fdx_bank_requests.
type request struct {
	institution, clientID string
	parameters            parameters
	signin.State
	accounts []string
}

func insertRequest(ctx context.Context, tx *store.Tx, id string, browser []byte, r request, expires time.Time) error {
	raw, err := json.Marshal(r.parameters)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO fdx_bank_requests (id_hash, browser_hash, institution, client_id, parameters, step, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`,
		store.Hash(id), browser, r.institution, r.clientID, string(raw), string(r.Step), store.Micros(expires))
	return err
}

// openRequest moves a pushed request to the page of a browser. It returns false for one
// that is unknown, expired, used, or another client's.
func openRequest(ctx context.Context, tx *store.Tx, uri string, r request, page string, browser []byte,
	now, expires time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE fdx_bank_requests SET id_hash = $1, browser_hash = $2, step = $3, expires_at = $4
		WHERE id_hash = $5 AND institution = $6 AND client_id = $7 AND step = $8 AND expires_at > $9`,
		store.Hash(page), browser, string(signin.StepSignIn), store.Micros(expires),
		store.Hash(uri), r.institution, r.clientID, string(stepPushed), store.Micros(now)))
}

func requestOf(ctx context.Context, q store.Queryer, page, institution string, browser []byte, now time.Time) (request, error) {
	var r request
	var raw, accounts string
	err := q.QueryRowContext(ctx, `SELECT institution, client_id, parameters, step, username, tries, accounts FROM fdx_bank_requests
		WHERE id_hash = $1 AND institution = $2 AND browser_hash = $3 AND expires_at > $4`,
		store.Hash(page), institution, browser, store.Micros(now)).
		Scan(&r.institution, &r.clientID, &raw, &r.Step, &r.Username, &r.Tries, &accounts)
	if err != nil {
		return request{}, store.MapNotFound(err)
	}
	if accounts != "" {
		if err := json.Unmarshal([]byte(accounts), &r.accounts); err != nil {
			return request{}, err
		}
	}
	return r, json.Unmarshal([]byte(raw), &r.parameters)
}

// moveRequest changes a request from one state to another. It returns false if another
// form did so first.
func moveRequest(ctx context.Context, tx *store.Tx, page string, from, to request) (bool, error) {
	accounts, err := json.Marshal(to.accounts)
	if err != nil {
		return false, err
	}
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE fdx_bank_requests SET step = $1, username = $2, tries = $3, accounts = $4
		WHERE id_hash = $5 AND step = $6 AND tries = $7`,
		string(to.Step), to.Username, to.Tries, string(accounts), store.Hash(page), string(from.Step), from.Tries))
}

// consent is a row of fdx_bank_consents.
type consent struct {
	id, institution, clientID, username string
	accounts                            []string
	parameters                          parameters
	created, expires                    time.Time
	revoked                             bool
}

func (c consent) live(now time.Time) bool { return !c.revoked && now.Before(c.expires) }

func insertConsent(ctx context.Context, tx *store.Tx, c consent, code string, codeExpires time.Time) error {
	accounts, err := json.Marshal(c.accounts)
	if err != nil {
		return err
	}
	raw, err := json.Marshal(c.parameters)
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO fdx_bank_consents
		(id, institution, client_id, username, accounts, parameters, code_hash, code_expires_at, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`, c.id, c.institution, c.clientID, c.username, string(accounts), string(raw),
		store.Hash(code), store.Micros(codeExpires), store.Micros(c.created), store.Micros(c.expires)))
}

const consentColumns = `c.id, c.institution, c.client_id, c.username, c.accounts, c.parameters, c.created_at, c.expires_at, c.revoked_at`

func scanConsent(row *sql.Row, more ...any) (consent, error) {
	var c consent
	var accounts, raw string
	var revoked int64
	err := row.Scan(append([]any{&c.id, &c.institution, &c.clientID, &c.username, &accounts, &raw, store.At(&c.created),
		store.At(&c.expires), &revoked}, more...)...)
	if err != nil {
		return consent{}, store.MapNotFound(err)
	}
	c.revoked = revoked != 0
	if err := json.Unmarshal([]byte(accounts), &c.accounts); err != nil {
		return consent{}, err
	}
	return c, json.Unmarshal([]byte(raw), &c.parameters)
}

// consentOfCode returns the consent that a code was issued for.
func consentOfCode(ctx context.Context, q store.Queryer, code string) (consent, error) {
	return scanConsent(q.QueryRowContext(ctx, `SELECT `+consentColumns+` FROM fdx_bank_consents c WHERE c.code_hash = $1`, store.Hash(code)))
}

// useCode uses a code up. It returns false for one that was used before, or too late.
func useCode(ctx context.Context, tx *store.Tx, code string, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE fdx_bank_consents SET code_used_at = $1
		WHERE code_hash = $2 AND code_used_at = 0 AND code_expires_at > $1 AND revoked_at = 0`, store.Micros(now), store.Hash(code)))
}

func revokeConsent(ctx context.Context, tx *store.Tx, id string, now time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE fdx_bank_consents SET revoked_at = $1 WHERE id = $2 AND revoked_at = 0`,
		store.Micros(now), id))
}

// token is a row of fdx_bank_tokens with its consent.
type token struct {
	consent
	kind    string
	scope   string
	expires time.Time
}

const (
	accessToken  = "access"
	refreshToken = "refresh"
)

func insertToken(ctx context.Context, tx *store.Tx, value, consentID, kind, scope string, expires time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO fdx_bank_tokens (token_hash, consent_id, kind, scope, expires_at)
		VALUES ($1, $2, $3, $4, $5)`,
		store.Hash(value), consentID, kind, scope, store.Micros(expires)))
}

func tokenOf(ctx context.Context, q store.Queryer, value string) (token, error) {
	var t token
	c, err := scanConsent(q.QueryRowContext(ctx, `SELECT `+consentColumns+`, t.kind, t.scope, t.expires_at
		FROM fdx_bank_tokens t JOIN fdx_bank_consents c ON c.id = t.consent_id WHERE t.token_hash = $1`, store.Hash(value)),
		&t.kind, &t.scope, store.At(&t.expires))
	t.consent = c
	return t, err
}

// useRefreshToken uses a refresh token up. It returns false for one that was used before.
func useRefreshToken(ctx context.Context, tx *store.Tx, value string, now time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE fdx_bank_tokens SET used_at = $1
		WHERE token_hash = $2 AND kind = $3 AND used_at = 0`, store.Micros(now), store.Hash(value), refreshToken))
}

func deleteToken(ctx context.Context, tx *store.Tx, value string) error {
	return store.Exec(tx.ExecContext(ctx, `DELETE FROM fdx_bank_tokens WHERE token_hash = $1`, store.Hash(value)))
}

// useAssertion records the id of a client's assertion. It returns false for one that was
// used before.
func useAssertion(ctx context.Context, tx *store.Tx, id string, expires time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO fdx_bank_assertions (jti_hash, expires_at) VALUES ($1, $2)
		ON CONFLICT (jti_hash) DO NOTHING`, store.Hash(id), store.Micros(expires)))
}

// deleteExpired returns a step of a sweep that deletes rows by their expiry.
func deleteExpired(query string, before time.Time) store.Step {
	return func(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
		return store.RowsAffected(tx.ExecContext(ctx, query, store.Micros(before), limit))
	}
}

// The queries of Sweep. Codes that were not redeemed end their consents.
const (
	expiredRequests = `DELETE FROM fdx_bank_requests WHERE id_hash IN
		(SELECT id_hash FROM fdx_bank_requests WHERE expires_at < $1 LIMIT $2)`
	expiredTokens = `DELETE FROM fdx_bank_tokens WHERE token_hash IN
		(SELECT token_hash FROM fdx_bank_tokens WHERE expires_at < $1 LIMIT $2)`
	expiredConsents = `DELETE FROM fdx_bank_consents WHERE id IN (SELECT id FROM fdx_bank_consents
		WHERE expires_at < $1 OR code_used_at = 0 AND code_expires_at < $1 LIMIT $2)`
	expiredAssertions = `DELETE FROM fdx_bank_assertions WHERE jti_hash IN
		(SELECT jti_hash FROM fdx_bank_assertions WHERE expires_at < $1 LIMIT $2)`
)

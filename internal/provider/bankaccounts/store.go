package bankaccounts

import (
	"context"
	"database/sql"
	"time"

	"vestibule/internal/store"
)

// scope is the SQL condition of findAccount for the owner of an account.
type scope string

const (
	ofReport   scope = `n.public_token = $1`
	ofConsumer scope = `a.consumer_id = $1`
)

const selectAccount = `SELECT a.id, a.key_id, a.account_id, a.first_requested_at, a.revoked_at, a.details, a.numbers FROM bank_accounts a `

func scan(row store.Row) (account, error) {
	var a account
	err := row.Scan(&a.id, &a.keyID, &a.accountID, store.At(&a.first), store.At(&a.revoked), &a.details, &a.numbers)
	return a, store.MapNotFound(err)
}

// findAccount returns the account of an owner by an id that a report uses for it, or
// store.ErrNotFound.
func findAccount(ctx context.Context, q store.Queryer, of scope, owner, accountID string) (account, error) {
	return scan(q.QueryRowContext(ctx, selectAccount+`JOIN bank_account_names n ON n.bank_account_id = a.id
		WHERE `+string(of)+` AND n.account_id = $2 ORDER BY a.retrieved_at DESC LIMIT 1`, owner, accountID))
}

// Erase deletes the account numbers under a data key.
func (s *Service) Erase(ctx context.Context, tx *store.Tx, keyID string) error {
	return store.ExecEach(ctx, tx, keyID, `DELETE FROM bank_accounts WHERE key_id = $1`, `DELETE FROM bank_connections WHERE key_id = $1`)
}

// consumerAccounts is a consumer with its accounts.
type consumerAccounts struct {
	customerID string
	accounts   []account // with their wrapped keys, and the numbers that the customer may read
}

// accountsOfConsumers returns consumers by id, with those of their accounts whose
// connection has not expired or whose numbers were requested. Consumers that have
// withdrawn consent have no accounts.
func accountsOfConsumers(ctx context.Context, q store.Queryer, consumerIDs []string, now time.Time) (map[string]consumerAccounts, error) {
	in, args := store.InList(2, consumerIDs)
	all, err := store.QueryAll(ctx, q, store.Columns(func(a *account) []any {
		return []any{&a.consumerID, &a.customerID, &a.id, &a.keyID, &a.wrapped, &a.accountID, &a.details, &a.numbers}
	}), `SELECT u.id, u.customer_id, coalesce(a.id, ''), coalesce(a.key_id, ''), k.wrapped, coalesce(a.account_id, ''), a.details,
			CASE WHEN coalesce(own.enabled, parent.enabled, FALSE) AND a.first_requested_at IS NOT NULL THEN a.numbers END
		FROM consumers u JOIN customers m ON m.id = u.customer_id
			LEFT JOIN entitlements own ON own.customer_id = m.id AND own.name = 'account-numbers'
			LEFT JOIN entitlements parent ON parent.customer_id = m.parent_id AND parent.name = 'account-numbers'
			LEFT JOIN bank_accounts a ON a.consumer_id = u.id AND u.withdrawn_at IS NULL AND (a.first_requested_at IS NOT NULL OR EXISTS (
				SELECT 1 FROM bank_connections c WHERE c.key_id = a.key_id AND c.id = a.connection_id AND c.expires_at >= $1))
			LEFT JOIN data_keys k ON k.id = a.key_id
		WHERE u.id IN `+in, append([]any{store.Micros(now)}, args...)...)
	out := map[string]consumerAccounts{}
	for _, a := range all {
		c := consumerAccounts{a.customerID, out[a.consumerID].accounts}
		if a.id != "" {
			c.accounts = append(c.accounts, a)
		}
		out[a.consumerID] = c
	}
	return out, err
}

// markRequested records the first request for an account's numbers and returns them
// encrypted. It returns store.ErrNotFound if they were requested before or revoked, if the
// account has none, or if its connection has expired.
func markRequested(ctx context.Context, q store.Queryer, id string, now time.Time) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `UPDATE bank_accounts SET first_requested_at = $2
		WHERE id = $1 AND first_requested_at IS NULL AND revoked_at IS NULL AND numbers IS NOT NULL AND EXISTS (
			SELECT 1 FROM bank_connections c WHERE c.key_id = bank_accounts.key_id AND c.id = bank_accounts.connection_id AND c.expires_at >= $2)
		RETURNING numbers`, id, store.Micros(now)))
}

func addConnection(ctx context.Context, tx *store.Tx, keyID, id string, connected, expires time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO bank_connections (key_id, id, connected_at, expires_at)
		VALUES ($1, $2, $3, $4) ON CONFLICT (key_id, id) DO NOTHING`, keyID, id, store.Micros(connected), store.Micros(expires)))
}

// putAccount adds an account or updates it with newer data. Requested numbers change only
// after they were revoked: a new connection then issues new ones.
func putAccount(ctx context.Context, tx *store.Tx, a account) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO bank_accounts
		(id, key_id, customer_id, consumer_id, connection_id, account_id, number_type, retrieved_at, details, numbers)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
		ON CONFLICT (id) DO UPDATE SET connection_id = excluded.connection_id, retrieved_at = excluded.retrieved_at, details = excluded.details,
			number_type = CASE WHEN bank_accounts.first_requested_at IS NULL OR bank_accounts.revoked_at IS NOT NULL THEN excluded.number_type
			ELSE bank_accounts.number_type END,
			numbers = CASE WHEN bank_accounts.first_requested_at IS NULL OR bank_accounts.revoked_at IS NOT NULL THEN excluded.numbers
			ELSE bank_accounts.numbers END,
			first_requested_at = CASE WHEN bank_accounts.revoked_at IS NULL THEN bank_accounts.first_requested_at END, revoked_at = NULL
		WHERE excluded.retrieved_at > bank_accounts.retrieved_at`,
		a.id, a.keyID, a.customerID, store.NullString(a.consumerID), a.connectionID, a.accountID,
		a.kind, store.Micros(a.retrieved), a.details, sql.Null[[]byte]{V: a.numbers, Valid: a.numbers != nil}))
}

// insertName records the id that a report uses for an account.
func insertName(ctx context.Context, tx *store.Tx, publicToken, accountID, bankAccountID string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO bank_account_names (public_token, account_id, bank_account_id)
		VALUES ($1, $2, $3) ON CONFLICT (public_token, account_id) DO NOTHING`, publicToken, accountID, bankAccountID))
}

// inheritConnections adds the accounts of a source report to a report made from it.
func inheritConnections(ctx context.Context, tx *store.Tx, publicToken, source string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO bank_account_names (public_token, account_id, bank_account_id)
		SELECT $1, account_id, bank_account_id FROM bank_account_names WHERE public_token = $2
		ON CONFLICT (public_token, account_id) DO NOTHING`, publicToken, source))
}

// revoke marks tokens as revoked and deletes their numbers.
func revoke(ctx context.Context, q store.Queryer, accountID string, now time.Time) (int64, error) {
	return store.RowsAffected(q.ExecContext(ctx, `UPDATE bank_accounts SET revoked_at = $2, numbers = NULL
		WHERE number_type = 'TAN' AND revoked_at IS NULL AND id IN (SELECT bank_account_id FROM bank_account_names WHERE account_id = $1)`,
		accountID, store.Micros(now)))
}

// reportedAccount is an account with the publicToken of a report that has it.
type reportedAccount struct{ id, connectionID, publicToken string }

// reportedAccounts returns the accounts of a data key, for each report that has them, in the
// order of their ids.
func reportedAccounts(ctx context.Context, q store.Queryer, keyID string) ([]reportedAccount, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (a reportedAccount, err error) {
		return a, row.Scan(&a.id, &a.connectionID, &a.publicToken)
	}, `SELECT a.id, a.connection_id, n.public_token FROM bank_accounts a JOIN bank_account_names n ON n.bank_account_id = a.id
		WHERE a.key_id = $1 AND a.revoked_at IS NULL ORDER BY a.id`, keyID)
}

// revokeAccount marks an account's numbers as revoked and deletes them.
func revokeAccount(ctx context.Context, tx *store.Tx, id string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE bank_accounts SET revoked_at = $2, numbers = NULL WHERE id = $1 AND revoked_at IS NULL`,
		id, store.Micros(tx.Now)))
}

// hasTokens reports whether accounts with an id exist, and whether any of them has a token.
func hasTokens(ctx context.Context, q store.Queryer, accountID string) (exists, tokens bool, err error) {
	var all, tans int
	err = q.QueryRowContext(ctx, `SELECT count(*), count(CASE WHEN a.number_type = 'TAN' THEN 1 END)
		FROM bank_accounts a JOIN bank_account_names n ON n.bank_account_id = a.id WHERE n.account_id = $1`, accountID).Scan(&all, &tans)
	return all > 0, tans > 0, err
}

func deleteExpired(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM bank_accounts WHERE id IN (
		SELECT a.id FROM bank_accounts a JOIN bank_connections c ON c.key_id = a.key_id AND c.id = a.connection_id
		WHERE c.expires_at < $1 AND a.first_requested_at IS NULL LIMIT $2)
		AND first_requested_at IS NULL AND EXISTS ( -- and it has not been connected again meanwhile
			SELECT 1 FROM bank_connections c WHERE c.key_id = bank_accounts.key_id
				AND c.id = bank_accounts.connection_id AND c.expires_at < $1)`, store.Micros(tx.Now), limit))
}

func deleteWithdrawn(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM bank_accounts WHERE id IN (
		SELECT a.id FROM bank_accounts a JOIN consumers c ON c.id = a.consumer_id WHERE c.withdrawn_at IS NOT NULL LIMIT $1)`, limit))
}

func deleteConnections(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM bank_connections WHERE (key_id, id) IN (
		SELECT c.key_id, c.id FROM bank_connections c WHERE c.expires_at < $1
			AND NOT EXISTS (SELECT 1 FROM bank_accounts a WHERE a.key_id = c.key_id
			AND a.connection_id = c.id) LIMIT $2)`, store.Micros(tx.Now), limit))
}

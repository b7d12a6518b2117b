package sharing

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/store"
)

// withdrawnAt is the time when consent was withdrawn by the consumer of a report, or
// of the report that it was made from; null without. Every query of a share treats it
// like the share's revocation.
const withdrawnAt = `(SELECT c.withdrawn_at FROM reports o LEFT JOIN reports s ON s.public_token = o.source_token
	JOIN consumers c ON c.id = coalesce(o.consumer_id, s.consumer_id) WHERE o.public_token = `

// Withdrawn returns when the consumer of a report withdrew consent, which revoked
// every share of it, or the zero time.
func (s *Service) Withdrawn(ctx context.Context, q store.Queryer, publicToken string) (time.Time, error) {
	return store.ScanTime(q.QueryRowContext(ctx, `SELECT `+withdrawnAt+`$1)`, publicToken))
}

// Party is an account that reports are shared with or by.
type Party struct{ PublicID, Name string }

// Known lists the accounts that an account knows: its parent and its children, and those that it
// shared reports with or got reports from.
func (s *Service) Known(ctx context.Context, q store.Queryer, customerID string) ([]Party, error) {
	return store.QueryAll(ctx, q, func(row store.Row) (p Party, err error) { return p, row.Scan(&p.PublicID, &p.Name) },
		`SELECT public_id, coalesce(nullif(display_name, ''), name) AS shown FROM customers WHERE id IN (
			SELECT third_party_id FROM relay_tokens WHERE customer_id = $1 UNION SELECT customer_id FROM relay_tokens WHERE third_party_id = $1
			UNION SELECT id FROM customers WHERE parent_id = $1 UNION SELECT parent_id FROM customers WHERE id = $1)
		ORDER BY shown, public_id LIMIT 500`, customerID)
}

// grant adds the share, or extends the pair's earlier one, and returns the pair's
// token, which is s's for a new share. It returns false for a pair that was revoked.
func grant(ctx context.Context, tx *store.Tx, s Share) (token string, ok bool, err error) {
	err = tx.QueryRowContext(ctx, `INSERT INTO relay_tokens (token, public_token, customer_id, third_party_id, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5, $6)
		ON CONFLICT (public_token, third_party_id) DO UPDATE SET expires_at = excluded.expires_at
		WHERE relay_tokens.revoked_at IS NULL
		RETURNING token`,
		s.RelayToken, s.PublicToken, s.CustomerID, s.ThirdPartyID, store.Micros(s.Created), store.Micros(s.Expires)).Scan(&token)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return token, err == nil, err
}

// granted is the token of a pair, with the data of its webhook.
type granted struct {
	pair         pair
	token        string
	thirdPartyID string
	substatus    contract.Substatus
}

// grantReady is grant in one statement, for distinct pairs whose report is the caller's,
// ready, and within Window, and whose third party is another account of the environment. It
// omits all other pairs, including reports past Window that were shared in time.
func grantReady(ctx context.Context, tx *store.Tx, pairs []pair, tokens []string) ([]granted, error) {
	args := []any{store.Micros(tx.Now), store.Micros(tx.Now.Add(Life)), store.Micros(tx.Now.Add(-Window))}
	var values []string
	for i := range store.PadCount(len(pairs)) {
		values = append(values, fmt.Sprintf("($%d, $%d, $%d, $%d, $%d)", 5*i+4, 5*i+5, 5*i+6, 5*i+7, 5*i+8))
		if i >= len(pairs) {
			args = append(args, "", "", "", "", "") // matches nothing
			continue
		}
		p := pairs[i]
		args = append(args, tokens[i], p.publicToken, p.caller.CustomerID, p.publicID, string(p.caller.Environment))
	}
	var out []granted
	err := store.QueryEach(ctx, tx, func(row store.Row) error {
		var g granted
		var publicToken, customerID, publicID string
		err := row.Scan(&g.token, &publicToken, &customerID, &g.thirdPartyID, &publicID, &g.substatus)
		for _, p := range pairs {
			if p.publicToken == publicToken && p.caller.CustomerID == customerID && p.publicID == publicID {
				g.pair = p
				out = append(out, g)
			}
		}
		return err
	}, `INSERT INTO relay_tokens (token, public_token, customer_id, third_party_id, created_at, expires_at)
		SELECT v.column1, r.public_token, r.customer_id, t.id, CAST($1 AS BIGINT), CAST($2 AS BIGINT)
		FROM (VALUES `+strings.Join(values, ", ")+`) v
			JOIN reports r ON r.public_token = v.column2 AND r.customer_id = v.column3
			JOIN customers t ON t.public_id = v.column4 AND t.environment = v.column5 AND t.id <> r.customer_id
		WHERE r.status = 'SUCCESS' AND r.erased_at IS NULL AND r.created_at >= $3 AND `+withdrawnAt+`r.public_token) IS NULL
		ON CONFLICT (public_token, third_party_id) DO UPDATE SET expires_at = excluded.expires_at
		WHERE relay_tokens.revoked_at IS NULL
		RETURNING token, public_token, customer_id, third_party_id,
			(SELECT t.public_id FROM customers t WHERE t.id = relay_tokens.third_party_id),
			coalesce((SELECT r.substatus FROM reports r WHERE r.public_token = relay_tokens.public_token), '')`, args...)
	return out, err
}

// markRead records the first read of a share that is active at now; one of several
// concurrent calls succeeds.
func markRead(ctx context.Context, q store.Queryer, token string, now time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE relay_tokens SET read_at = $2
		WHERE token = $1 AND revoked_at IS NULL AND read_at IS NULL AND expires_at >= $2
		AND `+withdrawnAt+`relay_tokens.public_token) IS NULL`, token, store.Micros(now)))
}

// withdraw revokes a share of the customer, once.
func withdraw(ctx context.Context, q store.Queryer, customerID, token string, now time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE relay_tokens SET revoked_at = $3
		WHERE token = $2 AND customer_id = $1
		AND revoked_at IS NULL AND `+withdrawnAt+`relay_tokens.public_token) IS NULL`, customerID, token, store.Micros(now)))
}

const columns = `SELECT token, public_token, customer_id, third_party_id, created_at, expires_at, read_at,
	coalesce(revoked_at, ` + withdrawnAt + `relay_tokens.public_token)) FROM relay_tokens WHERE `

func get(ctx context.Context, q store.Queryer, where string, args ...any) (Share, error) {
	s, err := scan(q.QueryRowContext(ctx, columns+where, args...))
	return s, store.MapNotFound(err)
}

func list(ctx context.Context, q store.Queryer, where string, args ...any) ([]Share, error) {
	return store.QueryAll(ctx, q, scan, columns+where+` ORDER BY created_at, token`, args...)
}

func scan(row store.Row) (Share, error) {
	var s Share
	err := row.Scan(&s.RelayToken, &s.PublicToken, &s.CustomerID, &s.ThirdPartyID, store.At(&s.Created), store.At(&s.Expires),
		store.At(&s.Read), store.At(&s.Revoked))
	return s, err
}

// Granted lists the shares that a customer or its children gave, or that it received, newest first.
func (s *Service) Granted(ctx context.Context, q store.Queryer, customerID string, f Filter) ([]Share, error) {
	other, order := `third_party_id`, `ORDER BY created_at DESC, token DESC`
	var c store.Conditions
	if f.Received {
		other = `customer_id`
		c.Equal(`third_party_id`, customerID)
	} else {
		owner := c.Arg(customerID)
		c.All = append(c.All, `customer_id IN (SELECT id FROM customers WHERE id = `+owner+` OR parent_id = `+owner+`)`)
	}
	c.Days("created_at", f.From, f.To)
	of := func(column string) string {
		return `(SELECT ` + column + ` FROM customers a WHERE a.id = relay_tokens.` + other + `)`
	}
	for _, word := range strings.Fields(f.Text) {
		c.All = append(c.All, c.Contains(word, "token", of("a.public_id"), of("coalesce(nullif(a.display_name, ''), a.name)")))
	}
	if f.Oldest {
		c.Before("created_at", "token", f.After)
		order = `ORDER BY created_at, token`
	} else {
		c.After("created_at", "token", f.After)
	}
	return store.QueryAll(ctx, q, scan, columns+strings.Join(c.All, ` AND `)+` `+order+` LIMIT `+strconv.Itoa(f.Limit), c.Args...)
}

// deleteForgotten deletes, at most limit times, the shares of reports that can no
// longer be read.
func deleteForgotten(ctx context.Context, tx *store.Tx, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM relay_tokens WHERE token IN (
		SELECT t.token FROM relay_tokens t JOIN reports r ON r.public_token = t.public_token WHERE r.erased_at IS NOT NULL LIMIT $1)`, limit))
}

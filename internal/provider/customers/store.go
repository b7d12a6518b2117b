package customers

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/provider/gate"
	"vestibule/internal/store"
)

// clients returns the credentials that match and have not expired at now.
func clients(ctx context.Context, q store.Queryer, where, value string, now time.Time) ([]gate.Client, error) {
	rows, err := q.QueryContext(ctx, `SELECT k.id, k.secret_hash, c.id, c.public_id, coalesce(c.parent_id, ''), c.environment
		FROM credentials k JOIN customers c ON c.id = k.customer_id
		WHERE `+where+` AND (k.expires_at IS NULL OR k.expires_at > $2)`, value, store.Micros(now))
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []gate.Client
	for rows.Next() {
		var c gate.Client
		if err := rows.Scan(&c.CredentialID, &c.SecretHash, &c.CustomerID, &c.PublicID, &c.ParentID, &c.Environment); err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, rows.Err()
}

func account(ctx context.Context, q store.Queryer, where, value string) (Account, error) {
	var a Account
	err := q.QueryRowContext(ctx, `SELECT id, public_id, coalesce(parent_id, ''), name, environment, return_mode, require_form, custom_reports, ach_details
		FROM customers WHERE `+where, value).
		Scan(&a.ID, &a.PublicID, &a.ParentID, &a.Name, &a.Environment, &a.ReturnMode, &a.RequireForm, &a.CustomReports, &a.ACHDetails)
	return a, store.Found(err)
}

func completeURLs(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	rows, err := q.QueryContext(ctx, `SELECT url FROM complete_urls WHERE customer_id = $1 ORDER BY position`, customerID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for rows.Next() {
		var u string
		if err := rows.Scan(&u); err != nil {
			return nil, err
		}
		out = append(out, u)
	}
	return out, rows.Err()
}

func replaceCompleteURLs(ctx context.Context, tx *sql.Tx, customerID string, urls []string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM complete_urls WHERE customer_id = $1`, customerID); err != nil {
		return err
	}
	for i, u := range urls {
		if _, err := tx.ExecContext(ctx, `INSERT INTO complete_urls (customer_id, position, url) VALUES ($1, $2, $3)`, customerID, i, u); err != nil {
			return err
		}
	}
	return nil
}

func product(ctx context.Context, q store.Queryer, customerID, productID string) (Product, error) {
	var p Product
	err := q.QueryRowContext(ctx, `SELECT id, customer_id, kind, name, inquiry_type FROM products
		WHERE id = $1 AND customer_id = $2`, productID, customerID).
		Scan(&p.ID, &p.CustomerID, &p.Kind, &p.Name, &p.InquiryType)
	return p, store.Found(err)
}

func insertProduct(ctx context.Context, tx *sql.Tx, p Product, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO products (id, customer_id, kind, name, inquiry_type, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (id) DO NOTHING`,
		p.ID, p.CustomerID, string(p.Kind), p.Name, p.InquiryType, store.Micros(now))
	return err
}

// upsertGenerated adds the generated customer of the seed's role, or brings its
// row up to date, and returns its id.
func upsertGenerated(ctx context.Context, tx *sql.Tx, s Seed, now time.Time) (string, error) {
	var id string
	err := tx.QueryRowContext(ctx, `INSERT INTO customers (id, public_id, environment, name, generated, return_mode, created_at, custom_reports, ach_details)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $8)
		ON CONFLICT (generated) DO UPDATE SET public_id = excluded.public_id, environment = excluded.environment,
			name = excluded.name, return_mode = excluded.return_mode,
			custom_reports = excluded.custom_reports, ach_details = excluded.ach_details
		RETURNING id`,
		uuid.NewString(), s.PublicID, string(s.Environment), s.Name, s.Role, s.ReturnMode, store.Micros(now), s.Entitled).Scan(&id)
	return id, err
}

func insertCredential(ctx context.Context, tx *sql.Tx, customerID, clientID string, hash []byte, now time.Time) error {
	_, err := tx.ExecContext(ctx, `INSERT INTO credentials (id, customer_id, client_id, secret_hash, created_at)
		VALUES ($1, $2, $3, $4, $5) ON CONFLICT (secret_hash) DO NOTHING`,
		uuid.NewString(), customerID, clientID, hash, store.Micros(now))
	return err
}

// insertConsumer reports false when the customer's external id is taken.
func insertConsumer(ctx context.Context, tx *sql.Tx, c Consumer, sealed []byte) (bool, error) {
	return store.One(tx.ExecContext(ctx, `INSERT INTO consumers (id, customer_id, external_id, key_id, prefill, created_at, updated_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (customer_id, external_id) DO NOTHING`,
		c.ID, c.CustomerID, nullable(c.ExternalID), c.KeyID, sealed, store.Micros(c.Created), store.Micros(c.Updated)))
}

func consumer(ctx context.Context, q store.Queryer, customerID, consumerID string) (Consumer, []byte, error) {
	var c Consumer
	var sealed []byte
	var withdrawn sql.NullInt64
	var created, updated int64
	err := q.QueryRowContext(ctx, `SELECT id, customer_id, coalesce(external_id, ''), key_id, prefill, withdrawn_at, created_at, updated_at
		FROM consumers WHERE id = $1 AND customer_id = $2`, consumerID, customerID).
		Scan(&c.ID, &c.CustomerID, &c.ExternalID, &c.KeyID, &sealed, &withdrawn, &created, &updated)
	c.ConsentWithdrawn = withdrawn.Valid
	c.Created, c.Updated = store.Time(created), store.Time(updated)
	return c, sealed, store.Found(err)
}

// updateConsumer reports false when another consumer of the customer has the
// external id. The row is read in the same transaction, so it is there.
func updateConsumer(ctx context.Context, tx *sql.Tx, c Consumer, sealed []byte) (bool, error) {
	return store.One(tx.ExecContext(ctx, `UPDATE consumers SET external_id = $1, prefill = $2, updated_at = $3
		WHERE id = $4 AND NOT EXISTS (SELECT 1 FROM consumers o WHERE o.customer_id = $5 AND o.external_id = $1 AND o.id <> $4)`,
		nullable(c.ExternalID), sealed, store.Micros(c.Updated), c.ID, c.CustomerID))
}

// withdraw notes the withdrawal of consent, once; false for an unknown consumer.
func withdraw(ctx context.Context, q store.Queryer, customerID, consumerID string, now time.Time) (bool, error) {
	return store.One(q.ExecContext(ctx, `UPDATE consumers SET withdrawn_at = coalesce(withdrawn_at, $1), updated_at = $1
		WHERE id = $2 AND customer_id = $3`, store.Micros(now), consumerID, customerID))
}

func nullable(s string) sql.NullString { return sql.NullString{String: s, Valid: s != ""} }

var _ gate.Directory = (*Service)(nil)

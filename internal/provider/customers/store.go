package customers

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/i18n"
	"vestibule/internal/provider/auth"
	"vestibule/internal/staff"
	"vestibule/internal/store"
)

// validCredential is the SQL condition that credential k is valid at $2.
const validCredential = `k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $2)`

// clients returns the matching credentials that are valid at now.
func clients(ctx context.Context, q store.Queryer, where, value string, now time.Time) ([]auth.Client, error) {
	return store.QueryAll(ctx, q, store.Columns(func(c *auth.Client) []any {
		return []any{&c.CredentialID, &c.SecretHash, store.At(&c.Used), &c.CustomerID, &c.PublicID, &c.ParentID, &c.Environment}
	}), `SELECT k.id, k.secret_hash, k.used_at, c.id, c.public_id, coalesce(c.parent_id, ''), c.environment
		FROM credentials k JOIN customers c ON c.id = k.customer_id
		WHERE `+where+` AND NOT `+suspended+` AND `+validCredential, value, store.Micros(now))
}

// MarkUsed implements auth.Directory.
func (s *Service) MarkUsed(ctx context.Context, tx *store.Tx, id string, hour time.Time) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE credentials SET used_at = $2 WHERE id = $1 AND used_at < $2`, id, store.Micros(hour)))
}

// suspended is the SQL condition that account c or its parent is suspended.
const suspended = `(c.suspended_at > 0 OR EXISTS (SELECT 1 FROM customers m WHERE m.id = c.parent_id AND m.suspended_at > 0))`

// Suspended reports whether an account or its parent is suspended.
func (s *Service) Suspended(ctx context.Context, q store.Queryer, customerID string) (bool, error) {
	return store.FindOne[bool](q.QueryRowContext(ctx, `SELECT `+suspended+` FROM customers c WHERE c.id = $1`, customerID))
}

// Account implements auth.Directory. A suspended account is unknown.
func (s *Service) Account(ctx context.Context, q store.Queryer, publicID string) (auth.Caller, error) {
	var c auth.Caller
	err := q.QueryRowContext(ctx, `SELECT c.id, c.public_id, coalesce(c.parent_id, ''), c.environment FROM customers c
		WHERE c.public_id = $1 AND c.id <> $2 AND NOT `+suspended, publicID, staff.OperatorAccount).
		Scan(&c.CustomerID, &c.PublicID, &c.ParentID, &c.Environment)
	return c, store.MapNotFound(err)
}

// ByPublicID returns an account without its redirect URLs, also a suspended one. An unknown account
// is store.ErrNotFound.
func (s *Service) ByPublicID(ctx context.Context, q store.Queryer, publicID string) (Account, error) {
	return account(ctx, q, `public_id = $1 AND id <> $2`, publicID, staff.OperatorAccount)
}

// ByName is ByPublicID by the name of an account. A name of several accounts is unknown.
func (s *Service) ByName(ctx context.Context, q store.Queryer, name string) (Account, error) {
	return account(ctx, q, `name = $1 AND id <> $2`, name, staff.OperatorAccount)
}

// AddOperatorAccount adds the account of the provider's operators, which has users and nothing
// else. Only users refer to it.
func (s *Service) AddOperatorAccount(ctx context.Context, tx *store.Tx) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO customers (id, public_id, environment, name, created_at)
		VALUES ($1, $1, '', $1, $2) ON CONFLICT DO NOTHING`, staff.OperatorAccount, store.Micros(tx.Now)))
}

// Suspend suspends an account from now on, or resumes it, and reports whether that changed it.
// Calls, widget and links of a suspended account and of its children are refused; their data stay.
func (s *Service) Suspend(ctx context.Context, tx *store.Tx, customerID string, suspend bool) (changed bool, err error) {
	at := int64(0)
	if suspend {
		at = store.Micros(tx.Now)
	}
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE customers SET suspended_at = $2 WHERE id = $1 AND (suspended_at > 0) <> $3`,
		customerID, at, suspend))
}

// SubmissionLimit returns how many submissions an account can make within a minute.
func (s *Service) SubmissionLimit(ctx context.Context, q store.Queryer, customerID string) (int, error) {
	return store.FindOne[int](q.QueryRowContext(ctx, `SELECT submissions_per_minute FROM customers WHERE id = $1`, customerID))
}

// MaxSubmissions is the highest SubmissionLimit.
const MaxSubmissions = 10_000

// ErrLimit is returned for a limit that is not from 1 to MaxSubmissions.
var ErrLimit = fmt.Errorf("the limit must be from 1 to %d", MaxSubmissions)

// SetSubmissionLimit sets it, or returns ErrLimit.
func (s *Service) SetSubmissionLimit(ctx context.Context, tx *store.Tx, customerID string, perMinute int) error {
	if perMinute < 1 || perMinute > MaxSubmissions {
		return ErrLimit
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE customers SET submissions_per_minute = $2 WHERE id = $1`, customerID, perMinute))
}

func account(ctx context.Context, q store.Queryer, where string, args ...any) (Account, error) {
	found, err := accounts(ctx, q, where, args...)
	if err == nil && len(found) != 1 {
		err = store.ErrNotFound
	}
	if err != nil {
		return Account{}, err
	}
	return found[0], nil
}

// accounts returns accounts without their redirect URLs.
func accounts(ctx context.Context, q store.Queryer, where string, args ...any) ([]Account, error) {
	return store.QueryAll(ctx, q, store.Columns(func(a *Account) []any {
		return []any{&a.ID, &a.PublicID, &a.ParentID, &a.Name, &a.DisplayName, &a.Environment, store.At(&a.Created),
			&a.ReturnMode, &a.RequireForm, &a.ConfigurationID, store.At(&a.Suspended), &a.SubmissionLimit}
	}), `SELECT id, public_id, coalesce(parent_id, ''), name, coalesce(display_name, ''), environment, created_at,
			return_mode, require_form, coalesce(configuration_id, ''), suspended_at, submissions_per_minute
		FROM customers WHERE `+where, args...)
}

// insertChild adds a child account. It returns false if another child of the parent
// has the name.
func insertChild(ctx context.Context, tx *store.Tx, a Account) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO customers
		(id, public_id, environment, parent_id, name, display_name, return_mode, require_form, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT (parent_id, name) DO NOTHING`,
		a.ID, a.PublicID, string(a.Environment), a.ParentID, a.Name, store.NullString(a.DisplayName),
		a.ReturnMode, a.RequireForm, store.Micros(a.Created)))
}

// Rename changes the names of an account. If another child of the parent uses the
// name, it returns ErrDuplicateName, and tx may be unusable.
func (s *Service) Rename(ctx context.Context, tx *store.Tx, customerID string, n Names) error {
	return requireRow(store.ExecOne(tx.ExecContext(ctx, `UPDATE customers SET name = $1, display_name = $2
		WHERE id = $3`, n.Name, store.NullString(n.DisplayName), customerID)))
}

func setReturn(ctx context.Context, tx *store.Tx, customerID, mode string, requireForm bool) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE customers SET return_mode = $1,
		require_form = $2 WHERE id = $3`, mode, requireForm, customerID))
}

// Entitled reports whether an account has an entitlement, by its own setting or else
// its parent's. An unknown account is store.ErrNotFound.
func (s *Service) Entitled(ctx context.Context, q store.Queryer, customerID string, e Entitlement) (bool, error) {
	return store.FindOne[bool](q.QueryRowContext(ctx, `SELECT coalesce(o.enabled, p.enabled, FALSE) FROM customers c
		LEFT JOIN entitlements o ON o.customer_id = c.id AND o.name = $2
		LEFT JOIN entitlements p ON p.customer_id = c.parent_id AND p.name = $2
		WHERE c.id = $1`, customerID, string(e)))
}

// entitlementsOf returns the settings of the account itself, without its parent's.
func entitlementsOf(ctx context.Context, q store.Queryer, customerID string) (map[Entitlement]bool, error) {
	all, err := store.QueryAll(ctx, q, store.Columns(func(g *Granted) []any {
		return []any{&g.Entitlement, &g.Enabled}
	}), `SELECT name, enabled FROM entitlements WHERE customer_id = $1`, customerID)
	out := map[Entitlement]bool{}
	for _, g := range all {
		out[g.Entitlement] = g.Enabled
	}
	return out, err
}

// setEntitlement changes a setting. It returns false if the setting has this value.
func setEntitlement(ctx context.Context, tx *store.Tx, customerID string, e Entitlement, enabled bool) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO entitlements (customer_id, name, enabled, changed_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (customer_id, name) DO UPDATE SET enabled = excluded.enabled, changed_at = excluded.changed_at
		WHERE entitlements.enabled <> excluded.enabled`, customerID, string(e), enabled, store.Micros(tx.Now)))
}

// enableOnce enables an entitlement unless it has a setting.
func enableOnce(ctx context.Context, tx *store.Tx, customerID string, e Entitlement) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO entitlements (customer_id, name, enabled, changed_at) VALUES ($1, $2, TRUE, $3)
		ON CONFLICT (customer_id, name) DO NOTHING`, customerID, string(e), store.Micros(tx.Now)))
}

func clearEntitlement(ctx context.Context, tx *store.Tx, customerID string, e Entitlement) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM entitlements WHERE customer_id = $1 AND name = $2`, customerID, string(e)))
}

// OwnCompleteURLs returns the redirect URLs registered on the account itself; the
// first is the static one.
func (s *Service) OwnCompleteURLs(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT url FROM complete_urls WHERE customer_id = $1 ORDER BY position`, customerID)
}

func replaceCompleteURLs(ctx context.Context, tx *store.Tx, customerID string, urls []string) error {
	if _, err := tx.ExecContext(ctx, `DELETE FROM complete_urls WHERE customer_id = $1`, customerID); err != nil {
		return err
	}
	for i, u := range urls {
		if _, err := tx.ExecContext(ctx, `INSERT INTO complete_urls (customer_id, position, url)
			VALUES ($1, $2, $3)`, customerID, i, u); err != nil {
			return err
		}
	}
	return nil
}

// OwnWidgetOrigins returns the origins registered on the account itself.
func (s *Service) OwnWidgetOrigins(ctx context.Context, q store.Queryer, customerID string) ([]string, error) {
	return store.QueryAll(ctx, q, store.ScanOne[string], `SELECT origin FROM widget_origins
		WHERE customer_id = $1 ORDER BY origin`, customerID)
}

func insertWidgetOrigin(ctx context.Context, tx *store.Tx, customerID, origin string) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO widget_origins (customer_id, origin) VALUES ($1, $2)`, customerID, origin))
}

// RemoveWidgetOrigin removes an origin and reports whether it was registered.
func (s *Service) RemoveWidgetOrigin(ctx context.Context, tx *store.Tx, customerID, origin string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `DELETE FROM widget_origins WHERE customer_id = $1 AND origin = $2`, customerID, origin))
}

// products returns products with their effective configurations. A product with a kind
// inherits none of another kind. In where, p is the product.
func products(ctx context.Context, q store.Queryer, where string, args ...any) ([]Product, error) {
	return store.QueryAll(ctx, q, store.Columns(func(p *Product) []any {
		g := &p.Configuration
		return []any{&p.ID, &p.CustomerID, &p.Kind, &p.Name, &p.DisplayName, &p.InquiryType, store.At(&p.Created), store.At(&p.Updated),
			&p.Inherited, &g.ID, &g.CustomerID, &g.Kind, &g.Alias, &g.InquiryType, &g.DeprecatedAttributes, &g.ScoreV1, &g.ScoreV21,
			&g.IncomeModelSuite, &g.IncomeInflows, &g.EligibilityKind, &g.BankLimit, &g.RefreshDays, &g.PreparedReport, store.At(&g.Retired)}
	}), `SELECT p.id, p.customer_id, coalesce(g.kind, p.kind), p.name, coalesce(p.display_name, ''),
			coalesce(g.inquiry_type, p.inquiry_type), p.created_at, coalesce(p.updated_at, p.created_at), p.configuration_id IS NULL,
			coalesce(g.id, ''), coalesce(g.customer_id, ''), coalesce(g.kind, ''), coalesce(g.alias, ''), coalesce(g.inquiry_type, ''),
			coalesce(g.deprecated_attributes, FALSE), coalesce(g.score_v1, FALSE), coalesce(g.score_v21, FALSE),
			coalesce(g.income_model_suite, ''), coalesce(g.income_inflows, FALSE), coalesce(g.eligibility_kind, ''),
			coalesce(g.bank_limit, 0), coalesce(g.refresh_days, 0), coalesce(g.prepared_report_id, ''), coalesce(g.retired_at, 0)
		FROM products p JOIN customers c ON c.id = p.customer_id LEFT JOIN customers m ON m.id = c.parent_id
			LEFT JOIN product_configurations g ON g.id = coalesce(p.configuration_id, c.configuration_id, m.configuration_id)
				AND (g.id = p.configuration_id OR p.kind IN ('', g.kind))
		WHERE `+where, args...)
}

// insertProduct adds a product. It returns false if a product has the ID, or another one of
// the account the name.
func insertProduct(ctx context.Context, tx *store.Tx, p Product) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO products
		(id, customer_id, kind, name, display_name, inquiry_type, configuration_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING`,
		p.ID, p.CustomerID, string(p.Kind), p.Name, store.NullString(p.DisplayName), p.InquiryType, store.NullString(p.Configuration.ID),
		store.Micros(p.Created)))
}

// RenameProduct changes the names of a product of the customer. If another product
// uses the name, it returns ErrDuplicateName, and tx may be unusable.
func (s *Service) RenameProduct(ctx context.Context, tx *store.Tx, customerID, productID string, n Names) error {
	return requireRow(store.ExecOne(tx.ExecContext(ctx, `UPDATE products SET name = $1, display_name = $2,
		updated_at = $3 WHERE id = $4 AND customer_id = $5`,
		n.Name, store.NullString(n.DisplayName), store.Micros(tx.Now), productID, customerID)))
}

// insertConfiguration adds a configuration. It returns false if another one of the
// account has the alias.
func insertConfiguration(ctx context.Context, tx *store.Tx, c Configuration, created time.Time) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO product_configurations
		(id, customer_id, kind, alias, inquiry_type, deprecated_attributes, score_v1, score_v21,
		income_model_suite, income_inflows, eligibility_kind, bank_limit, refresh_days, prepared_report_id, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) ON CONFLICT (customer_id, alias) DO NOTHING`,
		c.ID, c.CustomerID, string(c.Kind), c.Alias, c.InquiryType, c.DeprecatedAttributes, c.ScoreV1, c.ScoreV21,
		c.IncomeModelSuite, c.IncomeInflows, string(c.EligibilityKind), c.BankLimit, c.RefreshDays, c.PreparedReport, store.Micros(created)))
}

// RetireConfiguration retires a configuration of a parent account, or lets products get it again, and
// reports whether that changed it. Products and child accounts that have a retired one keep it, and none
// can get it any more.
func (*Service) RetireConfiguration(ctx context.Context, tx *store.Tx, parentID, id string, retire bool) (changed bool, err error) {
	if !retire {
		return store.ExecOne(tx.ExecContext(ctx, `UPDATE product_configurations SET retired_at = NULL
			WHERE id = $2 AND customer_id = $1 AND retired_at IS NOT NULL`, parentID, id))
	}
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE product_configurations SET retired_at = $3
		WHERE id = $2 AND customer_id = $1 AND retired_at IS NULL`, parentID, id, store.Micros(tx.Now)))
}

// Configuration returns a configuration of a parent account, or store.ErrNotFound.
func (s *Service) Configuration(ctx context.Context, q store.Queryer, parentID, id string) (Configuration, error) {
	found, err := configurations(ctx, q, `customer_id = $1 AND id = $2`, parentID, id)
	if err == nil && len(found) != 1 {
		err = store.ErrNotFound
	}
	if err != nil {
		return Configuration{}, err
	}
	return found[0], nil
}

// sameConfiguration returns the configuration with the alias of c of an account or its
// parent, or the zero Configuration if there is none or it is retired.
func sameConfiguration(ctx context.Context, q store.Queryer, customerID string, c Configuration) (Configuration, error) {
	found, err := configurations(ctx, q,
		`retired_at IS NULL AND alias = $2 AND customer_id = (SELECT coalesce(parent_id, id) FROM customers WHERE id = $1)`,
		customerID, c.Alias)
	if err != nil || len(found) == 0 {
		return Configuration{}, err
	}
	return found[0], nil
}

func configurations(ctx context.Context, q store.Queryer, where string, args ...any) ([]Configuration, error) {
	return store.QueryAll(ctx, q, store.Columns(func(c *Configuration) []any {
		return []any{&c.ID, &c.CustomerID, &c.Kind, &c.Alias, &c.InquiryType, &c.DeprecatedAttributes, &c.ScoreV1, &c.ScoreV21,
			&c.IncomeModelSuite, &c.IncomeInflows, &c.EligibilityKind, &c.BankLimit, &c.RefreshDays, &c.PreparedReport, store.At(&c.Retired)}
	}), `SELECT id, customer_id, kind, alias, inquiry_type, deprecated_attributes,
		score_v1, score_v21, income_model_suite, income_inflows, eligibility_kind,
		bank_limit, refresh_days, prepared_report_id, retired_at
		FROM product_configurations WHERE `+where, args...)
}

// assignAccount assigns a configuration to a child account. It returns false if the
// parent has no such child.
func assignAccount(ctx context.Context, q store.Queryer, parentID, publicID, configurationID string) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE customers SET configuration_id = $1 WHERE public_id = $2 AND parent_id = $3`,
		store.NullString(configurationID), publicID, parentID))
}

// configureParent sets the configuration of a parent account, unless it has one.
func configureParent(ctx context.Context, tx *store.Tx, customerID, configurationID string) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE customers SET configuration_id = $1 WHERE id = $2
		AND configuration_id IS NULL`, configurationID, customerID))
}

// assignProduct assigns a configuration to a product. It returns false unless the
// product is the parent's or a child's.
func assignProduct(ctx context.Context, q store.Queryer, parentID, productID, configurationID string, now time.Time) (bool, error) {
	return store.ExecOne(q.ExecContext(ctx, `UPDATE products SET configuration_id = $1, updated_at = $2
		WHERE id = $3 AND customer_id IN (SELECT id FROM customers WHERE id = $4 OR parent_id = $4)`,
		store.NullString(configurationID), store.Micros(now), productID, parentID))
}

// upsertParent adds or updates the parent account of a role, and returns its id.
func upsertParent(ctx context.Context, tx *store.Tx, p ParentAccount) (string, error) {
	return store.ScanOne[string](tx.QueryRowContext(ctx,
		`INSERT INTO customers (id, public_id, environment, name, generated, return_mode, created_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)
		ON CONFLICT (generated) DO UPDATE SET public_id = excluded.public_id, environment = excluded.environment,
			name = excluded.name, return_mode = excluded.return_mode
		RETURNING id`,
		uuid.NewString(), p.PublicID, string(p.Environment), p.Name, p.Role, p.ReturnMode, store.Micros(tx.Now)))
}

// insertCredential adds a credential. A credential with the same secret does not
// change, even if it has ended.
func insertCredential(ctx context.Context, tx *store.Tx, k Credential, hash []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO credentials (id, customer_id, client_id, name, secret_hash, created_at)
		VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (secret_hash) DO NOTHING`,
		k.ID, k.CustomerID, k.ClientID, k.Name, hash, store.Micros(k.Created)))
}

// Credentials lists all credentials of an account, also ended ones, newest first.
func (s *Service) Credentials(ctx context.Context, q store.Queryer, customerID string) ([]Credential, error) {
	return store.QueryAll(ctx, q, store.Columns(func(k *Credential) []any {
		return []any{&k.ID, &k.CustomerID, &k.ClientID, &k.Name, store.At(&k.Created), store.At(&k.Expires), store.At(&k.Revoked),
			store.At(&k.Used)}
	}), `SELECT id, customer_id, client_id, name, created_at, expires_at, revoked_at, used_at FROM credentials
		WHERE customer_id = $1 ORDER BY created_at DESC, id`, customerID)
}

// findValidCredential returns a valid credential of the customer, and the number of its
// rotations.
func findValidCredential(ctx context.Context, tx *store.Tx, customerID, id string) (Credential, int64, error) {
	k := Credential{ID: id, CustomerID: customerID}
	var rotations int64
	err := tx.QueryRowContext(ctx, `SELECT k.client_id, k.name, k.expires_at, k.rotations FROM credentials k
		WHERE k.id = $1 AND `+validCredential+` AND k.customer_id = $3`,
		id, store.Micros(tx.Now), customerID).Scan(&k.ClientID, &k.Name, store.At(&k.Expires), &rotations)
	return k, rotations, store.MapNotFound(err)
}

// rotate makes a credential expire at k.Expires. It returns false if the credential no
// longer has seen rotations, or its client has another valid credential.
func rotate(ctx context.Context, tx *store.Tx, k Credential, seen int64) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE credentials SET expires_at = $3, rotations = rotations + 1
		WHERE id = $1 AND rotations = $4 AND revoked_at IS NULL
			AND NOT EXISTS (SELECT 1 FROM credentials k WHERE k.client_id = $5 AND k.id <> $1 AND `+validCredential+`)`,
		k.ID, store.Micros(tx.Now), store.Micros(k.Expires), seen, k.ClientID))
}

// RenameClient names the client of a credential of the account, which may have ended. It
// returns store.ErrNotFound for a credential that is not the account's. The caller
// validates the name.
func (s *Service) RenameClient(ctx context.Context, tx *store.Tx, customerID, credentialID, name string) error {
	n, err := store.RowsAffected(tx.ExecContext(ctx, `UPDATE credentials SET name = $3 WHERE customer_id = $1
		AND client_id = (SELECT client_id FROM credentials WHERE id = $2 AND customer_id = $1)`, customerID, credentialID, name))
	return requireRow(n > 0, err)
}

// RevokeCredential ends a credential of the account immediately, with its access
// tokens. It returns store.ErrNotFound for one that is not the account's or was
// already revoked.
func (s *Service) RevokeCredential(ctx context.Context, tx *store.Tx, customerID, credentialID string) error {
	return requireRow(store.ExecOne(tx.ExecContext(ctx, `UPDATE credentials SET revoked_at = $1
		WHERE id = $2 AND customer_id = $3 AND revoked_at IS NULL`,
		store.Micros(tx.Now), credentialID, customerID)))
}

// insertConsumer adds a consumer. It returns false if another consumer of the customer
// has the external id.
func insertConsumer(ctx context.Context, tx *store.Tx, c Consumer, sealed, mailbox []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO consumers
		(id, customer_id, external_id, key_id, prefill, created_at, updated_at, mailbox)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (customer_id, external_id) DO NOTHING`,
		c.ID, c.CustomerID, store.NullString(c.ExternalID), c.KeyID, sealed, store.Micros(c.Created), store.Micros(c.Updated), mailbox))
}

// consumer returns a consumer, its encrypted prefill, and its wrapped data key.
func consumer(ctx context.Context, q store.Queryer, customerID, consumerID string) (c Consumer, sealed, wrapped []byte, err error) {
	var withdrawn sql.NullInt64
	err = q.QueryRowContext(ctx, `SELECT c.id, c.customer_id, coalesce(c.external_id, ''), c.key_id, c.prefill, c.withdrawn_at, c.lang,
		c.created_at, c.updated_at, k.wrapped FROM consumers c LEFT JOIN data_keys k ON k.id = c.key_id
		WHERE c.id = $1 AND c.customer_id = $2 AND c.erased_at IS NULL`, consumerID, customerID).Scan(&c.ID, &c.CustomerID, &c.ExternalID,
		&c.KeyID, &sealed, &withdrawn, &c.Lang, store.At(&c.Created), store.At(&c.Updated), &wrapped)
	c.ConsentWithdrawn = withdrawn.Valid
	return c, sealed, wrapped, store.MapNotFound(err)
}

// updateConsumer updates a consumer that was read in the same transaction. It returns
// false if another consumer of the customer has the external id.
func updateConsumer(ctx context.Context, tx *store.Tx, c Consumer, sealed, mailbox []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE consumers SET external_id = $1, prefill = $2, updated_at = $3, mailbox = $6
		WHERE id = $4 AND NOT EXISTS (SELECT 1 FROM consumers o WHERE o.customer_id = $5 AND o.external_id = $1 AND o.id <> $4)`,
		store.NullString(c.ExternalID), sealed, store.Micros(c.Updated), c.ID, c.CustomerID, mailbox))
}

// unhashedConsumer is a consumer with an encrypted prefill, whose mailbox is missing.
type unhashedConsumer struct {
	Consumer
	sealed []byte
}

func unhashedConsumers(ctx context.Context, tx *store.Tx, limit int) ([]unhashedConsumer, error) {
	return store.QueryAll(ctx, tx, store.Columns(func(c *unhashedConsumer) []any {
		return []any{&c.ID, &c.KeyID, &c.sealed}
	}), `SELECT id, key_id, prefill FROM consumers WHERE mailbox IS NULL AND prefill IS NOT NULL ORDER BY id LIMIT $1`, limit)
}

func setMailbox(ctx context.Context, tx *store.Tx, id string, mailbox []byte) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE consumers SET mailbox = $2 WHERE id = $1 AND mailbox IS NULL AND prefill IS NOT NULL`,
		id, mailbox))
}

// SetLanguage records the language in which a consumer agreed to a visit.
func (s *Service) SetLanguage(ctx context.Context, consumerID string, l i18n.Lang) error {
	return s.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		return store.Exec(tx.ExecContext(ctx, `UPDATE consumers SET lang = $2 WHERE id = $1 AND lang <> $2 AND erased_at IS NULL`,
			consumerID, string(l)))
	})
}

// withdraw records the withdrawal of consent once; it returns false for an unknown
// consumer, and if consent was withdrawn before.
func withdraw(ctx context.Context, tx *store.Tx, customerID, consumerID string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE consumers SET withdrawn_at = $1, updated_at = $1
		WHERE id = $2 AND customer_id = $3 AND erased_at IS NULL AND withdrawn_at IS NULL`,
		store.Micros(tx.Now), consumerID, customerID))
}

// ConsentWithdrawn reports whether the customer's consumer has withdrawn consent. It
// returns store.ErrNotFound for an unknown consumer.
func (s *Service) ConsentWithdrawn(ctx context.Context, q store.Queryer, customerID, consumerID string) (bool, error) {
	return store.FindOne[bool](q.QueryRowContext(ctx, `SELECT withdrawn_at IS NOT NULL FROM consumers WHERE id = $1
		AND customer_id = $2`, consumerID, customerID))
}

// unusedConsumers returns the ids and data keys of consumers without pending or readable
// reports and requested account numbers, not changed since an instant. They have
// withdrawn consent, or they have a forgotten report and no external id.
func unusedConsumers(ctx context.Context, tx *store.Tx, unchanged time.Time, limit int) ([]Consumer, error) {
	return store.QueryAll(ctx, tx, store.Columns(func(c *Consumer) []any {
		return []any{&c.ID, &c.KeyID}
	}), `SELECT c.id, c.key_id FROM consumers c
		WHERE c.erased_at IS NULL AND c.updated_at < $1 AND (c.external_id IS NULL OR c.withdrawn_at IS NOT NULL)
			AND (c.withdrawn_at IS NOT NULL OR EXISTS (SELECT 1 FROM reports r WHERE r.consumer_id = c.id))
			AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.key_id = c.key_id AND r.erased_at IS NULL)
			AND NOT EXISTS (SELECT 1 FROM bank_accounts a WHERE a.key_id = c.key_id)
		ORDER BY c.updated_at LIMIT $2`, store.Micros(unchanged), limit)
}

// eraseConsumer removes the personal data of a consumer's row, which keeps whether
// consent was withdrawn. The reports keep the mailbox, to tell the person who read them.
func eraseConsumer(ctx context.Context, tx *store.Tx, id string) error {
	_, err := tx.ExecContext(ctx, `UPDATE reports SET mailbox = (SELECT c.mailbox FROM consumers c WHERE c.id = $1)
		WHERE key_id = (SELECT c.key_id FROM consumers c WHERE c.id = $1) AND mailbox IS NULL`, id)
	if err == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM consumer_corrections WHERE consumer_id = $1`, id)
	}
	if err != nil {
		return err
	}
	return store.Exec(tx.ExecContext(ctx, `UPDATE consumers SET erased_at = $2, prefill = NULL,
		mailbox = NULL, external_id = NULL, lang = '' WHERE id = $1`, id, store.Micros(tx.Now)))
}

// Clear deletes the personal data of the consumers with a mailbox at a customer, who have withdrawn
// consent. Their data keys are deleted keyLife later, by Sweep.
func (s *Service) Clear(ctx context.Context, tx *store.Tx, customerID string, mailbox []byte) error {
	return store.Exec(tx.ExecContext(ctx, `UPDATE consumers SET prefill = NULL, mailbox = NULL, external_id = NULL, lang = '', updated_at = $3
		WHERE customer_id = $1 AND mailbox = $2 AND withdrawn_at IS NOT NULL`, customerID, mailbox,
		store.Micros(tx.Now.Add(keyLife-consumerAge))))
}

// deleteConsumer deletes a consumer without external id, reports and accounts, and returns its key.
func deleteConsumer(ctx context.Context, tx *store.Tx, id string, created time.Time) (string, error) {
	return store.FindOne[string](tx.QueryRowContext(ctx, `DELETE FROM consumers WHERE id = $1 AND created_at = $2 AND external_id IS NULL
		AND NOT EXISTS (SELECT 1 FROM reports r WHERE r.consumer_id = consumers.id OR r.key_id = consumers.key_id)
		AND NOT EXISTS (SELECT 1 FROM visits v WHERE v.consumer_id = consumers.id)
		AND NOT EXISTS (SELECT 1 FROM bank_accounts a WHERE a.consumer_id = consumers.id OR a.key_id = consumers.key_id)
		RETURNING key_id`, id, store.Micros(created)))
}

var _ auth.Directory = (*Service)(nil)

// lockAccount locks the account against other changes until tx ends.
func lockAccount(ctx context.Context, tx *store.Tx, customerID string) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE customers SET require_form = require_form WHERE id = $1`, customerID))
}

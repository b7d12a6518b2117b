package disputes

import (
	"context"
	"database/sql"
	"encoding/json"
	"strconv"
	"time"

	"vestibule/internal/store"
)

// insert adds a dispute. It returns false if its form was sent before.
func (s *Service) insert(ctx context.Context, tx *store.Tx, d Dispute) (bool, error) {
	var sealed [3][]byte
	for i, x := range []struct{ column, text string }{{"about", d.About}, {"statement", d.Statement}, {"note", d.Note}} {
		var err error
		if sealed[i], err = s.DB.Vault.Seal(ctx, tx, d.keyID, cell(d.Number, x.column), []byte(x.text)); err != nil {
			return false, err
		}
	}
	return store.ExecOne(tx.ExecContext(ctx, `INSERT INTO disputes (number, customer_id, public_token, report_kind, revision, consumer_id,
		mailbox, key_id, lang, kind, about, statement, note, opened_at, opened_by, due_at, state, form, passing)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19) ON CONFLICT (form) DO NOTHING`,
		d.Number, d.CustomerID, d.PublicToken, string(d.ReportKind), int64(d.Revision), d.ConsumerID, null(d.mailbox), d.keyID, string(d.Lang),
		string(d.Kind), sealed[0], sealed[1], sealed[2], store.Micros(d.Opened), d.OpenedBy, store.Micros(d.Due), string(d.State), null(d.form),
		string(d.Passing)))
}

func null(b []byte) sql.Null[[]byte] { return sql.Null[[]byte]{V: b, Valid: b != nil} }

// numberOfForm returns the number of the dispute that a form of the same mailbox opened, or
// store.ErrNotFound.
func numberOfForm(ctx context.Context, tx *store.Tx, d Dispute) (string, error) {
	return store.FindOne[string](tx.QueryRowContext(ctx, `SELECT number FROM disputes WHERE form = $1 AND mailbox = $2`, d.form, d.mailbox))
}

// tally counts what limits new disputes.
type tally struct{ person, open, account, bytes int64 }

func counts(ctx context.Context, tx *store.Tx, d Dispute) (n tally, err error) {
	day := store.Micros(tx.Now.Add(-24 * time.Hour))
	err = tx.QueryRowContext(ctx, `SELECT
		(SELECT count(*) FROM disputes WHERE mailbox = $1 AND opened_at > $3),
		(SELECT count(*) FROM disputes WHERE mailbox = $1 AND state = 'open'),
		(SELECT count(*) FROM disputes WHERE customer_id = $2 AND opened_at > $3),
		(SELECT coalesce(sum(f.size), 0) FROM dispute_files f JOIN disputes d ON d.number = f.number
			WHERE d.customer_id = $2 AND d.opened_at > $3)`,
		null(d.mailbox), d.CustomerID, day).Scan(&n.person, &n.open, &n.account, &n.bytes)
	return n, err
}

// extend adds new facts to an open dispute; it succeeds once.
func extend(ctx context.Context, tx *store.Tx, number string, facts []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE disputes SET facts = $2, facts_at = $3, due_at = due_at + $4
		WHERE number = $1 AND state = 'open' AND facts_at IS NULL`, number, facts, store.Micros(tx.Now), Extension.Microseconds()))
}

// answer answers an open dispute; it succeeds once.
func answer(ctx context.Context, tx *store.Tx, d Dispute, sealed []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE disputes SET state = 'answered', result = $2, answer = $3, answered_at = $4,
		answered_by = $5, attached = $6
		WHERE number = $1 AND state = 'open'`, d.Number, string(d.Result), sealed, store.Micros(tx.Now), d.AnsweredBy, d.Attached))
}

// addNote stores the statement of a dispute whose report was found right and has none; it succeeds once.
func addNote(ctx context.Context, tx *store.Tx, number string, sealed []byte) (bool, error) {
	return store.ExecOne(tx.ExecContext(ctx, `UPDATE disputes SET note = $2, attached = TRUE
		WHERE number = $1 AND result = $3 AND NOT attached`, number, sealed, string(Confirmed)))
}

// setPassing stores how the passing of a dispute to a bureau ended.
func setPassing(ctx context.Context, tx *store.Tx, number string, now Passing, receipt []byte) error {
	_, err := tx.ExecContext(ctx, `UPDATE disputes SET passing = $2, passed_at = $3, receipt = coalesce($4, receipt) WHERE number = $1`,
		number, string(now), store.Micros(tx.Now), null(receipt))
	return err
}

// correctedFor reports whether a report was corrected for a dispute, other than by recording it.
func correctedFor(ctx context.Context, q store.Queryer, number string) (bool, error) {
	return store.ScanOne[bool](q.QueryRowContext(ctx,
		`SELECT EXISTS (SELECT 1 FROM report_revisions WHERE dispute = $1 AND user_id <> '')`, number))
}

const columns = `number, customer_id, public_token, report_kind, revision, consumer_id, mailbox, key_id, lang, kind, about, statement, note,
	opened_at, opened_by, due_at, facts, facts_at, state, result, answer, answered_at, answered_by, attached,
	passing, passed_at, receipt`

// row is a dispute with its encrypted texts.
type row struct {
	Dispute
	about, statement, note, facts, answer, receipt []byte
}

func scan(from store.Row) (x row, err error) {
	err = from.Scan(&x.Number, &x.CustomerID, &x.PublicToken, &x.ReportKind, &x.Revision, &x.ConsumerID, &x.mailbox, &x.keyID, &x.Lang,
		&x.Kind, &x.about, &x.statement, &x.note, store.At(&x.Opened), &x.OpenedBy, store.At(&x.Due), &x.facts, store.At(&x.FactsAt),
		&x.State, &x.Result, &x.answer, store.At(&x.AnsweredAt),
		&x.AnsweredBy, &x.Attached, &x.Passing, store.At(&x.PassedAt), &x.receipt)
	return x, err
}

// decrypt sets the texts of a dispute.
func (s *Service) decrypt(ctx context.Context, q store.Queryer, x row) (Dispute, error) {
	key, err := s.DB.Vault.Opener(ctx, q, x.keyID)
	if err != nil {
		return x.Dispute, err
	}
	var receipt string
	for _, c := range []struct {
		column string
		sealed []byte
		into   *string
	}{{"about", x.about, &x.About}, {"statement", x.statement, &x.Statement}, {"note", x.note, &x.Note}, {"facts", x.facts, &x.Facts},
		{"answer", x.answer, &x.Answer}, {"receipt", x.receipt, &receipt}} {
		if c.sealed == nil {
			continue
		}
		plain, err := key.Open(cell(x.Number, c.column), c.sealed)
		if err != nil {
			return x.Dispute, err
		}
		*c.into = string(plain)
	}
	if receipt != "" {
		err = json.Unmarshal([]byte(receipt), &x.Receipt)
	}
	return x.Dispute, err
}

func (s *Service) one(ctx context.Context, q store.Queryer, where string, args ...any) (Dispute, error) {
	x, err := scan(q.QueryRowContext(ctx, `SELECT `+columns+` FROM disputes WHERE `+where, args...))
	if err != nil {
		return Dispute{}, store.MapNotFound(err)
	}
	d, err := s.decrypt(ctx, q, x)
	if err != nil {
		return d, err
	}
	key, err := s.DB.Vault.Opener(ctx, q, d.keyID)
	if err != nil {
		return d, err
	}
	d.Files, err = store.QueryAll(ctx, q, func(r store.Row) (f File, err error) {
		var name []byte
		if err = r.Scan(&f.ID, &f.Type, &name, &f.Size); err == nil {
			name, err = key.Open(fileCell(f.ID, "name"), name)
			f.Name = string(name)
		}
		return f, err
	}, `SELECT id, content_type, name, size FROM dispute_files WHERE number = $1 ORDER BY position`, d.Number)
	return d, err
}

// Get returns a dispute with its files, of one customer unless customerID is "", or
// store.ErrNotFound.
func (s *Service) Get(ctx context.Context, q store.Queryer, customerID, number string) (Dispute, error) {
	return s.one(ctx, q, `number = $1 AND ($2 = '' OR customer_id = $2)`, number, customerID)
}

// Find returns a dispute of a mailbox with its files, or store.ErrNotFound. With a company, it
// returns only a dispute about a report of that customer.
func (s *Service) Find(ctx context.Context, q store.Queryer, mailbox []byte, company, number string) (Dispute, error) {
	return s.one(ctx, q, `number = $1 AND mailbox = $2 AND ($3 = '' OR customer_id = $3)`, number, mailbox, company)
}

// Filter selects disputes.
type Filter struct {
	CustomerID  string // with its children; empty: of every customer
	State       State  // empty: all
	PublicToken string // empty: of every report
	Latest      bool   // the newest first; otherwise the earliest due first
	After       store.Cursor
	Limit       int
}

// List returns disputes without their files.
func (s *Service) List(ctx context.Context, q store.Queryer, f Filter) ([]Dispute, error) {
	c := store.Conditions{}
	if f.CustomerID != "" {
		c.Add("customer_id IN (SELECT id FROM customers WHERE id = %s OR parent_id = %s)", f.CustomerID, f.CustomerID)
	}
	c.EqualWord("state", string(f.State))
	c.Equal("public_token", f.PublicToken)
	order := "due_at, number"
	if f.Latest {
		order = "opened_at DESC, number DESC"
		c.After("opened_at", "number", f.After)
	} else {
		c.Before("due_at", "number", f.After)
	}
	return s.query(ctx, q, c.Where()+` ORDER BY `+order+` LIMIT `+strconv.Itoa(f.Limit), c.Args...)
}

// CountOpen returns the number of open disputes of all customers, and how many of them are late.
func (s *Service) CountOpen(ctx context.Context, q store.Queryer) (open, late int, err error) {
	err = q.QueryRowContext(ctx, `SELECT count(*), coalesce(sum(CASE WHEN due_at <= $1 THEN 1 ELSE 0 END), 0) FROM disputes
		WHERE state = 'open'`, store.Micros(s.Now())).Scan(&open, &late)
	return open, late, err
}

// maxShown is the number of disputes that a consumer's page shows.
const maxShown = 50

// OfMailbox lists the disputes of a mailbox, with a company those about its reports alone, the
// newest first, without their files.
func (s *Service) OfMailbox(ctx context.Context, q store.Queryer, mailbox []byte, company string) ([]Dispute, error) {
	return s.query(ctx, q, `WHERE mailbox = $1 AND ($2 = '' OR customer_id = $2) ORDER BY opened_at DESC, number LIMIT $3`,
		mailbox, company, int64(maxShown))
}

func (s *Service) query(ctx context.Context, q store.Queryer, where string, args ...any) (out []Dispute, err error) {
	rows, err := store.QueryAll(ctx, q, scan, `SELECT `+columns+` FROM disputes `+where, args...)
	if err != nil {
		return nil, err
	}
	for _, x := range rows {
		d, err := s.decrypt(ctx, q, x)
		if err != nil {
			return nil, err
		}
		out = append(out, d)
	}
	return out, nil
}

func insertFile(ctx context.Context, tx *store.Tx, number string, position int, id string, f Upload, name, contents []byte) error {
	return store.Exec(tx.ExecContext(ctx, `INSERT INTO dispute_files (id, number, position, content_type, name, size, contents)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, id, number, int64(position), f.Type, name, int64(len(f.Contents)), contents))
}

func contents(ctx context.Context, q store.Queryer, number, id string) ([]byte, error) {
	return store.FindOne[[]byte](q.QueryRowContext(ctx, `SELECT contents FROM dispute_files WHERE number = $1 AND id = $2`, number, id))
}

// deleteFiles deletes files, at most limit times, of disputes that were answered before an
// instant, and returns the number of deletions.
func deleteFiles(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	return store.RowsAffected(tx.ExecContext(ctx, `DELETE FROM dispute_files WHERE id IN (
		SELECT f.id FROM dispute_files f JOIN disputes d ON d.number = f.number
		WHERE d.state = 'answered' AND d.answered_at < $1 LIMIT $2)`, store.Micros(before), int64(limit)))
}

// deleteRecords deletes disputes that were answered before an instant, at most limit times, with
// their data keys, and returns the number of deletions.
func (s *Service) deleteRecords(ctx context.Context, tx *store.Tx, before time.Time, limit int) (int64, error) {
	keys, err := store.QueryAll(ctx, tx, store.ScanOne[string], `DELETE FROM disputes WHERE number IN (
		SELECT number FROM disputes WHERE state = 'answered' AND answered_at < $1 LIMIT $2) RETURNING key_id`,
		store.Micros(before), int64(limit))
	for _, key := range keys {
		if err == nil {
			err = s.DB.Vault.Shred(ctx, tx, key)
		}
	}
	return int64(len(keys)), err
}

func cell(number, column string) store.Cell {
	return store.Cell{Table: "disputes", Column: column, Row: number}
}

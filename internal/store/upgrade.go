package store

import (
	"context"
	"embed"
	"errors"
	"fmt"
)

// upgrades holds by party the statements that change the tables of the last version before
// the baseline to those of the baseline.
//
//go:embed upgrade
var upgrades embed.FS

// baseline is the number of the first migration. lastBefore is that of each party's last
// migration before all of them became the baseline.
const baseline = 1000

var lastBefore = map[string]int64{Portal: 315, Provider: 565}

var errTooOld = errors.New("the database is older than the version before this one: start that version on it once, then this one")

// needsUpgrade reports whether a database whose newest migration has a number needs the
// statements of upgrades. It returns errTooOld for a database that has not all migrations
// before the baseline.
func needsUpgrade(party string, version int64) (bool, error) {
	if version == 0 || version >= baseline {
		return false, nil
	}
	if version != lastBefore[party] {
		return false, errTooOld
	}
	return true, nil
}

// renamedCell is an encrypted column whose table had another name. row and key are SQL for
// the rest of its cell and the data key; where finds a row again.
type renamedCell struct{ before, table, column, row, key, where string }

func renamedCells(party string) []renamedCell {
	const byID, system = `id = $1`, `'` + SystemKey + `'`
	emails, users := "outbox", "staff"
	if party == Portal {
		emails, users = "application_letters", "reviewers"
	}
	all := []renamedCell{
		{"keepsakes", "secrets", "sealed", "name", system, `name = $1`},
		{users, "users", "email_sealed", "id", system, byID},
		{emails, "emails", "recipient", "id", "key_id", byID},
		{emails, "emails", "body", "id", "key_id", byID},
		{emails, "emails", "html", "id", "key_id", byID},
	}
	if party == Portal {
		const applicationKey = `coalesce((SELECT data_key FROM applications a WHERE a.id = e.subject_id), '')`
		all = append(all,
			renamedCell{"attempts", "redirect_attempts", "args", "id", system, byID},
			renamedCell{"app_events", "events", "body", "id", `(SELECT ` + applicationKey + ` FROM events e WHERE e.id = events.id)`, byID},
			renamedCell{"app_delivery_attempts", "delivery_attempts", "answer", "delivery_id || '/' || attempt",
				`coalesce((SELECT ` + applicationKey + ` FROM events e JOIN deliveries d ON d.event_id = e.id
					WHERE d.id = delivery_attempts.delivery_id), '')`,
				`delivery_id = substr($1, 1, 36) AND attempt = CAST(substr($1, 38) AS BIGINT)`})
	}
	return all
}

// upgrade changes the tables of the last version before the baseline, and encrypts what is
// in renamed tables again, because a value is bound to the name of its table.
func (db *DB) upgrade(ctx context.Context, party string, vault *Vault) error {
	statements, err := upgrades.ReadFile("upgrade/" + party + ".sql")
	if err != nil {
		return err
	}
	return db.Tx(ctx, func(ctx context.Context, tx *Tx) error {
		if _, err := tx.ExecContext(ctx, string(statements)); err != nil {
			return err
		}
		for _, c := range renamedCells(party) {
			if err := c.encryptAgain(ctx, tx, vault); err != nil {
				return fmt.Errorf("%s.%s: %w", c.table, c.column, err)
			}
		}
		if _, err := tx.ExecContext(ctx, `DELETE FROM goose_db_version WHERE version_id > 0`); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `INSERT INTO goose_db_version (version_id, is_applied) VALUES ($1, TRUE)`, baseline)
		return err
	})
}

func (c renamedCell) encryptAgain(ctx context.Context, tx *Tx, vault *Vault) error {
	type found struct{ row, key string }
	all, err := QueryAll(ctx, tx, func(row Row) (f found, err error) { return f, row.Scan(&f.row, &f.key) },
		`SELECT `+c.row+`, `+c.key+` FROM `+c.table+` WHERE `+c.column+` IS NOT NULL`)
	if err != nil {
		return err
	}
	for _, f := range all {
		var sealed []byte
		if err := tx.QueryRowContext(ctx, `SELECT `+c.column+` FROM `+c.table+` WHERE `+c.where, f.row).Scan(&sealed); err != nil {
			return err
		}
		plain, err := vault.Open(ctx, tx, f.key, Cell{c.before, c.column, f.row}, sealed)
		if errors.Is(err, ErrShredded) {
			continue
		}
		if err != nil {
			return err
		}
		if sealed, err = vault.Seal(ctx, tx, f.key, Cell{c.table, c.column, f.row}, plain); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, `UPDATE `+c.table+` SET `+c.column+` = $2 WHERE `+c.where, f.row, sealed); err != nil {
			return err
		}
	}
	return nil
}

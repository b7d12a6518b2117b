package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"github.com/pressly/goose/v3"
)

// PendingMigrations returns how many migrations Open would run on the party's database.
// The number is negative for a database that a newer version has migrated. It opens the
// database read-only and changes nothing. It returns ErrNotFound for a database that
// was never opened.
func PendingMigrations(ctx context.Context, c Config) (int, error) {
	db, err := openToRead(ctx, c)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if err := db.PingContext(ctx); errors.Is(err, errPooledByTransaction) {
		return 0, errPooledByTransaction
	} else if err != nil {
		return 0, errors.New("the database does not answer") // the driver's message may contain the address
	}
	files, err := fs.ReadDir(Migrations(c.Party), ".")
	if err != nil {
		return 0, err
	}
	rows, err := db.QueryContext(ctx, `SELECT version_id FROM goose_db_version WHERE is_applied`)
	if err != nil {
		return 0, ErrNotFound
	}
	defer rows.Close()
	exists, newest := map[int64]bool{0: true}, int64(0)
	for rows.Next() {
		var version int64
		if err := rows.Scan(&version); err != nil {
			return 0, err
		}
		exists[version], newest = true, max(newest, version)
	}
	if err := rows.Err(); err != nil {
		return 0, err
	}
	if before, err := needsUpgrade(c.Party, newest); before || err != nil {
		return len(files), err // the upgrade is the baseline's migration
	}
	missing := 0
	delete(exists, 0)
	for _, f := range files {
		version, err := goose.NumericComponent(f.Name())
		if err != nil {
			return 0, err
		}
		if !exists[version] {
			missing++
		}
		delete(exists, version)
	}
	if len(exists) > 0 {
		return -len(exists), nil
	}
	return missing, nil
}

func openToRead(ctx context.Context, c Config) (*sql.DB, error) {
	if c.URL == "" {
		path := filepath.Join(c.Dir, c.Party+".db")
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return nil, ErrNotFound
		} else if err != nil {
			return nil, fmt.Errorf("store: %w", err)
		}
		return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?"+
			url.Values{"mode": {"ro"}, "_pragma": {"busy_timeout(10000)"}}.Encode())
	}
	connector, err := connectorFor(c.URL, c.Party)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}

package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"vestibule/internal/session"
	"vestibule/internal/store"
)

type keyCommands struct {
	Rotate rotateKeys `cmd:"" help:"Rotate the keys of sessions and signed results; with --old-master-key-file, the key-encryption key too."`
}

func (keyCommands) uses() string { return databaseUses }

type rotateKeys struct{}

// Run creates new keys in the databases that exist. Cookies and tokens signed with the old
// keys stay valid until they expire. A new key for signed results is used only after every
// client can have fetched the key set with it.
func (rotateKeys) Run(ctx context.Context, in *invocation) error {
	log, err := in.checked(parties{})
	if err != nil {
		return err
	}
	found := false
	for _, party := range []string{store.Portal, store.Provider} {
		behind, err := store.PendingMigrations(ctx, in.config.Store.Of(party))
		if errors.Is(err, store.ErrNotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if behind != 0 {
			return fmt.Errorf("the %s's database is of another version than this program: start this version once, then rotate the keys", party)
		}
		found = true
		if err := rotateParty(ctx, in, party, log); err != nil {
			return fmt.Errorf("%s: %w", party, err)
		}
	}
	if !found {
		return errors.New("no database found: give its --data-dir or --database-url")
	}
	return nil
}

func rotateParty(ctx context.Context, in *invocation, party string, log *slog.Logger) (err error) {
	stdout := in.stdout
	db, err := in.openExisting(ctx, party)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if in.config.Store.OldMasterKeyFile != "" {
		n, err := db.Vault.Rewrap(ctx, db)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s: %d data keys encrypted with the new key-encryption key\n", party, n)
	}
	sessions, err := session.New(ctx, db, time.Now, session.Settings{Name: "vestibule"})
	if err != nil {
		return err
	}
	if err := sessions.Rotate(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: a new key signs session cookies; earlier cookies stay valid\n", party)
	if party != store.Provider {
		return nil
	}
	p, err := in.config.administer(ctx, db, log)
	if err != nil {
		return err
	}
	from, err := p.RotateKeys(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s: a new key is published, and signs results from %s on\n", party, from.UTC().Format(time.RFC3339))
	return nil
}

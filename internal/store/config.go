package store

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Config says which database to open, and with which keys.
type Config struct {
	// Folder of the SQLite file; unused with PostgreSQL.
	Dir string `name:"data-dir" default:"./data" placeholder:"DIR" help:"Folder of databases, generated keys and generated credentials."`
	// With pool_mode=transaction behind a pooler in that mode.
	URL string `name:"database-url" placeholder:"URL" help:"PostgreSQL database, postgres://…. Default: SQLite in --data-dir."`

	MasterKeyFile    string `placeholder:"FILE" help:"Key-encryption key, 64 hexadecimal characters. Default: generated in --data-dir."`
	OldMasterKeyFile string `placeholder:"FILE" help:"Previous key-encryption key, until keys rotate has replaced it."`

	Party     string           `kong:"-"` // Portal or Provider: the file's name, the schema, the migrations
	MasterKey []byte           `kong:"-"` // 32 bytes that wrap the data keys; set by LoadKeys
	Former    [][]byte         `kong:"-"` // earlier master keys, until Vault.Rewrap; set by LoadKeys
	Now       func() time.Time `kong:"-"` // the party's clock; nil: the system's

	generated bool // MasterKey is new, and in no file yet
}

// Validate checks the database's address; Open checks the rest.
func (c Config) Validate() error {
	if c.URL == "" {
		return nil
	}
	_, _, err := parseURL(c.URL)
	return err
}

// Of returns the configuration for a party's database.
func (c Config) Of(party string) Config {
	c.Party = party
	return c
}

// Place names the party's database for people, without a password.
func (c Config) Place() string {
	if c.URL == "" {
		return filepath.Join(c.Dir, c.Party+".db")
	}
	cfg, _, err := parseURL(c.URL)
	if err != nil {
		return "--database-url"
	}
	return fmt.Sprintf("PostgreSQL %s:%d/%s, schema %s", cfg.Host, cfg.Port, cfg.Database, c.Party)
}

// KeyFile returns the path of the master key.
func (c Config) KeyFile() string {
	if c.MasterKeyFile == "" {
		return filepath.Join(c.Dir, "master.key")
	}
	return c.MasterKeyFile
}

// LoadKeys reads the master keys from their files. Without any, it generates one, which Open
// writes into the data folder when a new database needs it.
func (c *Config) LoadKeys() (err error) {
	c.MasterKey, err = readKey("--master-key-file", c.KeyFile())
	if errors.Is(err, fs.ErrNotExist) && c.MasterKeyFile == "" {
		c.MasterKey = make([]byte, 32)
		rand.Read(c.MasterKey)
		c.generated, err = true, nil
	}
	if err != nil || c.OldMasterKeyFile == "" {
		return err
	}
	former, err := readKey("--old-master-key-file", c.OldMasterKeyFile)
	c.Former = [][]byte{former}
	return err
}

// saveKey writes a generated master key to its file.
func (c Config) saveKey() error {
	if !c.generated {
		return nil
	}
	switch there, err := readKey("--master-key-file", c.KeyFile()); {
	case errors.Is(err, fs.ErrNotExist):
		return WriteSecretFile(c.KeyFile(), []byte(hex.EncodeToString(c.MasterKey)+"\n"))
	case err == nil && !bytes.Equal(there, c.MasterKey):
		return errors.New("another program made the first key-encryption key at the same time: start again")
	default: // of the other party's database
		return err
	}
}

func readKey(flag, path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("%s: %s: must have 64 hexadecimal characters, as `openssl rand -hex 32` prints", flag, path)
	}
	return key, nil
}

// WriteSecretFile writes a file that only its owner may read, whole or not at all.
func WriteSecretFile(path string, raw []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".new-*") // 0600 by its contract
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if _, err := tmp.Write(raw); err != nil {
		tmp.Close()
		return err
	}
	if err := errors.Join(tmp.Sync(), tmp.Close()); err != nil {
		return err
	}
	return os.Rename(tmp.Name(), path)
}

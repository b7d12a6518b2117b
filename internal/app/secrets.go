package app

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

// account is what a customer of the provider signs in with.
type account struct {
	PublicID  string `json:"publicId"`
	ClientID  string `json:"clientId"`
	SecretKey string `json:"secretKey"`
}

// customers are the two accounts that the embedded provider has from its first
// start: the portal's, and a third party for relay tokens.
type customers struct {
	account
	Products      map[contract.Product]string `json:"products"`
	WebhookSecret string                      `json:"webhookSecret"`
	ThirdParty    thirdParty                  `json:"thirdParty"`
	Dashboard     *login                      `json:"dashboard,omitempty"`
}

// thirdParty is the account that reports are shared with.
type thirdParty struct {
	account
	WebhookSecret string `json:"webhookSecret"`
	Dashboard     *login `json:"dashboard,omitempty"`
}

// login is what a person signs in with.
type login struct {
	Email    string `json:"email"`
	Password string `json:"password"`
}

// logins are the first people of the generated customers' dashboards. They are
// kept apart from the customers, who may be older than they.
type logins struct{ Own, ThirdParty login }

func newLogins() logins {
	return logins{login{"staff@vestibule.example", strings.ToLower(rand.Text())}, login{"staff@third-party.example", strings.ToLower(rand.Text())}}
}

// staff is what the portal makes for itself.
type staff struct {
	Reviewer struct {
		Email    string `json:"email"`
		Password string `json:"password"`
	} `json:"reviewer"`
	PortalAPIKey string `json:"portalApiKey,omitempty"`
	EventsSecret string `json:"eventsSecret,omitempty"` // kept apart from the rest, which may be older
}

func newAccount() account {
	return account{PublicID: "svc-" + strings.ToLower(rand.Text()), ClientID: "client-" + strings.ToLower(rand.Text()), SecretKey: store.NewSecret()}
}

func newCustomers() customers {
	c := customers{account: newAccount(), ThirdParty: thirdParty{account: newAccount(), WebhookSecret: webhook.NewSecret()}, Products: map[contract.Product]string{}}
	for _, p := range contract.Products() {
		c.Products[p] = uuid.NewString()
	}
	c.WebhookSecret = webhook.NewSecret()
	return c
}

func newStaff() staff {
	var s staff
	s.Reviewer.Email = "reviewer@vestibule.example"
	s.Reviewer.Password = strings.ToLower(rand.Text())
	s.PortalAPIKey = store.NewSecret()
	return s
}

// keep makes a T at the first start and finds it again at every other.
func keep[T any](ctx context.Context, db *store.DB, name string, create func() T) (T, error) {
	var out T
	raw, err := db.GetOrCreateSecret(ctx, name, func() ([]byte, error) { return json.Marshal(create()) })
	if err != nil {
		return out, err
	}
	return out, json.Unmarshal(raw, &out)
}

// writeCredentials writes v for the operator to read, 0600, and only when the
// file says something else: a restart leaves it alone.
func writeCredentials(path string, v any) error {
	raw, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if old, err := os.ReadFile(path); err == nil && string(old) == string(raw) {
		return nil
	}
	return writeSecret(path, raw)
}

// writeSecret writes a file whole or not at all.
func writeSecret(path string, raw []byte) error {
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

// masterKey reads the 32 bytes that seal everything, making them in the data
// folder at the first start when no file was named.
func masterKey(c *Config) ([]byte, error) {
	path := c.MasterKeyFile
	if path == "" {
		path = filepath.Join(c.DataDir, "master.key")
	}
	key, err := readKey(path)
	if errors.Is(err, fs.ErrNotExist) && c.MasterKeyFile == "" {
		var key [32]byte
		rand.Read(key[:])
		return key[:], writeSecret(path, []byte(hex.EncodeToString(key[:])+"\n"))
	}
	return key, err
}

// formerKeys reads the master key before this one, if one was named.
func formerKeys(c *Config) ([][]byte, error) {
	if c.OldMasterKeyFile == "" {
		return nil, nil
	}
	key, err := readKey(c.OldMasterKeyFile)
	return [][]byte{key}, err
}

func readKey(path string) ([]byte, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read the master key: %w", err)
	}
	key, err := hex.DecodeString(strings.TrimSpace(string(raw)))
	if err != nil || len(key) != 32 {
		return nil, fmt.Errorf("the master key file must hold 64 hexadecimal characters")
	}
	return key, nil
}

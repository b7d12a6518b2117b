package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/provider"
	"vestibule/internal/store"
	"vestibule/internal/svc"
	"vestibule/web"
)

// newCustomer is the command customer.
type newCustomer struct {
	Name  string `arg:"" help:"What applicants are told asks for their data."`
	Staff string `required:"" help:"E-mail of the first person who signs in to its dashboard." placeholder:"EMAIL"`
}

// addCustomer adds a customer with every product, and prints its credentials:
// they are kept as hashes, so nobody can read them again. The provider may be
// running.
func addCustomer(ctx context.Context, c *Config, n newCustomer, log *slog.Logger, stdout io.Writer) (err error) {
	if err := prepareDir(c.DataDir); err != nil {
		return err
	}
	master, err := masterKey(c)
	if err != nil {
		return err
	}
	former, err := formerKeys(c)
	if err != nil {
		return err
	}
	db, err := store.Open(ctx, store.Config{URL: c.DatabaseURL, Dir: c.DataDir, Party: store.Provider, MasterKey: master, Former: former})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	url := c.ProviderURL
	if url == "" {
		url = "http://" + c.ProviderAddr
	}
	p, err := provider.New(ctx, provider.Config{DB: db, Log: log, Now: time.Now, URL: url, Environment: svc.Environment(c.Environment), Sandbox: sandboxOf(c), Assets: web.Provider()})
	if err != nil {
		return err
	}
	made := struct {
		account
		Products  map[svc.Product]string `json:"products"`
		Dashboard login                  `json:"dashboard"`
	}{newAccount(), map[svc.Product]string{}, login{n.Staff, strings.ToLower(rand.Text())}}
	for _, kind := range svc.Products() {
		made.Products[kind] = uuid.NewString()
	}
	err = p.AddCustomer(ctx, provider.NewCustomer{Name: n.Name, PublicID: made.PublicID, ClientID: made.ClientID, SecretKey: made.SecretKey,
		Products: made.Products, Staff: provider.Login(made.Dashboard)})
	if err != nil {
		return err
	}
	raw, err := json.MarshalIndent(made, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s\n", raw)
	return err
}

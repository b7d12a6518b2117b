package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/portal/doctor"
	"vestibule/internal/store"
)

// examine is the command doctor: it prints a line a finding, and reports whether
// nothing failed. It changes nothing, here or at the provider.
func examine(ctx context.Context, c *Config, stdout io.Writer) (bool, error) {
	patient, err := c.patient()
	if err != nil {
		return false, err
	}
	found := append(c.examineHere(ctx), patient.Examine(ctx)...)
	for _, f := range found {
		fmt.Fprintf(stdout, "%-5s %-19s %s\n", f.Level, f.Subject, f.Message)
		if f.Remedy != "" {
			fmt.Fprintf(stdout, "%-5s %-19s → %s\n", "", "", f.Remedy)
		}
	}
	return doctor.Healthy(found), nil
}

// patient is the portal's account at the provider that --provider-url names, or
// else the generated one at the embedded provider.
func (c *Config) patient() (doctor.Config, error) {
	p := doctor.Config{PortalURL: c.PortalURL, ProviderURL: c.ProviderURL, Environment: contract.Environment(c.Environment),
		PublicID: c.PublicID, ClientID: c.ClientID, SecretKey: c.SecretKey, Products: c.products(), WebhookSecrets: c.WebhookSecret,
		WidgetScriptURL: c.WidgetScriptURL, WidgetGlobal: c.WidgetGlobal, ReturnMode: c.ReturnMode, Now: time.Now}
	if p.PortalURL == "" {
		p.PortalURL = c.scheme() + "://" + c.PortalAddr
	}
	if c.ClientID == "" {
		raw, err := os.ReadFile(filepath.Join(c.DataDir, "sandbox-credentials.json"))
		if errors.Is(err, fs.ErrNotExist) {
			return p, errors.New("there is nothing to examine: give --provider-url, --public-id, --client-id, --secret-key, --products and --webhook-secret, or start `vestibule serve` once, which makes an account in --data-dir")
		}
		var made customers
		if err == nil {
			err = json.Unmarshal(raw, &made)
		}
		if err != nil {
			return p, fmt.Errorf("read the generated account: %w", err)
		}
		if p.ProviderURL == "" {
			p.ProviderURL = c.scheme() + "://" + c.ProviderAddr
		}
		p.PublicID, p.ClientID, p.SecretKey, p.Products = made.PublicID, made.ClientID, made.SecretKey, made.Products
		p.WebhookSecrets = append([]string{made.WebhookSecret}, c.WebhookSecret...)
	}
	if p.WidgetScriptURL == "" {
		p.WidgetScriptURL = p.ProviderURL + "/widget/v1/widget.js"
	}
	return p, nil
}

func (c *Config) scheme() string {
	if c.TLSCert != "" {
		return "https"
	}
	return "http"
}

// examineHere looks at what the portal keeps on this machine.
func (c *Config) examineHere(ctx context.Context) []doctor.Finding {
	info, err := os.Stat(c.DataDir)
	if errors.Is(err, fs.ErrNotExist) {
		return []doctor.Finding{{Level: doctor.Warn, Subject: "data folder", Message: c.DataDir + " is not there", Remedy: "It is made at the first start; give --data-dir if yours is elsewhere."}}
	}
	if err != nil || !info.IsDir() {
		return []doctor.Finding{{Level: doctor.Fail, Subject: "data folder", Message: c.DataDir + " is no folder that can be read", Remedy: "Give --data-dir."}}
	}
	var found []doctor.Finding
	key := c.MasterKeyFile
	if key == "" {
		key = filepath.Join(c.DataDir, "master.key")
	}
	for _, path := range []string{c.DataDir, key} {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			found = append(found, doctor.Finding{Level: doctor.Warn, Subject: "data folder", Message: path + " is open to other users of this machine", Remedy: "chmod go= " + path})
		}
	}
	if _, err := os.Stat(key); err != nil {
		return append(found, doctor.Finding{Level: doctor.Warn, Subject: "master key", Message: "there is none yet at " + key, Remedy: "It is made at the first start, unless --master-key-file names one: then put it there."})
	}
	if _, err := masterKey(c); err != nil {
		return append(found, doctor.Finding{Level: doctor.Fail, Subject: "master key", Message: err.Error(), Remedy: "Restore the file; without it nothing that is sealed can be read."})
	}
	behind, err := store.PendingMigrations(ctx, store.Config{URL: c.DatabaseURL, Dir: c.DataDir, Party: store.Portal})
	switch {
	case errors.Is(err, store.ErrNotFound):
		found = append(found, doctor.Finding{Level: doctor.Warn, Subject: "database", Message: "the portal has none yet", Remedy: "It is made at the first start."})
	case err != nil:
		found = append(found, doctor.Finding{Level: doctor.Fail, Subject: "database", Message: err.Error(), Remedy: "See --database-url, and that the database runs."})
	case behind > 0:
		found = append(found, doctor.Finding{Level: doctor.Warn, Subject: "database", Message: fmt.Sprintf("it answers, and this version adds %d migrations to it at the next start", behind), Remedy: "Back it up before."})
	case behind < 0:
		found = append(found, doctor.Finding{Level: doctor.Fail, Subject: "database", Message: "it was migrated by a newer version than this one", Remedy: "Run that version, or restore a backup from before it."})
	default:
		found = append(found, doctor.Finding{Level: doctor.OK, Subject: "database", Message: "it answers and has every migration", Remedy: ""})
	}
	return found
}

package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/mail"
	"vestibule/internal/pageimage"
	"vestibule/internal/portal/doctor"
	"vestibule/internal/provider/operator"
	"vestibule/internal/store"
	"vestibule/internal/subprocess"
)

type doctorCommand struct{}

func (doctorCommand) uses() string { return portalUses + " both provider-addr data documents" }

// Run prints a line for each finding, and returns errUnhealthy if one failed. It changes
// nothing, here or at the provider.
func (doctorCommand) Run(ctx context.Context, in *invocation) error {
	c := in.config
	c.dropGeneratedAccount()
	own := c.Account.ClientID == "" // the account of an embedded provider, or a provider alone
	if _, err := in.checked(parties{portal: !own || c.Process.Environment == contract.Sandbox, provider: own}); err != nil {
		return err
	}
	found, err := c.examineSources(ctx)
	if err != nil {
		return refusal{err}
	}
	if in.sandbox != nil {
		found = append(found, c.examineHosts(ctx, in.sandbox.config)...)
	}
	account, err := c.accountToUse()
	switch {
	case err == nil:
		found = slices.Concat(c.examineHere(ctx, store.Portal), account.Examine(ctx), c.examineServices(ctx), found,
			[]doctor.Finding{c.examinePageImages()})
		if c.Listen.ProviderURL == "" {
			found = append(found, c.examineOCR(ctx))
		}
	case len(found) == 0 && c.Store.URL == "" && c.Mail.Addr == "" && c.Telemetry.Endpoint == "": // nothing is configured
		return refusal{err}
	default: // a provider alone has no account
		found = slices.Concat(c.examineHere(ctx, store.Provider), c.examineServices(ctx), found, []doctor.Finding{c.examineOCR(ctx)})
	}
	for _, f := range found {
		fmt.Fprintf(in.stdout, "%-5s %-19s %s\n", f.Level, f.Subject, f.Message)
		if f.Remedy != "" {
			fmt.Fprintf(in.stdout, "%-5s %-19s → %s\n", "", "", f.Remedy)
		}
	}
	if !doctor.Healthy(found) {
		return errUnhealthy
	}
	return nil
}

// examineSources checks the institutions of --institutions and the connectors of
// --connectors.
func (c *Config) examineSources(ctx context.Context) (found []doctor.Finding, err error) {
	checks, err := c.Data.Examine(ctx, c.addressOf(c.Listen.ProviderURL, c.Listen.ProviderAddr), time.Now)
	for _, x := range checks {
		f := doctor.Finding{Level: doctor.OK, Subject: x.Source, Message: x.Name + ": " + x.Detail}
		switch {
		case !x.OK:
			f.Level, f.Remedy = doctor.Fail, x.Remedy
		case x.Warning:
			f.Level, f.Remedy = doctor.Warn, x.Remedy
		}
		found = append(found, f)
	}
	return found, err
}

// examiner returns what checks the institutions and connectors of the provider at a URL for its
// operator, or nil if there are none.
func (c *Config) examiner(url string) func(ctx context.Context) ([]operator.SourceCheck, error) {
	if c.Data.Institutions == "" && c.Data.Programs == "" {
		return nil
	}
	return func(ctx context.Context) ([]operator.SourceCheck, error) { return c.Data.Examine(ctx, url, time.Now) }
}

// examineServices checks the issuer, the mail server and the collector that are configured.
func (c *Config) examineServices(ctx context.Context) (found []doctor.Finding) {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	if issuer := c.SignIn.Issuer(); issuer != nil {
		found = append(found, doctor.Service(doctor.SignIn, "the issuer answers and has keys", "--oidc-issuer", issuer.Check(ctx)))
	}
	if c.Mail.Addr != "" {
		sender, err := mail.New(c.Mail)
		if err == nil {
			err = sender.Check(ctx)
		}
		found = append(found, doctor.Service(doctor.Email, "the mail server accepts the connection and the sign-in", "--smtp-addr", err))
	}
	if c.Telemetry.Endpoint != "" {
		found = append(found, doctor.Service(doctor.Traces, "the collector accepts traces", "--otlp-endpoint", c.Telemetry.Check(ctx)))
	}
	return found
}

// examineOCR checks the programs that read images of pay stubs.
func (c *Config) examineOCR(ctx context.Context) doctor.Finding {
	f := doctor.Finding{Level: doctor.OK, Subject: doctor.PayStubImages}
	engine, err := c.Documents.Scanner(ctx)
	switch {
	case c.Documents.OCR == "off":
		f.Message = "not read: --ocr is off"
	case err != nil:
		f.Level, f.Message = doctor.Warn, "not read: "+err.Error()
		f.Remedy = "Install tesseract-ocr and poppler-utils, or give --ocr off."
	case !engine.PDF():
		f.Level, f.Message, f.Remedy = doctor.Warn, "read, but not scanned PDF files: pdftoppm is missing", "Install poppler-utils."
	default:
		f.Message = "read by tesseract"
		if version, err := engine.Version(ctx); err == nil {
			f.Message = "read by " + version
		}
	}
	return f
}

// examinePageImages checks the programs that show PDF files to reviewers.
func (c *Config) examinePageImages() doctor.Finding {
	f := doctor.Finding{Level: doctor.OK, Subject: doctor.DocumentPages, Message: "shown to reviewers as images by pdftoppm"}
	switch {
	case c.Review.PageImages == "off":
		f.Message = "PDF files are downloads only: --page-images is off"
	case !subprocess.LimitsPrograms:
		f.Level, f.Message, f.Remedy = doctor.Warn, "PDF files are downloads only: "+subprocess.ErrNoLimits.Error(), "Give --page-images off."
	case !pageimage.New(true).PDF():
		f.Level, f.Message = doctor.Warn, "PDF files are downloads only: pdftoppm or pdfinfo is missing"
		f.Remedy = "Install poppler-utils, or give --page-images off."
	}
	return f
}

// accountToUse returns the portal's account at the provider of --provider-url, or else the
// generated one at the embedded provider.
func (c *Config) accountToUse() (doctor.Config, error) {
	a := c.Account
	p := doctor.Config{PortalURL: c.addressOf(c.Listen.PortalURL, c.Listen.PortalAddr), ProviderURL: c.Listen.ProviderURL,
		Environment: c.Process.Environment, PublicID: a.PublicID, ClientID: a.ClientID, SecretKey: a.SecretKey, Products: a.Products,
		WebhookSecrets: a.WebhookSecrets, ReturnMode: a.ReturnMode, Now: time.Now}
	var err error
	if p.Profile, err = a.Profile(); err != nil {
		return p, fmt.Errorf("--provider-profile: %w", err)
	}
	p.ProviderURL = cmp.Or(p.ProviderURL, p.Profile.URL)
	if a.ClientID == "" {
		made, err := readCredentials(c.Store.Dir)
		if errors.Is(err, fs.ErrNotExist) || err == nil && made.ClientID == "" {
			return p, errors.New("no account is configured: give --provider-url, --public-id, --client-id, --secret-key, --products and " +
				"--webhook-secret, or start `vestibule serve` once, which makes an account in --data-dir")
		}
		if err != nil {
			return p, err
		}
		p.ProviderURL = c.addressOf(c.Listen.ProviderURL, c.Listen.ProviderAddr)
		p.PublicID, p.ClientID, p.SecretKey, p.Products = made.PublicID, made.ClientID, made.SecretKey, made.Products
		p.WebhookSecrets = append([]string{made.WebhookSecret}, a.WebhookSecrets...)
	}
	return p, nil
}

// examineHere checks the data folder, keys, and database of a party.
func (c *Config) examineHere(ctx context.Context, party string) []doctor.Finding {
	dir, key := c.Store.Dir, c.Store.KeyFile()
	info, err := os.Stat(dir)
	var found []doctor.Finding
	switch {
	case errors.Is(err, fs.ErrNotExist):
		found = append(found, doctor.Finding{Level: doctor.Warn, Subject: doctor.DataFolder, Message: dir + " does not exist",
			Remedy: "The first start makes it. If your folder is elsewhere, give --data-dir."})
	case err != nil || !info.IsDir():
		return []doctor.Finding{{Level: doctor.Fail, Subject: doctor.DataFolder, Message: dir +
			" is not a folder that can be read", Remedy: "Give --data-dir."}}
	}
	for _, path := range []string{dir, key} {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			found = append(found, doctor.Finding{Level: doctor.Warn, Subject: doctor.DataFolder, Message: path +
				" is open to other users of this machine", Remedy: "chmod go= " + path})
		}
	}
	opened := c.Store.Of(party)
	if _, err := os.Stat(key); err != nil {
		if len(found) == 0 { // else the folder is missing, too
			found = append(found, doctor.Finding{Level: doctor.Warn, Subject: doctor.MasterKey, Message: "the file " + key + " does not exist",
				Remedy: "Without --master-key-file, the first start makes it. Otherwise put your key there."})
		}
		if c.Store.URL == "" {
			return found
		}
	} else if err := opened.LoadKeys(); err != nil {
		return append(found, doctor.Finding{Level: doctor.Fail, Subject: doctor.MasterKey, Message: err.Error(),
			Remedy: "Restore the file. Without it, nothing can decrypt the data."})
	}
	behind, err := store.PendingMigrations(ctx, opened)
	switch {
	case errors.Is(err, store.ErrNotFound):
		found = append(found, doctor.Finding{Level: doctor.Warn, Subject: doctor.Database,
			Message: "the " + party + " has no database yet", Remedy: "The first start makes it."})
	case err != nil:
		found = append(found, doctor.Finding{Level: doctor.Fail, Subject: doctor.Database, Message: err.Error(),
			Remedy: "Check --database-url, and that the database runs."})
	case behind > 0:
		found = append(found, doctor.Finding{Level: doctor.Warn, Subject: doctor.Database,
			Message: fmt.Sprintf("the database answers; the next start runs %d migrations of this version", behind),
			Remedy:  "Back up the database first."})
	case behind < 0:
		found = append(found, doctor.Finding{Level: doctor.Fail, Subject: doctor.Database,
			Message: "a newer version of the program migrated the database",
			Remedy:  "Run that version, or restore a backup from before the migration."})
	default:
		found = append(found, doctor.Finding{Level: doctor.OK, Subject: doctor.Database,
			Message: "the database answers and has every migration"})
	}
	return found
}

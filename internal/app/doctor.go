package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	"vestibule/internal/webhook"
)

type doctorCommand struct{}

func (doctorCommand) uses() string {
	return portalUses + " both provider-addr operator-addr operator-url data operator documents " +
		"sandbox-control-addr sandbox-bank-addr sandbox-bank-url sandbox-bank-clients"
}

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
		beside := in.sandbox.config
		sources, err := beside.examineSources(ctx)
		if err != nil {
			return refusal{err}
		}
		found = slices.Concat(found, beside.examineHere(ctx, map[string]string{store.Provider: ""}), beside.examineServices(ctx), sources,
			c.examineHosts(ctx, beside))
	}
	databases := map[string]string{}
	if own {
		databases[store.Provider] = ""
	}
	account, err := c.accountToUse()
	if err != nil && len(found) == 0 && c.Store.URL == "" && c.Mail.Addr == "" && c.Telemetry.Endpoint == "" { // nothing is configured
		return refusal{err}
	}
	found = append(c.examineServices(ctx), found...)
	if err == nil { // a provider alone has no account
		databases[store.Portal] = account.PublicID
		found = append(append(account.Examine(ctx), found...), c.examinePageImages())
	}
	if found = append(c.examineHere(ctx, databases), found...); err != nil || c.Listen.ProviderURL == "" {
		found = append(found, c.examineOCR(ctx))
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

// examineServices checks the issuer, the mail server, the collector, the receiver of events and the pages that are configured.
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
	if c.Events.URL != "" {
		err := webhook.NewSender(c.Events.OnLoopback, nil, c.Events.Networks...).Reach(c.Events.URL)
		found = append(found, doctor.Service(doctor.Events, "the receiver answers", "--events-url", err))
	}
	for _, page := range []struct{ flag, url string }{{"--service-access-url", c.Pages.ServiceAccessURL},
		{"--service-terms-url", c.Operator.TermsURL}, {"--service-privacy-url", c.Operator.PrivacyURL},
		{"--operator-url", c.Listen.OperatorURL}, {"--admin-url", c.Listen.AdminURL}, {"--sandbox-bank-url", c.Simulation.BankURL}} {
		if _, err := readFrom(ctx, page.url); page.url != "" && err != nil {
			f := doctor.Service(doctor.Pages, "", page.flag, err)
			f.Level = doctor.Warn // the program's own listeners may be stopped, and browsers may reach what this machine does not
			found = append(found, f)
		}
	}
	return found
}

// examineOCR checks the programs that read images of pay stubs.
func (c *Config) examineOCR(ctx context.Context) doctor.Finding {
	f := doctor.Finding{Level: doctor.OK, Subject: doctor.PayStubImages, Message: "not read: --ocr is off"}
	engine, err := c.Documents.Scanner(ctx)
	switch {
	case c.Documents.OCR == "off":
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

// examineHere checks the data folder, the keys, and the databases of parties, each with the publicId of its
// account, or "".
func (c *Config) examineHere(ctx context.Context, accounts map[string]string) (found []doctor.Finding) {
	dir, key := c.Store.Dir, c.Store.KeyFile()
	add := func(level doctor.Level, subject, message, remedy string) {
		found = append(found, doctor.Finding{Level: level, Subject: subject, Message: message, Remedy: remedy})
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		add(doctor.Warn, doctor.DataFolder, dir+" does not exist", "The first start makes it. If your folder is elsewhere, give --data-dir.")
	case err != nil || !info.IsDir():
		add(doctor.Fail, doctor.DataFolder, dir+" is not a folder that can be read", "Give --data-dir.")
		return found
	}
	for _, path := range []string{dir, key} {
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			add(doctor.Warn, doctor.DataFolder, path+" is open to other users of this machine", "chmod go= "+path)
		}
	}
	if err := c.Store.LoadKeys(); err != nil {
		add(doctor.Fail, doctor.MasterKey, err.Error(), "Restore the file. Without it, nothing can decrypt the data.")
		return found
	}
	_, err = os.Stat(key)
	if err != nil && len(found) == 0 { // else the folder is missing, too
		add(doctor.Warn, doctor.MasterKey, "the file "+key+" does not exist", "The first start makes it.")
	}
	for _, party := range slices.Sorted(maps.Keys(accounts)) {
		// Before the first start, there is neither a key nor a database.
		if f := c.examineDatabase(ctx, party, accounts[party]); err == nil || c.Store.URL != "" || f.Level == doctor.Fail {
			found = append(found, f)
		}
	}
	return found
}

// examineDatabase checks a party's database: its schema, its keys, and whether it is that of the account with a
// publicId, if there is one.
func (c *Config) examineDatabase(ctx context.Context, party, publicID string) doctor.Finding {
	say := func(level doctor.Level, message, remedy string) doctor.Finding {
		return doctor.Finding{Level: level, Subject: doctor.Database, Message: message, Remedy: remedy}
	}
	opened := c.Store.Of(party)
	behind, err := store.PendingMigrations(ctx, opened)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return say(doctor.Warn, "the "+party+" has no database yet", "The first start makes it.")
	case err != nil:
		return say(doctor.Fail, err.Error(), "Check --database-url, and that the database runs.")
	case behind < 0:
		return say(doctor.Fail, "a newer version of the program migrated the "+party+"'s database",
			"Run that version, or restore a backup from before the migration.")
	}
	var owner string
	raw, err := store.ReadSecret(ctx, opened, accountSecret)
	switch {
	case errors.Is(err, store.ErrOtherKey):
		return say(doctor.Fail, "the "+party+"'s database was encrypted with another key-encryption key than "+opened.KeyFile(),
			"Restore that key or give it by --master-key-file, or give another database.")
	case err == nil && publicID != "" && json.Unmarshal(raw, &owner) == nil && owner != publicID:
		return say(doctor.Fail, fmt.Sprintf("the portal's database belongs to the account %q, and the portal is of %q", owner, publicID),
			"Give the portal of each account its own --database-url or --data-dir.")
	case behind > 0:
		return say(doctor.Warn, fmt.Sprintf("the %s's database answers; the next start runs %d migrations of this version", party, behind),
			"Back up the database first.")
	}
	return say(doctor.OK, "the "+party+"'s database answers and has every migration", "")
}

package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/operator"
	"vestibule/internal/store"
)

// configurationCommands manage the configurations of a customer.
type configurationCommands struct {
	JSON    bool                 `name:"json" env:"-" help:"Print JSON. All commands but list always do."`
	Create  createConfiguration  `cmd:"" help:"Create a configuration of a parent account."`
	Copy    copyConfiguration    `cmd:"" help:"Copy a configuration under another alias; a flag replaces a field, and \"none\" removes it."`
	Retire  retireConfiguration  `cmd:"" help:"Retire a configuration: products keep it, and none can get it any more."`
	Restore restoreConfiguration `cmd:"" help:"Let products get a retired configuration again."`
	List    listedConfigurations `cmd:"" help:"List the configurations of an account."`
}

func (configurationCommands) uses() string { return operatorUses }

// printTable prints a table of rows below a line of headings.
func printTable[T any](stdout io.Writer, rows []T, headings string, texts func(T) []string) error {
	w := tabwriter.NewWriter(stdout, 0, 4, 2, ' ', 0)
	fmt.Fprintln(w, strings.ReplaceAll(headings, ", ", "\t"))
	for _, r := range rows {
		fmt.Fprintln(w, strings.Join(texts(r), "\t"))
	}
	return w.Flush()
}

// configurationFields are the flags of a configuration's fields.
type configurationFields struct {
	InquiryType    string   `env:"-" placeholder:"TYPE" help:"Inquiry type of its reports: ${inquiryTypes}. Default: PERSONAL."`
	Scores         []string `env:"-" placeholder:"VERSION" help:"Cashflow: score versions beside v2.0: v1.0, v2.1."`
	Families       []string `env:"-" placeholder:"FAMILY" help:"Cashflow: attribute families beside UA: AV."`
	ModelSuite     string   `env:"-" placeholder:"SUITE" help:"Income: model suite, 1.2 or 2.0. Default: 2.0."`
	Inflows        string   `env:"-" placeholder:"yes" help:"Income: with inflows and matched income sources, from suite 2.0 on."`
	Verifies       string   `env:"-" placeholder:"WHAT" help:"Eligibility: INCOME, ASSETS or INCOME_AND_ASSETS. Default: both."`
	Banks          string   `env:"-" placeholder:"N" help:"How many banks a visit connects at most, 1 to ${maxBanks}. Default: ${maxBanks}."`
	RefreshDays    string   `env:"-" placeholder:"DAYS" help:"Days between reports of MONITORING, 1 to ${maxDays}. Default: ${days}."`
	PreparedReport string   `env:"-" placeholder:"ID" help:"Sandbox: sandboxReportId of the prepared report that each report is."`
}

func (f configurationFields) fields(alias, kind string) customers.Fields {
	return customers.Fields{Alias: alias, Kind: kind, InquiryType: f.InquiryType, Scores: f.Scores, Families: f.Families,
		ModelSuite: f.ModelSuite, Inflows: f.Inflows, Verifies: f.Verifies, Banks: json.Number(f.Banks),
		RefreshDays: json.Number(f.RefreshDays), PreparedReport: f.PreparedReport}
}

// printedConfiguration is a configuration as commands print it.
type printedConfiguration struct {
	ID string `json:"id"`
	customers.Fields
	RetiredAt time.Time `json:"retiredAt,omitzero"`
}

func printed(c customers.Configuration) printedConfiguration {
	f := c.Fields()
	f.Scores, f.Families = c.ScoreVersions(), c.AttributeFamilies()
	return printedConfiguration{c.ID, f, c.Retired}
}

// accountChange changes an account, and returns what the command prints.
type accountChange[T any] = func(context.Context, *store.Tx, *operator.Service, customers.Account) (T, entry, error)

// changed makes a change of the account with a publicId, and returns its result. An account that has the
// setting already is left as it is.
func changed[T any](ctx context.Context, p *provider.Provider, publicID string, do accountChange[T]) (out T, err error) {
	err = p.ChangeAccount(ctx, publicID, func(ctx context.Context, tx *store.Tx, a customers.Account) (e entry, err error) {
		out, e, err = do(ctx, tx, p.Operator(), a)
		return e, err
	})
	return out, err
}

// listed opens the provider for a list of the account with a publicId.
func (in *invocation) listed(ctx context.Context, publicID string, list func(s *operator.Service, a customers.Account) error) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		a, err := p.Account(ctx, p.Operator().DB.SQL, publicID)
		if err != nil {
			return err
		}
		return list(p.Operator(), a)
	})
}

func (in *invocation) changeConfiguration(ctx context.Context, publicID string, change accountChange[customers.Configuration]) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		c, err := changed(ctx, p, publicID, change)
		var problem *customers.FieldProblem
		if errors.As(err, &problem) {
			flag := regexp.MustCompile("[A-Z]").ReplaceAllStringFunc("--"+problem.Field, func(s string) string { return "-" + strings.ToLower(s) })
			return fmt.Errorf("%s: %s", flag, i18n.T(i18n.English, problem.Text, problem.Args...))
		}
		return printJSON(in.stdout, printed(c), err)
	})
}

type createConfiguration struct {
	Account string `arg:"" help:"publicId or name of the parent account."`
	Alias   string `arg:"" help:"Name of the configuration, for people."`
	Kind    string `required:"" env:"-" placeholder:"KIND" help:"Kind of its products: cashflow, income, eligibility or passport."`
	configurationFields
}

// Run creates a configuration.
func (n createConfiguration) Run(ctx context.Context, in *invocation) error {
	return in.changeConfiguration(ctx, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Configuration, entry, error) {
		return s.CreateConfiguration(ctx, tx, a, customers.Fields{InquiryType: contract.InquiryPersonal}.With(n.fields(n.Alias, n.Kind)))
	})
}

type copyConfiguration struct {
	Account       string `arg:"" help:"publicId or name of the parent account."`
	Configuration string `arg:"" help:"Id or alias of the configuration to copy."`
	Alias         string `arg:"" help:"Name of the new configuration."`
	configurationFields
}

// Run copies a configuration.
func (n copyConfiguration) Run(ctx context.Context, in *invocation) error {
	return in.changeConfiguration(ctx, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Configuration, entry, error) {
		from, err := s.Configuration(ctx, tx, a, n.Configuration)
		if err != nil {
			return from, entry{}, err
		}
		return s.CreateConfiguration(ctx, tx, a, from.Fields().With(n.fields(n.Alias, "")))
	})
}

type (
	onConfiguration struct {
		Account       string `arg:"" help:"publicId or name of the parent account."`
		Configuration string `arg:"" help:"Its id or alias."`
	}
	retireConfiguration  struct{ onConfiguration }
	restoreConfiguration struct{ onConfiguration }
)

func (n onConfiguration) retire(ctx context.Context, in *invocation, retire bool) error {
	return in.changeConfiguration(ctx, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Configuration, entry, error) {
		return s.RetireConfiguration(ctx, tx, a, n.Configuration, retire)
	})
}

// Run retires a configuration.
func (n retireConfiguration) Run(ctx context.Context, in *invocation) error {
	return n.retire(ctx, in, true)
}

// Run lets products get a retired configuration again.
func (n restoreConfiguration) Run(ctx context.Context, in *invocation) error {
	return n.retire(ctx, in, false)
}

type listedConfigurations struct {
	Account string `arg:"" help:"publicId or name of the account."`
}

// Run lists configurations.
func (n listedConfigurations) Run(ctx context.Context, in *invocation) error {
	return in.listed(ctx, n.Account, func(s *operator.Service, a customers.Account) error {
		all, err := s.Customers.Configurations(ctx, s.DB.SQL, a.ParentOrSelf())
		if err != nil {
			return err
		}
		rows := []printedConfiguration{}
		for _, c := range all {
			rows = append(rows, printed(c))
		}
		if in.json {
			return printJSON(in.stdout, rows, nil)
		}
		return printTable(in.stdout, all, "id, alias, contents", func(c customers.Configuration) []string {
			return []string{c.ID, c.Alias, c.Summary()}
		})
	})
}

// productCommands manage the products of an account.
type productCommands struct {
	JSON      bool             `name:"json" env:"-" help:"Print JSON. All commands but list always do."`
	Create    createProduct    `cmd:"" help:"Create a product of an account, and print its productId."`
	Rename    renameProduct    `cmd:"" help:"Rename a product."`
	Configure configureProduct `cmd:"" help:"Give a product another configuration, or none of its own."`
	List      listedProducts   `cmd:"" help:"List the products of an account."`
}

func (productCommands) uses() string { return operatorUses }

// printedProduct is a product as commands print it.
type printedProduct struct {
	ProductID     string           `json:"productId"`
	Name          string           `json:"name"`
	DisplayName   string           `json:"displayName,omitempty"`
	Kind          contract.Product `json:"kind"`
	InquiryType   string           `json:"inquiryType"`
	Configuration string           `json:"configuration"` // alias
	Inherited     bool             `json:"inherited,omitempty"`
}

func printedOf(p customers.Product) printedProduct {
	return printedProduct{p.ID, p.Name, p.DisplayName, p.Kind, p.InquiryType, p.Configuration.Alias, p.Inherited}
}

func (in *invocation) changeProduct(ctx context.Context, publicID string, change accountChange[customers.Product]) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		made, err := changed(ctx, p, publicID, change)
		return printJSON(in.stdout, printedOf(made), err)
	})
}

type createProduct struct {
	Account       string `arg:"" help:"publicId or name of the account."`
	Name          string `arg:"" help:"Name of the product, in its reports."`
	DisplayName   string `env:"-" help:"Name for people."`
	Configuration string `env:"-" placeholder:"CONFIGURATION" help:"Id or alias of its configuration. Default: what the account inherits."`
}

// Run creates a product.
func (n createProduct) Run(ctx context.Context, in *invocation) error {
	return in.changeProduct(ctx, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Product, entry, error) {
		return s.CreateProduct(ctx, tx, a, customers.Names{Name: n.Name, DisplayName: n.DisplayName}, n.Configuration)
	})
}

type renameProduct struct {
	Account     string `arg:"" help:"publicId or name of the account."`
	Product     string `arg:"" help:"productId or name."`
	Name        string `arg:"" help:"Its new name."`
	DisplayName string `env:"-" help:"Its new name for people. Default: none."`
}

// Run renames a product.
func (n renameProduct) Run(ctx context.Context, in *invocation) error {
	return in.changeProduct(ctx, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Product, entry, error) {
		return s.RenameProduct(ctx, tx, a, n.Product, customers.Names{Name: n.Name, DisplayName: n.DisplayName})
	})
}

type configureProduct struct {
	Account       string `arg:"" help:"publicId or name of the account."`
	Product       string `arg:"" help:"productId or name."`
	Configuration string `arg:"" optional:"" help:"Id or alias. Default: the one that the account inherits."`
}

// Run configures a product.
func (n configureProduct) Run(ctx context.Context, in *invocation) error {
	return in.changeProduct(ctx, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
		customers.Product, entry, error) {
		return s.ConfigureProduct(ctx, tx, a, n.Product, n.Configuration)
	})
}

type listedProducts struct {
	Account string `arg:"" help:"publicId or name of the account."`
}

// Run lists products.
func (n listedProducts) Run(ctx context.Context, in *invocation) error {
	return in.listed(ctx, n.Account, func(s *operator.Service, a customers.Account) error {
		all, err := s.Customers.Products(ctx, s.DB.SQL, a.ID)
		if err != nil {
			return err
		}
		rows := []printedProduct{}
		for _, made := range all {
			rows = append(rows, printedOf(made))
		}
		if in.json {
			return printJSON(in.stdout, rows, nil)
		}
		return printTable(in.stdout, rows, "productId, name, kind, inquiry type, configuration", func(r printedProduct) []string {
			if r.Inherited {
				r.Configuration += " (inherited)"
			}
			return []string{r.ProductID, r.Name, string(r.Kind), r.InquiryType, r.Configuration}
		})
	})
}

// preparedCommands manage prepared reports of a sandbox.
type preparedCommands struct {
	JSON   bool           `name:"json" env:"-" help:"Print JSON. All commands but list always do."`
	Add    addPrepared    `cmd:"" help:"Add a prepared report of a sandbox account, and print its sandboxReportId."`
	Remove removePrepared `cmd:"" help:"Remove a prepared report that no configuration or open visit names."`
	List   listedPrepared `cmd:"" help:"List the prepared reports of an account."`
}

func (preparedCommands) uses() string { return operatorUses }

type addPrepared struct {
	Account string `required:"" env:"-" placeholder:"ACCOUNT" help:"publicId or name of the account."`
	File    string `required:"" env:"-" placeholder:"FILE" help:"JSON as for POST /sandbox-reports; - reads standard input."`
}

// Run adds a prepared report.
func (n addPrepared) Run(ctx context.Context, in *invocation) error {
	body, err := readBounded(n.File, customers.MaxPreparedReport)
	if err != nil {
		return refusal{fmt.Errorf("--file: %w", err)}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		r, err := changed(ctx, p, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
			customers.PreparedReport, entry, error) {
			return s.AddPrepared(ctx, tx, a, body)
		})
		if err == nil {
			return printJSON(in.stdout, r, nil)
		}
		for _, d := range httpx.AsError(err).Details {
			err = fmt.Errorf("%s: %s: %s", n.File, d.Field, d.Message)
		}
		return err
	})
}

type removePrepared struct {
	Account string `required:"" env:"-" placeholder:"ACCOUNT" help:"publicId or name of the account."`
	Report  string `arg:"" help:"Its sandboxReportId."`
}

// Run removes a prepared report.
func (n removePrepared) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		_, err := changed(ctx, p, n.Account, func(ctx context.Context, tx *store.Tx, s *operator.Service, a customers.Account) (
			struct{}, entry, error) {
			e, err := s.RemovePrepared(ctx, tx, a, strings.ToLower(n.Report))
			return struct{}{}, e, err
		})
		if errors.Is(err, store.ErrNotFound) {
			err = provider.Unknown(fmt.Sprintf("the account has no prepared report %q", n.Report))
		}
		return err
	})
}

type listedPrepared struct {
	Account string `required:"" env:"-" placeholder:"ACCOUNT" help:"publicId or name of the account."`
}

// Run lists prepared reports.
func (n listedPrepared) Run(ctx context.Context, in *invocation) error {
	return in.listed(ctx, n.Account, func(s *operator.Service, a customers.Account) error {
		all, err := s.Dashboard.PreparedReports(ctx, s.DB.SQL, a)
		if err != nil {
			return err
		}
		if in.json {
			return printJSON(in.stdout, append([]customers.PreparedReport{}, all...), nil)
		}
		return printTable(in.stdout, all, "sandboxReportId, product, name", func(r customers.PreparedReport) []string {
			return []string{r.ID, string(r.Kind), r.Name}
		})
	})
}

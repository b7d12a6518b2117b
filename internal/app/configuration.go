package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"text/tabwriter"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/provider"
	"vestibule/internal/provider/customers"
)

// configurationCommands manage the configurations of a customer.
type configurationCommands struct {
	Create createConfiguration  `cmd:"" help:"Create a configuration of a parent account."`
	Copy   copyConfiguration    `cmd:"" help:"Copy a configuration under another alias; a flag replaces a field, and \"none\" removes it."`
	Retire retireConfiguration  `cmd:"" help:"Retire a configuration: products keep it, and none can get it any more."`
	List   listedConfigurations `cmd:"" help:"List the configurations of an account."`
}

func (configurationCommands) uses() string { return operatorUses }

// asJSON is the flag of commands that print a table.
type asJSON struct {
	JSON bool `name:"json" env:"-" help:"Print JSON."`
}

// printRows prints rows as JSON, or as a table of their texts below a line of headings. A
// single row that is not a list is an object in JSON.
func printRows[T any](stdout io.Writer, json, list bool, rows []T, headings string, texts func(T) []string) error {
	switch {
	case json && !list:
		return printJSON(stdout, rows[0])
	case json:
		return printJSON(stdout, append([]T{}, rows...))
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
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
	RefreshDays    string   `env:"-" placeholder:"DAYS" help:"Days between reports of the inquiry type MONITORING, 1 to ${maxDays}. Default: ${days}."`
	PreparedReport string   `env:"-" placeholder:"ID" help:"Sandbox: sandboxReportId of the prepared report that each report is."`
}

func (f configurationFields) fields(alias, kind string) customers.Fields {
	return customers.Fields{Alias: alias, Kind: kind, InquiryType: f.InquiryType, Scores: f.Scores, Families: f.Families,
		ModelSuite: f.ModelSuite, Inflows: f.Inflows, Verifies: f.Verifies, Banks: f.Banks, RefreshDays: f.RefreshDays,
		PreparedReport: f.PreparedReport}
}

// namingFlag names the flag of an invalid field.
func namingFlag(err error) error {
	var problem *customers.FieldProblem
	if !errors.As(err, &problem) {
		return err
	}
	name := problem.Field
	if name != "alias" {
		name = "--" + name
	}
	flag := regexp.MustCompile("[A-Z]").ReplaceAllStringFunc(name, func(s string) string { return "-" + strings.ToLower(s) })
	return fmt.Errorf("%s: %s", flag, i18n.T(i18n.English, problem.Text, problem.Args...))
}

// listedConfiguration is a configuration as commands print it.
type listedConfiguration struct {
	ID             string           `json:"id"`
	Alias          string           `json:"alias"`
	Kind           contract.Product `json:"kind"`
	InquiryType    string           `json:"inquiryType"`
	Scores         []string         `json:"scores,omitempty"`
	Families       []string         `json:"families,omitempty"`
	ModelSuite     string           `json:"modelSuite,omitempty"`
	Inflows        bool             `json:"inflows,omitempty"`
	Verifies       string           `json:"verifies,omitempty"`
	Banks          int              `json:"banks,omitempty"`
	RefreshDays    int              `json:"refreshDays,omitempty"`
	PreparedReport string           `json:"preparedReport,omitempty"`
	RetiredAt      *time.Time       `json:"retiredAt,omitempty"`
	summary        string
}

func (in *invocation) printConfigurations(json, list bool, all ...customers.Configuration) error {
	var rows []listedConfiguration
	for _, c := range all {
		f := c.Fields()
		row := listedConfiguration{ID: c.ID, Alias: c.Alias, Kind: c.Kind, InquiryType: c.InquiryType, ModelSuite: f.ModelSuite,
			Inflows: c.IncomeInflows, Verifies: f.Verifies, Banks: c.BankLimit, RefreshDays: c.RefreshDays, PreparedReport: c.PreparedReport,
			summary: c.Summary()}
		if c.Kind == contract.Cashflow {
			row.Scores, row.Families = c.ScoreVersions(), c.AttributeFamilies()
		}
		if !c.Retired.IsZero() {
			row.RetiredAt, row.summary = &c.Retired, row.summary+", retired"
		}
		rows = append(rows, row)
	}
	return printRows(in.stdout, json, list, rows, "id, alias, contents", func(c listedConfiguration) []string {
		return []string{c.ID, c.Alias, c.summary}
	})
}

type createConfiguration struct {
	Account string `arg:"" help:"publicId of the parent account."`
	Alias   string `arg:"" help:"Name of the configuration, for people."`
	Kind    string `required:"" env:"-" placeholder:"KIND" help:"Kind of its products: cashflow, income, eligibility or passport."`
	configurationFields
	asJSON
}

// Run creates a configuration.
func (n createConfiguration) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		f := n.fields(n.Alias, n.Kind)
		if f.InquiryType == "" {
			f.InquiryType = contract.InquiryPersonal
		}
		c, err := p.CreateConfiguration(ctx, n.Account, f)
		if err != nil {
			return namingFlag(err)
		}
		return in.printConfigurations(n.JSON, false, c)
	})
}

type copyConfiguration struct {
	Account       string `arg:"" help:"publicId of the parent account."`
	Configuration string `arg:"" help:"Id or alias of the configuration to copy."`
	Alias         string `arg:"" help:"Name of the new configuration."`
	configurationFields
	asJSON
}

// Run copies a configuration.
func (n copyConfiguration) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		c, err := p.CopyConfiguration(ctx, n.Account, n.Configuration, n.fields(n.Alias, ""))
		if err != nil {
			return namingFlag(err)
		}
		return in.printConfigurations(n.JSON, false, c)
	})
}

type retireConfiguration struct {
	Account       string `arg:"" help:"publicId of the parent account."`
	Configuration string `arg:"" help:"Its id or alias."`
	asJSON
}

// Run retires a configuration.
func (n retireConfiguration) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		c, err := p.RetireConfiguration(ctx, n.Account, n.Configuration)
		if err != nil {
			return err
		}
		return in.printConfigurations(n.JSON, false, c)
	})
}

type listedConfigurations struct {
	Account string `arg:"" help:"publicId of the account."`
	asJSON
}

// Run lists configurations.
func (n listedConfigurations) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.Configurations(ctx, n.Account)
		if err != nil {
			return err
		}
		return in.printConfigurations(n.JSON, true, all...)
	})
}

// productCommands manage the products of an account.
type productCommands struct {
	Create    createProduct    `cmd:"" help:"Create a product of an account, and print its productId."`
	Rename    renameProduct    `cmd:"" help:"Rename a product."`
	Configure configureProduct `cmd:"" help:"Give a product another configuration, or none of its own."`
	List      listedProducts   `cmd:"" help:"List the products of an account."`
}

func (productCommands) uses() string { return operatorUses }

// listedProduct is a product as commands print it.
type listedProduct struct {
	ProductID     string           `json:"productId"`
	Name          string           `json:"name"`
	DisplayName   string           `json:"displayName,omitempty"`
	Kind          contract.Product `json:"kind"`
	InquiryType   string           `json:"inquiryType"`
	Configuration string           `json:"configuration"` // alias
	Inherited     bool             `json:"inherited,omitempty"`
}

func (in *invocation) printProducts(json, list bool, all ...customers.Product) error {
	var rows []listedProduct
	for _, p := range all {
		rows = append(rows, listedProduct{p.ID, p.Name, p.DisplayName, p.Kind, p.InquiryType, p.Configuration.Alias, p.Inherited})
	}
	return printRows(in.stdout, json, list, rows, "productId, name, kind, inquiry type, configuration", func(p listedProduct) []string {
		configuration := p.Configuration
		if p.Inherited {
			configuration += " (inherited)"
		}
		return []string{p.ProductID, p.Name, string(p.Kind), p.InquiryType, configuration}
	})
}

type createProduct struct {
	Account       string `arg:"" help:"publicId of the account."`
	Name          string `arg:"" help:"Name of the product, in its reports."`
	DisplayName   string `env:"-" help:"Name for people."`
	Configuration string `env:"-" placeholder:"CONFIGURATION" help:"Id or alias of its configuration. Default: the one that the account inherits."`
	asJSON
}

// Run creates a product.
func (n createProduct) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		made, err := p.CreateProduct(ctx, n.Account, customers.Names{Name: n.Name, DisplayName: n.DisplayName}, n.Configuration)
		if err != nil {
			return err
		}
		return in.printProducts(n.JSON, false, made)
	})
}

type renameProduct struct {
	Account     string `arg:"" help:"publicId of the account."`
	Product     string `arg:"" help:"productId or name."`
	Name        string `arg:"" help:"Its new name."`
	DisplayName string `env:"-" help:"Its new name for people. Default: none."`
	asJSON
}

// Run renames a product.
func (n renameProduct) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		made, err := p.RenameProduct(ctx, n.Account, n.Product, customers.Names{Name: n.Name, DisplayName: n.DisplayName})
		if err != nil {
			return err
		}
		return in.printProducts(n.JSON, false, made)
	})
}

type configureProduct struct {
	Account       string `arg:"" help:"publicId of the account."`
	Product       string `arg:"" help:"productId or name."`
	Configuration string `arg:"" optional:"" help:"Id or alias. Default: the one that the account inherits."`
	asJSON
}

// Run configures a product.
func (n configureProduct) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		made, err := p.ConfigureProduct(ctx, n.Account, n.Product, n.Configuration)
		if err != nil {
			return err
		}
		return in.printProducts(n.JSON, false, made)
	})
}

type listedProducts struct {
	Account string `arg:"" help:"publicId of the account."`
	asJSON
}

// Run lists products.
func (n listedProducts) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.Products(ctx, n.Account)
		if err != nil {
			return err
		}
		return in.printProducts(n.JSON, true, all...)
	})
}

// preparedCommands manage prepared reports of a sandbox.
type preparedCommands struct {
	Add  addPrepared    `cmd:"" help:"Add a prepared report of a sandbox account, and print its sandboxReportId."`
	List listedPrepared `cmd:"" help:"List the prepared reports of an account."`
}

func (preparedCommands) uses() string { return operatorUses }

type preparedReport struct {
	SandboxReportID string           `json:"sandboxReportId"`
	Name            string           `json:"name,omitempty"`
	Product         contract.Product `json:"product"`
	CreatedAt       time.Time        `json:"createdAt"`
}

func (in *invocation) printPrepared(json, list bool, all ...customers.PreparedReport) error {
	var rows []preparedReport
	for _, r := range all {
		rows = append(rows, preparedReport{r.ID, r.Name, r.Kind, r.Created})
	}
	return printRows(in.stdout, json, list, rows, "sandboxReportId, product, name", func(r preparedReport) []string {
		return []string{r.SandboxReportID, string(r.Product), r.Name}
	})
}

type addPrepared struct {
	Account string `required:"" env:"-" placeholder:"PUBLICID" help:"publicId of the account."`
	File    string `required:"" env:"-" placeholder:"FILE" help:"JSON that describes it, as for POST /sandbox-reports; - reads standard input."`
	asJSON
}

// Run adds a prepared report.
func (n addPrepared) Run(ctx context.Context, in *invocation) error {
	body, err := readFile(n.File, customers.MaxPreparedReport)
	if err != nil {
		return refusal{fmt.Errorf("--file: %w", err)}
	}
	return in.withProvider(ctx, func(p *provider.Provider) error {
		r, err := p.AddPreparedReport(ctx, n.Account, body)
		if err != nil {
			for _, d := range httpx.AsError(err).Details {
				err = fmt.Errorf("%s: %s: %s", n.File, d.Field, d.Message)
			}
			return err
		}
		return in.printPrepared(n.JSON, false, r)
	})
}

// readFile reads a file of at most a number of bytes; "-" is standard input.
func readFile(name string, most int64) ([]byte, error) {
	f := os.Stdin
	if name != "-" {
		var err error
		if f, err = os.Open(name); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	raw, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(raw)) > most {
		err = fmt.Errorf("more than %d bytes", most)
	}
	return raw, err
}

type listedPrepared struct {
	Account string `required:"" env:"-" placeholder:"PUBLICID" help:"publicId of the account."`
	asJSON
}

// Run lists prepared reports.
func (n listedPrepared) Run(ctx context.Context, in *invocation) error {
	return in.withProvider(ctx, func(p *provider.Provider) error {
		all, err := p.PreparedReports(ctx, n.Account)
		if err != nil {
			return err
		}
		return in.printPrepared(n.JSON, true, all...)
	})
}

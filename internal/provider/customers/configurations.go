package customers

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/analysis/income"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Configuration is the configuration of products. The provider creates it for a parent
// account and its children.
type Configuration struct {
	ID          string
	CustomerID  string // the parent account
	Kind        contract.Product
	Alias       string    // defined by the provider
	InquiryType string    // one of contract.InquiryTypes
	Retired     time.Time // products keep it, and none can get it; zero: not retired
	Settings
}

// Settings are the report settings of a configuration.
type Settings struct {
	DeprecatedAttributes bool            // cashflow: with the attributes of the AV family
	ScoreV1              bool            // cashflow: with score v1.0
	ScoreV21             bool            // cashflow: with score v2.1
	IncomeModelSuite     string          // income: "1.2" or "2.0"
	IncomeInflows        bool            // income, from suite 2.0 on: with inflows
	EligibilityKind      report.Workflow // eligibility: income, assets, or both (also if empty)
	BankLimit            int             // how many banks a visit connects at most; 0: as many as any visit
	RefreshDays          int             // days between the reports of the inquiry type MONITORING; 0: DefaultRefreshDays
	PreparedReport       string          // sandbox: sandboxReportId of the report that each one is; empty: none
}

// Target is an account or a product that a configuration is assigned to.
type Target struct {
	Type string // TargetAccount or TargetProduct
	ID   string // the child's publicId, or the productId
}

// Types of a Target.
const (
	TargetAccount = "account"
	TargetProduct = "product"
)

// Configurations lists a parent account's configurations, oldest first, including retired
// ones.
func (s *Service) Configurations(ctx context.Context, q store.Queryer, parentID string) ([]Configuration, error) {
	return configurations(ctx, q, `customer_id = $1 ORDER BY created_at, alias`, parentID)
}

// Assignable lists the configurations that products of an account can get, oldest first:
// those of the account or its parent that are not retired.
func (s *Service) Assignable(ctx context.Context, q store.Queryer, customerID string) ([]Configuration, error) {
	return configurations(ctx, q, `customer_id = (SELECT coalesce(parent_id, id) FROM customers WHERE id = $1)
		AND retired_at IS NULL ORDER BY created_at, alias`, customerID)
}

// Assign sets the configuration of a child account, or of a product of the parent or
// of its children; an empty configurationID removes it, so that the target inherits.
// Products with their own configuration keep it. It returns store.ErrNotFound for a
// target that the parent may not assign, including the parent account itself. The
// caller checks the configuration's owner.
func (s *Service) Assign(ctx context.Context, q store.Queryer, parentID string, to Target, configurationID string) error {
	if to.Type == TargetAccount {
		return requireRow(assignAccount(ctx, q, parentID, to.ID, configurationID))
	}
	return requireRow(assignProduct(ctx, q, parentID, to.ID, configurationID, s.Now()))
}

// AddConfiguration adds a configuration, for the provider's staff. If another one of
// the account has the alias, it returns ErrDuplicateName, and tx stays usable.
func (s *Service) AddConfiguration(ctx context.Context, tx *store.Tx, c Configuration) error {
	added, err := insertConfiguration(ctx, tx, c, tx.Now)
	if err == nil && !added {
		return ErrDuplicateName
	}
	return err
}

// RefreshInterval returns the time between reports of the inquiry type MONITORING.
func (c Configuration) RefreshInterval() time.Duration {
	return time.Duration(cmp.Or(c.RefreshDays, DefaultRefreshDays)) * 24 * time.Hour
}

// Days between the reports of products with the inquiry type MONITORING.
const (
	DefaultRefreshDays = 7
	MaxRefreshDays     = 90 // as long as access to a bank stays open at most
)

// What a configuration of cashflow reports can choose. Each report has the family UA and the
// score v2.0.
const (
	FamilyUniversal  = "UA"
	FamilyDeprecated = "AV"
	ScoreV1          = "v1.0"
	ScoreV2          = "v2.0"
	ScoreV21         = "v2.1"
)

// Families, Scores and ModelSuites list what a configuration can choose, in display order.
func Families() []string    { return []string{FamilyUniversal, FamilyDeprecated} }
func Scores() []string      { return []string{ScoreV1, ScoreV2, ScoreV21} }
func ModelSuites() []string { return []string{income.Suite12, income.Suite20} }

// Fields are the fields of a configuration as people give them, by form or command. The
// forms' fields have the names of the problems' fields.
type Fields struct {
	Alias          string      `json:"alias"`
	Kind           string      `json:"kind"`
	InquiryType    string      `json:"inquiryType"`
	Scores         []string    `json:"scores,omitempty"`         // cashflow: versions beside v2.0
	Families       []string    `json:"families,omitempty"`       // cashflow: families beside UA
	ModelSuite     string      `json:"modelSuite,omitempty"`     // income; empty: 2.0
	Inflows        string      `json:"inflows,omitempty"`        // income, from suite 2.0 on; empty: without
	Verifies       string      `json:"verifies,omitempty"`       // eligibility: a report.Workflow; empty: both
	Banks          json.Number `json:"banks,omitempty"`          // 1 to contract.MaxBanks; empty: as many as any visit
	RefreshDays    json.Number `json:"refreshDays,omitempty"`    // 1 to MaxRefreshDays, for MONITORING; empty: DefaultRefreshDays
	PreparedReport string      `json:"preparedReport,omitempty"` // a sandboxReportId; empty: none
}

// ReadFields returns the fields of a submitted form.
func ReadFields(form url.Values) Fields {
	get := func(name string) string { return strings.TrimSpace(form.Get(name)) }
	return Fields{Alias: get("alias"), Kind: get("kind"), InquiryType: get("inquiryType"), Scores: form["scores"], Families: form["families"],
		ModelSuite: get("modelSuite"), Inflows: get("inflows"), Verifies: get("verifies"), Banks: json.Number(get("banks")),
		RefreshDays: json.Number(get("refreshDays")), PreparedReport: get("preparedReport")}
}

// ScoreVersions returns the versions of a cashflow report's scores, ascending.
func (c Configuration) ScoreVersions() (all []string) {
	if c.Kind != contract.Cashflow {
		return nil
	}
	if c.ScoreV1 {
		all = append(all, ScoreV1)
	}
	all = append(all, ScoreV2)
	if c.ScoreV21 {
		all = append(all, ScoreV21)
	}
	return all
}

// AttributeFamilies returns the families of a cashflow report's attributes.
func (c Configuration) AttributeFamilies() []string {
	switch {
	case c.Kind != contract.Cashflow:
		return nil
	case c.DeprecatedAttributes:
		return Families()
	}
	return []string{FamilyUniversal}
}

// Fields returns a configuration's fields as a form shows them.
func (c Configuration) Fields() Fields {
	number := func(n int) json.Number {
		if n == 0 {
			return ""
		}
		return json.Number(strconv.Itoa(n))
	}
	f := Fields{Alias: c.Alias, Kind: string(c.Kind), InquiryType: c.InquiryType, ModelSuite: c.IncomeModelSuite,
		Verifies: string(c.EligibilityKind), Banks: number(c.BankLimit), RefreshDays: number(c.RefreshDays), PreparedReport: c.PreparedReport}
	if c.IncomeInflows {
		f.Inflows = "yes"
	}
	always := func(s string) bool { return s == ScoreV2 || s == FamilyUniversal }
	f.Scores, f.Families = slices.DeleteFunc(c.ScoreVersions(), always), slices.DeleteFunc(c.AttributeFamilies(), always)
	return f
}

// With returns the fields with those of change that are set in place of their own. A field of
// change that is "none" removes its own.
func (f Fields) With(change Fields) Fields {
	for to, from := range map[*string]string{&f.Alias: change.Alias, &f.Kind: change.Kind, &f.InquiryType: change.InquiryType,
		&f.ModelSuite: change.ModelSuite, &f.Inflows: change.Inflows, &f.Verifies: change.Verifies,
		(*string)(&f.Banks): string(change.Banks), (*string)(&f.RefreshDays): string(change.RefreshDays),
		&f.PreparedReport: change.PreparedReport} {
		if *to = cmp.Or(from, *to); *to == "none" {
			*to = ""
		}
	}
	if change.Scores != nil {
		f.Scores = change.Scores
	}
	if change.Families != nil {
		f.Families = change.Families
	}
	return f
}

// Summary returns what a configuration chooses, in codes.
func (c Configuration) Summary() string {
	f := c.Fields()
	all := slices.Concat([]string{f.Kind, f.InquiryType}, f.Scores, f.Families)
	for _, s := range []string{f.ModelSuite, f.Verifies} {
		if s != "" {
			all = append(all, s)
		}
	}
	for name, s := range map[string]string{"banks": string(f.Banks), "refreshDays": string(f.RefreshDays),
		"preparedReport": f.PreparedReport} {
		if s != "" {
			all = append(all, name+" "+s)
		}
	}
	if c.IncomeInflows {
		all = append(all, "inflows")
	}
	slices.Sort(all[2:])
	if !c.Retired.IsZero() {
		all = append(all, "retired")
	}
	return strings.Join(all, ", ")
}

// FieldProblem is the error of a field of a configuration that is invalid.
type FieldProblem struct {
	Field string // as in a form
	Text  i18n.Key
	Args  []string // of Text
}

// Error returns the problem in English, for the operator's commands.
func (p *FieldProblem) Error() string {
	return p.Field + ": " + i18n.T(i18n.English, p.Text, p.Args...)
}

// configuration validates the fields, and returns a configuration without id and owner. It
// returns a *FieldProblem for the first invalid field.
func (f Fields) configuration() (c Configuration, err error) {
	c = Configuration{Kind: contract.Product(f.Kind), Alias: f.Alias, InquiryType: f.InquiryType}
	cashflow, incomes, eligibility := c.Kind == contract.Cashflow, c.Kind == contract.Income, c.Kind == contract.Eligibility
	number := func(field string, text json.Number, most int) (n int) {
		if n, err = strconv.Atoi(cmp.Or(string(text), "0")); err != nil || text != "" && (n < 1 || n > most) {
			err = &FieldProblem{field, "configuration.problem.number", []string{"most", strconv.Itoa(most)}}
		}
		return n
	}
	switch problem := NameProblem(c.Alias); {
	case problem != "":
		return c, &FieldProblem{"alias", "configuration.problem.alias", nil}
	case !slices.Contains(contract.Products(), c.Kind):
		return c, &FieldProblem{"kind", "configuration.problem.choice", oneOf(contract.Products())}
	case !slices.Contains(contract.InquiryTypes(), c.InquiryType):
		return c, &FieldProblem{"inquiryType", "configuration.problem.choice", oneOf(contract.InquiryTypes())}
	case !cashflow && len(f.Scores) > 0:
		return c, foreign("scores", contract.Cashflow)
	case !within(f.Scores, Scores()):
		return c, &FieldProblem{"scores", "configuration.problem.choice", oneOf(Scores())}
	case !cashflow && len(f.Families) > 0:
		return c, foreign("families", contract.Cashflow)
	case !within(f.Families, Families()):
		return c, &FieldProblem{"families", "configuration.problem.choice", oneOf(Families())}
	case !incomes && f.ModelSuite != "":
		return c, foreign("modelSuite", contract.Income)
	case f.ModelSuite != "" && !slices.Contains(ModelSuites(), f.ModelSuite):
		return c, &FieldProblem{"modelSuite", "configuration.problem.choice", oneOf(ModelSuites())}
	case !incomes && f.Inflows != "":
		return c, foreign("inflows", contract.Income)
	case f.Inflows != "" && f.ModelSuite == income.Suite12:
		return c, &FieldProblem{"inflows", "configuration.problem.inflows", nil}
	case !eligibility && f.Verifies != "":
		return c, foreign("verifies", contract.Eligibility)
	case f.Verifies != "" && !slices.Contains(report.Workflows(), report.Workflow(f.Verifies)):
		return c, &FieldProblem{"verifies", "configuration.problem.choice", oneOf(report.Workflows())}
	case f.Banks != "" && (c.Kind == contract.Passport || f.Verifies == string(report.IncomeOnly)):
		return c, &FieldProblem{"banks", "configuration.problem.no_banks", nil}
	case f.RefreshDays != "" && (c.InquiryType != contract.InquiryMonitoring || c.Kind == contract.Passport):
		return c, &FieldProblem{"refreshDays", "configuration.problem.monitoring", nil}
	case f.PreparedReport != "" && !contract.IsUUID(f.PreparedReport):
		return c, &FieldProblem{"preparedReport", "configuration.problem.prepared", nil}
	}
	c.ScoreV1, c.ScoreV21 = slices.Contains(f.Scores, ScoreV1), slices.Contains(f.Scores, ScoreV21)
	c.DeprecatedAttributes = slices.Contains(f.Families, FamilyDeprecated)
	if incomes {
		c.IncomeModelSuite, c.IncomeInflows = cmp.Or(f.ModelSuite, income.Suite20), f.Inflows != ""
	}
	if eligibility {
		c.EligibilityKind = cmp.Or(report.Workflow(f.Verifies), report.IncomeAndAssets)
	}
	c.PreparedReport = strings.ToLower(f.PreparedReport)
	if c.BankLimit = number("banks", f.Banks, contract.MaxBanks); err == nil {
		c.RefreshDays = number("refreshDays", f.RefreshDays, MaxRefreshDays)
	}
	return c, err
}

func within(chosen, offered []string) bool {
	return !slices.ContainsFunc(chosen, func(s string) bool { return !slices.Contains(offered, s) })
}

func oneOf[S ~string](all []S) []string {
	var out []string
	for _, s := range all {
		out = append(out, string(s))
	}
	return []string{"values", strings.Join(out, ", ")}
}

// foreign is the problem of a field that only another kind of product has.
func foreign(field string, kind contract.Product) error {
	return &FieldProblem{field, "configuration.problem.kind", []string{"kind", string(kind)}}
}

// CreateConfiguration validates the fields and adds a configuration to a parent account. It
// returns a *FieldProblem for an invalid field, and store.ErrNotFound unless parentID is a
// parent account.
func (s *Service) CreateConfiguration(ctx context.Context, tx *store.Tx, parentID string, f Fields) (Configuration, error) {
	c, err := f.configuration()
	if err != nil {
		return Configuration{}, err
	}
	if _, err := account(ctx, tx, `parent_id IS NULL AND id = $1`, parentID); err != nil {
		return Configuration{}, err
	}
	if c.PreparedReport != "" {
		if s.Prepared == nil {
			return Configuration{}, &FieldProblem{"preparedReport", "configuration.problem.production", nil}
		}
		kind, err := s.Prepared.Lookup(ctx, tx, parentID, c.PreparedReport)
		if errors.Is(err, store.ErrNotFound) || err == nil && kind != c.Kind {
			return Configuration{}, &FieldProblem{"preparedReport", "configuration.problem.prepared", nil}
		}
		if err != nil {
			return Configuration{}, err
		}
	}
	c.ID, c.CustomerID = uuid.NewString(), parentID
	err = s.AddConfiguration(ctx, tx, c)
	if errors.Is(err, ErrDuplicateName) {
		err = &FieldProblem{"alias", "configuration.problem.taken", nil}
	}
	return c, err
}

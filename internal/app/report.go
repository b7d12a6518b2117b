package app

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/analysis/bankfile"
	"vestibule/internal/analysis/cashflow"
	"vestibule/internal/contract"
	"vestibule/internal/i18n"
	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/svcapi"
	"vestibule/templates/portal/review"
	"vestibule/templates/ui"
	"vestibule/web"
)

// reportCommand is the command report: a cashflow report of account statements.
type reportCommand struct {
	Files     []string          `arg:"" name:"file" help:"Statements as a bank exports them: OFX, QFX, CSV, camt.053; - is standard input."`
	Balance   map[string]string `placeholder:"FILE=AMOUNT" mapsep:"none" help:"Balance at the end of the newest day, if a file states none."`
	Kind      map[string]string `placeholder:"FILE=KIND" mapsep:"none" help:"What a file is of, if unclear: checking, savings, or card."`
	Currency  map[string]string `placeholder:"FILE=CODE" mapsep:"none" help:"Currency of a CSV file that states none, such as EUR."`
	Same      bool              `xor:"same" help:"Files that may be of one account or of two are of one."`
	Different bool              `xor:"same" help:"Files that may be of one account or of two are of two."`
	Personal  string            `placeholder:"FILE" help:"JSON file that names the consumer, with personal and address of a submission."`
	Page      string            `placeholder:"FILE" help:"Write the report as a page (HTML) to this file instead of JSON to the output."`
	Lang      string            `enum:"en,es" default:"en" help:"Language of the page: en or es."`
	Submit    bool              `help:"Send the data to the provider as a submission, and print its report."`
}

// kinds maps the values of --kind to those of bankfile.
var kinds = map[string]string{"checking": "checking", "savings": "savings", "card": "credit card"}

// person has the consumer data of a submission.
type person struct {
	Personal svcapi.SubmittedPerson   `json:"personal"`
	Address  *svcapi.SubmittedAddress `json:"address"`
}

// maxPersonal is the maximum size in bytes of the file of --personal.
const maxPersonal = 64 << 10

func (*reportCommand) uses() string {
	return "environment provider-addr provider-url data-dir public-id client-id secret-key products provider-profile ca-file"
}

// Run reads the files, computes the report on this machine or submits the data to the
// provider, and prints a summary of what it read to stderr.
func (r *reportCommand) Run(ctx context.Context, in *invocation) error {
	in.config.dropGeneratedAccount()
	files, err := r.read(in.stderr)
	if err != nil {
		return err
	}
	data, asOf, gaps, err := bankfile.Combine(files, r.answer(os.Stdin, in.stderr))
	var undecided *bankfile.UndecidedError
	if errors.As(err, &undecided) {
		return fmt.Errorf("%w: say --same or --different", err)
	}
	if err != nil {
		return err
	}
	if len(files) > 1 {
		fmt.Fprintln(in.stderr, "Together")
		for _, c := range data.Connections {
			for i := range c.Accounts {
				printAccount(in.stderr, &c.Accounts[i])
			}
		}
		for _, gap := range gaps {
			fmt.Fprintf(in.stderr, "  %s\n", gap)
		}
	}
	who, err := r.person()
	if err != nil {
		return err
	}
	if r.Submit {
		return r.submit(ctx, in, data, asOf, who)
	}
	at := asOf.Add(24*time.Hour - time.Second) // the files are as of the end of the day
	input := cashflow.Input{Envelope: report.Envelope{PublicToken: uuid.Nil.String(), Product: report.Product{Name: "Cashflow",
		ProductID:   uuid.Nil.String(),
		InquiryType: "PERSONAL"}}, Bank: data, Options: cashflow.Options{Attributes: true}}
	if name := who.Personal; name.FirstName+name.LastName != "" {
		input.InputSource, input.InputUUID, input.InputRecordID = report.CustomerInput, uuid.NewString(), uuid.NewString()
		input.Consumer = &bankdata.Person{FirstName: name.FirstName, LastName: name.LastName}
	}
	status, sub := data.Outcome(at)
	if status != contract.StatusSuccess {
		return fmt.Errorf("these accounts give no report: %s %s", status, sub)
	}
	made := cashflow.Build(input, at)
	fmt.Fprintf(in.stderr, "Report as of %s, computed on this machine.\n", asOf)
	if r.Page == "" {
		raw, err := report.Encode(made)
		if err != nil {
			return err
		}
		return printIndented(in.stdout, raw)
	}
	return r.writePage(ctx, review.ReportView{Report: &made, Analysis: new(cashflow.Explain(input, at))})
}

// answer returns what says whether two files are of one account: a flag, or the user at a
// terminal.
func (r *reportCommand) answer(stdin *os.File, stderr io.Writer) bankfile.Answer {
	return func(first, second string) (same, known bool) {
		if r.Same || r.Different {
			return r.Same, true
		}
		if slices.Contains(r.Files, "-") { // which reads it
			return false, false
		}
		if info, err := stdin.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
			return false, false
		}
		fmt.Fprintf(stderr, "%s and %s may be statements of one account or of two. Are they of one? [y/n] ", first, second)
		line, _ := bufio.NewReader(stdin).ReadString('\n')
		line = strings.ToLower(strings.TrimSpace(line))
		return line == "y" || line == "yes", line == "y" || line == "yes" || line == "n" || line == "no"
	}
}

// printAccount prints a line about an account that was read.
func printAccount(w io.Writer, a *bankdata.Account) {
	var in, out report.Cents
	for i := range a.Transactions {
		t := &a.Transactions[i]
		if t.Out() {
			out += t.Amount
		} else {
			in += t.Amount
		}
	}
	fmt.Fprintf(w, "  %s, %s: %d transactions, balance %s %s", a.Institution, a.Name, len(a.Transactions), a.Balance, a.Currency)
	if a.BalanceDate != nil {
		fmt.Fprintf(w, " on %s", a.BalanceDate)
	}
	if len(a.Transactions) > 0 {
		byDay := func(x, y bankdata.Transaction) int { return x.Posted.Compare(y.Posted.Time) }
		first, last := slices.MinFunc(a.Transactions, byDay), slices.MaxFunc(a.Transactions, byDay)
		fmt.Fprintf(w, "; %s to %s, in %s, out %s", first.Posted, last.Posted, in, out)
	}
	fmt.Fprintln(w)
}

// quoted puts an argument with spaces in quotes.
func quoted(arg string) string {
	if strings.ContainsAny(arg, " …") {
		return strconv.Quote(arg)
	}
	return arg
}

// given returns the value of a flag for a file, by its path or its name.
func given(values map[string]string, names ...string) (value, name string) {
	for _, name := range names {
		if v, ok := values[name]; ok {
			return v, name
		}
	}
	return "", ""
}

// read reads the statements, and prints what it found in each.
func (r *reportCommand) read(stderr io.Writer) ([]bankfile.File, error) {
	var files []bankfile.File
	balances, said := map[string]bool{}, map[string]bool{} // said: names in --kind and --currency
	if first := slices.Index(r.Files, "-"); first >= 0 && slices.Contains(r.Files[first+1:], "-") {
		return nil, refusal{errors.New("- reads standard input, which can be one file only")}
	}
	for _, path := range r.Files {
		content, err := readBounded(path, bankfile.MaxBytes)
		if err != nil {
			return nil, err
		}
		kind, name := given(r.Kind, path, filepath.Base(path))
		said["kind"+name] = true
		if kind != "" && kinds[kind] == "" {
			return nil, fmt.Errorf("--kind %s: %q is not checking, savings or card", name, kind)
		}
		f, err := bankfile.Read(path, content, kinds[kind])
		if errors.Is(err, bankfile.ErrUnknownKind) {
			return nil, fmt.Errorf("%s: %w: say --kind %[3]s=checking or --kind %[3]s=card", path, err, f.Name)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		fmt.Fprintf(stderr, "%s (%s)\n", f.Name, f.Format)
		for _, line := range slices.Concat(f.Notes, f.LeftOut) {
			fmt.Fprintf(stderr, "  %s\n", line)
		}
		if err := r.currencies(path, &f, said); err != nil {
			return nil, err
		}
		if err := r.balances(path, &f, balances); err != nil {
			return nil, err
		}
		for i := range f.Accounts {
			printAccount(stderr, &f.Accounts[i].Account)
		}
		files = append(files, f)
	}
	for name := range r.Balance {
		if !balances[name] {
			return nil, fmt.Errorf("--balance %s: no file has this name and needs a balance", name)
		}
	}
	for flag, values := range map[string]map[string]string{"kind": r.Kind, "currency": r.Currency} {
		for name := range values {
			if !said[flag+name] {
				return nil, fmt.Errorf("--%s %s: no file has this name", flag, name)
			}
		}
	}
	return files, nil
}

// currencies sets the currency of --currency in the accounts of a file that states none.
func (r *reportCommand) currencies(path string, f *bankfile.File, said map[string]bool) error {
	code, name := given(r.Currency, path, f.Name)
	said["currency"+name] = true
	for i := range f.Accounts {
		switch a := &f.Accounts[i]; {
		case name != "" && (!a.NoCurrency || len(code) != 3 || strings.Trim(code, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") != ""):
			return fmt.Errorf("--currency %s: %q is not a code such as EUR, or the file states its currency", name, code)
		case name == "" && a.Currency == "":
			return fmt.Errorf("%s: no currency is stated, and the language or the numbers are not those of the United States: say --currency %s",
				path, quoted(f.Name+"=CODE"))
		case name != "":
			a.Currency = code
		}
	}
	return nil
}

// balances sets the balances of --balance in the accounts of a file that states none.
func (r *reportCommand) balances(path string, f *bankfile.File, used map[string]bool) error {
	var without []*bankfile.Account
	for i := range f.Accounts {
		if f.Accounts[i].NoBalance {
			without = append(without, &f.Accounts[i])
		}
	}
	for _, a := range without {
		names, flag := []string{f.Name + ":" + a.Name}, f.Name+":"+a.Name
		if len(without) == 1 {
			names, flag = append(names, path, f.Name), f.Name
		}
		stated, name := given(r.Balance, names...)
		if used[name] = true; name == "" {
			return fmt.Errorf("%s states no balance of the account %s: give it as --balance %s", path, a.Name, quoted(flag+"=AMOUNT"))
		}
		if err := a.SetBalance(stated); err != nil {
			return fmt.Errorf("--balance %s: %w", name, err)
		}
	}
	return nil
}

// readBounded reads a file, or standard input for the path "-", of at most limit bytes.
func readBounded(path string, limit int64) ([]byte, error) {
	f := os.Stdin
	if path != "-" {
		var err error
		if f, err = os.Open(path); err != nil {
			return nil, err
		}
		defer f.Close()
	}
	content, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(content)) > limit {
		err = fmt.Errorf("%s: larger than %d KB", path, limit>>10)
	}
	return content, err
}

// person reads the file of --personal.
func (r *reportCommand) person() (who person, err error) {
	if r.Personal == "" {
		if r.Submit {
			return who, refusal{errors.New("--submit needs --personal, because a submission names the consumer")}
		}
		return who, nil
	}
	raw, err := readBounded(r.Personal, maxPersonal)
	if err != nil {
		return who, fmt.Errorf("--personal: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if dec.Decode(&who) != nil {
		return who, fmt.Errorf("--personal %s: must be a JSON object with the members personal and address of a submission", r.Personal)
	}
	return who, nil
}

func printIndented(stdout io.Writer, raw []byte) error {
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err := b.WriteTo(stdout)
	return err
}

// writePage writes the report as one HTML file that loads no other.
func (r *reportCommand) writePage(ctx context.Context, v review.ReportView) error {
	v.Verdict = verdict.OfCashflow(v.Report, prefill.Fields{})
	var style strings.Builder
	for _, name := range []string{"portal.css", "review.css"} {
		css, ok := web.Portal().Raw(name)
		if !ok {
			return errors.New("this program was built without its assets: build it with make build")
		}
		style.Write(css)
	}
	page := ui.Page{Lang: i18n.Lang(r.Lang), Brand: ui.Brand{Name: "Vestibule"}, Head: templ.Raw("<style>" + style.String() + "</style>")}
	var b bytes.Buffer
	if err := review.ReportPage(page, v).Render(ctx, &b); err != nil {
		return err
	}
	if err := os.WriteFile(r.Page, b.Bytes(), 0o600); err != nil {
		return fmt.Errorf("--page: %w", err)
	}
	return nil
}

// submit sends the data to the provider, waits for the report, and prints it.
func (r *reportCommand) submit(ctx context.Context, in *invocation, data bankdata.Data, asOf report.Date, who person) error {
	account, err := in.config.accountToUse()
	if err != nil {
		return err
	}
	if account.ProviderURL == "" {
		return refusal{errors.New("--client-id needs --provider-url, the provider of this account")}
	}
	now := time.Now()
	if age := now.Sub(asOf.Time); age > 30*24*time.Hour {
		return fmt.Errorf("the files are as of %s, and a submission must not be older than 30 days", asOf)
	}
	submission := svcapi.Submission{ProductID: account.Products[contract.Cashflow], PullDate: svcapi.DateTime{Time: now},
		Personal: who.Personal, Address: who.Address}
	for _, connection := range data.Connections {
		for _, a := range connection.Accounts {
			submission.Accounts = append(submission.Accounts, submitted(a, now))
		}
	}
	client := &svcapi.Client{BaseURL: account.ProviderURL, ClientID: account.ClientID, SecretKey: account.SecretKey,
		Environment: account.Environment, Profile: account.Profile}
	made, err := client.Submit(ctx, submission)
	if err != nil {
		return refusedSubmission(account.ProviderURL, err)
	}
	fmt.Fprintf(in.stderr, "Submitted to %s as %s.\n", account.ProviderURL, made.PublicToken)
	ref := svcapi.Ref{PublicToken: made.PublicToken}
	answer, err := client.WaitStatus(ctx, ref)
	if err != nil {
		return err
	}
	if answer.Status != contract.StatusSuccess {
		return fmt.Errorf("the provider made no report: %s %s", answer.Status, answer.Substatus)
	}
	raw, _, err := client.Report(ctx, contract.Cashflow, ref)
	if err != nil {
		return err
	}
	if r.Page == "" {
		return printIndented(in.stdout, raw)
	}
	body, err := report.ParseCashflow(raw)
	if err != nil {
		return err
	}
	return r.writePage(ctx, review.ReportView{Report: body})
}

// refusedSubmission names the provider, and the fields that it refused.
func refusedSubmission(provider string, err error) error {
	var refused *svcapi.Error
	if !errors.As(err, &refused) {
		return err
	}
	all := []error{fmt.Errorf("the provider at %s made no report: %w", provider, err)}
	for _, d := range refused.Details {
		all = append(all, fmt.Errorf("%s: %s", d.Field, d.Message))
	}
	return errors.Join(all...)
}

// submitted converts an account to a submission's form.
func submitted(a bankdata.Account, now time.Time) svcapi.SubmittedAccount {
	id := func(s string) string { return strings.ReplaceAll(s, "-", "") }
	at := func(d report.Date) svcapi.DateTime {
		end := d.Add(24*time.Hour - time.Second)
		if end.After(now) {
			end = now
		}
		return svcapi.DateTime{Time: end}
	}
	out := svcapi.SubmittedAccount{ID: id(a.ID), InstitutionName: a.Institution, AccountType: cmp.Or(a.Subtype, report.Checking),
		CurrentBalance: a.Balance, Currency: a.Currency}
	if a.BalanceDate != nil {
		out.DateBalanceLastUpdated = at(*a.BalanceDate)
	}
	for _, t := range a.Transactions {
		x := svcapi.SubmittedTransaction{ID: id(t.ID), Status: "POSTED", DatePosted: at(t.Posted), Amount: t.Amount,
			Description: t.Description, Memo: t.Memo, CreditOrDebit: "CREDIT"}
		if t.Pending {
			x.Status, x.DatePosted = "PENDING", svcapi.DateTime{}
		}
		if t.Out() {
			x.Amount, x.CreditOrDebit = -t.Amount, "DEBIT"
		}
		out.Transactions = append(out.Transactions, x)
	}
	return out
}

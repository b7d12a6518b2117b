package fdx

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
)

var grant = sources.Grant{Access: "access-1", Refresh: "refresh-1"}

// retrieve fetches everything of the two years before fakeNow.
func (b *fakeBank) retrieve(c *Connector) (sources.Fetched, error) {
	return c.Fetch(b.t.Context(), "fake", grant, date("2024-03-10"), date("2026-03-10"))
}

// setTransactions sets a checking account "1" with transactions, in version 6.
func (b *fakeBank) setTransactions(transactions ...string) {
	b.bodies["accounts"] = `{"accounts":[{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"1","accountType":"CHECKING",
		"currency":{"currencyCode":"USD"},"currentBalance":100}]}`
	b.bodies["accounts/1/transactions"] = `{"transactions":[` + strings.Join(transactions, ",") + `]}`
}

// movement is one posted transaction of version 6.
func movement(id, day, amount, memo string) string {
	return fmt.Sprintf(`{"transactionId":%q,"postedTimestamp":%q,"amount":%s,"debitCreditMemo":%q,"description":"D","status":"POSTED"}`,
		id, day, amount, memo)
}

// versionAccounts are accounts without what distinguishes the versions, and versionTransactions those of the first one.
var (
	versionAccounts = []string{
		`"accountId":"dep/1","accountType":"CHECKING","productName":"Everyday","nickname":"<i>Bills</i>","currency":{"currencyCode":"USD"},
			"currentBalance":3690.10,"availableBalance":3600,"balanceAsOf":"2026-03-09T22:00:00-05:00","accountOpenDate":"2021-02-03"`,
		`"accountId":2,"accountType":"CREDITCARD","productName":"Card","currency":"cad","currentBalance":"2140","creditLine":5000`,
		`"accountId":"3","accountType":"AUTOLOAN","productName":"Loan","currency":{"currencyCode":"USD"},"principalBalance":11860.5`,
		`"accountId":"4","accountType":"BROKERAGEACCOUNT","productName":"Fund","currency":null,"currentValue":42310,"holdings":[{}]`,
	}
	versionTransactions = []string{
		`"transactionId":"t1","postedTimestamp":"2026-03-01T23:30:00-05:00","transactionTimestamp":"2026-02-27T00:00:00Z","amount":12.5,
			"debitCreditMemo":"DEBIT","description":"KROGER &amp; CO","payee":"Kroger","memo":"card 1","status":"POSTED","category":"5411"`,
		`"transactionId":"t2","transactionTimestamp":"2026-03-10","amount":-4.2,"debitCreditMemo":"DEBIT","description":"CAFE",
			"status":"PENDING"`,
	}
)

// each writes JSON with members and a kind; kinds repeat.
func each(list []string, format string, kinds ...string) string {
	var out []string
	for i, members := range list {
		out = append(out, fmt.Sprintf(format, kinds[i%len(kinds)], members))
	}
	return strings.Join(out, ",")
}

// versionBodies are the same accounts in both versions.
func versionBodies() map[string]map[string]string {
	const inKind, withKind = `{%q:{%s}}`, `{"accountCategory":%q,%s,"fiAttributes":[],"new":{"a":[null]}}`
	all := map[string]map[string]string{
		"5": {"accounts": `{"page":{},"accounts":[` + each(versionAccounts, inKind, "depositAccount", "locAccount", "loanAccount",
			"investmentAccount") + `,{"insuranceAccount":{"accountId":"5"}}]}`,
			"accounts/dep/1/transactions": `{"transactions":[` + each(versionTransactions, inKind, "depositTransaction") + `]}`},
		"6": {"accounts": `{"accounts":[` + each(versionAccounts, withKind, "DEPOSIT_ACCOUNT", "LOC_ACCOUNT", "LOAN_ACCOUNT",
			"INVESTMENT_ACCOUNT") + `,{"accountCategory":"INSURANCE_ACCOUNT","accountId":"5"}]}`,
			"accounts/dep/1/transactions": `{"transactions":[` + each(versionTransactions, withKind, "DEPOSIT_ACCOUNT") + `]}`},
	}
	for _, bodies := range all {
		for _, id := range []string{"2", "3", "4"} {
			bodies["accounts/"+id+"/transactions"] = `{"transactions":null}`
		}
		bodies["accounts/dep/1/contact"] = `{"holders":[{"relationship":"PRIMARY","name":{"first":"Jane","middle":"Q","last":"Doe",
			"suffix":"Jr"}},{"relationship":"AUTHORIZED_USER","name":{"first":"Ann","last":"Other"}}],"emails":["jane@mail.example"],
			"addresses":[{"line1":"418 Maple Avenue","line2":"Apt 2","city":"Austin","region":"US-TX","postalCode":"78701","country":"US"}],
			"telephones":[{"type":"CELL","number":"5125550100"}]}`
		bodies["accounts/dep/1/payment-networks"] = `{"paymentNetworks":[
			{"bankId":"999999999","identifier":"9999","type":"US_RTP"},
			{"bankId":"021000089","identifier":"000412887301","type":"US_ACH","transferIn":true,"transferOut":true}]}`
	}
	return all
}

// TestVersions checks that both versions give the same accounts.
func TestVersions(t *testing.T) {
	opened, balanced := date("2021-02-03"), date("2026-03-09")
	want := []bankdata.Account{
		{ID: "dep/1", Institution: "Fake Bank", Name: "Bills", Type: report.CashEquivalent, Subtype: report.Checking, Owner: "Jane Q Doe Jr",
			Responsibility: report.Individual, Number: "000412887301", Routing: "021000089", Currency: "USD", Opened: &opened,
			Balance: 369010, BalanceDate: &balanced,
			Addresses: []bankdata.Address{{Street: "418 Maple Avenue Apt 2", City: "Austin", State: "TX", ZIP: "78701"}},
			Transactions: []bankdata.Transaction{
				{ID: "t1", Posted: date("2026-03-01"), Amount: -1250, Description: "KROGER & CO", Merchant: "Kroger", Memo: "card 1"},
				{ID: "t2", Posted: date("2026-03-10"), Amount: -420, Description: "CAFE", Pending: true}}},
		{ID: "2", Institution: "Fake Bank", Name: "Card", Type: report.Debt, Currency: "CAD", Balance: -214000},
		{ID: "3", Institution: "Fake Bank", Name: "Loan", Type: report.Debt, Currency: "USD", Balance: -1186050},
		{ID: "4", Institution: "Fake Bank", Name: "Fund", Type: report.Investment, Currency: "USD", Balance: 4231000},
	}
	for version, bodies := range versionBodies() {
		t.Run(version, func(t *testing.T) {
			b := newFakeBank(t, false)
			b.bodies = bodies
			got, err := b.retrieve(b.connect(nil))
			if err != nil {
				t.Fatal(err)
			}
			if addresses := got.Accounts[0].Addresses; len(addresses) == 1 && uuid.Validate(addresses[0].ID) == nil {
				addresses[0].ID = ""
			}
			if diff := cmp.Diff(want, got.Accounts); diff != "" {
				t.Error(diff)
			}
			if len(got.Owners) != 1 || got.Owners[0].FullName() != "Jane Q Doe Jr" || got.Owners[0].LastName != "Doe" ||
				uuid.Validate(got.Owners[0].RecordID) != nil {
				t.Errorf("owners are %+v", got.Owners)
			}
			if diff := cmp.Diff([]sources.AccountFailure{{ID: "5", Reason: sources.Unsupported}}, got.Failed); diff != "" {
				t.Error(diff)
			}
			for _, r := range b.seen {
				if r.URL.Path != "/fdx/v6/accounts" && r.Header.Get("Accept") != "application/json" ||
					uuid.Validate(r.Header.Get("x-fapi-interaction-id")) != nil || r.Header.Get("Authorization") != "Bearer access-1" {
					t.Errorf("%s has the headers %v", r.URL, r.Header)
				}
			}
			if !slices.ContainsFunc(b.seen, func(r *http.Request) bool { return r.URL.EscapedPath() == "/fdx/v6/accounts/dep%2F1/contact" }) {
				t.Errorf("the id is not escaped: %v", b.paths())
			}
		})
	}
}

// TestOtherServers retrieves from a server that limits requests to 90 days, repeats entries on the next page,
// answers other accounts with errors, and writes values in its own way.
func TestOtherServers(t *testing.T) {
	b := newFakeBank(t, false)
	paged := func(first, second string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("offset") == "" {
				_, _ = fmt.Fprint(w, `{"page":{"nextOffset":"2","totalElements":9},"links":{"next":null},`, first)
				return
			}
			_, _ = fmt.Fprint(w, `{"page":{"nextOffset":null},"links":{},`, second)
		}
	}
	joint := `{"depositAccount":{"accountId":"1","accountType":"Checking","accountNumberDisplay":"xxxx4410","nickname":null,
		"currentBalance":"1250.50","currency":null}}`
	b.answers["/fdx/v6/accounts"] = paged(`"accounts":[`+joint+`,{"loanAccount":{"accountId":"2","principalBalance":"100.00"}}]}`,
		`"accounts":[`+joint+`,{"investmentAccount":{"accountId":"3"}},{"insuranceAccount":{"accountId":"4"}}]}`)
	b.answers["/fdx/v6/accounts/2/transactions"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }
	b.answers["/fdx/v6/accounts/3"] = b.answers["/fdx/v6/accounts/2/transactions"]
	asked := 0
	transactions := paged(`"transactions":[{"depositTransaction":{"transactionId":"a","postedTimestamp":"2026-03-01T09:00:00.000Z",
			"amount":"10.00","debitCreditMemo":"Debit","status":"Posted","transactionType":"OTHER_2","foreignAmount":9,"foreignCurrency":"EUR"}},
		{"depositTransaction":{"transactionId":"b","postedTimestamp":"2026-03-02","amount":0,"debitCreditMemo":"debit","status":"BOOKED"}}]}`,
		`"transactions":[{"depositTransaction":{"transactionId":"b","postedTimestamp":"2026-03-02","amount":0,"debitCreditMemo":"debit",
			"status":"BOOKED"}},{"depositTransaction":{"transactionId":"c","transactionTimestamp":"2026-03-09","amount":5,
			"debitCreditMemo":" CREDIT","status":"pending"}}]}`)
	b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		from, to := date(q.Get("startTime")[:10]), date(q.Get("endTime")[:10])
		if asked++; asked == 1 {
			w.Header().Set("Retry-After", "2")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		switch {
		case to.Sub(from.Time) > 90*24*time.Hour:
			w.WriteHeader(400)
		case to.Equal(fakeNow.Truncate(24 * time.Hour)):
			transactions(w, r)
		default:
			_, _ = fmt.Fprint(w, `{"transactions":[]}`)
		}
	}
	b.answers["/fdx/v6/accounts/1/statements"] = paged(`"statements":[{"statementId":1,"statementDate":"2026-01-31T23:59:59Z"}]}`,
		`"statements":[{"statementId":2,"statementDate":"2026-02-28"},{"statementId":3,"statementDate":null}]}`)
	b.bodies["accounts/1/contact"] = `{"holders":[{"relationship":"PRIMARY_JOINT","name":{"first":"ANN","last":"LEE","middle":null}},
		{"relationship":"SECONDARY_JOINT","name":{"first":"Bo","last":"Lee"}}],"emails":null}`
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 2 {
		t.Fatalf("%+v, %v", got, err)
	}
	a, statement := got.Accounts[0], date("2026-02-28")
	want := bankdata.Account{ID: "1", Institution: "Fake Bank", Type: report.CashEquivalent, Subtype: report.Checking,
		Owner: "ANN LEE and Bo Lee", Responsibility: report.Joint, LastDigits: "4410", Currency: "USD", Balance: 125050, StatementEnd: &statement,
		Transactions: []bankdata.Transaction{{ID: "a", Posted: date("2026-03-01"), Amount: -1000},
			{ID: "b", Posted: date("2026-03-02"), Debit: true},
			{ID: "c", Posted: date("2026-03-09"), Amount: 500, Pending: true}}}
	if diff := cmp.Diff(want, a); diff != "" {
		t.Error(diff)
	}
	failed := []sources.AccountFailure{{ID: "2", Type: report.Debt, Partial: true, Reason: sources.Unresponsive},
		{ID: "3", Type: report.Investment, Reason: sources.Unresponsive}, {ID: "4", Reason: sources.Unsupported}}
	if diff := cmp.Diff(failed, got.Failed); diff != "" || len(got.Owners) != 2 {
		t.Errorf("%s, owners %+v", diff, got.Owners)
	}
}

// TestDetails checks that balances are requested where lists have descriptions only.
func TestDetails(t *testing.T) {
	b := newFakeBank(t, false)
	b.bodies["accounts"] = `{"accounts":[{"depositAccount":{"accountId":"1","accountType":"SAVINGS","nickname":"Reserve"}}]}`
	b.bodies["accounts/1"] = `{"depositAccount":{"accountId":"1","accountType":"SAVINGS","currency":{"currencyCode":"USD"},
		"currentBalance":null,"availableBalance":"17.00"}}`
	b.bodies["accounts/1/transactions"] = `{}`
	b.bodies["customers/current"] = `{"customerId":"c1","name":{"first":"Jane","last":"Doe"},"email":["jane@mail.example"]}`
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 1 {
		t.Fatal(err, got)
	}
	if a := got.Accounts[0]; a.Name != "Reserve" || a.Balance != 1700 || a.Subtype != report.Savings {
		t.Errorf("the account is %+v", a)
	}
	if len(got.Owners) != 1 || got.Owners[0].FullName() != "Jane Doe" || !slices.Equal(got.Owners[0].Emails, []string{"jane@mail.example"}) {
		t.Errorf("owners are %+v", got.Owners)
	}
	b.bodies["accounts/1/contact"] = `{"holders":[{"name":{"first":"John","last":"Doe"}},{"name":{"first":"JANE","last":"Doe"}}],
		"emails":["whose@mail.example"]}`
	if got, err = b.retrieve(b.connect(nil)); err != nil || len(got.Owners) != 2 || got.Owners[0].Emails != nil ||
		!slices.Equal(got.Owners[1].Emails, []string{"jane@mail.example"}) {
		t.Errorf("owners are %+v, %v", got.Owners, err)
	}
	for _, body := range []string{`{"accountId":"1"}`, `{"accountId":"2","currentBalance":1}`, `{"accountId":"1","currentBalance":1e400}`,
		`{"accountId":"1","currentBalance":1,"currency":"dollars"}`, `[`, ``} {
		b.bodies["accounts/1"] = body
		got, err := b.retrieve(b.connect(nil))
		if err != nil || len(got.Accounts) != 0 || len(got.Failed) != 1 || got.Failed[0].Reason != sources.Rejected {
			t.Errorf("details %s: %+v, %v", body, got, err)
		}
	}
}

// TestContacts checks that owners are the holders who own the account.
func TestContacts(t *testing.T) {
	for _, c := range []struct{ body, owner, responsibility, people string }{
		{`{}`, "", "", ""},
		{`{"holders":null,"emails":null}`, "", "", ""},
		{`{"holders":[{"name":{"first":"Joint","last":"Okafor"},"relationship":"PRIMARY_JOINT","email":["a@b.example"]},
			{"name":{"first":"Jordan","last":"Okafor"},"relationship":"SECONDARY_JOINT"}],"emails":["x@y.example"]}`,
			"Joint Okafor and Jordan Okafor", report.Joint, "Joint Okafor a@b.example;Jordan Okafor "},
		{`{"holders":[{"name":{"first":"Ann","last":"Lee"},"relationship":"PRIMARY_JOINT_TENANTS"}]}`, "Ann Lee", report.Joint, "Ann Lee "},
		{`{"holders":[{"name":"Ann B Lee"}],"emails":["a@b.example","a@b.example, x"]}`, "Ann B Lee", report.Individual, "Ann B Lee a@b.example"},
		{`{"holders":[{"name":{"company":"Lee LLC"},"relationship":"BUSINESS"}]}`, "Lee LLC", report.Individual, ""},
		{`{"holders":[{"name":{"first":"Kid","last":"Lee"},"relationship":"FOR_BENEFIT_OF"}]}`, "", "", ""},
		{`{"holders":[{"name":{"first":"<script src=x>Ann</script>","last":"&lt;i&gt;Lee"}}]}`, "Ann Lee", report.Individual, "Ann Lee "},
		{`{"holders":[{"name":[1]},{"name":{"first":{},"last":"\u0000Lee\u202e"}}]}`, "Lee", report.Individual, "Lee "},
	} {
		b := newFakeBank(t, false)
		b.setTransactions()
		b.bodies["accounts/1/contact"] = c.body
		got, err := b.retrieve(b.connect(nil))
		if err != nil || len(got.Accounts) != 1 {
			t.Fatalf("%s: %+v, %v", c.body, got, err)
		}
		var people []string
		for _, o := range got.Owners {
			people = append(people, o.FullName()+" "+strings.Join(o.Emails, ","))
		}
		a := got.Accounts[0]
		if a.Owner != c.owner || a.Responsibility != c.responsibility || strings.Join(people, ";") != c.people {
			t.Errorf("%s: owner %q, %q, people %q", c.body, a.Owner, a.Responsibility, people)
		}
	}
}

// TestOptionalData checks that contact and numbers are optional, whatever the answer.
func TestOptionalData(t *testing.T) {
	for _, status := range []int{400, 403, 404, 405, 500, 501} {
		b := newFakeBank(t, false)
		b.setTransactions(movement("1", "2026-01-01", "1", "CREDIT"))
		for _, path := range []string{"contact", "payment-networks"} {
			b.answers["/fdx/v6/accounts/1/"+path] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		}
		got, err := b.retrieve(b.connect(nil))
		if err != nil || len(got.Failed) != 0 || len(got.Accounts) != 1 || len(got.Accounts[0].Transactions) != 1 {
			t.Errorf("%d: %+v, %v", status, got, err)
		}
	}
}

// TestAccountNumbers checks that masked numbers are not used as numbers, that tokens are marked, and that
// the last digits are those of the number, not of a token.
func TestAccountNumbers(t *testing.T) {
	const token = `{"bankId":"021000089","identifier":"9000412887301","identifierType":"TOKENIZED_ACCOUNT_NUMBER"}`
	for _, c := range []struct {
		members, networks   string
		number, routing     string
		institution, tokens bool
		mask                string
	}{
		{"", `{"bankId":"021000089","identifier":"000412887301","identifierType":"ACCOUNT_NUMBER"}`, "000412887301", "021000089", true, false,
			"7301"},
		{`"accountNumberDisplay":"****5521"`, token, "9000412887301", "021000089", false, true, "5521"},
		{`"accountNumberDisplay":5521`, token, "9000412887301", "021000089", false, true, "5521"},
		{`"accountNumberDisplay":"xx-XX 55 21"`, token, "9000412887301", "021000089", false, true, "5521"},
		{`"accountNumberDisplay":"***521"`, token, "9000412887301", "021000089", false, true, ""},
		{`"accountNumberDisplay":null`, token, "9000412887301", "021000089", false, true, ""},
		{`"accountNumberDisplay":"<b>5521</b>"`, token, "9000412887301", "021000089", false, true, ""},
		{`"accountNumber":"XXXXXX5521"`, token, "9000412887301", "021000089", false, true, "5521"},
		{`"accountNumber":"00045521","routingTransitNumber":"021000089"`, ``, "00045521", "021000089", false, false, "5521"},
		{`"accountNumber":"00045521","accountNumberDisplay":"*8888"`, ``, "00045521", "", true, true, "8888"},
		{`"accountNumberDisplay":"****5521"`, ``, "", "", false, false, "5521"},
		{`"accountNumberDisplay":"****9999"`, `{"bankId":"021000089","identifier":"00045521","identifierType":"ACCOUNT_NUMBER"}`, "00045521",
			"021000089", false, false, "5521"},
		{"", `{"bankId":"021000089","identifier":"0004 1288"}`, "00041288", "021000089", true, true, ""},
		{"", `{"bankId":21000089,"identifier":412887301}`, "412887301", "21000089", false, false, "7301"},
		{"", `{"bankId":"021000089","identifier":"XXXX7301"},{"bankId":"x","identifier":"000412887301"},null,{},3`, "", "", true, false, ""},
		{"", ``, "", "", true, false, ""},
	} {
		b := newFakeBank(t, false)
		b.setTransactions()
		if c.members != "" {
			b.bodies["accounts"] = strings.Replace(b.bodies["accounts"], `"accountId"`, c.members+`,"accountId"`, 1)
		}
		b.bodies["accounts/1/payment-networks"] = `{"paymentNetworks":[` + c.networks + `]}`
		got, err := b.retrieve(b.connect(func(in *Institution) { in.Tokenized = c.institution }))
		if err != nil || len(got.Accounts) != 1 {
			t.Fatalf("%s: %+v, %v", c.networks, got, err)
		}
		if a := got.Accounts[0]; a.Number != c.number || a.Routing != c.routing || a.Tokenized != c.tokens || a.Mask() != c.mask {
			t.Errorf("%s %s: %q at %q, tokenized %v, mask %q, want %q", c.members, c.networks, a.Number, a.Routing, a.Tokenized, a.Mask(), c.mask)
		}
	}
}

// TestStatements checks that the last statement up to today ends the last period, over all pages, and that an
// institution without statements gives the account without one.
func TestStatements(t *testing.T) {
	b := newFakeBank(t, false)
	b.setTransactions()
	last := func() *report.Date {
		t.Helper()
		got, err := b.retrieve(b.connect(nil))
		if err != nil || len(got.Accounts) != 1 || got.Failed != nil {
			t.Fatalf("%+v, %v", got, err)
		}
		return got.Accounts[0].StatementEnd
	}
	const path = "/fdx/v6/accounts/1/statements"
	for _, status := range []int{403, 404, 405, 501} {
		b.answers[path] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		if got := last(); got != nil {
			t.Errorf("after %d, the last statement is of %s", status, got)
		}
	}
	b.answers[path] = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("offset") == "" {
			_, _ = fmt.Fprint(w, `{"page":{"nextOffset":"2"},"statements":[{"statementId":"1","statementDate":"2025-12-31"},
				{"statementId":"4","statementDate":"2027-01-31"},{"statementId":"2","statementDate":3}]}`)
			return
		}
		_, _ = fmt.Fprint(w, `{"page":{},"statements":[{"statementId":"3","statementDate":"2026-02-28T00:00:00-05:00"}]}`)
	}
	if got := last(); got == nil || got.String() != "2026-02-28" {
		t.Errorf("the last statement is of %v", got)
	}
}

// TestDirections checks that the memo gives the direction, then the type, then a sign.
func TestDirections(t *testing.T) {
	for _, c := range []struct {
		members string
		want    report.Cents
		debit   bool
		ok      bool
	}{
		{`"amount":5,"debitCreditMemo":"DEBIT"`, -500, false, true},
		{`"amount":-5,"debitCreditMemo":"DEBIT"`, -500, false, true},
		{`"amount":5,"debitCreditMemo":"CREDIT"`, 500, false, true},
		{`"amount":-5,"debitCreditMemo":"credit"`, 500, false, true},
		{`"amount":0,"debitCreditMemo":"DEBIT"`, 0, true, true},
		{`"amount":5,"transactionType":"CHECK"`, -500, false, true},
		{`"amount":5,"transactionType":"DIRECTDEPOSIT"`, 500, false, true},
		{`"amount":5,"transactionType":"INTEREST","debitCreditMemo":null`, 500, false, true},
		{`"amount":-5,"transactionType":"TRANSFER"`, -500, false, true},
		{`"amount":-0.00`, 0, true, true},
		{`"amount":0`, 0, false, true},
		{`"amount":5,"transactionType":"TRANSFER"`, 0, false, false},
		{`"amount":5`, 0, false, false},
		{`"debitCreditMemo":"DEBIT"`, 0, false, false},
		{`"amount":"1.001","debitCreditMemo":"DEBIT"`, 0, false, false},
		{`"amount":1e400,"debitCreditMemo":"DEBIT"`, 0, false, false},
	} {
		b := newFakeBank(t, false)
		b.setTransactions(`{"transactionId":"1","postedTimestamp":"2026-01-01",` + c.members + `}`)
		got, err := b.retrieve(b.connect(nil))
		switch {
		case err != nil:
			t.Errorf("%s: %v", c.members, err)
		case !c.ok && (len(got.Failed) != 1 || got.Failed[0].Reason != sources.Rejected || len(got.Accounts) != 0):
			t.Errorf("%s: %+v, want the account rejected", c.members, got)
		case c.ok && (len(got.Accounts) != 1 || got.Accounts[0].Transactions[0].Amount != c.want ||
			got.Accounts[0].Transactions[0].Debit != c.debit):
			t.Errorf("%s: %+v, want %d", c.members, got, c.want)
		}
	}
}

// TestSigns checks that positive amounts without a direction count as money in only where the bank signs money
// out.
func TestSigns(t *testing.T) {
	for _, c := range []struct {
		amounts []string // with members
		want    []report.Cents
	}{
		{[]string{`1250.00`, `-20`, `-0.5`}, []report.Cents{125000, -2000, -50}},
		{[]string{`1250.00`, `"-20.00"`, `-4,"debitCreditMemo":"DEBIT"`, `4,"debitCreditMemo":"CREDIT"`},
			[]report.Cents{125000, -2000, -400, 400}},
		{[]string{`5,"transactionType":"TRANSFER"`, `-4,"debitCreditMemo":"DEBIT"`}, []report.Cents{500, -400}},
		{[]string{`0`, `-1`}, []report.Cents{0, -100}},
		{[]string{`5,"status":"PENDING"`, `4,"debitCreditMemo":"DEBIT"`}, []report.Cents{-400}}, // figures do not include it
		{[]string{`5`, `-3`, `4,"transactionType":"WITHDRAWAL"`}, nil},
		{[]string{`5`, `4`}, nil},
		{[]string{`5`, `4,"debitCreditMemo":"DEBIT"`}, nil},
		{[]string{`5`, `-3`, `4,"debitCreditMemo":"DEBIT"`}, nil},
	} {
		b := newFakeBank(t, false)
		var list []string
		for n, amount := range c.amounts {
			list = append(list, fmt.Sprintf(`{"transactionId":%d,"postedTimestamp":"2026-01-01","amount":%s}`, n, amount))
		}
		b.setTransactions(list...)
		got, err := b.retrieve(b.connect(nil))
		if err != nil {
			t.Fatal(err)
		}
		if c.want == nil {
			if len(got.Accounts) != 0 || len(got.Failed) != 1 || got.Failed[0].Reason != sources.Rejected {
				t.Errorf("%v: %+v, want the account rejected", c.amounts, got)
			}
			continue
		}
		var amounts []report.Cents
		for _, a := range got.Accounts {
			for _, tx := range a.Transactions {
				amounts = append(amounts, tx.Amount)
			}
		}
		if !slices.Equal(amounts, c.want) {
			t.Errorf("%v: %v, want %v, failed %+v", c.amounts, amounts, c.want, got.Failed)
		}
	}
}

// TestSignsOfPartialAccount checks the signs where an older period fails.
func TestSignsOfPartialAccount(t *testing.T) {
	for _, amounts := range []string{`"amount":5`, `"amount":5},{"transactionId":"2","postedTimestamp":"2026-03-01","amount":-4`} {
		b := newFakeBank(t, false)
		b.setTransactions()
		b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Query().Get("startTime") < "2026-01-01" {
				w.WriteHeader(400)
				return
			}
			fmt.Fprintf(w, `{"transactions":[{"transactionId":"1","postedTimestamp":"2026-03-01",%s}]}`, amounts)
		}
		want := sources.AccountFailure{ID: "1", Type: report.CashEquivalent, Reason: sources.Rejected}
		if strings.Contains(amounts, "-4") {
			want = sources.AccountFailure{ID: "1", Type: report.CashEquivalent, Partial: true, Reason: sources.Unsupported}
		}
		if got, err := b.retrieve(b.connect(nil)); err != nil || len(got.Failed) != 1 || got.Failed[0] != want ||
			len(got.Accounts) == 1 != want.Partial {
			t.Errorf("%s: %+v, %v, want %+v", amounts, got, err, want)
		}
	}
}

// TestWithoutTransactions checks each way of saying that an account has no transactions.
func TestWithoutTransactions(t *testing.T) {
	for _, c := range []struct {
		status int
		body   string
		failed []sources.AccountFailure
	}{
		{204, ``, nil},
		{200, `{}`, nil},
		{200, `{"transactions":null,"page":null,"links":null}`, nil},
		{200, `{"page":{"nextOffset":null,"totalElements":0},"links":{},"transactions":[]}`, nil},
		{404, `{"code":"601","message":"Data not found"}`, nil},
		{404, `{"code":801,"message":"Transaction not found"}`, nil},
		{404, `{"code":"1107"}`, nil},
		// It may also mean that the bank has no such resource.
		{404, ``, []sources.AccountFailure{{ID: "1", Type: report.CashEquivalent, Partial: true, Reason: sources.Unsupported}}},
		{404, `{"code":"701","message":"Account not found"}`,
			[]sources.AccountFailure{{ID: "1", Type: report.CashEquivalent, Reason: sources.Unsupported}}},
	} {
		b := newFakeBank(t, false)
		b.setTransactions()
		b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}
		got, err := b.retrieve(b.connect(nil))
		kept := c.failed == nil || c.failed[0].Partial
		if err != nil || len(got.Accounts) == 1 != kept || kept && (got.Accounts[0].Balance != 10000 || len(got.Accounts[0].Transactions) != 0) {
			t.Errorf("%d %s: %+v, %v", c.status, c.body, got.Accounts, err)
		}
		if diff := cmp.Diff(c.failed, got.Failed); diff != "" {
			t.Errorf("%d %s: %s", c.status, c.body, diff)
		}
	}
}

const (
	standardAccounts = `{"accounts":[{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"1","accountType":"CHECKING",
		"currency":{"currencyCode":"USD"},"currentBalance":100.5}]}`
	standardTransactions = `{"transactions":[{"accountCategory":"DEPOSIT_ACCOUNT","transactionId":"7","postedTimestamp":"2026-01-02",
		"amount":1.25,"debitCreditMemo":"DEBIT","status":"POSTED","description":"D"}]}`
)

func zipped(s string) string {
	var out strings.Builder
	z := gzip.NewWriter(&out)
	_, _ = z.Write([]byte(s))
	_ = z.Close()
	return out.String()
}

// otherForms are other forms of the standard answers, as banks send them.
var otherForms = map[string]struct{ accounts, transactions string }{
	"as in the standard": {standardAccounts, standardTransactions},
	"a byte order mark":  {"\ufeff" + standardAccounts, "\ufeff" + standardTransactions},
	"gzip":               {zipped(standardAccounts), zipped(standardTransactions)},
	"chunks":             {standardAccounts, standardTransactions},
	"206":                {standardAccounts, standardTransactions},
	"capitals": {`{"Accounts":[{"AccountCategory":"DEPOSIT_ACCOUNT","AccountId":"1","AccountType":"CHECKING",
		"Currency":{"CurrencyCode":"USD"},"CurrentBalance":100.5}],"Page":{"NextOffset":"end"}}`,
		`{"Transactions":[{"TransactionId":"7","PostedTimestamp":"2026-01-02","Amount":1.25,"DebitCreditMemo":"DEBIT","Status":"POSTED",
		"Description":"D"}]}`},
	"markup": {standardAccounts, strings.Replace(standardTransactions, `"D"`, `"<b onclick=\"x\">D</b>"`, 1)},
	"unknown members and values": {`{"page":{"totalElements":1,"x":[]},"accounts":[{"x":{"y":[1,null]},"accountId":"1","currency":"usd",
		"accountCategory":"DEPOSIT_ACCOUNT","accountType":"CHECKING","status":"NEW","balanceType":"X","currentBalance":100.50,
		"fiAttributes":[{"name":"a"}]}]}`,
		`{"transactions":[{"transactionId":"7","postedTimestamp":"2026-01-02T00:00:00.000Z","amount":1.25,"debitCreditMemo":"debit",
		"status":"Posted","transactionType":"NEW_TYPE","category":{},"subCategory":5,"description":"D","labels":[null]}]}`},
	"nulls": {`{"links":null,"page":null,"accounts":[null,{"depositAccount":null,"loanAccount":null,"accountId":"1","nickname":null,
		"accountCategory":"DEPOSIT_ACCOUNT","accountType":"CHECKING","currency":{"currencyCode":null},"balanceAsOf":null,
		"currentBalance":100.5,"availableBalance":null}]}`,
		`{"links":null,"page":null,"transactions":[null,{"depositTransaction":null,"transactionId":"7","postedTimestamp":null,
		"payee":null,"memo":null,"transactionTimestamp":"2026-01-02T23:59:59","amount":1.25,"debitCreditMemo":"DEBIT",
		"status":"POSTED","description":"D"}]}`},
	"numbers as texts, and texts as numbers": {`{"accounts":[{"depositAccount":{"accountId":1,"accountType":"Checking",
		"currentBalance":"100.50"}}]}`,
		`{"transactions":[{"depositTransaction":{"transactionId":7,"postedTimestamp":"2026-01-02T10:00:00-0500","amount":"1.25",
		"debitCreditMemo":"Debit","description":"D"}}]}`},
	"version 5 in version 6": {`{"accounts":[{"depositAccount":{"accountId":"1","accountType":"checking","currentBalance":100.5}}]}`,
		standardTransactions},
	"version 6 in version 5": {standardAccounts, `{"transactions":[{"depositTransaction":{"transactionId":"7","amount":125e-2,
		"postedTimestamp":"2026-01-02+00:00","debitCreditMemo":"DEBIT","description":"D"}}]}`},
	"floating point": {strings.Replace(standardAccounts, "100.5", "100.50000000000001", 1),
		strings.Replace(standardTransactions, "1.25", "-1.2499999999999998", 1)},
	"repeated members": {strings.Replace(standardAccounts, `"accountId":"1"`, `"accountId":"2","accountId":"1"`, 1),
		strings.Replace(standardTransactions, `"amount":1.25`, `"amount":9,"amount":1.25`, 1)},
	"an empty last page": {strings.Replace(standardAccounts, `{"acc`, `{"page":{"nextOffset":"end"},"acc`, 1), standardTransactions},
	"an offset and a useless link": {standardAccounts, strings.Replace(standardTransactions, `{"tr`,
		`{"page":{"nextOffset":500},"links":{"next":{"href":"http://10.0.0.1:8080/internal"}},"tr`, 1)},
}

// serve answers in the way of a bank that sends compressed bodies, parts of a body, or status 206.
func (b *fakeBank) serve(path, form, body string) {
	b.answers["/fdx/v6/"+path] = func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Query().Has("offset"):
			fmt.Fprint(w, `{}`)
			return
		case form == "gzip":
			if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				b.t.Error("gzip is not accepted")
			}
			w.Header().Set("Content-Encoding", "gzip")
		case form == "206":
			w.WriteHeader(http.StatusPartialContent)
		case form == "chunks":
			fmt.Fprint(w, body[:len(body)/2])
			w.(http.Flusher).Flush()
			fmt.Fprint(w, body[len(body)/2:])
			return
		}
		fmt.Fprint(w, body)
	}
}

// TestForms checks other forms of the same answers.
func TestForms(t *testing.T) {
	want := []bankdata.Account{{ID: "1", Institution: "Fake Bank", Type: report.CashEquivalent, Subtype: report.Checking, Currency: "USD",
		Balance: 10050, Transactions: []bankdata.Transaction{{ID: "7", Posted: date("2026-01-02"), Amount: -125, Description: "D"}}}}
	for name, form := range otherForms {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			b.serve("accounts", name, form.accounts)
			b.serve("accounts/1/transactions", name, form.transactions)
			got, err := b.retrieve(b.connect(nil))
			if diff := cmp.Diff(want, got.Accounts); diff != "" || err != nil || len(got.Failed) > 0 {
				t.Errorf("%v, %+v: %s", err, got.Failed, diff)
			}
		})
	}
}

// TestLinkBehindProxy checks that a link with the scheme http to the same host is followed by https.
func TestLinkBehindProxy(t *testing.T) {
	b := newFakeBank(t, true)
	f := &fetch{bank: b.connect(nil).banks["fake"]}
	for link, want := range map[string]string{
		strings.Replace(b.URL, "https", "http", 1) + "/fdx/v6/accounts?offset=2": b.URL + "/fdx/v6/accounts?offset=2",
		"/accounts/a%2Fb/transactions?x=1":                                       b.URL + "/fdx/v6/accounts/a%2Fb/transactions?x=1",
		"accounts/1/transactions?x=1":                                            b.URL + "/fdx/v6/accounts/1/transactions?x=1",
		"accounts?x=1":                                                           b.URL + "/fdx/v6/accounts?x=1",
		"transactions?x=1":                                                       b.URL + "/fdx/v6/accounts/1/transactions?x=1",
		"http://evil.example/fdx/v6/accounts":                                    "",
		"https://127.0.0.1.evil.example/":                                        "",
		"//evil.example/accounts":                                                "",
		"https://user@" + strings.TrimPrefix(b.URL, "https://") + "/x":           "",
		"\x00": "",
	} {
		got, err := f.follow(link, b.URL+"/fdx/v6/accounts/1/transactions?limit=500")
		if got != want || want == "" && sources.ReasonOf(err) != sources.Rejected {
			t.Errorf("follow(%q) = %q, %v, want %q", link, got, err, want)
		}
	}
	f.in.BaseURL = b.URL + "/accounts/v6"
	for link, want := range map[string]string{"/accounts/v6/accounts?x=1": "/accounts/v6/accounts?x=1",
		"/accounts?x=1": "/accounts/v6/accounts?x=1"} {
		if got, err := f.follow(link, b.URL+"/accounts/v6/accounts"); got != b.URL+want || err != nil {
			t.Errorf("follow(%q) = %q, %v, want %q", link, got, err, want)
		}
	}
}

// TestStatusesAndDates checks which transactions count, and on which day.
func TestStatusesAndDates(t *testing.T) {
	b := newFakeBank(t, false)
	amount := `"amount":1,"debitCreditMemo":"CREDIT","transactionId":`
	b.setTransactions(
		`{`+amount+`"1","status":"POSTED","transactionTimestamp":"2026-01-02T00:00:00Z"}`,
		`{`+amount+`"2","postedTimestamp":"2026-01-03"}`,
		`{`+amount+`"3","transactionTimestamp":"2026-01-04"}`,
		`{`+amount+`"4","status":"AUTHORIZATION","postedTimestamp":"2026-01-05"}`,
		`{`+amount+`"5","status":"CANCELLED","postedTimestamp":"2026-01-06"}`,
		`{`+amount+`"11","status":"Booked","postedTimestamp":"2026-01-06"}`,
		`{`+amount+`"12","status":"STATUS_2","postedTimestamp":"2026-01-06"}`,
		`{`+amount+`"13","status":"STATUS_2","transactionTimestamp":"2026-01-06"}`,
		`{`+amount+`"6","status":"PENDING"}`,
		`{`+amount+`"7","status":"PENDING","transactionTimestamp":"2027-01-01"}`,
		`{`+amount+`"8","status":"POSTED","postedTimestamp":"2026-03-11"}`,
		`{`+amount+`"9","status":"POSTED","postedTimestamp":"2020-03-11"}`,
		`{"transactionId":"10","amount":1,"debitCreditMemo":"MEMO","status":"POSTED","postedTimestamp":"2026-01-08"}`,
		`{`+amount+`"","status":"POSTED","postedTimestamp":"2026-01-07","description":"D"}`,
		`{`+amount+`"","status":"POSTED","postedTimestamp":"2026-01-07","description":"D"}`,
	)
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 1 {
		t.Fatal(err, got)
	}
	var list []string
	for _, tx := range got.Accounts[0].Transactions {
		list = append(list, fmt.Sprintf("%s %s %v", tx.ID, tx.Posted, tx.Pending))
	}
	want := []string{"1 2026-01-02 false", "2 2026-01-03 false", "3 2026-01-04 true", "4 2026-01-05 true",
		"11 2026-01-06 false", "12 2026-01-06 false", "13 2026-01-06 true",
		"2026-01-07 1.00 D 1 2026-01-07 false", "2026-01-07 1.00 D 2 2026-01-07 false"}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Error(diff)
	}
}

// TestPaging checks each form of reference to the next page.
func TestPaging(t *testing.T) {
	const pages = 3
	for name, next := range map[string]func(b *fakeBank, page int, w http.ResponseWriter) string{
		"nextOffset": func(_ *fakeBank, n int, _ http.ResponseWriter) string {
			return fmt.Sprintf(`"page":{"nextOffset":"%d"},`, n)
		},
		"a number": func(_ *fakeBank, n int, _ http.ResponseWriter) string {
			return fmt.Sprintf(`"page":{"nextOffset":%d},`, n)
		},
		"an opaque text": func(_ *fakeBank, n int, _ http.ResponseWriter) string {
			return fmt.Sprintf(`"page":{"nextOffset":"p&%d"},`, n)
		},
		"nextPageKey": func(_ *fakeBank, n int, _ http.ResponseWriter) string {
			return fmt.Sprintf(`"page":{"nextPageKey":"%d"},`, n)
		},
		"link": func(b *fakeBank, n int, _ http.ResponseWriter) string {
			return nextLink(b.URL+"/fdx/v6/accounts?x=%d", n)
		},
		"link from root": func(_ *fakeBank, n int, _ http.ResponseWriter) string { return nextLink("/fdx/v6/accounts?x=%d", n) },
		"link from base": func(_ *fakeBank, n int, _ http.ResponseWriter) string { return nextLink("/accounts?x=%d", n) },
		"link's query":   func(_ *fakeBank, n int, _ http.ResponseWriter) string { return nextLink("?x=%d", n) },
		"link as a text": func(_ *fakeBank, n int, _ http.ResponseWriter) string {
			return fmt.Sprintf(`"links":{"next":"?x=%d"},`, n)
		},
		"a list of links": func(_ *fakeBank, n int, _ http.ResponseWriter) string {
			return fmt.Sprintf(`"links":[{"rel":"self","href":"?"},{"rel":"next","href":"?x=%d"}],`, n)
		},
		"header": func(_ *fakeBank, n int, w http.ResponseWriter) string {
			w.Header().Set("Link", fmt.Sprintf(`<?x=0>; rel="self", <?x=%d>; rel="next"`, n))
			return ""
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			page := 0
			b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, _ *http.Request) {
				page++
				more := ""
				if page < pages {
					more = next(b, page, w)
				}
				fmt.Fprintf(w, `{%s"accounts":[{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"%d","currentBalance":1}]}`, more, page)
			}
			for n := range pages {
				b.bodies["accounts/"+strconv.Itoa(n+1)+"/transactions"] = `{"transactions":[]}`
			}
			got, err := b.retrieve(b.connect(nil))
			if err != nil || len(got.Accounts) != pages {
				t.Errorf("%d accounts, %v", len(got.Accounts), err)
			}
		})
	}
}

// TestEmptyPages checks that pages without elements neither end a list nor make it endless.
func TestEmptyPages(t *testing.T) {
	for name, c := range map[string]struct {
		pages    []int // elements of each; the last one is repeated
		next     string
		accounts int
		requests int
		rejected bool
	}{
		"between others":        {[]int{1, 0, 0, 1}, `{"nextPageKey":"%d"}`, 2, 5, false},
		"without end":           {[]int{1, 0}, `{"nextPageKey":"%d"}`, 1, 4, false},
		"with growing offsets":  {[]int{1, 0}, `{"nextOffset":%d}`, 1, 4, false},
		"of the same offset":    {[]int{1, 0}, `{"nextOffset":1}`, 1, 2, false},
		"that are all":          {[]int{0}, `{"nextOffset":0}`, 0, 1, false},
		"beside a negative one": {[]int{1, 1}, `{"nextOffset":-1}`, 0, 1, true},
		"and one that is not":   {[]int{1, 1}, `{"nextOffset":1}`, 0, 2, true},
	} {
		b := newFakeBank(t, false)
		requests, listed := 0, 0
		b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, _ *http.Request) {
			n := c.pages[min(requests, len(c.pages)-1)]
			requests++
			page := c.next
			if strings.Contains(page, "%d") {
				page = fmt.Sprintf(page, requests)
			}
			if name == "between others" && requests > len(c.pages) {
				n, page = 0, `{}`
			}
			account := ""
			if n > 0 {
				listed++
				account = fmt.Sprintf(`{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"%d","currentBalance":1}`, listed)
			}
			fmt.Fprintf(w, `{"page":%s,"accounts":[%s]}`, page, account)
		}
		for id := range 3 {
			b.bodies["accounts/"+strconv.Itoa(id)+"/transactions"] = `{}`
		}
		got, err := b.retrieve(b.connect(nil))
		if len(got.Accounts) != c.accounts || requests != c.requests || (err != nil) != c.rejected {
			t.Errorf("%s: %d accounts in %d requests, %v, want %d in %d", name, len(got.Accounts), requests, err, c.accounts, c.requests)
		}
	}
}

// TestHTTP2 checks that a bank with HTTP/2 is reached by it.
func TestHTTP2(t *testing.T) {
	b := newFakeBank(t, true)
	b.setTransactions(movement("1", "2026-01-01", "1", "CREDIT"))
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 1 || b.seen[0].ProtoMajor != 2 {
		t.Errorf("by %s: %+v, %v", b.seen[0].Proto, got, err)
	}
}

func nextLink(format string, n int) string {
	return fmt.Sprintf(`"links":{"next":{"href":"`+format+`"}},`, n)
}

// limitedHistory answers requests for transactions of at most a number of days.
func (b *fakeBank) limitedHistory(maxDays int, oldest report.Date, format string) {
	unlimited := maxDays < 0
	maxDays = max(maxDays, -maxDays)
	b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, r *http.Request) {
		from, err1 := time.Parse(format, r.URL.Query().Get("startTime"))
		to, err2 := time.Parse(format, r.URL.Query().Get("endTime"))
		if err1 != nil || err2 != nil || to.Sub(from) > time.Duration(maxDays)*24*time.Hour ||
			unlimited && r.URL.Query().Has("limit") {
			writeJSON(w, 400, map[string]any{"code": "704"})
			return
		}
		if from.Before(oldest.Time) {
			w.WriteHeader(404)
			return
		}
		var list []string
		for day := from.Truncate(24 * time.Hour); !day.After(to); day = day.AddDate(0, 0, 1) {
			list = append(list, movement(day.Format("20060102"), day.Format(time.DateOnly), "1", "CREDIT"))
		}
		fmt.Fprintf(w, `{"transactions":[%s]}`, strings.Join(list, ","))
	}
}

// TestWindows checks that a limited window still gives every day once.
func TestWindows(t *testing.T) {
	for _, c := range []struct {
		days   int
		oldest string
		format string
		want   int
		failed []sources.AccountFailure
	}{
		{1000, "2024-01-01", time.DateOnly, 731, nil},
		{400, "2024-01-01", time.DateOnly, 731, nil},
		{90, "2024-01-01", time.DateOnly, 731, nil},
		{31, "2024-01-01", time.RFC3339, 731, nil},
		{-400, "2024-01-01", time.DateOnly, 731, nil}, // no limit of pages is accepted
		{1000, "2024-01-01", time.RFC3339, 731, nil},
		{182, "2025-03-11", time.DateOnly, 365,
			[]sources.AccountFailure{{ID: "1", Type: report.CashEquivalent, Partial: true, Reason: sources.Unsupported}}},
		{1000, "2026-01-01", time.DateOnly, 69,
			[]sources.AccountFailure{{ID: "1", Type: report.CashEquivalent, Partial: true, Reason: sources.Unsupported}}},
		{7, "2024-01-01", time.DateOnly, 0, []sources.AccountFailure{{ID: "1", Type: report.CashEquivalent, Reason: sources.Unsupported}}},
	} {
		b := newFakeBank(t, false)
		b.setTransactions()
		b.limitedHistory(c.days, date(c.oldest), c.format)
		got, err := b.retrieve(b.connect(nil))
		if err != nil {
			t.Fatal(err)
		}
		n, days := 0, map[report.Date]bool{}
		for _, a := range got.Accounts {
			for _, tx := range a.Transactions {
				n++
				days[tx.Posted] = true
			}
		}
		// A window in part before the oldest day is refused whole.
		if c.failed != nil && c.want > 0 {
			if n == 0 || n > c.want || !days[date("2026-03-10")] {
				t.Errorf("%+v: %d transactions", c, n)
			}
		} else if n != c.want || len(days) != c.want {
			t.Errorf("%+v: %d transactions on %d days", c, n, len(days))
		}
		if diff := cmp.Diff(c.failed, got.Failed); diff != "" {
			t.Errorf("%+v: %s", c, diff)
		}
	}
}

// TestLastDay checks that an institution whose day is behind gives the days before.
func TestLastDay(t *testing.T) {
	b := newFakeBank(t, false)
	b.setTransactions()
	b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, r *http.Request) {
		if end := r.URL.Query().Get("endTime"); end[:10] > "2026-03-09" {
			w.WriteHeader(400)
			return
		}
		fmt.Fprintf(w, `{"transactions":[%s]}`, movement("1", "2026-03-09", "1", "DEBIT"))
	}
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Failed) != 0 || len(got.Accounts) != 1 || len(got.Accounts[0].Transactions) != 1 {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestFailures checks the reason of each answer of the API.
func TestFailures(t *testing.T) {
	for status, want := range map[int]sources.Reason{400: sources.Misused, 401: sources.Unauthorized, 403: sources.Ended,
		404: sources.Unsupported, 429: sources.Unresponsive, 500: sources.Unresponsive, 501: sources.Unsupported,
		503: sources.Unresponsive, 302: sources.Rejected} {
		b := newFakeBank(t, false)
		b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }
		if _, err := b.retrieve(b.connect(nil)); sources.ReasonOf(err) != want || err == nil {
			t.Errorf("%d: %v, want %s", status, err, want)
		}
		if n := len(b.seen); want == sources.Unresponsive && n != rest.Attempts || want != sources.Unresponsive && n != 1 {
			t.Errorf("%d: %d requests", status, n)
		}
	}
	for _, c := range []struct {
		status int
		header string // WWW-Authenticate
		body   string
		want   sources.Reason
	}{
		{401, "", `{"code":"602","message":"Customer not authorized"}`, sources.Unauthorized},
		{401, `Bearer error="invalid_token"`, ``, sources.Unauthorized},
		{401, `Bearer error="insufficient_user_authentication", acr_values="urn:mfa"`, `{"code":"602"}`, sources.Challenged},
		{403, "", `{"code":602,"message":"Customer not authorized","debugMessage":"consent revoked"}`, sources.Ended},
		{403, `Bearer error="insufficient_scope", scope="x"`, `{"code":602}`, sources.Unsupported},
		{400, "", `{"code":"703","message":"Invalid input"}`, sources.Misused},
		{404, "", `{"code":"701","message":"Account not found"}`, sources.Unsupported},
		{404, "", `{"code":601}`, sources.Unsupported},
		{409, "", `{"code":705}`, sources.Unsupported},
		{410, "", ``, sources.Unsupported},
		{400, "", `{"code":"501","message":"Subsystem unavailable"}`, sources.Unresponsive},
		{501, "", `{"code":"501","message":"Subsystem unavailable"}`, sources.Unresponsive},
		{501, "", `<html>Not implemented</html>`, sources.Unsupported},
		{500, "", `{"code":"500"}`, sources.Unresponsive},
		{503, "", `{"code":"503","message":"Scheduled maintenance"}`, sources.Unresponsive},
		{429, "", `{"code":"1207"}`, sources.Unresponsive},
		{404, "", `{"code":"jane@mail.example"}`, sources.Unsupported},
		{404, "", `{"code":{"a":1}}`, sources.Unsupported},
		{200, "", `{"code":"500","message":"Internal server error"}`, sources.Rejected},
	} {
		b := newFakeBank(t, false)
		b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("WWW-Authenticate", c.header)
			w.WriteHeader(c.status)
			fmt.Fprint(w, c.body)
		}
		if _, err := b.retrieve(b.connect(nil)); sources.ReasonOf(err) != c.want || err == nil || strings.Contains(err.Error(), "jane") {
			t.Errorf("%d %s %s: %v, want %s", c.status, c.header, c.body, err, c.want)
		}
	}
	b := newFakeBank(t, false)
	c := b.connect(nil)
	ended := grant
	ended.Until = fakeNow
	if _, err := c.Fetch(t.Context(), "fake", ended, date("2026-01-01"), date("2026-03-10")); sources.ReasonOf(err) != sources.Ended {
		t.Errorf("an ended consent: %v", err)
	}
	b.bodies["accounts"] = `{"accounts":[]}`
	if got, err := b.retrieve(c); err != nil || len(got.Accounts)+len(got.Failed)+len(got.Owners) != 0 {
		t.Errorf("no accounts: %+v, %v", got, err)
	}
	b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }
	if got, err := b.retrieve(c); err != nil || len(got.Accounts) != 0 {
		t.Errorf("no content: %+v, %v", got, err)
	}
	b.Close()
	if _, err := b.retrieve(c); sources.ReasonOf(err) != sources.Unresponsive || strings.Contains(err.Error(), b.URL) {
		t.Errorf("a closed bank: %v", err)
	}
}

// TestOneAccountFails checks that the other accounts are returned.
func TestOneAccountFails(t *testing.T) {
	for status, want := range map[int]sources.Reason{401: sources.Unauthorized, 403: sources.Unsupported, 404: sources.Unsupported,
		503: sources.Unresponsive} {
		b := newFakeBank(t, false)
		b.bodies["accounts"] = `{"accounts":[{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"1","currentBalance":1},
			{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"2","currentBalance":2},
			{"accountCategory":"LOC_ACCOUNT","accountId":"3","currentBalance":3}]}`
		b.bodies["accounts/2/transactions"] = `{"transactions":[` + movement("1", "2026-01-01", "1", "CREDIT") + `]}`
		for _, id := range []string{"1", "3"} {
			b.answers["/fdx/v6/accounts/"+id+"/transactions"] = func(w http.ResponseWriter, _ *http.Request) {
				writeJSON(w, status, map[string]any{"code": 701})
			}
		}
		got, err := b.retrieve(b.connect(nil))
		if err != nil || len(got.Accounts) != 2 || got.Accounts[0].ID != "2" || got.Accounts[1].ID != "3" {
			t.Errorf("%d: %+v, %v", status, got.Accounts, err)
		}
		if diff := cmp.Diff([]sources.AccountFailure{{ID: "1", Type: report.CashEquivalent, Reason: want},
			{ID: "3", Type: report.Debt, Partial: true, Reason: want}}, got.Failed); diff != "" {
			t.Errorf("%d: %s", status, diff)
		}
	}
}

// TestAmbiguousAccounts checks that an account of another kind than deposits fails alone if its id is empty, not
// usable, or another account's.
func TestAmbiguousAccounts(t *testing.T) {
	const used, credit = `{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"1","currentBalance":1}`,
		`{"accountCategory":"LOC_ACCOUNT","accountId":"3","currentBalance":3}`
	for name, c := range map[string]struct {
		others []string
		failed []sources.AccountFailure // nil: the list is refused
	}{
		"no id": {[]string{`{"accountCategory":"INVESTMENT_ACCOUNT","currentValue":2}`},
			[]sources.AccountFailure{{Type: report.Investment, Reason: sources.Rejected}}},
		"an id that is a path": {[]string{`{"investmentAccount":{"accountId":"..","currentValue":2}}`},
			[]sources.AccountFailure{{ID: "..", Type: report.Investment, Reason: sources.Rejected}}},
		"two of one id": {[]string{`{"accountCategory":"INVESTMENT_ACCOUNT","accountId":"2","currentValue":2}`,
			`{"accountCategory":"INVESTMENT_ACCOUNT","accountId":"2","currentValue":3}`},
			[]sources.AccountFailure{{ID: "2", Type: report.Investment, Reason: sources.Rejected},
				{ID: "2", Type: report.Investment, Reason: sources.Rejected}}},
		"the same twice":     {[]string{credit, credit}, []sources.AccountFailure{}},
		"insurance":          {[]string{`{"insuranceAccount":{"accountType":"LIFE"}}`}, []sources.AccountFailure{{Reason: sources.Unsupported}}},
		"the id of deposits": {[]string{`{"accountCategory":"INVESTMENT_ACCOUNT","accountId":"1","currentValue":2}`}, nil},
		"deposits":           {[]string{`{"accountCategory":"DEPOSIT_ACCOUNT","currentBalance":2}`}, nil},
		"an unknown kind":    {[]string{`{"currentBalance":2}`}, nil},
	} {
		b := newFakeBank(t, false)
		b.setTransactions(movement("1", "2026-01-01", "1", "CREDIT"))
		for _, first := range []bool{true, false} {
			all := append([]string{used}, c.others...)
			if !first {
				slices.Reverse(all)
			}
			b.bodies["accounts"] = `{"accounts":[` + strings.Join(all, ",") + `]}`
			got, err := b.retrieve(b.connect(nil))
			if c.failed == nil {
				if sources.ReasonOf(err) != sources.Rejected {
					t.Errorf("%s: %+v, %v, want the list refused", name, got, err)
				}
				continue
			}
			if err != nil || !slices.ContainsFunc(got.Accounts, func(a bankdata.Account) bool { return a.ID == "1" }) {
				t.Errorf("%s: %+v, %v", name, got.Accounts, err)
			}
			want := c.failed
			if slices.Contains(c.others, credit) {
				want = []sources.AccountFailure{{ID: "3", Type: report.Debt, Partial: true, Reason: sources.Unsupported}}
			}
			if diff := cmp.Diff(want, got.Failed); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}

// TestAccessEndsDuringFetch checks that access that ends after the list of accounts fails as a whole,
// so that it is renewed.
func TestAccessEndsDuringFetch(t *testing.T) {
	b := newFakeBank(t, false)
	b.setTransactions()
	b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(401) }
	if got, err := b.retrieve(b.connect(nil)); err == nil || sources.ReasonOf(err) != sources.Unauthorized {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestConnectionReuse counts the connections of one fetch.
func TestConnectionReuse(t *testing.T) {
	b := newFakeBank(t, false)
	b.setTransactions(movement("1", "2026-01-01", "1", "CREDIT"))
	b.answers["/fdx/v6/accounts/1/contact"] = func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, `{"holders":[]}`)
		w.(http.Flusher).Flush() // the body ends here
	}
	_, err := b.retrieve(b.connect(nil))
	from := map[string]bool{}
	for _, r := range b.seen {
		from[r.RemoteAddr] = true
	}
	if err != nil || len(b.seen) < 4 || len(from) != 1 {
		t.Errorf("%d requests by %d connections, %v", len(b.seen), len(from), err)
	}
}

// TestRetries checks which requests are repeated, and after which pause.
func TestRetries(t *testing.T) {
	b := newFakeBank(t, false)
	b.setTransactions(movement("1", "2026-01-01", "1", "CREDIT"))
	n := 0
	b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, _ *http.Request) {
		switch n++; n {
		case 1:
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
		case 2: // an answer that breaks off
			w.Header().Set("Content-Length", "1000")
			fmt.Fprint(w, `{"transactions":[`, movement("0", "2026-01-01", "1", "CREDIT"), ",")
		case 3:
			w.Header().Set("Retry-After", fakeNow.Add(9*time.Second).Format(http.TimeFormat))
			w.WriteHeader(503)
		default:
			fmt.Fprintf(w, `{"transactions":[%s]}`, movement("1", "2026-01-01", "1", "CREDIT"))
		}
	}
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 1 || len(got.Accounts[0].Transactions) != 1 || got.Accounts[0].Transactions[0].ID != "1" {
		t.Fatalf("%+v, %v", got, err)
	}
	if len(b.slept) != 3 || b.slept[0] != 7*time.Second || b.slept[1] < rest.FirstPause || b.slept[1] > 4*rest.FirstPause ||
		b.slept[2] != 9*time.Second {
		t.Errorf("slept %v", b.slept)
	}
	b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(503)
	}
	b.slept, b.seen = nil, nil
	if _, err := b.retrieve(b.connect(nil)); sources.ReasonOf(err) != sources.Unresponsive || len(b.slept) != 0 || len(b.seen) != 1 {
		t.Errorf("%v after %v", err, b.slept)
	}
}

// TestDuplicates checks that repeated transactions of two windows or pages are merged.
func TestDuplicates(t *testing.T) {
	b := newFakeBank(t, false)
	b.setTransactions(`{"transactionId":"1","transactionTimestamp":"2026-01-01","amount":1,"debitCreditMemo":"DEBIT","status":"PENDING"}`,
		movement("1", "2026-01-02", "1", "DEBIT"), movement("1", "2026-01-02", "1", "DEBIT"), movement("2", "2026-01-02", "1", "DEBIT"))
	got, err := b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 1 || len(got.Accounts[0].Transactions) != 2 || got.Accounts[0].Transactions[0].Pending {
		t.Errorf("%+v, %v", got, err)
	}
	b.setTransactions(movement("1", "2026-01-02", "1", "DEBIT"), movement("1", "2026-01-02", "2", "DEBIT"))
	got, err = b.retrieve(b.connect(nil))
	if err != nil || len(got.Accounts) != 0 || len(got.Failed) != 1 || got.Failed[0].Reason != sources.Rejected {
		t.Errorf("two transactions of one id: %+v, %v", got, err)
	}
}

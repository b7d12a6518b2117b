package provider_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/sandbox/banks"
	"vestibule/internal/report"
)

// bankAccount is an account of the list.
type bankAccount struct {
	ID          string  `json:"account_id"`
	Institution string  `json:"institution_name"`
	Truncated   *string `json:"truncated_account_number"`
	Owner       string  `json:"owner_full_name"`
	Name        string  `json:"account_name"`
	Type        string  `json:"account_type"`
	Subtype     string  `json:"account_subtype"`
	Opened      *string `json:"date_opened"`
	Routing     *string `json:"routing_number"`
	Number      *string `json:"full_account_number"`
	Kind        *string `json:"account_number_type"`
}

func consumerPath(consumer string) string { return "/connect/consumers/" + consumer + "/bank-accounts" }

func achPath(consumer, account string) string {
	return consumerPath(consumer) + "/" + account + "/ach-details"
}

// bankAccounts lists the accounts of a consumer.
func (b *testServer) bankAccounts(consumer string) []bankAccount {
	b.t.Helper()
	a := b.get(consumerPath(consumer), b.basic())
	b.want("list", a, 200, "")
	var body struct{ Accounts []bankAccount }
	if err := json.Unmarshal(a.raw, &body); err != nil || body.Accounts == nil {
		b.t.Fatalf("list: %s (%v)", a.raw, err)
	}
	return body.Accounts
}

// consumer creates a consumer.
func (b *testServer) consumer() string {
	b.t.Helper()
	a := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": applicant})
	b.want("consumer", a, 201, "")
	return a.text("consumerId")
}

// consumerVisit completes a visit of a consumer to a bank and returns the publicToken and the
// accounts' ids.
func (b *testServer) consumerVisit(consumer, username, bank string) (string, []string) {
	b.t.Helper()
	begun := b.post("/connect/initialization", b.basic(),
		map[string]any{"productId": b.seed.Products[contract.Cashflow], "consumerId": consumer})
	b.want("initialization", begun, 200, "")
	token := b.complete(begun.text("token"), map[string]any{"username": username, "bank": bank}).text("publicToken")
	r := b.report(b.named(token))
	var ids []string
	for _, a := range r.AccountDetails {
		ids = append(ids, a.AccountID)
	}
	return token, ids
}

func (b *testServer) reportACH(publicToken, account string) answer {
	b.t.Helper()
	return b.get("/connect/bank-accounts/"+account+"/ach-details", b.named(publicToken))
}

const (
	ordinaryBank   = "Amber Coast Bank"
	tokenizingBank = "Amber Glen Bank"
)

func TestConsumerBankAccounts(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		consumer := b.consumer()
		if all := b.bankAccounts(consumer); len(all) != 0 {
			t.Errorf("before any visit: %v", all)
		}
		first, ids := b.consumerVisit(consumer, "multi", ordinaryBank)
		all := b.bankAccounts(consumer)
		var listed []string
		for _, a := range all {
			listed = append(listed, a.ID)
			if a.Institution != ordinaryBank || a.Type != "CASH_EQUIVALENT" || a.Subtype == "" || a.Owner == "" || a.Name == "" || a.Opened == nil ||
				len(report.Text(a.Truncated)) != 4 || a.Routing != nil || a.Number != nil || a.Kind != nil {
				t.Errorf("listed %+v, want no numbers yet", a)
			}
		}
		// Neither has the profile's investment account.
		if slices.Sort(listed); len(ids) == 0 || !slices.Equal(listed, slices.Sorted(slices.Values(ids))) {
			t.Errorf("listed %q, the report has %q", listed, ids)
		}

		ach := b.get(achPath(consumer, all[0].ID), b.basic())
		b.want("ACH details", ach, 200, "")
		number := ach.text("full_account_number")
		if !strings.HasSuffix(number, *all[0].Truncated) || len(number) < 5 ||
			len(ach.text("routing_number")) != 9 || ach.text("account_number_type") != "AN" {
			t.Errorf("answered %s", ach.raw)
		}
		if ach.header.Get("Cache-Control") != "no-store" {
			t.Error("numbers may not be cached")
		}
		if strings.Contains(b.log.String(), number) {
			t.Error("the log has the account number")
		}
		if a := b.reportACH(first, all[0].ID); string(a.raw) != string(ach.raw) {
			t.Errorf("by the report: %s, by the consumer %s", a.raw, ach.raw)
		}
		for i, a := range b.bankAccounts(consumer) {
			if i > 0 {
				if a.Number != nil || a.Routing != nil || a.Kind != nil {
					t.Errorf("numbers that were not requested: %+v", a)
				}
				continue
			}
			if report.Text(a.Number) != number || report.Text(a.Routing) != ach.text("routing_number") || report.Text(a.Kind) != "AN" {
				t.Errorf("retrieved, and listed as %+v", a)
			}
		}

		// A second report of the same accounts, and one of another bank.
		second, again := b.consumerVisit(consumer, "multi", ordinaryBank)
		if got := b.bankAccounts(consumer); len(got) != len(all) || got[0].ID != all[0].ID || report.Text(got[0].Number) != number {
			t.Errorf("after a second report: %+v", got)
		}
		same := 0
		for _, id := range again {
			if a := b.get(achPath(consumer, id), b.basic()); string(a.raw) == string(ach.raw) {
				same++
				if a := b.reportACH(second, id); string(a.raw) != string(ach.raw) {
					t.Errorf("by the second report: %s", a.raw)
				}
				b.want("by the first report with the second's id", b.reportACH(first, id), 404, contract.CodeNotFound)
			}
		}
		if same != 1 {
			t.Errorf("%d ids of the second report name the first's account", same)
		}
		b.consumerVisit(consumer, "single", "amber-heights-community-bank") // by its id
		if got := b.bankAccounts(consumer); len(got) != len(all)+1 {
			t.Errorf("after another bank: %+v", got)
		}
	})
}

func TestConsumerBankAccountsAccess(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		consumer := b.consumer()
		_, ids := b.consumerVisit(consumer, "single", ordinaryBank)
		other := b.consumer()
		b.consumerVisit(other, "single", ordinaryBank)
		for what, at := range map[string]struct{ list, ach string }{
			"no UUID":           {consumerPath("x"), achPath("x", ids[0])},
			"an id of its kind": {consumerPath(strings.Repeat("0", 36)), achPath(consumer, "x")},
		} {
			b.want(what+", list", b.get(at.list, b.basic()), 400, contract.CodeBadRequest)
			b.want(what, b.get(at.ach, b.basic()), 400, contract.CodeBadRequest)
		}
		for what, h := range map[string]headers{"no credentials": nil, "a token": b.bearer(b.basic())} {
			b.want(what+", list", b.get(consumerPath(consumer), h), 400, contract.CodeBadRequest)
			b.want(what, b.get(achPath(consumer, ids[0]), h), 400, contract.CodeBadRequest)
		}
		for what, h := range map[string]headers{"a wrong secret": basic(b.seed.ClientID, "wrong"), "bad base-64": {"Authorization", "Basic $"}} {
			b.want(what+", list", b.get(consumerPath(consumer), h), 403, contract.CodeForbidden)
			b.want(what, b.get(achPath(consumer, ids[0]), h), 403, contract.CodeForbidden)
		}
		b.want("an unknown consumer's list", b.get(consumerPath(uuid.NewString()), b.basic()), 404, contract.CodeNotFound)
		b.want("an unknown consumer", b.get(achPath(uuid.NewString(), ids[0]), b.basic()), 404, contract.CodeNotFound)
		b.want("another consumer's account", b.get(achPath(other, ids[0]), b.basic()), 404, contract.CodeNotFound)
		b.want("no account", b.get(achPath(consumer, uuid.NewString()), b.basic()), 404, contract.CodeNotFound)
		b.want("capital letters", b.get(achPath(strings.ToUpper(consumer), strings.ToUpper(ids[0])), b.basic()), 200, "")

		b.want("a customer it is not enabled for", b.get(achPath(consumer, ids[0]), b.thirdParty()), 403, contract.CodeForbidden)
		b.want("another customer's list", b.get(consumerPath(consumer), b.thirdParty()), 404, contract.CodeNotFound)
		enable := func(on bool) {
			t.Helper()
			b.entitle(b.seed.PublicID, on, customers.AccountNumbers)
			b.entitle(b.seed.ThirdParty.PublicID, on, customers.AccountNumbers)
		}
		enable(true)
		b.want("another customer's account", b.get(achPath(consumer, ids[0]), b.thirdParty()), 404, contract.CodeNotFound)
		enable(false)
		b.want("no longer enabled", b.get(achPath(consumer, ids[0]), b.basic()), 403, contract.CodeForbidden)
		if all := b.bankAccounts(consumer); len(all) != 1 || all[0].Number != nil || all[0].Kind != nil || all[0].Routing != nil {
			t.Errorf("listed for whom it is not enabled: %+v", all)
		}
		enable(true)

		b.want("withdrawal", b.ask(b.service.URL, "DELETE", "/connect/consumers/"+consumer, b.basic(), nil), 204, "")
		b.want("numbers after it", b.get(achPath(consumer, ids[0]), b.basic()), 403, contract.CodeConsentNotProvided)
		if all := b.bankAccounts(consumer); len(all) != 0 {
			t.Errorf("the list after it: %+v", all)
		}
		b.advance("1s") // deletes old data
		if n := b.count(`SELECT count(*) FROM bank_accounts`); n != 1 {
			t.Errorf("%d accounts are kept after one consumer of two withdrew consent", n)
		}
		b.want("numbers when they are deleted", b.get(achPath(consumer, ids[0]), b.basic()), 403, contract.CodeConsentNotProvided)
	})
}

func (b *testServer) revoke(account string) answer {
	b.t.Helper()
	return b.do("POST", "/bank-accounts/revoke", map[string]string{"accountId": account})
}

func TestTokenizedNumbers(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		consumer := b.consumer()
		token, ids := b.consumerVisit(consumer, "single", tokenizingBank)
		_, real := b.consumerVisit(consumer, "single", ordinaryBank)
		number := b.get(achPath(consumer, real[0]), b.basic()).text("full_account_number")
		ach := b.get(achPath(consumer, ids[0]), b.basic())
		b.want("the token", ach, 200, "")
		tan := ach.text("full_account_number")
		if ach.text("account_number_type") != "TAN" || len(tan) != 16 || strings.Trim(tan, "0123456789") != "" || strings.Contains(tan, number) {
			t.Errorf("answered %s, the real number is %s", ach.raw, number)
		}
		if a := b.reportACH(token, ids[0]); string(a.raw) != string(ach.raw) {
			t.Errorf("by the report %s, by the consumer %s", a.raw, ach.raw)
		}
		// Customers cannot read accounts of another.
		someone := b.consumer()
		_, theirs := b.consumerVisit(someone, "single", tokenizingBank)
		if a := b.get(achPath(someone, theirs[0]), b.basic()); a.text("full_account_number") == tan || a.text("account_number_type") != "TAN" {
			t.Errorf("another consumer's is %s", a.raw)
		}
		// A second connection does not change requested numbers.
		b.consumerVisit(consumer, "single", tokenizingBank)
		if a := b.get(achPath(consumer, ids[0]), b.basic()); string(a.raw) != string(ach.raw) {
			t.Errorf("connected again: %s, before %s", a.raw, ach.raw)
		}

		b.want("revoked at the bank", b.revoke(ids[0]), 204, "")
		b.want("by the consumer", b.get(achPath(consumer, ids[0]), b.basic()), 403, contract.CodeConsentNotProvided)
		b.want("by the report", b.reportACH(token, ids[0]), 403, contract.CodeConsentNotProvided)
		for _, a := range b.bankAccounts(consumer) {
			if a.Institution == tokenizingBank && (a.ID != ids[0] || a.Number != nil || a.Routing != nil || a.Kind != nil) {
				t.Errorf("revoked, and listed as %+v", a)
			}
		}
		b.want("revoked again", b.revoke(strings.ToUpper(ids[0])), 204, "")
		b.want("a real number", b.revoke(real[0]), 409, contract.CodeInvalidState)
		b.want("no account", b.revoke(uuid.NewString()), 404, contract.CodeNotFound)
		b.want("no id", b.revoke("x"), 400, contract.CodeInvalidParameters)
		b.want("the real number after that", b.get(achPath(consumer, real[0]), b.basic()), 200, "")
		b.want("the other consumer's", b.get(achPath(someone, theirs[0]), b.basic()), 200, "")

		// A new connection after the revocation gives a new token.
		_, renewed := b.consumerVisit(consumer, "single", tokenizingBank)
		a := b.get(achPath(consumer, renewed[0]), b.basic())
		if b.want("a new token", a, 200, ""); a.text("full_account_number") == tan {
			t.Error("it is the one that was revoked")
		}
		// A number that is revoked before the first request is never returned.
		late := b.consumer()
		_, unasked := b.consumerVisit(late, "single", tokenizingBank)
		b.want("revoked before", b.revoke(unasked[0]), 204, "")
		b.want("the first time", b.get(achPath(late, unasked[0]), b.basic()), 403, contract.CodeConsentNotProvided)
	})
}

func TestConnectionLifetimes(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		consumer := b.consumer()
		_, asked := b.consumerVisit(consumer, "single", ordinaryBank)
		_, unasked := b.consumerVisit(consumer, "multi", ordinaryBank)
		_, token := b.consumerVisit(consumer, "single", tokenizingBank)
		_, never := b.consumerVisit(consumer, "joint", tokenizingBank)
		first := b.get(achPath(consumer, asked[0]), b.basic())
		b.want("the numbers", first, 200, "")
		lists := func(when string, want ...string) {
			t.Helper()
			var got []string
			for _, a := range b.bankAccounts(consumer) {
				got = append(got, a.ID)
			}
			if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
				t.Errorf("%s the list is %q, want %q", when, got, want)
			}
		}
		ask := func(account string) answer { return b.get(achPath(consumer, account), b.basic()) }
		b.advance("335h")
		lists("in the 14 days", slices.Concat(asked, unasked, token, never)...)
		b.advance("2h")
		lists("after them", slices.Concat(asked, token, never)...)
		b.want("first asked for after 14 days", ask(unasked[0]), 404, contract.CodeNotFound)
		if a := ask(asked[0]); string(a.raw) != string(first.raw) {
			t.Errorf("asked for before: %s", a.raw)
		}
		b.advance("1700h") // the reports' data are deleted
		b.want("a token in the 90 days", ask(token[0]), 200, "")
		b.advance("124h")
		b.want("a token first asked for after them", ask(never[0]), 404, contract.CodeNotFound)
		b.want("a token asked for before", ask(token[0]), 200, "")
		lists("then", slices.Concat(asked, token)...)
		b.advance("-2100h")
		b.want("with the clock moved back", ask(unasked[0]), 404, contract.CodeNotFound)

		// A new connection has a new lifetime.
		b.advance("2400h")
		b.consumerVisit(consumer, "joint", tokenizingBank)
		if all := b.bankAccounts(consumer); len(all) != 3 {
			t.Errorf("after a new connection: %+v", all)
		}
	})
}

// TestFirstACHRequestsConcurrently sends a hundred first requests concurrently, by report
// and by consumer.
func TestFirstACHRequestsConcurrently(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		consumer := b.consumer()
		token, ids := b.consumerVisit(consumer, "single", tokenizingBank)
		named, answers := b.named(token), make([]answer, 16)
		var wg sync.WaitGroup
		for i := range answers {
			wg.Go(func() {
				if i%2 == 0 {
					answers[i] = b.get(achPath(consumer, ids[0]), b.basic())
				} else {
					answers[i] = b.get("/connect/bank-accounts/"+ids[0]+"/ach-details", named)
				}
			})
		}
		wg.Wait()
		for i, a := range answers {
			b.want(fmt.Sprint("retrieval ", i), a, 200, "")
			if string(a.raw) != string(answers[0].raw) {
				t.Errorf("%s and %s", a.raw, answers[0].raw)
			}
		}
		if rows, given := b.count(`SELECT count(*) FROM bank_accounts`),
			b.count(`SELECT count(*) FROM bank_accounts WHERE first_requested_at IS NOT NULL`); rows != 1 || given != 1 {
			t.Errorf("%d rows, of which %d were requested", rows, given)
		}

		// After concurrent requests and a revocation, the number is revoked.
		other := b.consumer()
		_, theirs := b.consumerVisit(other, "single", tokenizingBank)
		for i := range answers {
			wg.Go(func() {
				if i == 10 {
					answers[i] = b.revoke(theirs[0])
				} else {
					answers[i] = b.get(achPath(other, theirs[0]), b.basic())
				}
			})
		}
		wg.Wait()
		for i, a := range answers {
			if i != 10 && a.status != 200 {
				b.want("a request during the revocation", a, 403, contract.CodeConsentNotProvided)
			}
		}
		b.want("the revocation", answers[10], 204, "")
		b.want("then", b.get(achPath(other, theirs[0]), b.basic()), 403, contract.CodeConsentNotProvided)
	})
}

// TestSecondaryReportHasAccountsOfSource checks that the numbers are the same by both
// reports and the consumer, whose list has each account once.
func TestSecondaryReportHasAccountsOfSource(t *testing.T) {
	each(t, func(t *testing.T, b *testServer) {
		a := b.post("/connect/consumers", b.basic(), map[string]any{"prefill": resident})
		consumer := a.text("consumerId")
		source, ids := b.consumerVisit(consumer, "multi", tokenizingBank)
		secondary := b.secondaryReport(source, b.seed.Products[contract.Income])
		if all := b.bankAccounts(consumer); len(all) != len(ids) {
			t.Errorf("%d accounts in the list, the source has %d", len(all), len(ids))
		}
		first := b.reportACH(secondary, ids[0])
		b.want("by the secondary report", first, 200, "")
		if first.text("account_number_type") != "TAN" {
			t.Errorf("answered %s, want the bank's TAN", first.raw)
		}
		for what, a := range map[string]answer{"the source": b.reportACH(source, ids[0]),
			"the consumer": b.get(achPath(consumer, ids[0]), b.basic())} {
			if string(a.raw) != string(first.raw) {
				t.Errorf("by %s: %s, by the secondary report %s", what, a.raw, first.raw)
			}
		}
		b.want("revoked", b.revoke(ids[0]), 204, "")
		b.want("and then", b.reportACH(secondary, ids[0]), 403, contract.CodeConsentNotProvided)
	})
}

func TestOnlineBanksTokenize(t *testing.T) {
	tokens := 0
	for _, bank := range banks.All() {
		if bank.Tokens != (bank.Place == "Online") {
			t.Errorf("%s of %s: tokens %v", bank.Name, bank.Place, bank.Tokens)
		}
		if bank.Tokens {
			tokens++
		}
	}
	if tokens < 5 || tokens > 50 {
		t.Errorf("%d banks tokenize, want some", tokens)
	}
}

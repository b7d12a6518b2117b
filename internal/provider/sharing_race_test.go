package provider_test

import (
	"fmt"
	"sync"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/provider/customers"
)

// TestShareAndWithdrawConcurrently shares one report with one third party concurrently, and
// withdraws the share meanwhile.
func TestShareAndWithdrawConcurrently(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		in := b.thirdPartyInbox()
		publicToken, _ := b.cashflowVisit("single")
		var mu sync.Mutex
		tokens := map[string]int{}
		var wg sync.WaitGroup
		for range 16 {
			wg.Go(func() {
				a := b.share(publicToken)
				mu.Lock()
				defer mu.Unlock()
				if a.status != 200 {
					t.Errorf("sharing: %d %s", a.status, a.raw)
				}
				tokens[a.text("relayToken")]++
			})
		}
		wg.Wait()
		if len(tokens) != 1 || b.count(`SELECT count(*) FROM relay_tokens`) != 1 {
			t.Fatalf("tokens: %v", tokens)
		}
		var relayToken string
		for relayToken = range tokens {
		}
		in.wait(t, 1)
		if n := b.count(`SELECT count(*) FROM events WHERE subject_id = $1`, relayToken); n != 1 {
			t.Errorf("%d events, want 1", n)
		}

		// One withdrawal succeeds. A share or a read fails after it.
		theirs := b.relay(relayToken)
		answers := map[string]int{}
		for i := range 16 {
			wg.Go(func() {
				var a answer
				var what string
				switch i % 4 {
				case 0:
					a, what = b.share(publicToken), "share"
				case 1:
					a, what = b.withdraw(relayToken), "withdraw"
				default:
					a, what = b.get("/connect/cashflow/v2/json", theirs), "read"
				}
				mu.Lock()
				defer mu.Unlock()
				if a.status != 200 && a.text("error") != string(contract.CodeRelayTokenRevoked) {
					t.Errorf("%s: %d %s", what, a.status, a.raw)
				}
				if a.status == 200 {
					answers[what]++
				}
			})
		}
		wg.Wait()
		if answers["withdraw"] != 1 {
			t.Errorf("%d withdrawals succeeded, want 1", answers["withdraw"])
		}
		b.want("sharing after that", b.share(publicToken), 400, contract.CodeRelayTokenRevoked)
		b.want("reading after that", b.get("/connect/cashflow/v2/json", theirs), 400, contract.CodeRelayTokenRevoked)
		if n := b.count(`SELECT count(*) FROM relay_tokens WHERE revoked_at IS NULL`); n != 0 {
			t.Errorf("%d tokens are not revoked", n)
		}
	})
}

// TestShareWhileReportEnds shares reports while they are generated: the third party is
// notified once of each.
func TestShareWhileReportEnds(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		in := b.thirdPartyInbox()
		const n = 12
		var wg sync.WaitGroup
		for range n {
			a := b.submit(submission())
			b.want("submission", a, 200, "")
			wg.Go(func() { b.want("sharing", b.share(a.text("publicToken")), 200, "") })
		}
		wg.Wait()
		seen := map[string]int{}
		for _, e := range in.wait(t, n) {
			seen[e.PublicToken]++
		}
		if len(seen) != n || b.count(`SELECT count(*) FROM events e JOIN relay_tokens t ON t.token = e.subject_id`) != n {
			t.Errorf("events of %v", seen)
		}
	})
}

// TestConcurrentShareAndList shares and lists by different callers concurrently: each gets
// the answer of its own request, and each pair has one token and one event.
func TestConcurrentShareAndList(t *testing.T) {
	eachEngine(t, func(t *testing.T, b *testServer) {
		mine, _ := b.cashflowVisit("single")
		late, _ := b.cashflowVisit("multi")
		stranger := b.account("svc-stranger", contract.Sandbox, "")
		b.entitle("svc-stranger", true, customers.RelayTokens)
		const friends = 8
		for i := range friends {
			b.account(fmt.Sprint("svc-friend-", i), contract.Sandbox, "")
		}
		b.want("withdrawn", b.withdraw(b.relayed(mine)), 200, "")
		var consumer string
		if err := b.db.SQL.QueryRowContext(t.Context(), `SELECT consumer_id FROM reports
			WHERE public_token = $1`, late).Scan(&consumer); err != nil {
			t.Fatal(err)
		}
		list := "/connect/consumers/" + consumer + "/bank-accounts"

		var mu sync.Mutex
		tokens := map[string]map[string]bool{} // by pair
		var wg sync.WaitGroup
		for i := range friends {
			friend := fmt.Sprint("svc-friend-", i)
			for _, publicToken := range []string{mine, late, mine} {
				wg.Go(func() {
					a := b.post(relayPath, b.basic(), map[string]any{"publicToken": publicToken, "publicId": friend})
					b.want("sharing", a, 200, "")
					mu.Lock()
					defer mu.Unlock()
					if tokens[publicToken+friend] == nil {
						tokens[publicToken+friend] = map[string]bool{}
					}
					tokens[publicToken+friend][a.text("relayToken")] = true
				})
			}
			if i%4 > 0 {
				continue
			}
			for what, c := range map[string]struct {
				h                     headers
				publicToken, publicID string
				status                int
				code                  contract.Code
			}{
				"another customer's report": {stranger, mine, friend, 404, contract.CodeInvalidToken},
				"with oneself":              {b.basic(), mine, b.seed.PublicID, 400, contract.CodeInvalidPublicID},
				"with an unknown customer":  {b.basic(), mine, "svc-unknown", 400, contract.CodeInvalidPublicID},
				"what was withdrawn":        {b.basic(), mine, b.seed.ThirdParty.PublicID, 400, contract.CodeRelayTokenRevoked},
			} {
				wg.Go(func() {
					b.want(what, b.post(relayPath, c.h, map[string]any{"publicToken": c.publicToken, "publicId": c.publicID}), c.status, c.code)
				})
			}
			wg.Go(func() {
				a := b.get(list, b.basic())
				b.want("list", a, 200, "")
				if all, _ := a.body["accounts"].([]any); len(all) == 0 {
					t.Errorf("list: %s", a.raw)
				}
			})
			wg.Go(func() { b.want("another customer's list", b.get(list, stranger), 404, contract.CodeNotFound) })
		}
		wg.Wait()
		seen := map[string]bool{}
		for pair, of := range tokens {
			if len(of) != 1 {
				t.Errorf("%s has tokens %v", pair, of)
			}
			for token := range of {
				seen[token] = true
			}
		}
		if len(seen) != 2*friends || b.count(`SELECT count(*) FROM relay_tokens WHERE revoked_at IS NULL`) != 2*friends ||
			b.count(`SELECT count(*) FROM events e JOIN relay_tokens t ON t.token = e.subject_id
				WHERE t.revoked_at IS NULL AND e.customer_id = t.third_party_id`) != 2*friends {
			t.Errorf("%d tokens, want %d of as many pairs, with an event each", len(seen), 2*friends)
		}
	})
}

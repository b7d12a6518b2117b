package provider_test

import (
	"sync"
	"testing"

	"vestibule/internal/svc"
)

// TestSharingAndWithdrawingAtOnce lets many ask for the same pair, and lets
// withdrawing come in between.
func TestSharingAndWithdrawingAtOnce(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
		in := b.thirdPartyInbox()
		publicToken, _ := b.walked("single")
		var mu sync.Mutex
		tokens := map[string]int{}
		var wg sync.WaitGroup
		for range 100 {
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
		if n := b.count(`SELECT count(*) FROM events WHERE public_token = $1`, relayToken); n != 1 {
			t.Errorf("%d events, want 1", n)
		}

		// Of many withdrawals one is the first; what shares meanwhile either came
		// before it or is told; and nobody reads after it.
		theirs := b.relay(relayToken)
		answers := map[string]int{}
		for i := range 100 {
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
				if a.status != 200 && a.text("error") != string(svc.CodeRelayTokenRevoked) {
					t.Errorf("%s: %d %s", what, a.status, a.raw)
				}
				if a.status == 200 {
					answers[what]++
				}
			})
		}
		wg.Wait()
		if answers["withdraw"] != 1 {
			t.Errorf("%d withdrawals were the first", answers["withdraw"])
		}
		b.want("sharing after that", b.share(publicToken), 400, svc.CodeRelayTokenRevoked)
		b.want("reading after that", b.get("/connect/cashflow/v2/json", theirs), 400, svc.CodeRelayTokenRevoked)
		if n := b.count(`SELECT count(*) FROM relay_tokens WHERE revoked_at IS NULL`); n != 0 {
			t.Errorf("%d tokens came back", n)
		}
	})
}

// TestSharingWhileTheReportEnds shares at the moment at which reports end: each
// third party is told once, whichever came first.
func TestSharingWhileTheReportEnds(t *testing.T) {
	each(t, func(t *testing.T, b *bench) {
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
		if len(seen) != n || b.count(`SELECT count(*) FROM events e JOIN relay_tokens t ON t.token = e.public_token`) != n {
			t.Errorf("told of %v", seen)
		}
	})
}

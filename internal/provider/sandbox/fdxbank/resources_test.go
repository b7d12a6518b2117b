package fdxbank_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"vestibule/internal/provider/sandbox/fdxbank"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/golden"
	"vestibule/internal/testutil/storetest"
)

// TestResources compares the resources of both versions with their golden files: several
// accounts, two holders, debts, and investments.
func TestResources(t *testing.T) {
	s := sqlite(t)
	for _, user := range []string{"multi", "joint", "debt_only", "noincome"} {
		access := s.granted(user).Access
		for _, version := range []string{"v5", "v6"} {
			var all bytes.Buffer
			add := func(path string) string {
				got := s.read(access, "/"+version+path)
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, []byte(got.body), "", "  "); err != nil || got.StatusCode != http.StatusOK {
					t.Fatalf("%s %s: %d %s", user, path, got.StatusCode, got.body)
				}
				fmt.Fprintf(&all, "GET %s\n%s\n\n", path, strings.ReplaceAll(pretty.String(), s.url, "BASE"))
				return got.body
			}
			add("/customers/current")
			add("/accounts")
			for _, id := range s.ids(access, version) {
				for _, path := range []string{"", "/contact", "/payment-networks",
					"/transactions?startTime=2026-07-01&endTime=2026-07-14T12:00:00Z&limit=3"} {
					add("/accounts/" + id + path)
				}
			}
			golden.Compare(t, "testdata/"+user+"-"+version+".txt", all.String())
		}
	}
}

// accountList is a page of /accounts in either version.
type accountList struct {
	Page struct {
		Next string `json:"nextOffset"`
	} `json:"page"`
	Accounts []json.RawMessage `json:"accounts"`
}

// ids returns the ids of all accounts, by pages of one.
func (s *server) ids(access, version string) (ids []string) {
	s.t.Helper()
	for offset := "0"; offset != ""; {
		var got accountList
		if err := json.Unmarshal([]byte(s.read(access, "/"+version+"/accounts?limit=1&offset="+offset).body), &got); err != nil {
			s.t.Fatal(err)
		}
		for _, raw := range got.Accounts {
			var flat struct{ AccountID string }
			var wrapped map[string]json.RawMessage
			if version == "v5" {
				if err := json.Unmarshal(raw, &wrapped); err != nil || len(wrapped) != 1 {
					s.t.Fatalf("%s", raw)
				}
				for _, raw = range wrapped {
				}
			}
			if err := json.Unmarshal(raw, &flat); err != nil || flat.AccountID == "" {
				s.t.Fatalf("%s", raw)
			}
			ids = append(ids, flat.AccountID)
		}
		offset = got.Page.Next
	}
	return ids
}

// movements is a page of /transactions in version 6, or with keys in version 5.
type movements struct {
	Page struct {
		Offset string `json:"nextOffset"`
		Key    string `json:"nextPageKey"`
		Total  int    `json:"totalElements"`
	} `json:"page"`
	Links struct {
		Next *struct{ Href string } `json:"next"`
	} `json:"links"`
	Transactions []struct {
		ID        string       `json:"transactionId"`
		Amount    report.Cents `json:"amount"`
		Direction string       `json:"debitCreditMemo"`
		Posted    string       `json:"postedTimestamp"`
		Wrapped   *struct {
			ID string `json:"transactionId"`
		} `json:"depositTransaction"`
	} `json:"transactions"`
}

func (s *server) movements(access, path string) (out movements) {
	s.t.Helper()
	got := s.read(access, path)
	if err := json.Unmarshal([]byte(got.body), &out); err != nil || got.StatusCode != http.StatusOK {
		s.t.Fatalf("%s: %d %.200s", path, got.StatusCode, got.body)
	}
	return out
}

// TestPagesOfTransactions walks all pages of a list by each of its ways, and ranges.
func TestPagesOfTransactions(t *testing.T) {
	s := sqlite(t)
	access := s.granted("default").Access
	path := "/v6/accounts/" + s.ids(access, "v6")[0] + "/transactions"
	total := s.movements(access, path).Page.Total
	if total < 500 {
		t.Fatalf("%d transactions", total)
	}
	walk := func(version string, next func(movements) string) int {
		seen, from := map[string]bool{}, "?limit=150"
		for from != "" {
			got := s.movements(access, strings.Replace(path, "v6", version, 1)+from)
			for _, tx := range got.Transactions {
				id := tx.ID
				if tx.Wrapped != nil {
					id = tx.Wrapped.ID
				}
				if id == "" || seen[id] {
					t.Fatalf("%s: transaction %q twice", version, id)
				}
				seen[id] = true
			}
			from = next(got)
		}
		return len(seen)
	}
	for name, n := range map[string]int{
		"offset": walk("v6", func(m movements) string {
			if m.Page.Offset == "" {
				return ""
			}
			return "?limit=150&offset=" + m.Page.Offset
		}),
		"key": walk("v5", func(m movements) string {
			if m.Page.Key == "" {
				return ""
			}
			return "?limit=150&pageKey=" + m.Page.Key
		}),
		"link": walk("v6", func(m movements) string {
			if m.Links.Next == nil {
				return ""
			}
			_, query, _ := strings.Cut(m.Links.Next.Href, "?")
			return "?" + query
		}),
	} {
		if n != total {
			t.Errorf("by %s there are %d, want %d", name, n, total)
		}
	}
	june := s.movements(access, path+"?startTime=2026-06-01&endTime=2026-06-30&limit=500")
	for _, tx := range june.Transactions {
		if !strings.HasPrefix(tx.Posted, "2026-06-") {
			t.Errorf("June has %s", tx.Posted)
		}
	}
	if again := s.movements(access, path+"?startTime=2026-06-01T00:00:00Z&endTime=2026-06-30T23:59:59Z"); len(june.Transactions) == 0 ||
		again.Page.Total != len(june.Transactions) {
		t.Errorf("June has %d by days, and %d by instants", len(june.Transactions), again.Page.Total)
	}
	for _, query := range []string{"?limit=0", "?limit=x", "?offset=-1", "?pageKey=x", "?startTime=yesterday",
		"?startTime=2026-06-02&endTime=2026-06-01"} {
		if got := s.read(access, path+query); got.StatusCode != http.StatusBadRequest || !strings.Contains(got.body, `"703"`) {
			t.Errorf("%s: %d %s", query, got.StatusCode, got.body)
		}
	}
}

// TestAccessToResources checks tokens, scopes, and that other accounts do not exist.
func TestAccessToResources(t *testing.T) {
	s := sqlite(t)
	everything := s.granted("multi")
	all := s.ids(everything.Access, "v6")
	if len(all) != 3 {
		t.Fatalf("accounts %v", all)
	}
	some, _ := s.token(exchange(s.code("multi", request("post", "scope", "fdx:accountbasic:read fdx:transactions:read"),
		func(ids []string) []string { return ids[1:2] })))
	if got := s.ids(some.Access, "v6"); len(got) != 1 || got[0] != all[1] {
		t.Errorf("chose %s, sees %v", all[1], got)
	}
	for _, c := range []struct {
		access, path string
		status       int
		code         string
	}{
		{some.Access, "/v6/accounts/" + all[1], 200, ""},
		{some.Access, "/v6/accounts/" + all[1] + "/transactions", 200, ""},
		{some.Access, "/v6/accounts/" + all[0], 404, "701"},
		{some.Access, "/v6/accounts/" + all[0] + "/transactions", 404, "701"},
		{some.Access, "/v6/accounts/" + all[1] + "/contact", 403, "602"},
		{some.Access, "/v6/accounts/" + all[1] + "/payment-networks", 403, "602"},
		{some.Access, "/v6/customers/current", 403, "602"},
		{some.Access, "/v4/accounts", 404, "601"},
		{some.Refresh, "/v6/accounts", 401, "603"},
		{"x", "/v6/accounts", 401, "603"},
		{"", "/v6/accounts", 401, "603"},
	} {
		got := s.read(c.access, c.path, "x-fapi-interaction-id", "0B9E1A84-0F24-4F4C-8A93-0A9B1B2E6D0F")
		if got.StatusCode != c.status || c.code != "" && !strings.Contains(got.body, `"code":"`+c.code+`"`) {
			t.Errorf("%s: %d %s", c.path, got.StatusCode, got.body)
		}
		if got.Header.Get("x-fapi-interaction-id") != "0b9e1a84-0f24-4f4c-8a93-0a9b1b2e6d0f" || got.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", c.path, got.Header)
		}
	}
	r, err := http.NewRequest(http.MethodGet, s.url+"/"+other+"/fdx/v6/accounts", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+everything.Access)
	if got := do(t, http.DefaultClient, r); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("another institution's token: %d", got.StatusCode)
	}
	inAddress := "/" + bank + "/fdx/v6/accounts?access_token=" + everything.Access
	if got := s.get(http.DefaultClient, inAddress); got.StatusCode != http.StatusUnauthorized {
		t.Errorf("a token in the address: %d", got.StatusCode)
	}
}

// TestFaults checks what each fault does to the lists of accounts and transactions.
func TestFaults(t *testing.T) {
	waited := time.Duration(0)
	s := start(t, storetest.SQLite(t, store.Provider), func(c *fdxbank.Config) {
		c.Wait = func(_ context.Context, d time.Duration) { waited += d }
	})
	seen := map[fdxbank.Fault]bool{fdxbank.FaultDenied: true, fdxbank.FaultHuge: true} // see TestPagesOfABank; too large here
	read := func(f fdxbank.Fault, path string) answer {
		t.Helper()
		seen[f] = true
		access := s.granted("fdx_" + string(f)).Access
		if path == "" {
			return s.read(access, "/v6/accounts")
		}
		return s.read(access, "/v6/accounts/"+s.ids(access, "v6")[0]+path)
	}
	want := func(got answer, status int, text string) {
		t.Helper()
		if got.StatusCode != status || !strings.Contains(got.body, text) {
			t.Errorf("%d %.300s, want %d with %s", got.StatusCode, got.body, status, text)
		}
	}
	want(read(fdxbank.FaultError, ""), 500, `"500"`)
	want(read(fdxbank.FaultDown, ""), 503, `"501"`)
	want(read(fdxbank.FaultMalformed, ""), 200, `[{"accountId": `)
	want(read(fdxbank.FaultExpired, ""), 401, `"602"`)
	want(read(fdxbank.FaultMFA, ""), 401, `"602"`)
	want(read(fdxbank.FaultSlow, ""), 200, "Everyday Checking")
	if waited == 0 {
		t.Error("nothing is slow")
	}
	for f, status := range map[fdxbank.Fault]int{fdxbank.FaultFlaky: 503, fdxbank.FaultBusy: 429} {
		seen[f] = true
		access := s.granted("fdx_" + string(f)).Access
		first := s.read(access, "/v6/accounts")
		want(first, status, "code")
		if status == 429 && first.Header.Get("Retry-After") != "1" {
			t.Error("429 without Retry-After")
		}
		want(s.read(access, "/v6/accounts"), 200, "Everyday Checking")
	}
	gone := read(fdxbank.FaultRedirect, "")
	if to := gone.Header.Get("Location"); gone.StatusCode != 302 || !strings.HasPrefix(to, "https://elsewhere.example/") {
		t.Errorf("%d %s", gone.StatusCode, to)
	}
	want(read(fdxbank.FaultCurrency, ""), 200, `"currencyCode":"EUR"`)
	want(read(fdxbank.FaultMarkup, "/contact"), 200, `<b>Harper`)
	want(read(fdxbank.FaultOverflow, "/transactions"), 200, `"amount":1e400`)
	want(read(fdxbank.FaultFuture, "/transactions"), 200, `"2026-08-`)
	want(read(fdxbank.FaultNegative, "/transactions"), 200, `"nextOffset":"-1"`)
	want(read(fdxbank.FaultLink, "/transactions"), 200, `"href":"https://elsewhere.example/`)
	seen[fdxbank.FaultDuplicate] = true
	if ids := s.ids(s.granted("fdx_duplicate").Access, "v6"); ids[0] != ids[len(ids)-1] {
		t.Errorf("no id is twice: %v", ids)
	}
	seen[fdxbank.FaultPartial] = true
	access := s.granted("fdx_partial").Access
	ids := s.ids(access, "v6")
	want(s.read(access, "/v6/accounts/"+ids[0]+"/transactions"), 200, "postedTimestamp")
	want(s.read(access, "/v6/accounts/"+ids[len(ids)-1]+"/transactions"), 500, `"500"`)

	for f, again := range map[fdxbank.Fault]bool{fdxbank.FaultRepeat: true, fdxbank.FaultEndless: false} {
		seen[f] = true
		access := s.granted("fdx_" + string(f)).Access
		path := "/v6/accounts/" + s.ids(access, "v6")[0] + "/transactions?limit=500&offset="
		first, late := s.movements(access, path+"0"), s.movements(access, path+"500000")
		if len(late.Transactions) != 500 || late.Page.Offset == "" || (late.Transactions[0].ID == first.Transactions[0].ID) != again {
			t.Errorf("%s: %d transactions from 500000, next %s", f, len(late.Transactions), late.Page.Offset)
		}
	}
	for _, f := range fdxbank.Faults() {
		if !seen[f] {
			t.Errorf("the fault %s is not tested", f)
		}
	}
	if got := fdxbank.FaultOf("fdx_"); got != fdxbank.FaultNone {
		t.Errorf("fdx_ selects %q", got)
	}
}

// TestFaultsAreDocumented checks that the reference names the username of each fault.
func TestFaultsAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../../../docs/reference/sandbox-banks.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range fdxbank.Faults() {
		if !strings.Contains(string(page), "`fdx_"+string(f)+"`") {
			t.Errorf("docs/reference/sandbox-banks.md lacks fdx_%s", f)
		}
	}
}

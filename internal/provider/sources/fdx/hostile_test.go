package fdx

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"vestibule/internal/provider/sources"
	"vestibule/internal/provider/sources/rest"
	"vestibule/internal/report"
)

// hostileAccount is an account of a bank, as JSON.
func hostileAccount(n int) string {
	return fmt.Sprintf(`{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"%d","currentBalance":1}`, n)
}

// hostileBodies are lists of accounts that are rejected, by the number of the page from 1.
var hostileBodies = map[string]func(page int) string{
	"two accounts of one id": func(int) string {
		return `{"accounts":[` + hostileAccount(1) + `,` + strings.Replace(hostileAccount(1), `Balance":1`, `Balance":2`, 1) + `]}`
	},
	"one id on two pages": func(n int) string {
		return fmt.Sprintf(`{"page":{"nextOffset":%d},"accounts":[%s]}`, n, hostileAccount(1))
	},
	"no id":     func(int) string { return `{"accounts":[{}]}` },
	"a long id": func(int) string { return fmt.Sprintf(`{"accounts":[{"accountId":%q}]}`, strings.Repeat("1", maxID+1)) },
	"an id with control characters": func(int) string {
		return `{"accounts":[{"accountId":"1\u0000\r\nHost: x","currentBalance":1}]}`
	},
	"an id that is a path": func(int) string { return `{"accounts":[{"accountId":"..","currentBalance":1}]}` },
	"an error":             func(int) string { return `{"code":"500","message":"Internal server error"}` },
	"not JSON":             func(int) string { return `<html>` },
	"an array":             func(int) string { return `[]` },
	"a text":               func(int) string { return `{"accounts":"none"}` },
	"half an answer":       func(int) string { return `{"accounts":[` + hostileAccount(1) },
	"a broken member":      func(int) string { return `{"accounts":[{"accountId":1,}]}` },
	"deep nesting":         func(int) string { return `{"x":` + strings.Repeat("[", 1<<20) },
	"a negative offset":    func(int) string { return `{"page":{"nextOffset":-1},"accounts":[` + hostileAccount(1) + `]}` },
	"a decreasing offset": func(n int) string {
		return fmt.Sprintf(`{"page":{"nextOffset":%d},"accounts":[%s]}`, 10-n, hostileAccount(n))
	},
	"an offset that repeats": func(n int) string {
		return `{"page":{"nextOffset":"again"},"accounts":[` + hostileAccount(n) + `]}`
	},
	"a link that repeats": func(n int) string { return `{"links":{"next":"?a=1"},"accounts":[` + hostileAccount(n) + `]}` },
	"endless accounts": func(n int) string {
		return fmt.Sprintf(`{"page":{"nextOffset":%d},"accounts":[%s]}`, n, hostileAccount(n))
	},
	"a link to a file": func(int) string {
		return `{"links":{"next":"file:///etc/passwd"},"accounts":[` + hostileAccount(1) + `]}`
	},
}

// hostileAnswers are answers that lead elsewhere, or do not end.
func hostileAnswers(elsewhere string) map[string]http.HandlerFunc {
	return map[string]http.HandlerFunc{
		"an endless page": func(w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"accounts":[],"more":[0`)
			endless(w, r, strings.Repeat(",0", 1<<15))
		},
		"a link to another host": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":%q},"accounts":[%s]}`, elsewhere+"/accounts", hostileAccount(1))
		},
		"a link without scheme": func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":%q},"accounts":[%s]}`, strings.TrimPrefix(elsewhere, "http:"), hostileAccount(1))
		},
		"a Link header to another host": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "<"+elsewhere+`>; rel=next`)
			fmt.Fprintf(w, `{"accounts":[%s]}`, hostileAccount(1))
		},
		"a redirect to another host": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere, http.StatusTemporaryRedirect)
		},
		"a redirect to itself": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.String(), http.StatusFound) },
	}
}

// TestHostileAccounts checks that invalid and endless lists of accounts are rejected.
func TestHostileAccounts(t *testing.T) {
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	answers := hostileAnswers(other.URL)
	for name, body := range hostileBodies {
		page := 0
		answers[name] = func(w http.ResponseWriter, _ *http.Request) { page++; fmt.Fprint(w, body(page)) }
	}
	for name, answer := range answers {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			pages := 0
			b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, r *http.Request) { pages++; answer(w, r) }
			got, err := b.retrieve(b.connect(nil))
			if sources.ReasonOf(err) != sources.Rejected || err == nil || len(got.Accounts)+len(got.Owners)+len(got.Failed) != 0 {
				t.Errorf("%+v, %v, want %s", got, err, sources.Rejected)
			}
			if elsewhere > 0 || pages > maxAccounts+1 {
				t.Errorf("%d requests to another host, %d pages", elsewhere, pages)
			}
		})
	}
}

// TestHostileTransactions checks that invalid and endless transactions reject the
// account, and that no request goes to another host.
func TestHostileTransactions(t *testing.T) {
	for name, answer := range map[string]func(page int, w http.ResponseWriter, r *http.Request){
		"from the future": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"transactions":[%s]}`, movement("1", "2026-03-12", "1", "DEBIT"))
		},
		"no date": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"transactions":[%s]}`, movement("1", "soon", "1", "DEBIT"))
		},
		"a huge amount": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"transactions":[%s]}`, movement("1", "2026-03-01", "1e400", "DEBIT"))
		},
		"a long id": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"transactions":[%s]}`, movement(strings.Repeat("1", maxID+1), "2026-03-01", "1", "DEBIT"))
		},
		"an id with control characters": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"transactions":[{"transactionId":"1\u0000","postedTimestamp":"2026-03-01","amount":1,"debitCreditMemo":"DEBIT"}]}`)
		},
		"deep nesting": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"transactions":[{"x":`, strings.Repeat(`{"x":`, 1<<20))
		},
		"a negative page": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":-500},"transactions":[%s]}`, movement("1", "2026-03-01", "1", "DEBIT"))
		},
		"a redirect to another host": func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://10.0.0.1/", http.StatusFound)
		},
		"the same page again": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":%d},"transactions":[%s]}`, n, movement("1", "2026-03-01", "1", "DEBIT"))
		},
		"another host in the middle": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":{"href":"https://evil.example/"}},"transactions":[%s]}`,
				movement(fmt.Sprint(n), "2026-03-01", "1", "DEBIT"))
		},
		"endless pages": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":%d},"transactions":[%s]}`, n, movement(fmt.Sprint(n), "2026-03-01", "1", "DEBIT"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			b.setTransactions()
			page := 0
			b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, r *http.Request) {
				page++
				answer(page, w, r)
			}
			got, err := b.retrieve(b.connect(nil))
			if err != nil || len(got.Accounts) != 0 || len(got.Failed) != 1 || got.Failed[0].Reason != sources.Rejected || page > maxPages {
				t.Errorf("%+v, %v after %d pages, want the account rejected", got, err, page)
			}
		})
	}
}

// endless writes a text until the client closes the connection.
func endless(w http.ResponseWriter, r *http.Request, s string) {
	for r.Context().Err() == nil {
		if _, err := io.WriteString(w, s); err != nil {
			return
		}
	}
}

// TestMemory measures the heap while a bank sends an endless answer, of each kind.
func TestMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("long")
	}
	const limit = 64 << 20
	long := strings.Repeat("é<", 300)
	for name, answer := range map[string]func(first int, w http.ResponseWriter, r *http.Request) (next int){
		"ten million transactions": func(first int, w http.ResponseWriter, _ *http.Request) int {
			return pageOf(w, first, 20_000, "GROCERIES OF THE WEEK IN TOWN")
		},
		"long descriptions": func(first int, w http.ResponseWriter, _ *http.Request) int { return pageOf(w, first, 5_000, long) },
		"a page without end": func(_ int, w http.ResponseWriter, r *http.Request) int {
			fmt.Fprint(w, `{"transactions":[`, movement("0", "2026-03-01", "1", "DEBIT"))
			for n := 1; r.Context().Err() == nil; n++ {
				if _, err := fmt.Fprint(w, ",", movement(fmt.Sprint(n), "2026-03-01", "1", "DEBIT")); err != nil {
					break
				}
			}
			return 0
		},
		"a text without end": func(_ int, w http.ResponseWriter, r *http.Request) int {
			fmt.Fprint(w, `{"transactions":[{"description":"`)
			endless(w, r, strings.Repeat("x", 1<<16))
			return 0
		},
		"a compressed text without end": func(_ int, w http.ResponseWriter, r *http.Request) int {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			_, _ = io.WriteString(z, `{"transactions":[],"x":"`)
			zeros := []byte(strings.Repeat("0", 1<<16))
			for r.Context().Err() == nil {
				if _, err := z.Write(zeros); err != nil {
					break
				}
			}
			return 0
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			b.setTransactions()
			next := 0
			b.answers["/fdx/v6/accounts/1/transactions"] = func(w http.ResponseWriter, r *http.Request) { next = answer(next, w, r) }
			c := b.connect(nil)
			sampler := &sampler{RoundTripper: c.banks["fake"].HTTP.Transport}
			c.banks["fake"].HTTP.Transport = sampler
			runtime.GC()
			sampler.sample()
			before := sampler.peak
			got, err := b.retrieve(c)
			if err != nil || len(got.Accounts) != 0 || len(got.Failed) != 1 || got.Failed[0].Reason != sources.Rejected {
				t.Errorf("%+v, %v, want the account rejected", got.Failed, err)
			}
			t.Logf("the heap grew by %.1f MB", float64(sampler.peak-before)/(1<<20))
			if sampler.peak-before > limit {
				t.Errorf("the heap grew by %d MB, want at most %d", (sampler.peak-before)>>20, limit>>20)
			}
		})
	}
}

// sampler measures the heap after every half MiB of an answer.
type sampler struct {
	http.RoundTripper
	peak  uint64
	since int
}

func (s *sampler) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.RoundTripper.RoundTrip(r)
	if err == nil {
		resp.Body = &sampledBody{resp.Body, s}
	}
	return resp, err
}

func (s *sampler) sample() {
	var now runtime.MemStats
	runtime.ReadMemStats(&now)
	s.peak = max(s.peak, now.HeapAlloc)
}

type sampledBody struct {
	io.ReadCloser
	*sampler
}

func (b *sampledBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if b.since += n; b.since >= 1<<19 || err != nil {
		b.since = 0
		b.sample()
	}
	return n, err
}

// pageOf writes a page of transactions, and returns the number of the next one.
func pageOf(w http.ResponseWriter, first, n int, description string) int {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, `{"page":{"nextOffset":%d},"transactions":[`, first+n)
	for i := first; i < first+n; i++ {
		if i > first {
			_ = out.WriteByte(',')
		}
		fmt.Fprintf(out, `{"transactionId":"id-%030d","postedTimestamp":"2026-01-01T00:00:00Z","amount":1.25,"debitCreditMemo":"DEBIT",`+
			`"status":"POSTED","description":%q,"memo":%q,"payee":%q}`, i, description, description, description)
	}
	fmt.Fprint(out, `]}`)
	_ = out.Flush()
	return first + n
}

// TestPrivateAddresses checks that no connection is made to this machine or a private
// network by any name, unless loopback is configured.
func TestPrivateAddresses(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	reached := make(chan struct{}, 100)
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			reached <- struct{}{}
			conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	c, err := New([]Institution{{ID: "a", Name: "A", Issuer: "https://localhost:" + port, BaseURL: "https://localhost:" + port, Version: "6",
		ClientID: "c", Authentication: SecretPost, Secret: "s"}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	_, err1 := c.Authorize(t.Context(), "a", sources.AuthorizeRequest{RedirectURI: "https://a.example", State: "s"})
	_, err2 := c.Fetch(t.Context(), "a", grant, date("2026-01-01"), report.DateOf(fakeNow))
	for _, err := range []error{err1, err2} {
		if sources.ReasonOf(err) != sources.Rejected || !strings.Contains(err.Error(), rest.ErrAddress.Error()) {
			t.Errorf("%v, want %s", err, sources.Rejected)
		}
	}
	if len(reached) > 0 {
		t.Error("a connection was made")
	}
}

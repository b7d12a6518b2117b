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

// TestHostileAccounts checks that invalid and endless lists of accounts are rejected.
func TestHostileAccounts(t *testing.T) {
	account := func(n int) string {
		return fmt.Sprintf(`{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"%d","currentBalance":1}`, n)
	}
	elsewhere := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	defer other.Close()
	for name, answer := range map[string]func(page int, w http.ResponseWriter, r *http.Request){
		"two accounts of one id": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"accounts":[%s,%s]}`, account(1), strings.Replace(account(1), `Balance":1`, `Balance":2`, 1))
		},
		"one id on two pages": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":%d},"accounts":[%s]}`, n, account(1))
		},
		"no id": func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"accounts":[{}]}`) },
		"a long id": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"accounts":[{"accountId":%q}]}`, strings.Repeat("1", maxID+1))
		},
		"an id with control characters": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"accounts":[{"accountId":"1\u0000\r\nHost: x","currentBalance":1}]}`)
		},
		"an id that is a path": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"accounts":[{"accountId":"..","currentBalance":1}]}`)
		},
		"an error": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"code":"500","message":"Internal server error"}`)
		},
		"not JSON":        func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `<html>`) },
		"an array":        func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `[]`) },
		"a text":          func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"accounts":"none"}`) },
		"half an answer":  func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"accounts":[`, account(1)) },
		"a broken member": func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, `{"accounts":[{"accountId":1,}]}`) },
		"deep nesting": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, `{"x":`, strings.Repeat("[", 1<<20))
		},
		"a negative offset": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":-1},"accounts":[%s]}`, account(1))
		},
		"a decreasing offset": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":%d},"accounts":[%s]}`, 10-n, account(n))
		},
		"an offset that repeats": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":"again"},"accounts":[%s]}`, account(n))
		},
		"a link that repeats": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":"?a=1"},"accounts":[%s]}`, account(n))
		},
		"endless accounts": func(n int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"page":{"nextOffset":%d},"accounts":[%s]}`, n, account(n))
		},
		"an endless page": func(_ int, w http.ResponseWriter, r *http.Request) {
			fmt.Fprint(w, `{"accounts":[],"more":[0`)
			endless(w, r, strings.Repeat(",0", 1<<15))
		},
		"a link to another host": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":%q},"accounts":[%s]}`, other.URL+"/accounts", account(1))
		},
		"a link without scheme": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":%q},"accounts":[%s]}`, strings.TrimPrefix(other.URL, "http:"), account(1))
		},
		"a link to a file": func(_ int, w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"links":{"next":"file:///etc/passwd"},"accounts":[%s]}`, account(1))
		},
		"a Link header to another host": func(_ int, w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Link", "<"+other.URL+`>; rel=next`)
			fmt.Fprintf(w, `{"accounts":[%s]}`, account(1))
		},
		"a redirect to another host": func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
		},
		"a redirect to itself": func(_ int, w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, r.URL.String(), http.StatusFound)
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newFakeBank(t, false)
			page := 0
			b.answers["/fdx/v6/accounts"] = func(w http.ResponseWriter, r *http.Request) {
				page++
				answer(page, w, r)
			}
			got, err := b.retrieve(b.connect(nil))
			if sources.ReasonOf(err) != sources.Rejected || err == nil || len(got.Accounts)+len(got.Owners)+len(got.Failed) != 0 {
				t.Errorf("%+v, %v, want %s", got, err, sources.Rejected)
			}
			if elsewhere > 0 || page > maxAccounts+1 {
				t.Errorf("%d requests to another host, %d pages", elsewhere, page)
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

package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/portal"
	"vestibule/internal/portal/api"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/prefill"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	"vestibule/internal/testutil/storetest/cluster"
	"vestibule/web"
)

const (
	manyApplications = 100_000
	searchLimit      = 50 * time.Millisecond
	searches         = 1500 // requests that are measured
)

// searchFigures measures the review dashboard's list with very many applications, on
// SQLite and, if installed, on PostgreSQL: pages by every filter, alone and combined,
// and searches by name, address and id, including the audit entry of each. The figure
// is the 99th percentile of whole sequential requests; the spread is from the median to
// it.
func searchFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	out, err := searchOn(ctx, "SQLite", store.Config{Dir: dir}, 1)
	if err != nil {
		return nil, err
	}
	c, err := cluster.Start(ctx, "fsync=on", "synchronous_commit=on", "full_page_writes=on")
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench: without PostgreSQL:", err)
		return out, nil
	}
	defer c.Stop()
	more, err := searchOn(ctx, "PostgreSQL", store.Config{URL: c.URL}, 8)
	return append(out, more...), err
}

func searchOn(ctx context.Context, engine string, c store.Config, writers int) ([]figure, error) {
	c.Party, c.MasterKey = store.Portal, make([]byte, 32)
	db, err := store.Open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	srv := httptest.NewUnstartedServer(nil)
	base := "http://" + srv.Listener.Addr().String()
	p, err := portal.New(ctx, portal.Config{DB: db, Log: slog.New(slog.DiscardHandler),
		Now: time.Now, Assets: web.Portal(), URL: base, ProviderURL: base,
		Environment: contract.Sandbox, Pages: portal.Pages{WidgetScriptURL: base + "/widget.js"}, API: api.Config{Key: "an-api-key-of-the-bench"},
		Account: svcapi.Account{PublicID: "p", ClientID: "c", SecretKey: "s",
			Products: map[contract.Product]string{contract.Cashflow: "1", contract.Income: "2", contract.Eligibility: "3", contract.Passport: "4"}},
		SignIn: review.SignIn{LocalAccounts: true}})
	if err != nil {
		return nil, err
	}
	srv.Config.Handler = p.Handler()
	srv.Start()
	defer srv.Close()
	if err := fillApplications(ctx, db, writers); err != nil {
		return nil, err
	}
	const email, password = "bench@example.com", "a password of the bench"
	if err := p.EnsureReviewer(ctx, email, password); err != nil {
		return nil, err
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	ask := func(path string, form url.Values) (took time.Duration, to string, err error) {
		began := time.Now()
		var resp *http.Response
		if form == nil {
			resp, err = client.Get(base + path)
		} else {
			resp, err = client.PostForm(base+path, form)
		}
		if err != nil {
			return 0, "", err
		}
		defer resp.Body.Close()
		page, err := io.ReadAll(resp.Body)
		took = time.Since(began)
		if resp.StatusCode >= 400 {
			err = errors.Join(err, fmt.Errorf("%s: %d %.300s", path, resp.StatusCode, page))
		}
		return took, resp.Header.Get("Location"), err
	}
	if _, to, err := ask("/review/sign-in", url.Values{"email": {email}, "password": {password}}); err != nil || to != "/review" {
		return nil, fmt.Errorf("signing in leads to %q: %w", to, err)
	}
	r := rand.New(rand.NewPCG(3, 3))
	var all []float64
	for n := 0; len(all) < searches; n++ {
		f := someFilter(r)
		text := someText(r)
		if n%3 > 0 {
			text = ""
		}
		took, path, err := time.Duration(0), "/review?"+f.Encode(), error(nil)
		if text != "" {
			f.Set("query", text)
			if took, path, err = ask("/review/find", f); err != nil {
				return nil, err
			}
			all = append(all, float64(took))
		}
		for range 2 { // the page, then again as a returning user
			if strings.HasPrefix(path, "/review/applications/") {
				break
			}
			if took, _, err = ask(path, nil); err != nil {
				return nil, err
			}
			if n > 20 {
				all = append(all, float64(took))
			}
		}
	}
	p99, half := quantile(all, 0.99), quantile(all, 0.5)
	ratio := p99 / float64(searchLimit)
	return []figure{{name: "search of 100,000 applications, p99, " + engine, ours: fmt.Sprintf("%.1f ms", p99/1e6), peer: "50 ms limit",
		ratio: ratio, low: half / float64(searchLimit), high: ratio, wanted: "≤ 1"}}, nil
}

var (
	someFirst = strings.Fields("María James Mary Robert Patricia John Jennifer Michael Linda David Elizabeth William " +
		"Barbara Richard Susan Joseph Jessica Thomas Sarah José Karen Zoë Nancy Ana Lisa Daniel Betty Matthew Margaret " +
		"Anthony Sandra Mark Ashley Donald Kimberly Steven Emily Paul Donna Andrew Michelle " +
		"Joshua Carol Kenneth Amanda Kevin Dorothy Brian Melissa George")
	someLast = strings.Fields("Smith García Johnson Williams Rodríguez Brown Martínez Jones Hernández Miller López " +
		"Davis González Wilson Pérez Anderson Sánchez Thomas Ramírez Taylor Torres Moore Nguyen Jackson Flores Martin " +
		"Rivera Lee Gómez Thompson Díaz White Reyes Harris Cruz Clark Morales Lewis Ortiz Robinson Gutiérrez " +
		"Walker Chávez Young Ramos Allen Ruiz King Alvarez Wright Mendoza Scott Vásquez")
	someStates = strings.Fields("started connecting returned pending ready ready ready ready ready failed exited exited expired")
)

// name returns a name: the first names of the list are common, and most names are rare.
func name(r *rand.Rand, of []string) string {
	n := of[min(r.IntN(len(of)), r.IntN(len(of)))]
	if r.IntN(3) > 0 {
		n += "-" + string(rune('A'+r.IntN(26))) + string(rune('a'+r.IntN(26))) + string(rune('a'+r.IntN(26)))
	}
	return n
}

func someText(r *rand.Rand) string {
	switch r.IntN(5) {
	case 0:
		return someLast[r.IntN(len(someLast))]
	case 1:
		return someFirst[r.IntN(len(someFirst))] + " " + someLast[r.IntN(len(someLast))]
	case 2:
		return fmt.Sprintf("a%d@example.com", r.IntN(manyApplications))
	case 3:
		return fmt.Sprintf("loan-%d", r.IntN(999))
	}
	return "no such name"
}

func someFilter(r *rand.Rand) url.Values {
	f := url.Values{}
	maybe := func(name string, values ...string) {
		if r.IntN(2) == 0 {
			f.Set(name, values[r.IntN(len(values))])
		}
	}
	maybe("state", someStates...)
	maybe("product", "cashflow", "income", "eligibility", "passport")
	maybe("decision", "none", "approved", "declined", "moreAsked", "escalated")
	maybe("outcome", "SUCCESS", "EXIT", "ERROR")
	maybe("from", "2026-02-01", "2026-06-01", "2026-10-01")
	maybe("to", "2026-03-01", "2026-08-01", "2026-12-01")
	return f
}

// fillApplications adds a year of applications in the portal's form, without separate data
// keys and timelines, which the figures do not need.
func fillApplications(ctx context.Context, db *store.DB, writers int) error {
	index := &search.Index{DB: db, Now: time.Now}
	if err := index.Prepare(ctx); err != nil {
		return err
	}
	const batch = 100
	var next atomic.Int64
	var wg sync.WaitGroup
	failed := make([]error, writers)
	for w := range writers {
		wg.Go(func() {
			for failed[w] == nil {
				first := int(next.Add(batch)) - batch
				if first >= manyApplications {
					return
				}
				failed[w] = db.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
					return someApplications(ctx, tx, db, index, first, batch)
				})
			}
		})
	}
	wg.Wait()
	if err := errors.Join(failed...); err != nil {
		return err
	}
	// Tidy up, since a running service has not just inserted 100,000 rows.
	tidy := []string{`ANALYZE`}
	if db.Dialect == store.Postgres {
		tidy = []string{`VACUUM ANALYZE`, `CHECKPOINT`}
	}
	for _, statement := range tidy {
		if _, err := db.SQL.ExecContext(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}

func someApplications(ctx context.Context, tx *store.Tx, db *store.DB, index *search.Index, first, count int) error {
	r := rand.New(rand.NewPCG(uint64(first), 9))
	var rows []string
	var args []any
	var people []prefill.Fields
	var ids []string
	for i := first; i < first+count; i++ {
		person := prefill.Fields{FirstName: name(r, someFirst), LastName: name(r, someLast),
			Email: fmt.Sprintf("a%d@example.com", i), DOB: "1990-02-03"}
		plain, err := json.Marshal(person)
		if err != nil {
			return err
		}
		id, created := uuid.NewString(), time.Date(2026, 1, 1, 0, 5*i, 0, 0, time.UTC)
		sealed, err := db.Vault.Seal(ctx, tx, store.SystemKey, store.Cell{Table: "applications", Column: "prefill", Row: id}, plain)
		if err != nil {
			return err
		}
		people, ids = append(people, person), append(ids, id)
		n := len(args)
		rows = append(rows, fmt.Sprintf(`($%d, $%d, 'embedded', 'token', FALSE, '', 'api', $%d, '', '',`+
			` '', 'en', $%d, $%d, $%d, 1, 0, '', '', '', '', 0, 0, 0, 1, $%d, $%d)`,
			n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+7))
		args = append(args, id, string(contract.Products()[i%4]), fmt.Sprintf("Loan-%d", i), store.SystemKey,
			sealed, someStates[r.IntN(len(someStates))], store.Micros(created))
	}
	_, err := tx.ExecContext(ctx, `INSERT INTO applications (id, product, mode, variant, manual,
		sandbox_report_id, origin, external_id, user_args, return_url,
		allowed_origin, lang, data_key, prefill, state, attempt, since, public_token, status,
		substatus, error, succeeded, fetch_until, report_at, version,
		created_at, updated_at) VALUES `+strings.Join(rows, ", "), args...)
	if err != nil {
		return err
	}
	service := applications.Service{DB: db}
	for i, id := range ids {
		a, err := service.GetIn(ctx, tx, id)
		if err != nil {
			return err
		}
		if err := index.OnChange(ctx, tx, a, applications.TimelineEntry{}); err != nil {
			return err
		}
		if err := index.OnApplicant(ctx, tx, a, people[i]); err != nil {
			return err
		}
		if decision := []string{"", "", "", "approved", "declined", "moreAsked", "escalated"}[r.IntN(7)]; decision != "" {
			if _, err := tx.ExecContext(ctx, `UPDATE review_index SET decision = $2 WHERE application_id = $1`, id, decision); err != nil {
				return err
			}
		}
	}
	return nil
}

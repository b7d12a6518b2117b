package customers

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"vestibule/internal/contract"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
	"vestibule/internal/testutil/subtest"
)

// testServer is the service with a parent account and a clock that the test moves.
type testServer struct {
	*Service
	t      *testing.T
	at     time.Time
	parent string
}

func (r *testServer) revoke(customerID, credentialID string) error {
	return r.try(func(ctx context.Context, tx *store.Tx) error {
		return r.RevokeCredential(ctx, tx, customerID, credentialID)
	})
}

func newTestServer(t *testing.T, db *store.DB) *testServer {
	t.Helper()
	r := &testServer{t: t, at: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	r.Service = &Service{DB: db, Now: func() time.Time { return r.at }}
	db.SetClock(r.Now)
	r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
		r.parent, err = r.EnsureParent(ctx, tx, r.account())
		return err
	})
	return r
}

func (r *testServer) account() ParentAccount {
	return ParentAccount{Role: "parent", Name: "Parent", Environment: contract.Sandbox, PublicID: "svc-parent",
		ClientID: "client-parent", SecretKey: "secret",
		Products:    map[contract.Product]string{contract.Cashflow: "7d0b6f0e-2f6f-4d0e-9c55-5b1b5d7f0c3e"},
		CompleteURL: "https://parent.example/back", ReturnMode: "post", Entitled: Entitlements()}
}

// tx runs f in a transaction, which must succeed.
func (r *testServer) tx(f func(ctx context.Context, tx *store.Tx) error) {
	r.t.Helper()
	if err := r.try(f); err != nil {
		r.t.Fatal(err)
	}
}

func (r *testServer) try(f func(ctx context.Context, tx *store.Tx) error) error {
	return r.DB.Tx(r.t.Context(), f)
}

func (r *testServer) child(name string) Account {
	r.t.Helper()
	var a Account
	r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
		a, _, err = r.AddAccount(ctx, tx, r.parent, Names{Name: name})
		return err
	})
	return a
}

// accepts reports whether a secret is valid.
func (r *testServer) accepts(clientID, secret string) bool {
	r.t.Helper()
	found, err := r.Clients(r.t.Context(), r.DB.SQL, clientID)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, c := range found {
		if slices.Equal(c.SecretHash, store.Hash(secret)) {
			return true
		}
	}
	return false
}

func TestNameProblem(t *testing.T) {
	for name, valid := range map[string]bool{
		"a": true, "Höhe & Söhne": true, "株式会社": true, "شركة": true, "👩‍👩‍👧 Loans": true, "<b>": true, strings.Repeat("é", 100): true,
		"": false, " ": false, " a": false, "a\u00a0": false, "a\tb": false, "a\x00": false,
		"a\u2028b": false, "a\u202eb": false, "\u2066a": false,
		"\u200b": false, "\ufeffa": false, "a\xff": false, strings.Repeat("é", 101): false,
	} {
		if got := NameProblem(name); (got == "") != valid {
			t.Errorf("NameProblem(%q) = %q, want valid = %v", name, got, valid)
		}
	}
}

func TestChildInheritsFromParent(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		ctx := t.Context()
		urls := func(a Account) []string {
			all, err := r.CompleteURLs(ctx, db.SQL, a)
			if err != nil {
				t.Error(err)
			}
			return all
		}
		c := r.child("Child")
		a, err := r.ByID(ctx, db.SQL, c.ID)
		if err != nil {
			t.Fatal(err)
		}
		if a.ParentID != r.parent || a.Environment != contract.Sandbox || a.ReturnMode != "post" ||
			!slices.Equal(urls(a), []string{"https://parent.example/back"}) || a.ApplicantName() != "Child" || !a.Created.Equal(r.at) {
			t.Errorf("a child is %+v", a)
		}
		many := make([]string, MaxCompleteURLs+1)
		for i := range many {
			many[i] = "https://child.example/" + uuid.NewString()
		}
		for what, urls := range map[string][]string{"a bad one": {"https://child.example/", "ftp://x"},
			"a double": {"https://a.example/", "https://a.example/"}, "too many": many} {
			if err := r.try(func(ctx context.Context, tx *store.Tx) error { return r.SetCompleteURLs(ctx, tx, c.ID, urls) }); !errors.Is(
				err, ErrCompleteURL) {
				t.Errorf("%s: %v, want ErrCompleteURL", what, err)
			}
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return errors.Join(r.SetCompleteURLs(ctx, tx, c.ID, many[:2]), r.SetReturn(ctx, tx, c.ID, "get", true),
				r.Rename(ctx, tx, c.ID, Names{"Kid", "The Shop"}))
		})
		a, _ = r.ByID(ctx, db.SQL, c.ID)
		if a.ReturnMode != "get" || !a.RequireForm || a.Name != "Kid" || a.ApplicantName() != "The Shop" ||
			!slices.Equal(urls(a), many[:2]) {
			t.Errorf("changed to %+v", a)
		}
		if err := r.try(func(ctx context.Context, tx *store.Tx) error { return r.SetReturn(ctx, tx, c.ID, "put", false) }); err == nil {
			t.Error("an unknown return mode was accepted")
		}
		if p, _ := r.ByID(ctx, db.SQL, r.parent); p.RequireForm || !slices.Equal(urls(p), []string{"https://parent.example/back"}) {
			t.Errorf("the parent was changed: %+v", p)
		}
	})
}

func TestDuplicateNames(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		a, b := r.child("A"), r.child("B")
		var p, q Product
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			if p, _, err = r.AddProduct(ctx, tx, Product{CustomerID: a.ID, Name: "P"}); err == nil {
				q, _, err = r.AddProduct(ctx, tx, Product{CustomerID: a.ID, Name: "Q", DisplayName: "Quick"})
			}
			return err
		})
		for what, c := range map[string]struct {
			f    func(ctx context.Context, tx *store.Tx) error
			want error
		}{
			"a sibling's name": {func(ctx context.Context, tx *store.Tx) error { return r.Rename(ctx, tx, b.ID, Names{Name: "A"}) },
				ErrDuplicateName},
			"its own name": {func(ctx context.Context, tx *store.Tx) error { return r.Rename(ctx, tx, a.ID, Names{Name: "A"}) }, nil},
			"its parent's": {func(ctx context.Context, tx *store.Tx) error { return r.Rename(ctx, tx, b.ID, Names{Name: "Parent"}) }, nil},
			"unknown":      {func(ctx context.Context, tx *store.Tx) error { return r.Rename(ctx, tx, "x", Names{Name: "x"}) }, store.ErrNotFound},
			"another product's": {func(ctx context.Context, tx *store.Tx) error {
				return r.RenameProduct(ctx, tx, a.ID, p.ID, Names{Name: "Q"})
			}, ErrDuplicateName},
			"another display name": {func(ctx context.Context, tx *store.Tx) error {
				return r.RenameProduct(ctx, tx, a.ID, p.ID, Names{Name: "P", DisplayName: q.DisplayName})
			}, nil},
			"a product of another": {func(ctx context.Context, tx *store.Tx) error {
				return r.RenameProduct(ctx, tx, b.ID, p.ID, Names{Name: "Z"})
			}, store.ErrNotFound},
			"a child of a child": {func(ctx context.Context, tx *store.Tx) error {
				_, _, err := r.AddAccount(ctx, tx, a.ID, Names{Name: "C"})
				return err
			}, store.ErrNotFound},
		} {
			if err := r.try(c.f); !errors.Is(err, c.want) {
				t.Errorf("%s: %v, want %v", what, err, c.want)
			}
		}
		all, err := r.Products(t.Context(), db.SQL, a.ID)
		if err != nil || len(all) != 2 || all[0].DisplayName != "Quick" || all[0].Configuration.Alias != "Cashflow" ||
			!all[0].Inherited || all[0].Kind != contract.Cashflow {
			t.Errorf("products: %+v, %v", all, err)
		}
		children, err := r.Children(t.Context(), db.SQL, r.parent)
		if err != nil || len(children) != 2 || children[0].Name != "A" || children[1].Name != "Parent" {
			t.Errorf("children: %+v, %v", children, err)
		}
		if _, err := r.Child(t.Context(), db.SQL, a.ID, b.PublicID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a sibling as a child: %v", err)
		}
	})
}

// TestCashflowIsRenamed runs the migration of the names that older versions generated.
func TestCashflowIsRenamed(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return r.AddConfiguration(ctx, tx, Configuration{ID: uuid.NewString(), CustomerID: r.parent, Kind: contract.Cashflow,
				Alias: "Cash flow of people", InquiryType: inquiryType})
		})
		if _, err := db.SQL.Exec(`UPDATE product_configurations SET alias = 'Cash flow' || SUBSTR(alias, 9) WHERE alias LIKE 'Cashflow%';
			UPDATE products SET name = 'Cash flow report' WHERE name = 'Cashflow report'`); err != nil {
			t.Fatal(err)
		}
		renames, err := fs.ReadFile(store.Migrations(store.Provider), "01037_cashflow_names.sql")
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if _, err := db.SQL.Exec(string(renames)); err != nil {
				t.Fatal(err)
			}
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error { return r.ensureProducts(ctx, tx, r.parent, nil) })
		all, err := r.Configurations(t.Context(), db.SQL, r.parent)
		var kept []string
		for _, c := range all {
			if c.Kind == contract.Cashflow {
				kept = append(kept, c.Alias)
			}
		}
		want := []string{"Cash flow of people", "Cashflow", "Cashflow with AV attributes and score v1.0", "Cashflow with score v2.1"}
		if slices.Sort(kept); err != nil || !slices.Equal(kept, want) {
			t.Errorf("configurations %q, %v, want %q", kept, err, want)
		}
	})
}

// TestConfigurations adds configurations and assigns them. Other accounts cannot read
// or assign them.
func TestConfigurations(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		c := r.child("Child")
		mine := Configuration{ID: uuid.NewString(), CustomerID: r.parent, Kind: contract.Income, Alias: "Mine",
			InquiryType: "TENANT", Settings: Settings{IncomeModelSuite: "1.2"}}
		r.tx(func(ctx context.Context, tx *store.Tx) error { return r.AddConfiguration(ctx, tx, mine) })
		again := mine
		again.ID = uuid.NewString()
		if err := r.try(func(ctx context.Context, tx *store.Tx) error { return r.AddConfiguration(ctx, tx, again) }); !errors.Is(err,
			ErrDuplicateName) {
			t.Errorf("a repeated alias: %v", err)
		}
		if got, err := r.Configuration(t.Context(), db.SQL, r.parent, mine.ID); err != nil || got != mine {
			t.Errorf("Configuration = %+v, %v, want %+v", got, err, mine)
		}
		if _, err := r.Configuration(t.Context(), db.SQL, c.ID, mine.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a configuration of another: %v", err)
		}
		for _, w := range report.Workflows() {
			of := Configuration{ID: uuid.NewString(), CustomerID: r.parent, Kind: contract.Eligibility, Alias: string(w),
				InquiryType: "TENANT", Settings: Settings{EligibilityKind: w}}
			r.tx(func(ctx context.Context, tx *store.Tx) error { return r.AddConfiguration(ctx, tx, of) })
			if got, err := r.Configuration(t.Context(), db.SQL, r.parent, of.ID); err != nil || got != of {
				t.Errorf("Configuration = %+v, %v, want %+v", got, err, of)
			}
		}
		var p Product
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			p, _, err = r.AddProduct(ctx, tx, Product{CustomerID: c.ID, Name: "P"})
			return err
		})
		r.at = r.at.Add(time.Hour)
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			return r.Assign(ctx, tx, r.parent, Target{TargetProduct, p.ID}, mine.ID)
		})
		got, err := r.Product(t.Context(), db.SQL, c.ID, p.ID)
		if err != nil || got.Configuration != mine || got.Kind != contract.Income || got.InquiryType != "TENANT" ||
			got.Inherited || !got.Updated.Equal(r.at) || !got.Created.Before(got.Updated) {
			t.Errorf("Product = %+v, %v", got, err)
		}
		for _, to := range []Target{{TargetAccount, "svc-parent"}, {TargetAccount, "x"}, {TargetProduct, "x"}} {
			if err := r.Assign(t.Context(), db.SQL, r.parent, to, mine.ID); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("assigned to %+v: %v", to, err)
			}
		}
		if err := r.Assign(t.Context(), db.SQL, c.ID, Target{TargetProduct, r.account().Products[contract.Cashflow]},
			mine.ID); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a child assigned to its parent: %v", err)
		}
	})
}

// TestAddProductOfAKind adds products of each kind to accounts whose configuration is of
// kind cashflow.
func TestAddProductOfAKind(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		child := r.child("Child")
		for _, account := range []string{r.parent, child.ID} {
			for _, kind := range contract.Products() {
				var p Product
				r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
					p, _, err = r.AddProduct(ctx, tx, Product{CustomerID: account, Kind: kind, Name: "A " + string(kind)})
					return err
				})
				want := defaultConfiguration(kind)
				if p.Kind != kind || p.Configuration.Alias != want.Alias || p.Configuration.Settings != want.Settings || p.Inherited ||
					p.InquiryType != inquiryType {
					t.Errorf("a product of kind %s has kind %s and the configuration %q", kind, p.Kind, p.Configuration.Alias)
				}
				// Without its own configuration it inherits none of another kind.
				r.tx(func(ctx context.Context, tx *store.Tx) error {
					return r.Assign(ctx, tx, r.parent, Target{TargetProduct, p.ID}, "")
				})
				p, err := r.Product(t.Context(), db.SQL, account, p.ID)
				if err != nil || p.Kind != kind || (p.Configuration.ID != "") != (kind == contract.Cashflow) {
					t.Errorf("without its own, a product of kind %s has kind %s and the configuration %q, %v", kind, p.Kind, p.Configuration.Alias, err)
				}
			}
		}
	})
}

// TestGeneratedRowsAreInOrder checks that what is added at once is listed in its order.
func TestGeneratedRowsAreInOrder(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		more := r.account()
		for _, kind := range contract.Products() {
			more.Products[kind] = uuid.NewString()
		}
		more.Role, more.PublicID, more.ClientID, more.SecretKey = "other", "svc-other", "client-other", "secret 2"
		var id string
		r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
			id, err = r.EnsureParent(ctx, tx, more)
			return err
		})
		all, err := r.Configurations(t.Context(), db.SQL, id)
		if err != nil || !slices.EqualFunc(all, generatedConfigurations(), func(a, b Configuration) bool { return a.Alias == b.Alias }) {
			t.Errorf("configurations: %+v, %v", all, err)
		}
		products, err := r.Products(t.Context(), db.SQL, id)
		if err != nil || !slices.EqualFunc(products, contract.Products(), func(p Product, k contract.Product) bool { return p.Kind == k }) {
			t.Errorf("products: %+v, %v", products, err)
		}
	})
}

// client is a child account with a credential, which it rotates.
type client struct {
	*testServer
	account string
	k       Credential // the newest when it was made
	first   Issued
}

func (r *testServer) client() *client {
	r.t.Helper()
	c := &client{testServer: r, account: r.child("Child").ID}
	r.tx(func(ctx context.Context, tx *store.Tx) (err error) {
		c.first, err = r.IssueCredential(ctx, tx, c.account, "Loan server")
		return err
	})
	c.k = c.all(1)[0]
	return c
}

// all returns the credentials, the newest first, which must be n.
func (c *client) all(n int) []Credential {
	c.t.Helper()
	all, err := c.Credentials(c.t.Context(), c.DB.SQL, c.account)
	if err != nil || len(all) != n {
		c.t.Fatalf("%d credentials, %v, want %d", len(all), err, n)
	}
	return all
}

func (c *client) rotate() (out Issued, err error) {
	err = c.try(func(ctx context.Context, tx *store.Tx) (err error) {
		out, err = c.RotateCredential(ctx, tx, c.account, c.k.ID)
		return err
	})
	return out, err
}

func (c *client) rename(account, name string) error {
	return c.try(func(ctx context.Context, tx *store.Tx) error { return c.RenameClient(ctx, tx, account, c.k.ID, name) })
}

// valid checks whether secrets of the client are valid.
func (c *client) valid(when string, secrets map[string]bool) {
	c.t.Helper()
	for secret, want := range secrets {
		if c.accepts(c.first.ClientID, secret) != want {
			c.t.Errorf("%s: a secret is valid: %v, want %v", when, !want, want)
		}
	}
}

// TestCredentialLifecycle issues, rotates, and revokes secrets. After the new secret of
// a rotation is revoked, the previous one can be rotated again.
func TestCredentialLifecycle(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		c := r.client()
		r.at = r.at.Add(time.Hour)
		lost, err := c.rotate()
		ends := r.at.Add(Overlap)
		if err != nil || lost.ClientID != c.first.ClientID || lost.Name != "Loan server" || !lost.PreviousExpires.Equal(ends) {
			t.Fatalf("rotated to %+v, %v", lost, err)
		}
		if _, err := c.rotate(); !errors.Is(err, ErrOverlap) {
			t.Errorf("rotated in the overlap: %v", err)
		}
		r.at = r.at.Add(time.Hour)
		subtest.Run(&r.t, "a client has one name", func(t *testing.T) {
			if err := c.rename(r.parent, "Theirs"); !errors.Is(err, store.ErrNotFound) || c.all(2)[0].Name != "Loan server" {
				t.Errorf("renamed by another: %v", err)
			}
			if err := c.rename(c.account, "Branch office"); err != nil {
				t.Error(err)
			}
			if all := c.all(2); all[0].Name != "Branch office" || all[1].Name != all[0].Name {
				t.Errorf("both secrets of a renamed client: %+v", all)
			}
		})
		var second Issued
		subtest.Run(&r.t, "a lost secret is revoked by its account, once", func(t *testing.T) {
			unknown := c.all(2)[0].ID
			if err := r.revoke(r.parent, unknown); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("revoked by another: %v", err)
			}
			if err := r.revoke(c.account, unknown); err != nil {
				t.Fatal(err)
			}
			if err := r.revoke(c.account, unknown); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("revoked twice: %v", err)
			}
			if second, err = c.rotate(); err != nil || !second.PreviousExpires.Equal(ends) {
				t.Errorf("after the lost secret was revoked: %+v, %v, want the end %v", second, err, ends)
			}
		})
		subtest.Run(&r.t, "secrets are valid until they end", func(t *testing.T) {
			c.valid("during the overlap", map[string]bool{c.first.SecretKey: true, lost.SecretKey: false, second.SecretKey: true})
			r.at = ends
			c.valid("after the overlap", map[string]bool{c.first.SecretKey: false, second.SecretKey: true})
			if _, err := c.rotate(); !errors.Is(err, store.ErrNotFound) {
				t.Errorf("an expired secret was rotated: %v", err)
			}
			r.at = ends.Add(-time.Hour)
			c.valid("after the clock was set back", map[string]bool{c.first.SecretKey: true, lost.SecretKey: false})
			valid := 0
			for _, k := range c.all(3) {
				if k.Valid(r.at) {
					valid++
				}
			}
			if valid != 2 {
				t.Errorf("%d of 3 credentials are listed as valid, want 2", valid)
			}
		})
		if err := r.try(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.IssueCredential(ctx, tx, "x", "Loan server")
			return err
		}); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("a secret for an unknown account: %v", err)
		}
	})
}

// TestRotateCredentialConcurrently checks that one of concurrent rotations succeeds,
// also after the new secret of the first one was revoked.
func TestRotateCredentialConcurrently(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		c := &client{testServer: r, account: r.parent}
		c.k = c.all(1)[0]
		burst := func() (won int) {
			t.Helper()
			var mu sync.Mutex
			var wg sync.WaitGroup
			for range 30 {
				wg.Go(func() {
					_, err := c.rotate()
					mu.Lock()
					defer mu.Unlock()
					if err == nil {
						won++
					} else if !errors.Is(err, ErrOverlap) {
						t.Error(err)
					}
				})
			}
			wg.Wait()
			return won
		}
		if n := burst(); n != 1 {
			t.Errorf("%d rotations succeeded, want 1", n)
		}
		for _, k := range c.all(2) {
			if k.ID == c.k.ID {
				continue
			}
			if err := r.revoke(r.parent, k.ID); err != nil {
				t.Fatal(err)
			}
		}
		if n := burst(); n != 1 {
			t.Errorf("after the new secret was revoked, %d rotations succeeded, want 1", n)
		}
	})
}

// has reports whether an account has account numbers.
func (r *testServer) has(id string) bool {
	r.t.Helper()
	ok, err := r.Entitled(r.t.Context(), r.DB.SQL, id, AccountNumbers)
	if err != nil {
		r.t.Fatal(err)
	}
	return ok
}

// enable sets whether an account has account numbers, and checks whether that changed anything.
func (r *testServer) enable(id string, on, want bool) {
	r.t.Helper()
	r.tx(func(ctx context.Context, tx *store.Tx) error {
		changed, err := r.Enable(ctx, tx, id, AccountNumbers, on)
		if changed != want {
			r.t.Errorf("%v for %s: changed is %v", on, id, changed)
		}
		return err
	})
}

// TestEntitlements checks that a child account follows its parent until it has a
// setting.
func TestEntitlements(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		r := newTestServer(t, db)
		c := r.child("Child")
		if !r.has(r.parent) || !r.has(c.ID) {
			t.Error("a generated customer or its child lacks a seeded entitlement")
		}
		r.enable(r.parent, false, true)
		r.enable(r.parent, false, false)
		if r.has(r.parent) || r.has(c.ID) {
			t.Error("a disabled entitlement is granted")
		}
		r.enable(c.ID, true, true)
		if r.has(r.parent) || !r.has(c.ID) {
			t.Error("a child with a setting follows its parent")
		}
		granted, err := r.Granted(t.Context(), db.SQL, c.ID)
		if err != nil || len(granted) != len(Entitlements()) || granted[0] != (Granted{AccountNumbers, true, false}) ||
			granted[1] != (Granted{PreparedReports, true, true}) {
			t.Errorf("granted %v, %v", granted, err)
		}
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			changed, err := r.Inherit(ctx, tx, c.ID, AccountNumbers)
			if !changed {
				t.Error("nothing was inherited")
			}
			return err
		})
		if r.has(c.ID) {
			t.Error("a child that follows its parent again has an entitlement that the parent lacks")
		}
		// Another start keeps the settings.
		r.tx(func(ctx context.Context, tx *store.Tx) error {
			_, err := r.EnsureParent(ctx, tx, r.account())
			return err
		})
		if r.has(r.parent) {
			t.Error("the next start enabled a disabled entitlement")
		}
		for what, f := range map[string]func(ctx context.Context, tx *store.Tx) error{
			"an unknown name": func(ctx context.Context, tx *store.Tx) error {
				_, err := r.Enable(ctx, tx, c.ID, "wings", true)
				return err
			},
			"a parent's parent": func(ctx context.Context, tx *store.Tx) error {
				_, err := r.Inherit(ctx, tx, r.parent, Hierarchy)
				return err
			},
			"an unknown account": func(ctx context.Context, tx *store.Tx) error {
				_, err := r.Inherit(ctx, tx, "unknown", Hierarchy)
				return err
			},
			"an unknown account's entitlement": func(ctx context.Context, tx *store.Tx) error {
				_, err := r.Entitled(ctx, tx, "unknown", Hierarchy)
				return err
			},
		} {
			if err := r.try(f); err == nil {
				t.Errorf("%s was accepted", what)
			}
		}
	})
}

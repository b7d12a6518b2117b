package staff

import (
	"context"
	"errors"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"vestibule/internal/i18n"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestUsersAreAddedOnceAndEncrypted(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		if err := d.add(User{Email: " Admin@Example.com", Role: auditor, Account: d.account}, "another password"); !errors.Is(err, ErrKnown) {
			t.Errorf("a second user with the address: %v", err)
		}
		err := d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			return d.Ensure(ctx, tx, User{Email: admin, Role: auditor, Account: d.account}, "another password")
		})
		if err != nil {
			t.Error(err)
		}
		if resp := d.signIn(admin, secret); resp.StatusCode != 303 {
			t.Errorf("the first password no longer works: %d", resp.StatusCode)
		}
		var email, hash string
		if err := d.DB.SQL.QueryRow(`SELECT email_sealed, password_hash FROM users`).Scan(&email, &hash); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(strings.ToLower(email), "admin") || !strings.HasPrefix(hash, "$argon2id$v=19$") {
			t.Errorf("stored as %q and %q", email, hash)
		}
		for _, bad := range [][2]string{{"", secret}, {"unknown", secret}, {"a@b.example", "short"},
			{"a@b.example", strings.Repeat("x", MaxPassword+1)}} {
			if err := d.add(User{Email: bad[0], Account: d.account}, bad[1]); err == nil {
				t.Errorf("Add(%q, %.20q) = nil", bad[0], bad[1])
			}
		}
		if u := d.user(admin); u.Account != d.account || (u.Role == administrator) != (d.account == "") ||
			!u.HasPassword || u.HasOIDC || !u.Created.Equal(noon) {
			t.Errorf("the user is %+v", u)
		}
		if exist, err := d.Exist(t.Context()); !exist || err != nil {
			t.Errorf("Exist = %v, %v", exist, err)
		}
	})
}

// TestAccountsAreSeparate checks that users of one account neither see nor remove those
// of another.
func TestAccountsAreSeparate(t *testing.T) {
	storetest.EachInFull(t, store.Provider, func(t *testing.T, db *store.DB) {
		d := start(t, db, store.Provider)
		other := d.addAccount("svc-other")
		if err := d.add(User{Email: "eve@example.com", Account: other}, secret); err != nil {
			t.Fatal(err)
		}
		users, err := d.Users(t.Context(), db.SQL, other)
		if err != nil || len(users) != 1 || users[0].Email != "eve@example.com" {
			t.Errorf("users of the account: %+v, %v", users, err)
		}
		remove := func(account, email string) error {
			return d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error { return d.Remove(ctx, tx, account, d.user(email).ID) })
		}
		d.signIn(admin, secret)
		if err := remove(other, admin); !errors.Is(err, store.ErrNotFound) || !d.signedIn() {
			t.Errorf("removing a user of another account: %v", err)
		}
		if err := remove(d.account, admin); err != nil || d.signedIn() {
			t.Errorf("a removed user is signed in, %v", err)
		}
		if resp := d.signIn(admin, secret); resp.StatusCode != 422 {
			t.Errorf("a removed user signs in: %d", resp.StatusCode)
		}
	})
}

// inviteUser invites a user as the dashboards do.
func (d *testServer) inviteUser(u User) (id, token string, err error) {
	by := d.user(admin)
	u.Account = d.account
	err = d.DB.Tx(d.t.Context(), func(ctx context.Context, tx *store.Tx) error {
		if id, token, err = d.Invite(ctx, tx, by, u, i18n.Spanish); err != nil {
			return err
		}
		return d.Record(ctx, tx, Entry{Actor: by.ID, Action: UserAdded, Subject: d.account, Object: id, Detail: string(u.Role)})
	})
	return id, token, err
}

// invite adds a user and returns the path of the link.
func (d *testServer) invite(email string, role Role) string {
	d.t.Helper()
	_, token, err := d.inviteUser(User{Email: email, Role: role})
	if err != nil || len(token) != 43 {
		d.t.Fatalf("inviting %s: %q, %v", email, token, err)
	}
	return "/review/set-password/" + token
}

func TestLinkSetsAPasswordOnce(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		link := d.invite("nina@example.com", reviewer)
		if _, _, err := d.inviteUser(User{Email: "nina@example.com", Role: auditor}); !errors.Is(err, ErrKnown) {
			t.Errorf("a second user with the address: %v", err)
		}
		if resp, page := d.get(link); resp.StatusCode != 200 || !strings.Contains(page, "nina@example.com") {
			t.Errorf("the link's page: %d %s", resp.StatusCode, page)
		}
		if n := d.count(`SELECT COUNT(*) FROM password_links WHERE hash = $1`,
			[]byte(strings.TrimPrefix(link, "/review/set-password/"))); n != 0 {
			t.Error("the token is stored in plain text")
		}
		var mu sync.Mutex
		got := map[int]int{}
		var won *testServer
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				b := d.newBrowser()
				resp, _ := b.post(link, url.Values{"password": {secret + "!"}})
				mu.Lock()
				defer mu.Unlock()
				if got[resp.StatusCode]++; resp.StatusCode == 303 {
					won = b
				}
			})
		}
		wg.Wait()
		if got[303] != 1 || got[410] != 3 || !won.signedIn() {
			t.Errorf("a link used four times at once: %v", got)
		}
		want := []string{"admin personAdded nina reviewer", "nina passwordSet nina ", "nina signedIn  link"}
		if recorded := d.audited(); !slices.Equal(recorded, want) {
			t.Errorf("recorded %q, want %q", recorded, want)
		}
		if resp := d.newBrowser().signIn("nina@example.com", secret+"!"); resp.StatusCode != 303 {
			t.Errorf("the password of the link: %d", resp.StatusCode)
		}

		// Using a new link ends the sessions of the old password; issuing it does not.
		_, token, err := d.Change(t.Context(), d.user(admin), d.user("nina@example.com").ID, NewLink, "", i18n.English)
		if err != nil || !won.signedIn() {
			t.Errorf("an unused link ended a session, %v", err)
		}
		if resp, _ := d.newBrowser().post("/review/set-password/"+token,
			url.Values{"password": {"quite another one"}}); resp.StatusCode != 303 || won.signedIn() {
			t.Errorf("a session of the old password works: %d", resp.StatusCode)
		}
		late := d.invite("late@example.com", auditor)
		*d.now = d.now.Add(inviteLife)
		if resp, _ := d.newBrowser().post(late, url.Values{"password": {secret}}); resp.StatusCode != 410 {
			t.Errorf("a link after three days: %d", resp.StatusCode)
		}
		if err := d.Sweep(t.Context()); err != nil || d.count(`SELECT COUNT(*) FROM password_links`) != 0 {
			t.Errorf("an expired link is stored: %v", err)
		}
	})
}

func TestChangesOfAUserTakeEffectAtOnce(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		nina := d.newBrowser()
		if resp, _ := nina.post(d.invite("nina@example.com", reviewer), url.Values{"password": {secret}}); resp.StatusCode != 303 {
			t.Fatalf("setting the password: %d", resp.StatusCode)
		}
		id := d.user("nina@example.com").ID
		change := func(c Change, role Role) {
			t.Helper()
			if _, _, err := d.Change(t.Context(), d.user(admin), id, c, role, i18n.English); err != nil {
				t.Error(err)
			}
		}
		change(ChangeRole, auditor)
		all, err := d.Entries(t.Context(), d.DB.SQL, EntryFilter{Action: UserChanged}, 1)
		if want := []Value{{SettingRole, string(reviewer), string(auditor)}}; err != nil || len(all) != 1 || !slices.Equal(all[0].Values, want) {
			t.Errorf("the audit log has %+v, %v", all, err)
		}
		if _, page := nina.get("/review"); !strings.Contains(page, `"auditor"`) {
			t.Errorf("a role takes effect only after the next sign-in: %s", page)
		}
		_, token, err := d.Change(t.Context(), d.user(admin), id, NewLink, "", i18n.English)
		change(Disable, "")
		if nina.signedIn() || nina.signIn("nina@example.com", secret).StatusCode != 422 {
			t.Error("a disabled user has access")
		}
		if resp, _ := nina.post("/review/set-password/"+token, url.Values{"password": {secret}}); err != nil || resp.StatusCode != 410 {
			t.Errorf("a disabled user sets a password: %d, %v", resp.StatusCode, err)
		}
		change(Enable, "")
		if nina.signedIn() {
			t.Error("a session from before is valid again")
		}
		if resp := nina.signIn("nina@example.com", secret); resp.StatusCode != 303 {
			t.Errorf("an enabled user: %d", resp.StatusCode)
		}
		if _, _, err := d.Change(t.Context(), d.user(admin), "33333333-3333-4333-8333-333333333333",
			Disable, "", i18n.English); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("changing an unknown user: %v", err)
		}
		want := []string{"admin personAdded nina reviewer", "nina passwordSet nina ", "nina signedIn  link", "admin personChanged nina auditor",
			"admin personLinked nina ", "admin personChanged nina disable", "nina signInFailed  password", "admin personChanged nina enable",
			"nina signedIn  password"}
		got := d.audited()
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
	})
}

// TestShownLinksEndWithTheAccess checks that a former administrator cannot use a link that they were shown for a colleague.
func TestShownLinksEndWithTheAccess(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		if err := d.add(User{Email: "nina@example.com", Role: reviewer}, secret); err != nil {
			t.Fatal(err)
		}
		change := func(by, of string, c Change) string {
			t.Helper()
			_, token, err := d.Change(t.Context(), d.user(by), d.user(of).ID, c, reviewer, i18n.English)
			if err != nil {
				t.Fatal(err)
			}
			return "/review/set-password/" + token
		}
		for name, end := range map[string]func(email string){
			"disabled": func(email string) { change(admin, email, Disable) },
			"demoted":  func(email string) { change(admin, email, ChangeRole) },
			"removed": func(email string) {
				if err := d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					return d.Remove(ctx, tx, "", d.user(email).ID)
				}); err != nil {
					t.Fatal(err)
				}
			},
		} {
			email := name + "@example.com"
			if err := d.add(User{Email: email, Role: administrator}, secret); err != nil {
				t.Fatal(err)
			}
			link := change(email, "nina@example.com", NewLink)
			if resp, _ := d.newBrowser().get(link); resp.StatusCode != 200 {
				t.Errorf("%s: the link is %d before that", name, resp.StatusCode)
			}
			end(email)
			if resp, _ := d.newBrowser().post(link, url.Values{"password": {secret}}); resp.StatusCode != 410 {
				t.Errorf("%s: a former administrator sets a colleague's password: %d", name, resp.StatusCode)
			}
		}
	})
}

// TestAdministratorsDoNotDisableEachOther checks that one of two administrators remains
// who disable each other concurrently.
func TestAdministratorsDoNotDisableEachOther(t *testing.T) {
	eachReview(t, func(t *testing.T, d *testServer) {
		if err := d.add(User{Email: "second@example.com", Role: administrator}, secret); err != nil {
			t.Fatal(err)
		}
		both := []User{d.user(admin), d.user("second@example.com")}
		var revoked atomic.Int32
		var wg sync.WaitGroup
		for i := range both {
			wg.Go(func() {
				_, _, err := d.Change(t.Context(), both[i], both[1-i].ID, Disable, "", i18n.English)
				if errors.Is(err, ErrRevoked) {
					revoked.Add(1)
				} else if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if n := d.count(`SELECT COUNT(*) FROM users WHERE disabled_at = 0`); n != 1 || revoked.Load() != 1 {
			t.Errorf("%d administrators remain, and %d were refused", n, revoked.Load())
		}
	})
}

func TestOwnPassword(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		d := start(t, db, store.Provider)
		other := d.newBrowser()
		d.signIn(admin, secret)
		other.signIn(admin, secret)
		u := d.user(admin)
		current, err := d.Sessions.Of(d.sessionRequest())
		if err != nil || current.Principal != u.ID {
			t.Fatalf("the session is %+v, %v", current, err)
		}
		for range 2 { // strangers' tries do not limit a signed-in user
			for range MaxTries {
				d.countTries(admin, "203.0.113.7")
			}
		}
		if ok, _, err := d.CheckOwnPassword(t.Context(), u, current, "not the password"); ok || err != nil {
			t.Errorf("a wrong password: %v, %v", ok, err)
		}
		if ok, _, err := d.CheckOwnPassword(t.Context(), u, current, strings.Repeat("x", MaxPassword+1)); ok || err != nil {
			t.Errorf("a password that is too long: %v, %v", ok, err)
		}
		ok, old, err := d.CheckOwnPassword(t.Context(), u, current, secret)
		if !ok || err != nil {
			t.Fatalf("the right password: %v, %v", ok, err)
		}
		var replaced atomic.Int32
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				fresh := hash("a good new password")
				err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					ok, err := d.ReplacePassword(ctx, tx, current, old, fresh)
					if ok {
						replaced.Add(1)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		if replaced.Load() != 1 || !d.signedIn() || other.signedIn() {
			t.Errorf("of four changes at once %d succeeded; signed in: %v, the other browser: %v", replaced.Load(), d.signedIn(), other.signedIn())
		}
		for range MaxTries {
			if _, _, err := d.CheckOwnPassword(t.Context(), u, current, "a guess"); err != nil {
				t.Fatal(err)
			}
		}
		if _, _, err := d.CheckOwnPassword(t.Context(), u, current, "a good new password"); !errors.Is(err, errTooManyTries) {
			t.Errorf("guessing the password of a session: %v", err)
		}
		*d.now = d.now.Add(TriesWindow + time.Second)
		if ok, _, err := d.CheckOwnPassword(t.Context(), u, current, "a good new password"); !ok || err != nil {
			t.Errorf("after the window: %v, %v", ok, err)
		}
	})
}

// TestEmailHashesAreKeyed checks that the database does not reveal which addresses it has, and
// that a start converts the hashes of an earlier version.
func TestEmailHashesAreKeyed(t *testing.T) {
	for _, party := range []string{store.Portal, store.Provider} {
		t.Run(party, func(t *testing.T) { storetest.Each(t, party, keyedHashes(party)) })
	}
}

func keyedHashes(party string) func(*testing.T, *store.DB) {
	return func(t *testing.T, db *store.DB) {
		d := start(t, db, party)
		if err := d.add(User{Email: "eve@example.com", Account: d.account}, secret); err != nil {
			t.Fatal(err)
		}
		plain := `SELECT COUNT(*) FROM users WHERE email_hash IN ($1, $2)`
		if n := d.count(plain, store.Hash(admin), store.Hash("eve@example.com")); n != 0 {
			t.Errorf("%d hashes have no key", n)
		}
		if _, err := db.SQL.Exec(`UPDATE users SET email_hash = $1, email_keyed = FALSE WHERE id = $2`, store.Hash(admin),
			d.user(admin).ID); err != nil {
			t.Fatal(err)
		}
		// A replica of an earlier version did not find the address, and added it again.
		sealed, err := db.Vault.Seal(t.Context(), db.SQL, store.SystemKey, d.emailCell("twice"), []byte("eve@example.com"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.SQL.Exec(`INSERT INTO users (id, customer_id, email_hash, email_sealed, password_hash, created_at)
			VALUES ('twice', $1, $2, $3, '', 0)`, d.account, store.Hash("eve@example.com"), sealed); err != nil {
			t.Fatal(err)
		}
		for range 2 { // of several starts, one converts
			if _, err := New(t.Context(), d.Config); err != nil {
				t.Fatal(err)
			}
		}
		if n := d.count(plain+` OR NOT email_keyed`, store.Hash(admin), store.Hash("eve@example.com")); n != 0 {
			t.Errorf("%d hashes were not converted", n)
		}
		if resp := d.signIn(admin, secret); resp.StatusCode != 303 {
			t.Errorf("a user of an earlier version signs in: %d", resp.StatusCode)
		}
		if u := d.user("eve@example.com"); u.ID == "twice" {
			t.Error("the address finds the second user")
		}
	}
}

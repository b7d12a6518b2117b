package mail

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestMailboxes(t *testing.T) {
	for _, party := range []string{store.Portal, store.Provider} {
		t.Run(party, func(t *testing.T) { storetest.Each(t, party, testMailboxes) })
	}
}

func testMailboxes(t *testing.T, db *store.DB) {
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	db.SetClock(func() time.Time { return now })
	open := func() *Mailboxes {
		m, err := OpenMailboxes(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	m := open()
	for _, same := range []string{"ana@example.com", " Ana@Example.COM "} {
		if !bytes.Equal(open().Hash(same), m.Hash("ana@example.com")) {
			t.Errorf("%q has another hash", same)
		}
	}
	if bytes.Equal(m.Hash("ana@example.com"), m.Hash("ann@example.com")) {
		t.Error("two addresses have one hash")
	}
	allow := func(value string, most int64, want bool) {
		t.Helper()
		if ok, err := m.Allow(t.Context(), "letters", value, most); err != nil || ok != want {
			t.Errorf("%q is allowed: %t (%v)", value, ok, err)
		}
	}
	allow("a", 2, true)
	now = now.Add(TriesWindow / 2)
	allow("a", 2, true)
	allow("a", 2, false)
	allow("b", 2, true)
	now = now.Add(TriesWindow / 2)
	allow("a", 2, true)
	now = now.Add(TriesWindow + time.Second)
	if err := m.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	var left int
	if err := db.SQL.QueryRowContext(t.Context(), `SELECT count(*) FROM link_tries`).Scan(&left); err != nil || left != 0 {
		t.Errorf("%d tries are left (%v)", left, err)
	}
}

// TestEmailLimits checks what one address gets for each purpose, and what one network can
// request, within an hour.
func TestEmailLimits(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		m, err := OpenMailboxes(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		for n := range maxNetworkEmails + 1 {
			err := m.AllowRequest(t.Context(), []httpx.Network{{Name: "192.0.2.1", Share: 1}})
			if want := n >= maxNetworkEmails; errors.Is(err, ErrNetworkLimit) != want {
				t.Errorf("request %d: %v", n, err)
			}
		}
		for n := range 2*maxNetworkEmails + 1 {
			err := m.AllowRequest(t.Context(), []httpx.Network{{Name: fmt.Sprint(n % 3), Share: 1}, {Name: "2001:db8::/48", Share: 2}})
			if want := n >= 2*maxNetworkEmails; errors.Is(err, ErrNetworkLimit) != want {
				t.Errorf("request %d of a site with three networks: %v", n, err)
			}
		}
		written := func(purpose, address string, fail error) (n int) {
			for range maxEmails + 2 {
				err := db.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
					ok, err := m.AllowEmail(ctx, tx, purpose, address)
					if ok {
						n++
					}
					return errors.Join(err, fail)
				})
				if !errors.Is(err, fail) {
					t.Fatal(err)
				}
			}
			return n
		}
		if n := written("reset", "ana@example.com", errors.New("not written")); n != maxEmails+2 {
			t.Errorf("%d emails that were not written are allowed", n)
		}
		for _, purpose := range []string{"reset", "access"} {
			for _, address := range []string{"ana@example.com", "ben@example.com"} {
				if n := written(purpose, address, nil); n != maxEmails {
					t.Errorf("%d emails to %s for %s", n, address, purpose)
				}
			}
		}
	})
}

package mail

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

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

// TestEmailLimits checks what one address gets, and what one network can request, within an
// hour.
func TestEmailLimits(t *testing.T) {
	storetest.Each(t, store.Provider, func(t *testing.T, db *store.DB) {
		m, err := OpenMailboxes(t.Context(), db)
		if err != nil {
			t.Fatal(err)
		}
		for n := range maxNetworkEmails + 1 {
			address := fmt.Sprintf("person-%d@example.com", n/(maxEmails+1))
			ok, err := m.AllowEmail(t.Context(), "192.0.2.0/24", address)
			if want := n < maxNetworkEmails; errors.Is(err, ErrNetworkLimit) == want {
				t.Errorf("request %d: %v", n, err)
			}
			if want := n%(maxEmails+1) < maxEmails && n < maxNetworkEmails; ok != want {
				t.Errorf("request %d for %s is allowed: %t", n, address, ok)
			}
		}
		if ok, err := m.AllowEmail(t.Context(), "198.51.100.0/24", ""); ok || err != nil {
			t.Errorf("a request without an address: %t (%v)", ok, err)
		}
	})
}

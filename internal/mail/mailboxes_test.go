package mail

import (
	"bytes"
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

package staff

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"vestibule/internal/store"
)

func (d *testServer) record(e Entry) error {
	return d.DB.Tx(d.t.Context(), func(ctx context.Context, tx *store.Tx) error { return d.Record(ctx, tx, e) })
}

func TestEntriesAreFilteredAndPaged(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		subject, actor := d.account, d.user(admin).ID
		for i := range 5 {
			*d.now = noon.Add(time.Duration(i/2) * 24 * time.Hour) // two entries at one instant
			if err := d.record(Entry{Actor: actor, Action: fmt.Sprintf("action %d", i%2), Subject: subject, Object: fmt.Sprint(i)}); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.record(Entry{ID: "fixed", Action: "once", Subject: subject}); err != nil {
			t.Fatal(err)
		}
		if err := d.record(Entry{ID: "fixed", Action: "twice", Subject: subject}); err != nil {
			t.Fatal(err)
		}
		if err := d.record(Entry{Actor: actor, Subject: subject}); err == nil {
			t.Error("an entry without an action is stored")
		}
		for _, tc := range []struct {
			f    EntryFilter
			want []string
		}{
			{EntryFilter{Action: "action 1"}, []string{"1", "3"}},
			{EntryFilter{Actor: actor, Subject: subject, Action: "action 0"}, []string{"0", "2", "4"}},
			{EntryFilter{Actor: "unknown"}, nil},
			{EntryFilter{Actor: actor, From: noon.AddDate(0, 0, 1).Truncate(24 * time.Hour),
				To: noon.AddDate(0, 0, 1).Truncate(24 * time.Hour)}, []string{"2", "3"}},
			{EntryFilter{Actor: actor, To: noon.Truncate(24 * time.Hour)}, []string{"0", "1"}},
		} {
			var got []string
			for f := tc.f; ; { // pages of one entry
				page, err := d.Entries(t.Context(), d.DB.SQL, f, 1)
				if err != nil {
					t.Fatal(err)
				}
				if len(page) == 0 {
					break
				}
				got, f.After = append(got, page[0].Object), store.Cursor{At: page[0].At, ID: page[0].ID}
			}
			if slices.Sort(got); !slices.Equal(got, tc.want) {
				t.Errorf("%+v selects %q, want %q", tc.f, got, tc.want)
			}
		}
		actions, err := d.Actions(t.Context(), d.DB.SQL, subject)
		if slices.Sort(actions); err != nil || !slices.Equal(actions, []string{"action 0", "action 1", "once"}) {
			t.Errorf("actions are %q, %v", actions, err)
		}
		err = d.DB.Tx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			n, err := d.DeleteEntries(ctx, tx, noon.AddDate(1, 0, 0), 100)
			if n != 3 {
				t.Errorf("%d old entries are deleted, want all but the last of each action", n)
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	})
}

// TestFailedSignInsAreRecorded checks that failed sign-ins for unknown addresses share an
// entry, so that they cannot flood the log. The provider's dashboard records none.
func TestFailedSignInsAreRecorded(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		for i := range 3 {
			d.signIn(fmt.Sprintf("unknown%d@example.com", i), "wrong password here")
		}
		*d.now = d.now.Add(time.Minute)
		d.signIn("unknown@example.com", "wrong password here")
		d.signIn(admin, "wrong password here")
		d.signIn(admin, "wrong password here")
		want := []string{" signInFailed  password", " signInFailed  password", "admin signInFailed  password", "admin signInFailed  password"}
		if d.account != "" {
			want = nil
		}
		if got := d.audited(); !slices.Equal(got, want) {
			t.Errorf("recorded %q, want %q", got, want)
		}
	})
}

func TestRuns(t *testing.T) {
	at := func(minutes int, actor, action, detail string) Entry {
		return Entry{Actor: actor, Action: action, Detail: detail, At: noon.Add(-time.Duration(minutes) * time.Minute)}
	}
	all := []Entry{
		at(0, "ann", "read", ""), at(1, "ann", "read", ""), at(60, "ann", "read", ""), // an hour
		at(61, "ann", "read", ""),                                      // more than an hour after the newest
		at(62, "bob", "read", ""),                                      // another user
		at(63, "bob", "opened", ""),                                    // another action
		at(64, "bob", "opened", "pdf"), at(65, "bob", "opened", "pdf"), // other details
		at(66, "bob", "opened", ""), // not consecutive with the first
	}
	var got []int
	entries := 0
	for _, run := range runs(all) {
		got = append(got, len(run))
		for _, e := range run {
			if e != all[entries] {
				t.Errorf("entry %d is %v", entries, e)
			}
			entries++
		}
	}
	if want := []int{3, 1, 1, 1, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("the runs have %v entries, want %v", got, want)
	}
	if runs(nil) != nil {
		t.Error("no entries make a run")
	}
}

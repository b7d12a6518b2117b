package staff

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"
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

// TestEntriesHaveValues stores what changes replaced, and finds entries by it. Entries of earlier
// versions have no values.
func TestEntriesHaveValues(t *testing.T) {
	each(t, func(t *testing.T, d *testServer) {
		values := []Value{{"name", `Loan "<server>" 1%`, "Café"}, {"light", "", "#13584c"}}
		long := strings.Repeat("é", maxValue)
		for i, v := range [][]Value{values, Changed(values[0], Value{"dark", "#000000", "#000000"}), {{"name", long, "short"}}, nil} {
			*d.now = noon.Add(time.Duration(i) * time.Minute)
			if err := d.record(Entry{Action: "changed", Subject: d.account, Object: fmt.Sprint(i), Values: v}); err != nil {
				t.Fatal(err)
			}
		}
		find := func(text string) (got []Entry) {
			t.Helper()
			f := EntryFilter{Action: "changed"}
			f.Search(text, nil, nil)
			got, err := d.Entries(t.Context(), d.DB.SQL, f, 10)
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		all := find("")
		if len(all) != 4 || all[0].Values != nil || !slices.Equal(all[2].Values, values[:1]) || !slices.Equal(all[3].Values, values) {
			t.Fatalf("the entries are %+v", all)
		}
		if cut := all[1].Values[0].Before; len(cut) > maxValue+len("…") || !strings.HasPrefix(long, strings.TrimSuffix(cut, "…")) {
			t.Errorf("a long value is %q", cut)
		}
		for text, want := range map[string]int{"#13584C": 1, "<SERVER>": 2, "1%": 2, "short": 1, "light": 1, "later": 0} {
			if got := find(text); len(got) != want {
				t.Errorf("%q finds %d entries, want %d", text, len(got), want)
			}
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
		at(67, "bob", "opened", ""), // other values
	}
	all[len(all)-1].Values = []Value{{"name", "a", "b"}}
	var got []int
	entries := 0
	for _, run := range runs(all) {
		got = append(got, len(run))
		for _, e := range run {
			if !reflect.DeepEqual(e, all[entries]) {
				t.Errorf("entry %d is %v", entries, e)
			}
			entries++
		}
	}
	if want := []int{3, 1, 1, 1, 2, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("the runs have %v entries, want %v", got, want)
	}
	if runs(nil) != nil {
		t.Error("no entries make a run")
	}
}

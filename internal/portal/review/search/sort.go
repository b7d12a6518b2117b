package search

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/portal/review/verdict"
	"vestibule/internal/report"
	"vestibule/internal/store"
)

// Values of Filter.Sort. SortStarted and SortDecided are by time. SortState, SortVerdict
// and SortAssigned group applications by a value, the newest first within each group.
// SortIncome and SortScore are by encrypted figures. Applications without a decision, a
// value or a figure are last in either direction, the newest first.
const (
	SortStarted  = "started"
	SortDecided  = "decided"
	SortState    = "state"
	SortVerdict  = "verdict"
	SortAssigned = "assigned"
	SortIncome   = "income"
	SortScore    = "score"
)

// Sorts lists the values of Filter.Sort.
var Sorts = []string{SortStarted, SortDecided, SortState, SortVerdict, SortAssigned, SortIncome, SortScore}

// MaxSorted is the number of applications, the newest first, that are sorted by an
// encrypted figure: each must be decrypted.
const MaxSorted = 1000

// Page is a page of results.
type Page struct {
	Rows    []Found
	Next    string // cursor of the next page; "" on the last
	Partial bool   // only the MaxSorted newest results are sorted
}

// ascends reports whether a query of the filter begins with the earliest time.
func (f Filter) ascends() bool {
	return !f.Descending && (f.Sort == SortStarted || f.Sort == SortDecided)
}

// Search returns a page of the filter's results. An empty Sort is SortStarted, newest
// first.
func (x *Index) Search(ctx context.Context, f Filter, limit int) (page Page, err error) {
	err = x.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		if page, err = x.page(ctx, tx, f, limit); err != nil || f.byFigures() { // those have summaries
			return err
		}
		return x.summaries(ctx, tx, page.Rows)
	})
	return page, err
}

// Order returns the filter's first results in order, without summaries.
func (x *Index) Order(ctx context.Context, f Filter, limit int) (Page, error) {
	return x.page(ctx, x.DB.SQL, f, limit)
}

func (f Filter) byFigures() bool { return f.Sort == SortIncome || f.Sort == SortScore }

// page returns a page of the filter's results; of those that sort by a figure, with summaries.
func (x *Index) page(ctx context.Context, q store.Queryer, f Filter, limit int) (page Page, err error) {
	if f.Sort == "" {
		f.Sort, f.Descending = SortStarted, true
	}
	switch {
	case f.byFigures():
		page, err = x.byFigure(ctx, q, f)
	case f.Sort == SortStarted:
		after, _ := store.ParseCursor(f.After)
		page.Rows, err = x.selectRows(ctx, q, f, after, limit+1)
		for i, e := range page.Rows {
			page.Rows[i].After = f.cursorOf(e)
		}
	default:
		page.Rows, err = x.grouped(ctx, q, f, limit+1)
	}
	if len(page.Rows) > limit {
		page.Rows = page.Rows[:limit]
		page.Next = page.Rows[limit-1].After
	}
	return page, err
}

// Insert returns where an application that left results would be in them. Its place is known
// only in the order of SortStarted; otherwise it is before the first.
func (f Filter) Insert(all []Found, created time.Time, id string) int {
	if f.Sort != SortStarted {
		return 0
	}
	i, _ := slices.BinarySearchFunc(all, id, func(e Found, id string) int {
		c := cmp.Or(e.CreatedAt.Compare(created), cmp.Compare(e.ID, id))
		if f.Descending {
			return -c
		}
		return c
	})
	return i
}

// Present returns those of some applications that exist, with summaries, and which of them
// f selects apart from its text, which applications do not leave.
func (x *Index) Present(ctx context.Context, f Filter, ids []string) (all []Found, selected map[string]bool, err error) {
	selected = map[string]bool{}
	if len(ids) == 0 {
		return nil, selected, nil
	}
	err = x.DB.Read(ctx, func(ctx context.Context, tx *store.Tx) error {
		if all, err = byIDs(ctx, tx, ids, Filter{}); err != nil {
			return err
		}
		some, err := byIDs(ctx, tx, ids, f)
		if err != nil {
			return err
		}
		for _, e := range some {
			selected[e.ID] = true
		}
		return x.summaries(ctx, tx, all)
	})
	return all, selected, err
}

func (f Filter) cursorOf(e Found) string {
	if f.Sort == SortDecided {
		return store.Cursor{At: e.DecidedAt, ID: e.ID}.String()
	}
	return store.Cursor{At: e.CreatedAt, ID: e.ID}.String()
}

// grouped answers a filter that sorts by a value: by one query for each value, in order,
// until there are limit results.
func (x *Index) grouped(ctx context.Context, q store.Queryer, f Filter, limit int) (all []Found, err error) {
	groups := f.groups()
	text, cursor, _ := strings.Cut(f.After, "-")
	first, _ := strconv.Atoi(text)
	after, _ := store.ParseCursor(cursor)
	if after.ID == "" || first < 0 {
		first = 0
	}
	for k := first; k < len(groups) && len(all) < limit; k++ {
		rows, err := x.selectRows(ctx, q, groups[k], after, limit-len(all))
		if err != nil {
			return all, err
		}
		for i, e := range rows {
			rows[i].After = strconv.Itoa(k) + "-" + groups[k].cursorOf(e)
		}
		after = store.Cursor{}
		all = append(all, rows...)
	}
	return all, nil
}

// groups returns a filter for each value of the column that f sorts by, in order, without
// values that f excludes.
func (f Filter) groups() (out []Filter) {
	if f.Sort == SortDecided {
		return f.byDecision()
	}
	var values []string
	column, last := &f.State, ""
	switch f.Sort {
	case SortState:
		values = states()
	case SortVerdict:
		for _, l := range verdict.Levels {
			values = append(values, string(l))
		}
		column, last = &f.Verdict, Unreported
	case SortAssigned:
		values, column, last = f.Assignees, &f.Assignee, Unassigned
	}
	values = slices.Clone(values)
	if f.Descending {
		slices.Reverse(values)
	}
	if last != "" {
		values = append(values, last)
	}
	given := *column
	for _, v := range values {
		if *column = v; given != "" && given != v {
			continue
		}
		one := f
		one.Sort, one.Descending = SortStarted, true
		out = append(out, one)
	}
	return out
}

// byDecision returns a filter for the decided applications in the order of their decisions,
// and one for the others.
func (f Filter) byDecision() (out []Filter) {
	if f.Decision != Undecided {
		one := f
		one.Decided = true
		out = append(out, one)
	}
	if (f.Decision == "" || f.Decision == Undecided) && !f.Decided && f.DecidedFrom.IsZero() {
		one := f
		one.Decision, one.Sort, one.Descending = Undecided, SortStarted, true
		out = append(out, one)
	}
	return out
}

// byFigure returns all results of a filter that sorts by an encrypted figure. The cursor is
// the last row of the previous page: an address must not have its figure.
func (x *Index) byFigure(ctx context.Context, q store.Queryer, f Filter) (page Page, err error) {
	newest := f
	newest.Sort, newest.Descending = SortStarted, true
	all, err := x.selectRows(ctx, q, newest, store.Cursor{}, MaxSorted+1)
	if err != nil {
		return page, err
	}
	if page.Partial = len(all) > MaxSorted; page.Partial {
		all = all[:MaxSorted]
	}
	if err := x.summaries(ctx, q, all); err != nil {
		return page, err
	}
	slices.SortStableFunc(all, func(a, b Found) int {
		if f.Sort == SortScore {
			return compareKnown(a.Summary.Score, b.Summary.Score, f.Descending)
		}
		return cmp.Or(cmp.Compare(incomeRank(a), incomeRank(b)), compareKnown(a.Summary.Income, b.Summary.Income, f.Descending))
	})
	if after, err := store.ParseCursor(f.After); err == nil {
		all = all[slices.IndexFunc(all, func(e Found) bool { return e.ID == after.ID })+1:]
	}
	for i, e := range all {
		all[i].After = f.cursorOf(e)
	}
	page.Rows = all
	return page, nil
}

// incomeRank orders incomes by currency, because amounts in others do not compare:
// dollars, other currencies, unknown.
func incomeRank(e Found) int {
	switch {
	case e.Summary.Income == nil:
		return 2
	case e.Summary.Currency != report.Dollars:
		return 1
	}
	return 0
}

// compareKnown compares two figures; an unknown one is last in either direction.
func compareKnown[T cmp.Ordered](a, b *T, descending bool) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	case descending:
		return cmp.Compare(*b, *a)
	}
	return cmp.Compare(*a, *b)
}

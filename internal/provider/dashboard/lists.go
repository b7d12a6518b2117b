package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"vestibule/internal/console"
	providerui "vestibule/templates/provider"
)

// pageSize is the number of entries on a page of a list.
const pageSize = 25

// listParams are the query parameters that select what a list shows. None of them has
// personal data; identifiers of reports are references.
var listParams = []string{"status", "substatus", "product", "state", "answer", "report", "reached", "stopped", "institution",
	"user", "action", "endpoint", "hour", "from", "to", "sort", "account", "days", "compare", "since", "dispute", "after"}

// failed is a value of the filters by status and by state: ended without success.
const failed = "failed"

// listOf returns what a page needs to filter and sort a list.
func listOf(path string, q url.Values) providerui.DashboardList {
	return providerui.DashboardList{Path: path, Query: q}
}

// parseTimes parses the hour of a filter, or its first and last day, as a range of time.
func parseTimes(q url.Values, zone *time.Location) (since, until time.Time, err error) {
	if text := q.Get("hour"); text != "" {
		since, err = time.ParseInLocation(providerui.DashboardHour, text, zone)
		return since, since.Add(time.Hour), err
	}
	since, until, err = console.ParseDays(q, zone)
	if !until.IsZero() {
		until = until.AddDate(0, 0, 1)
	}
	return since, until, err
}

// pager returns the link after a full page. path may have a query.
func pager(query url.Values, path string, full bool, last string) providerui.DashboardPager {
	var p providerui.DashboardPager
	to := func(after string) string {
		q := url.Values{}
		for k, v := range query {
			if k != "after" && len(v) == 1 && v[0] != "" {
				q[k] = v
			}
		}
		if after != "" {
			q.Set("after", after)
		}
		if len(q) == 0 {
			return path
		}
		return path + "?" + q.Encode()
	}
	if full {
		p.Older = to(last)
	}
	if query.Get("after") != "" {
		p.Newest = to("")
	}
	return p
}

// Pager returns the links of a list to its other pages; last is the cursor of the next one. The next
// page of a list that is searched for a text is requested by a form.
func Pager(query url.Values, path, text string, full bool, last string) providerui.DashboardPager {
	if text == "" {
		return pager(query, path, full, last)
	}
	p := providerui.DashboardPager{Newest: path}
	if full {
		p.After = last
	}
	return p
}

// selectionParams returns the query parameters that select what a list shows.
func selectionParams(r *http.Request, names ...string) url.Values {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return url.Values{}
	}
	return console.Params(r, append(names, "after")...)
}

// maxSearched is the number of emails that a search reads at once; the page says so, and
// leads to the next ones.
const maxSearched = 1000

// searched renders a list with the entries that have all words of a text; "" for all.
type searched func(ctx context.Context, r *http.Request, by user, d providerui.Dashboard, text string) (templ.Component, error)

// whole renders the list with all its entries.
func (list searched) whole(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
	return list(ctx, r, by, d, "")
}

// searchIn searches a list by words in its entries' names. After a cursor in the form it goes
// on from there.
func searchIn(path string, list searched) finder {
	return func(_ context.Context, _ user, query string) (string, page, error) {
		to := ""
		if query == "" {
			to = path
		}
		return to, func(ctx context.Context, r *http.Request, by user, d providerui.Dashboard) (templ.Component, error) {
			return list(ctx, r, by, d, query)
		}, nil
	}
}

// Contains reports whether each word of a search text is part of one of the names, in any case.
func Contains(text string, names ...string) bool {
	all := strings.ToLower(strings.Join(names, "\n"))
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(text)), func(word string) bool { return !strings.Contains(all, word) })
}

// sortOf returns the order of a list, which must be one of those that it offers.
func sortOf(q url.Values, offered ...string) (string, error) {
	sort := q.Get("sort")
	if sort != "" && !slices.Contains(offered, sort) {
		return "", unknown("list")
	}
	return sort, nil
}

// setDensity stores how high the user wants the rows of lists.
func (s *Pages) setDensity(w http.ResponseWriter, r *http.Request, by user) error {
	return console.SaveDensity(w, r, s.Staff, by.ID)
}

// SortNamed sorts the rows of a list by their names, in any case, or by when they were made: newest, oldest, or with a
// minus backwards.
func SortNamed[T any](rows []T, order string, of func(T) (name string, made time.Time)) {
	slices.SortStableFunc(rows, func(a, b T) int {
		x, made := of(a)
		y, other := of(b)
		switch {
		case order == "newest":
			return other.Compare(made)
		case order == "oldest":
			return made.Compare(other)
		case order != "":
			x, y = y, x
		}
		return strings.Compare(strings.ToLower(x), strings.ToLower(y))
	})
}

package dashboard

import (
	"net/http"
	"net/url"
	"time"

	pages "vestibule/templates/provider"
)

// pageSize is the number of entries on a page of a list.
const pageSize = 25

// listParams are the query parameters that select what a list shows. None of them has
// personal data; identifiers of reports are references.
var listParams = []string{"status", "substatus", "product", "state", "answer", "report", "reached", "stopped", "institution",
	"user", "action", "from", "to", "sort", "days", "after"}

// failed is a value of the filters by status and by state: ended without success.
const failed = "failed"

// listOf returns what a page needs to filter and sort a list.
func listOf(path string, q url.Values) pages.DashboardList {
	return pages.DashboardList{Path: path, Query: q}
}

// parseDays parses the first and the last day of a filter; "" is the zero time.
func parseDays(q url.Values) (from, to time.Time, err error) {
	if text := q.Get("from"); text != "" {
		if from, err = time.Parse(time.DateOnly, text); err != nil {
			return from, to, err
		}
	}
	if text := q.Get("to"); text != "" {
		to, err = time.Parse(time.DateOnly, text)
	}
	return from, to, err
}

// pager returns the link after a full page. path may have a query.
func pager(query url.Values, path string, full bool, last string) pages.DashboardPager {
	var p pages.DashboardPager
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

// chosen returns the query parameters that select what a list shows.
func chosen(r *http.Request, names ...string) url.Values {
	q := url.Values{}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		for _, name := range append(names, "after") {
			if v := r.URL.Query().Get(name); v != "" {
				q.Set(name, v)
			}
		}
	}
	return q
}

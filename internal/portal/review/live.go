package review

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/search"
	"vestibule/internal/portal/review/spreadsheet"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

// changes is the answer to an open list that asks for what changed.
type changes struct {
	Rows    []changedRow      `json:"rows,omitempty"`
	Deleted []string          `json:"deleted,omitempty"` // ids
	New     int               `json:"new"`               // applications that the first page has and the open list lacks
	Queues  map[string]string `json:"queues"`            // counts by queue
}

// changedRow is the current state of a row of the open list.
type changedRow struct {
	ID   string `json:"id"`
	HTML string `json:"html"` // a tr element
}

// live tells an open list what changed since it was shown. The form has the parameters of
// the list, and a row parameter with id and stamp for each application that it shows. An
// answer with rows is recorded as a list; one without has no personal data.
func (d *Handler) live(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, err := httpx.DecodeForm(w, r, 16<<10)
	if err != nil {
		return err
	}
	f, ok := readFilter(form, by)
	ids, stamps, known := shownRows(form["row"])
	if !ok || !known {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such list"))
	}
	if err := d.readText(r.Context(), &f, by); errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeNotFound, errors.New("the search has ended"))
	} else if err != nil {
		return err
	}
	out := changes{Queues: map[string]string{}}
	if f.After == "" {
		page, err := d.search(r.Context(), f, pageSize)
		if err != nil {
			return err
		}
		out.New = countNew(page.Rows, ids)
	}
	queues, err := d.tabs(r.Context(), by, f)
	if err != nil {
		return err
	}
	for _, q := range queues {
		out.Queues[q.Name] = q.Shown()
	}
	now, inList, err := d.Index.Present(r.Context(), f.selection(d.Index.Now()), ids)
	if err != nil {
		return err
	}
	var changed []search.Found
	for _, id := range ids {
		i := slices.IndexFunc(now, func(e search.Found) bool { return e.ID == id })
		if i < 0 {
			out.Deleted = append(out.Deleted, id)
		} else if stampOf(now[i], inList[id]) != stamps[id] {
			changed = append(changed, now[i])
		}
	}
	if len(changed) > 0 {
		rows, err := d.rows(r.Context(), by, changed)
		if err != nil {
			return err
		}
		if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.Listed}); err != nil {
			return err
		}
		lang := d.Page(r).Lang
		var v pages.ListView
		if err := d.fillRowParts(r.Context(), by, f, &v); err != nil {
			return err
		}
		for _, row := range rows {
			if row.Gone = !inList[row.ID]; row.Gone {
				row.Stamp += goneStamp
			}
			var html bytes.Buffer
			if err := pages.ListRow(lang, row, v).Render(r.Context(), &html); err != nil {
				return err
			}
			out.Rows = append(out.Rows, changedRow{ID: row.ID, HTML: html.String()})
		}
	}
	return httpx.PrivateJSON(w, http.StatusOK, out)
}

// shownRows reads the rows of an open list, each as "id.stamp"; false for malformed ones.
func shownRows(rows []string) (ids []string, stamps map[string]string, ok bool) {
	stamps = map[string]string{}
	for _, row := range rows {
		id, stamp, cut := strings.Cut(row, ".")
		if !cut || !contract.IsUUID(id) {
			return nil, nil, false
		}
		if _, twice := stamps[id]; !twice {
			ids = append(ids, id)
		}
		stamps[id] = stamp
	}
	return ids, stamps, len(rows) <= pageSize
}

// countNew counts the applications of a first page that an open list lacks. Those that
// follow its last application were on its next page, unless it had none.
func countNew(page []search.Found, shown []string) (n int) {
	has := func(e search.Found) bool { return slices.Contains(shown, e.ID) }
	end := len(page)
	if len(shown) >= pageSize {
		for end > 0 && !has(page[end-1]) {
			end--
		}
		if end == 0 { // all are new
			end = len(page)
		}
	}
	for _, e := range page[:end] {
		if !has(e) {
			n++
		}
	}
	return n
}

const goneStamp = "x" // ends the stamp of a row that left the open list

// stampOf returns a text that changes with what the list shows of an application.
func stampOf(e search.Found, inList bool) string {
	h := fnv.New64a()
	fmt.Fprint(h, e.UpdatedAt.UnixMicro(), e.State, e.Decision, e.DecidedAt.UnixMicro(), e.Assignee, e.Verdict, e.Attempt,
		e.RevisedAt.UnixMicro(), e.Outdated)
	out := fmt.Sprintf("%x", h.Sum64())
	if !inList {
		out += goneStamp
	}
	return out
}

// export sends the selected applications as the list shows them, for a spreadsheet. Each
// is an entry of the audit log.
func (d *Handler) export(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, err := httpx.DecodeForm(w, r, 16<<10)
	if err != nil {
		return err
	}
	ids, ok := chosenIDs(form)
	if !ok || len(ids) == 0 {
		return httpx.NewError(contract.CodeMalformedBody, errors.New("no such selection"))
	}
	now, _, err := d.Index.Present(r.Context(), search.Filter{}, ids)
	if err != nil {
		return err
	}
	slices.SortFunc(now, func(a, b search.Found) int { return slices.Index(ids, a.ID) - slices.Index(ids, b.ID) })
	rows, err := d.rows(r.Context(), by, now)
	if err != nil {
		return err
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		for _, e := range now {
			if err := d.Staff.Record(ctx, tx, staff.Entry{Actor: by.ID, Action: audit.Exported, Subject: e.ID}); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	httpx.SendDownload(w, spreadsheet.ContentType, "applications.csv", spreadsheet.Encode(listTable(rows)))
	return nil
}

// chosenIDs reads the selected applications; false for too many or malformed ones.
func chosenIDs(form url.Values) ([]string, bool) {
	ids := form["id"]
	return ids, len(ids) <= pageSize && !slices.ContainsFunc(ids, func(id string) bool { return !contract.IsUUID(id) })
}

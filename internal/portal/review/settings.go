package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"vestibule/internal/console"
	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	pages "vestibule/templates/portal/review"
)

const maxFilterName = 40 // characters

// errNoSuchSetting rejects forms that the page does not offer.
var errNoSuchSetting = httpx.NewError(contract.CodeMalformedBody, errors.New("no such setting"))

// settingsForm reads a form that repeats the list's filter.
func settingsForm(w http.ResponseWriter, r *http.Request, by staff.User) (form url.Values, f filter, err error) {
	if form, err = httpx.DecodeForm(w, r, 8<<10); err != nil {
		return nil, f, err
	}
	f, ok := readFilter(form, by)
	if !ok {
		return nil, f, errNoSuchSetting
	}
	return form, f, nil
}

// setDensity stores how high the user wants the list's rows.
func (d *Handler) setDensity(w http.ResponseWriter, r *http.Request, by staff.User) error {
	return console.SaveDensity(w, r, d.Staff, by.ID)
}

// setColumns stores which columns the user wants: with the saved filter that the list shows,
// otherwise for all other lists.
func (d *Handler) setColumns(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, f, err := settingsForm(w, r, by)
	if err != nil {
		return err
	}
	view := form.Get("view")
	f.Columns = pages.JoinColumns(form["column"])
	if f.Columns == "" || view != "" && !contract.IsUUID(view) {
		return errNoSuchSetting
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if view == "" {
			columns := f.Columns
			f.Columns = ""
			return setListColumns(ctx, tx, by.ID, columns)
		}
		saved := f
		saved.Find, saved.After = "", ""
		return setFilterQuery(ctx, tx, by.ID, view, saved.query(""))
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, f.url(f.After))
}

// saveFilterForm saves the list's queue, filters and order under a name, without its
// search text and page.
func (d *Handler) saveFilterForm(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, f, err := settingsForm(w, r, by)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(form.Get("name"))
	if !plain(name, 1, maxFilterName) {
		return errNoSuchSetting
	}
	saved := f
	saved.Find, saved.After = "", ""
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		ok, err := d.saveFilter(ctx, tx, by.ID, name, saved.query(""))
		if err == nil && !ok {
			return errNoSuchSetting
		}
		return err
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, f.url(f.After))
}

// changeFilterForm renames, moves or deletes a filter that the user saved.
func (d *Handler) changeFilterForm(w http.ResponseWriter, r *http.Request, by staff.User) error {
	form, f, err := settingsForm(w, r, by)
	if err != nil {
		return err
	}
	id, name := r.PathValue("id"), strings.TrimSpace(form.Get("name"))
	if !contract.IsUUID(id) {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such saved filter"))
	}
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		switch form.Get("do") {
		case "rename":
			if !plain(name, 1, maxFilterName) {
				return errNoSuchSetting
			}
			return d.renameFilter(ctx, tx, by.ID, id, name)
		case "earlier":
			return d.moveFilter(ctx, tx, by.ID, id, -1)
		case "later":
			return d.moveFilter(ctx, tx, by.ID, id, 1)
		case "delete":
			return deleteFilter(ctx, tx, by.ID, id)
		}
		return errNoSuchSetting
	})
	if err != nil {
		return err
	}
	return httpx.SeeOther(w, f.url(f.After))
}

// savedTabs returns the tabs of the user's saved filters, without counts. It leaves out a
// filter that a later version cannot read.
func (d *Handler) savedTabs(ctx context.Context, by staff.User) (tabs []pages.Queue, filters []filter, err error) {
	all, err := d.savedFilters(ctx, d.DB.SQL, by.ID)
	if err != nil {
		return nil, nil, err
	}
	for _, s := range all {
		q, err := url.ParseQuery(s.query)
		f, ok := readFilter(q, by)
		if err != nil || !ok {
			continue
		}
		tabs, filters = append(tabs, pages.Queue{Name: s.id, Saved: s.name, URL: f.url("")}), append(filters, f)
	}
	return tabs, filters, nil
}

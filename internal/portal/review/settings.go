package review

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

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
	return d.Staff.SaveDensity(w, r, by.ID)
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
	saved.find, saved.cursor = "", ""
	_, query, _ := strings.Cut(saved.url(""), "?")
	err = d.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		ok, err := d.saveFilter(ctx, tx, by.ID, name, query)
		if err == nil && !ok {
			return errNoSuchSetting
		}
		return err
	})
	if err != nil {
		return err
	}
	httpx.SeeOther(w, f.url(f.cursor))
	return nil
}

// deleteFilterForm deletes a filter that the user saved.
func (d *Handler) deleteFilterForm(w http.ResponseWriter, r *http.Request, by staff.User) error {
	_, f, err := settingsForm(w, r, by)
	if err != nil {
		return err
	}
	id := r.PathValue("id")
	if !contract.IsUUID(id) {
		return httpx.NewError(contract.CodeNotFound, errors.New("no such saved filter"))
	}
	if err := deleteFilter(r.Context(), d.DB.SQL, by.ID, id); err != nil {
		return err
	}
	httpx.SeeOther(w, f.url(f.cursor))
	return nil
}

// fillSettings adds the user's saved filters and density to the list. A saved filter that
// a later version cannot read is left out.
func (d *Handler) fillSettings(ctx context.Context, by staff.User, f filter, v *pages.ListView) error {
	var err error
	if v.Dense, err = d.Staff.IsDense(ctx, d.DB.SQL, by.ID); err != nil {
		return err
	}
	all, err := d.savedFilters(ctx, d.DB.SQL, by.ID)
	if err != nil {
		return err
	}
	v.Full = len(all) >= maxSaved
	for _, s := range all {
		q, err := url.ParseQuery(s.query)
		one, ok := readFilter(q, by)
		if err != nil || !ok {
			continue
		}
		v.Saved = append(v.Saved, pages.SavedFilter{ID: s.id, Name: s.name, URL: one.url(""), Current: one.url("") == f.url("")})
	}
	return nil
}

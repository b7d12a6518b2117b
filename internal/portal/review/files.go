package review

import (
	"errors"
	"net/http"
	"slices"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/staff"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
	pages "vestibule/templates/portal/review"
	"vestibule/templates/ui"
)

// endings maps the content types that reviewers download unchanged to their file
// extensions. Other files are sent as application/octet-stream.
var endings = map[string]string{"application/pdf": ".pdf", "image/png": ".png", "image/jpeg": ".jpg", "application/json": ".json"}

// files lists the files of a report as the service has them now.
func (d *Handler) files(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, all, err := d.listed(r)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.FilesListed, Subject: a.ID}); err != nil {
		return err
	}
	v := pages.FilesView{ApplicationID: a.ID, HasPage: hasPage(a.Product)}
	for _, f := range all {
		v.Files = append(v.Files, pages.File{Kind: f.DocumentType, SourceID: f.SourceID, Path: f.Path})
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Files(p, v) })
}

// listed returns the application that the address names and the files of its report.
func (d *Handler) listed(r *http.Request) (applications.Application, []svcapi.File, error) {
	a, err := d.get(r)
	if err != nil {
		return a, nil, err
	}
	all, err := d.Applications.Files(r.Context(), a.ID)
	return a, all, err
}

// file sends a file as a download, never as a page, since its content is untrusted.
// It writes the audit entry before requesting the file from the service.
func (d *Handler) file(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, all, err := d.listed(r)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	ref := r.PathValue("file")
	i := slices.IndexFunc(all, func(f svcapi.File) bool { return pages.FileRef(f.Path) == ref })
	if i < 0 {
		return d.noFiles(w, r, by, a, &svcapi.Error{Op: "file", HTTP: http.StatusNotFound, Code: contract.CodeNotFound})
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Cache-Control", "no-store")
		return nil
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.FileOpened, Subject: a.ID, Object: ref}); err != nil {
		return err
	}
	got, err := d.Applications.File(r.Context(), a.ID, all[i].Path)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	ending, ok := endings[got.Type]
	if !ok {
		got.Type = "application/octet-stream"
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	attach(w, got.Type, string(a.Product)+"-"+a.ID+"-"+ref+ending, got.Body)
	return nil
}

// noFiles shows why the service refused a file.
func (d *Handler) noFiles(w http.ResponseWriter, r *http.Request, by staff.User, a applications.Application, why error) error {
	if errors.Is(why, store.ErrNotFound) {
		return httpx.NewError(contract.CodeReportNotReady, why)
	}
	var e *svcapi.Error
	if !errors.As(why, &e) {
		return why
	}
	v := pages.FilesView{ApplicationID: a.ID, HasPage: hasPage(a.Product), Problem: pages.FilesAway, Retry: r.URL.EscapedPath()}
	status := http.StatusBadGateway
	switch e.Code {
	case contract.CodeGone:
		v.Problem, v.Retry, status = pages.FileGone, "", http.StatusGone
	case contract.CodeNotFound, contract.CodeInvalidToken:
		v.Problem, v.Retry, status = pages.FileUnknown, "", http.StatusNotFound
	default:
		d.Log.WarnContext(r.Context(), "a report's files not fetched", "application", a.ID, "code", string(e.Code),
			"err", e.Error(), "requestId", httpx.RequestID(r.Context()))
		httpx.RetryAfter(w, e.RetryAfter)
	}
	return d.show(w, r, status, func(p ui.Page) templ.Component { return pages.Files(p, v) })
}

package review

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"

	"github.com/a-h/templ"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/pageimage"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/review/audit"
	"vestibule/internal/portal/review/decisions"
	"vestibule/internal/report"
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
	v := pages.FilesView{ApplicationID: a.ID, HasPage: a.Product.Valid()}
	for _, f := range all {
		v.Files = append(v.Files, pages.File{Kind: f.DocumentType, SourceID: f.SourceID, Path: f.Path,
			Shown: pages.CanShow(f.Path, d.PageImages.PDF())})
	}
	if v.Place, err = d.positionInList(r.Context(), r, by, a); err != nil {
		return err
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
func (d *Handler) file(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, f, err := d.open(r, by)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Cache-Control", "no-store")
		return nil
	}
	ending, ok := endings[f.Type]
	if !ok {
		f.Type = "application/octet-stream"
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{})
	httpx.SendDownload(w, f.Type, string(a.Product)+"-"+a.ID+"-"+pages.FileRef(f.Path)+ending, f.Body)
	return nil
}

// opened is a file of a report with its content.
type opened struct {
	svcapi.File
	svcapi.Content
}

// open requests the file that the address names, without its content for HEAD. It writes the
// audit entry before it requests the content from the service.
func (d *Handler) open(r *http.Request, by staff.User) (a applications.Application, f opened, err error) {
	a, all, err := d.listed(r)
	if err != nil {
		return a, f, err
	}
	ref := r.PathValue("file")
	i := slices.IndexFunc(all, func(f svcapi.File) bool { return pages.FileRef(f.Path) == ref })
	if i < 0 {
		return a, f, &svcapi.Error{Op: "file", HTTP: http.StatusNotFound, Code: contract.CodeNotFound}
	}
	if f.File = all[i]; r.Method == http.MethodHead {
		return a, f, nil
	}
	if err := d.audit(r, staff.Entry{Actor: by.ID, Action: audit.FileOpened, Subject: a.ID, Object: ref}); err != nil {
		return a, f, err
	}
	f.Content, err = d.Applications.File(r.Context(), a.ID, f.Path)
	return a, f, err
}

// pageImage sends one page of a document as an image, which has none of the file's bytes.
func (d *Handler) pageImage(w http.ResponseWriter, r *http.Request, by staff.User) error {
	n, err := strconv.Atoi(r.PathValue("page"))
	if err != nil || n < 1 || n > pageimage.MaxPages {
		return httpx.NewError(contract.CodeNotFound, pageimage.ErrNoPage)
	}
	ctx, done := context.WithCancel(r.Context())
	defer done()
	a, f, err := d.open(r.WithContext(ctx), by)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	httpx.SetSecurityHeaders(w, httpx.CSP{Static: true})
	if r.Method == http.MethodHead {
		return nil
	}
	m, err := d.PageImages.Page(ctx, f.Body, n)
	if done(); err != nil { // the file is not in memory while the browser reads the page
		return notShown(err)
	}
	w.Header().Set("Content-Type", m.Type)
	w.Header().Set("Content-Length", strconv.Itoa(len(m.Body)))
	w.Header().Set("Cross-Origin-Resource-Policy", "same-origin")
	_, _ = w.Write(m.Body) // the client has disconnected
	return nil
}

// notShown returns the error for a document that has no such page, or cannot be rendered.
func notShown(err error) error {
	for _, why := range []error{pageimage.ErrNoPage, pageimage.ErrUnsupported, pageimage.ErrUnreadable, pageimage.ErrTooLarge} {
		if errors.Is(err, why) {
			return httpx.NewError(contract.CodeNotFound, err)
		}
	}
	return err
}

func (d *Handler) document(w http.ResponseWriter, r *http.Request, by staff.User) error {
	a, f, err := d.open(r, by)
	if err != nil {
		return d.noFiles(w, r, by, a, err)
	}
	v := pages.DocumentView{ApplicationID: a.ID, Kind: f.DocumentType, URL: "/review/applications/" + a.ID + "/files/" + pages.FileRef(f.Path)}
	if r.Method != http.MethodHead {
		if v.Pages, err = d.PageImages.Pages(r.Context(), f.Body); err != nil && notShown(err) == err {
			return err
		}
	}
	people, err := d.Applications.Applicants(r.Context(), []string{a.ID})
	if err != nil {
		return err
	}
	v.Name = people[a.ID].Name()
	if v.Stub, err = d.stubOf(r.Context(), a, f.Path); err != nil {
		return err
	}
	return d.show(w, r, http.StatusOK, func(p ui.Page) templ.Component { return pages.Document(p, v) })
}

// stubOf returns the pay stub of the newest report that was read from a file; nil if there is
// none.
func (d *Handler) stubOf(ctx context.Context, a applications.Application, path string) (*report.Paystub, error) {
	if a.Product != contract.Income {
		return nil, nil
	}
	raw, err := d.Applications.Report(ctx, d.DB.SQL, a.ID, 0, -1)
	if err != nil {
		return nil, store.OrNone(err)
	}
	body, err := report.ParseIncome(raw)
	if err != nil {
		return nil, decisions.ErrStored
	}
	if body.Income != nil {
		for i := range body.Income.Paystubs {
			if p := &body.Income.Paystubs[i]; p.SourceFilepath == path {
				return p, nil
			}
		}
	}
	return nil, nil
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
	v := pages.FilesView{ApplicationID: a.ID, HasPage: a.Product.Valid(), Problem: pages.FilesAway, Retry: r.URL.EscapedPath()}
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

package api

import (
	"errors"
	"net/http"
	"slices"
	"strconv"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/portal/applications"
	"vestibule/internal/store"
	"vestibule/internal/svcapi"
)

// file is the JSON form of a report's file.
type file struct {
	DocumentType string `json:"documentType"`
	DocumentID   string `json:"documentId"`
	SourceID     string `json:"sourceId"`
	Path         string `json:"path"`
}

// fileTypes are the content types that are passed on; others become
// application/octet-stream.
var fileTypes = []string{"application/json", "application/pdf", "image/png", "image/jpeg"}

// files lists the files of a report, as the service has them now.
func (a *API) files(w http.ResponseWriter, r *http.Request, app applications.Application) error {
	all, err := a.Applications.Files(r.Context(), app.ID)
	if err != nil {
		return noFile(app, err)
	}
	out := struct {
		Files []file `json:"files"`
	}{Files: make([]file, len(all))}
	for i, f := range all {
		out.Files[i] = file{f.DocumentType, f.DocumentID, f.SourceID, f.Path}
	}
	return httpx.JSON(w, http.StatusOK, out)
}

// file sends a file as an attachment, never as a page, since its content is
// untrusted.
func (a *API) file(w http.ResponseWriter, r *http.Request, app applications.Application) error {
	path := r.PathValue("path")
	if path == "" || len(path) > 512 || path != clean(path) {
		return httpx.NewError(contract.CodeNotFound, errors.New("no path of a file"))
	}
	got, err := a.Applications.File(r.Context(), app.ID, path)
	if err != nil {
		return noFile(app, err)
	}
	if !slices.Contains(fileTypes, got.Type) {
		got.Type = "application/octet-stream"
	}
	h := w.Header()
	h.Set("Content-Type", got.Type)
	h.Set("Content-Disposition", "attachment")
	h.Set("Content-Length", strconv.Itoa(len(got.Body)))
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(got.Body) // the client has disconnected
	return nil
}

// noFile returns the API's error for an error of requesting files.
func noFile(app applications.Application, why error) error {
	if errors.Is(why, store.ErrNotFound) {
		return notReady(app, why)
	}
	var e *svcapi.Error
	if !errors.As(why, &e) {
		return why
	}
	switch e.Code {
	case contract.CodeGone:
		return httpx.NewError(contract.CodeGone, why)
	case contract.CodeNotFound, contract.CodeInvalidToken, contract.CodeMalformedHeaders:
		return httpx.NewError(contract.CodeNotFound, why)
	}
	return &httpx.Error{Code: contract.CodeUpstream, RetryAfter: e.RetryAfter, Why: why}
}

package httpx

import (
	"net/http"
	"strconv"
)

// SetDownload sets the headers of a response that a browser saves as a file: it neither
// caches the file nor guesses its type.
func SetDownload(w http.ResponseWriter, contentType, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

// SendDownload sends a response that a browser saves as a file. Its handler must write nothing
// else. An error of writing means that the client has disconnected, so it is dropped.
func SendDownload(w http.ResponseWriter, contentType, name string, body []byte) {
	SetDownload(w, contentType, name)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

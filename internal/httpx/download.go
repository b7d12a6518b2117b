package httpx

import "net/http"

// SetDownload sets the headers of a response that a browser saves as a file: it neither
// caches the file nor guesses its type.
func SetDownload(w http.ResponseWriter, contentType, name string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}

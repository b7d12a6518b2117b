package portal

import (
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// AnotherDevice is the page that shows a link for continuing on another device. The link
// works once.
type AnotherDevice struct {
	Base
	Link     string
	Code     string // the link as a QR code: a path in a square of Size units
	Size     int
	Minutes  int    // how long the link works
	Local    bool   // the link works on this machine only
	LinkURL  string // POST address that creates a new link
	EmailURL string // POST address that requests an email; "" offers none
	Status   string
	Stream   string
	Version  int64
}

func (d AnotherDevice) viewBox() string {
	n := strconv.Itoa(d.Size)
	return "0 0 " + n + " " + n
}

func (d AnotherDevice) lifetimeText() string {
	return i18n.T(d.Lang, "device.link_lasts", "minutes", strconv.Itoa(d.Minutes))
}

// OpenLink is the page of a resume link. It asks before it grants the browser access.
type OpenLink struct {
	Base
	Product contract.Product
	Begun   time.Time
	Action  string
}

// Find is the form for applicants who return without a link.
type Find struct {
	Base
	Email   string
	Problem i18n.Key
}

// ResumeOptions holds the POST addresses for continuing in another browser or later. The
// zero value offers none.
type ResumeOptions struct {
	LinkURL  string // creates a link
	EmailURL string // requests an email; "" offers none
}

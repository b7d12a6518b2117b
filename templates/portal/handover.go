package portal

import (
	"strconv"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/i18n"
)

// Handover shows a link that carries an application to another device, once.
type Handover struct {
	Base
	Link    string
	Code    string // the link as a QR code: a path in a square of Size units
	Size    int
	Minutes int    // how long the link works
	Local   bool   // the address means this machine only
	Again   string // where a new link is asked for, by POST
	Letter  string // POST address that requests an email; "" offers none
	Status  string
	Stream  string
	Version int64
}

func (h Handover) box() string {
	n := strconv.Itoa(h.Size)
	return "0 0 " + n + " " + n
}

func (h Handover) lasts() string {
	return i18n.T(h.Lang, "handover.link_lasts", "minutes", strconv.Itoa(h.Minutes))
}

// Arrive is where such a link leads: it asks before it lets a browser in.
type Arrive struct {
	Base
	Product contract.Product
	Begun   time.Time
	Action  string
}

// Return is the form for applicants who return without a link.
type Return struct {
	Base
	Email   string
	Problem i18n.Key
}

// Elsewhere holds the ways to continue in another browser; the zero value has none.
type Elsewhere struct {
	Link   string // where a link is asked for, by POST
	Letter string // address of the email form; "" offers none
}

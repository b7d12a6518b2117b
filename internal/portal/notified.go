package portal

import (
	"net/http"

	"vestibule/internal/httpx"
	"vestibule/internal/portal/notify"
	"vestibule/internal/portal/review"
)

// guard has the review desk let its people in to the pages of events.
func guard(d *review.Desk) func(bool, func(http.ResponseWriter, *http.Request, notify.Member) error) httpx.HandlerFunc {
	return func(changes bool, next func(http.ResponseWriter, *http.Request, notify.Member) error) httpx.HandlerFunc {
		return d.Guard(changes, func(w http.ResponseWriter, r *http.Request, by review.Member) error {
			return next(w, r, notify.Member(by))
		})
	}
}

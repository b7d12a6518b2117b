package redirect

import (
	"errors"
	"net/http"
	"time"

	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/jose"
)

// Notice is the page shown to an applicant whose return was refused. It says what to
// do, never which check failed.
type Notice struct {
	Title i18n.Key
	Text  i18n.Key
	Retry bool // reloading the same address can help
}

func refused() Notice {
	return Notice{
		Title: "return.refused.title",
		Text:  "return.refused.text",
	}
}

func otherWindow() Notice {
	return Notice{
		Title: "return.other_window.title",
		Text:  "return.other_window.text",
	}
}

func tooLate() Notice {
	return Notice{
		Title: "return.too_late.title",
		Text:  "return.too_late.text",
	}
}

func keysUnavailable() Notice {
	return Notice{
		Title: "return.unchecked.title",
		Text:  "return.unchecked.text",
		Retry: true,
	}
}

// refuse answers a refused return with a page and logs the reason. The attempt stays
// open. Errors other than refusals are internal failures and are returned.
func (c *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	var cause refusal
	var bad *httpx.Error
	status, n := http.StatusBadRequest, refused()
	switch {
	case errors.As(err, &bad) && bad.HTTPStatus() < 500:
		status = bad.HTTPStatus()
	case !errors.As(err, &cause):
		return err
	case errors.Is(err, jose.ErrExpired), errors.Is(err, jose.ErrTooOld):
		n = tooLate()
	case errors.Is(err, jose.ErrKeysUnavailable):
		n = keysUnavailable()
		httpx.RetryAfter(w, 5*time.Second)
	case cause == errLate:
		status, n = http.StatusGone, tooLate()
	case cause == errMethod:
		status = http.StatusMethodNotAllowed
	case cause == errOtherBrowser:
		status, n = http.StatusForbidden, otherWindow()
	case cause == errTooManyStashed:
		status = http.StatusTooManyRequests
	}
	c.Telemetry.ReturnRefused(reason(err))
	c.Log.InfoContext(r.Context(), "return refused", "err", err.Error(), "status", status, "requestId", httpx.RequestID(r.Context()))
	return c.ShowNotice(w, r, status, n)
}

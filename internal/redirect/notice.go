package redirect

import (
	"errors"
	"net/http"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/jose"
)

// Notice is the page shown to an applicant whose return was refused. It says what to
// do, never which check failed.
type Notice struct {
	Title contract.Words
	Text  contract.Words
	Retry bool // reloading the same address can help
}

func refused() Notice {
	return Notice{
		Title: contract.Words{EN: "We could not use this answer", ES: "No pudimos usar esta respuesta"},
		Text: contract.Words{
			EN: "Nothing is lost. Go back to the window in which you started your application and go on from there.",
			ES: "No se ha perdido nada. Vuelva a la ventana en la que comenzó su solicitud y continúe desde allí.",
		},
	}
}

func otherWindow() Notice {
	return Notice{
		Title: contract.Words{EN: "Please continue in the first window", ES: "Continúe en la primera ventana"},
		Text: contract.Words{
			EN: "This application was started in another window or browser. Go back to it; your application goes on there.",
			ES: "Esta solicitud se inició en otra ventana o navegador. Vuelva allí; su solicitud continúa en ese lugar.",
		},
	}
}

func tooLate() Notice {
	return Notice{
		Title: contract.Words{EN: "This took too long", ES: "Ha pasado demasiado tiempo"},
		Text: contract.Words{
			EN: "Go back to your application and start the verification again. What you filled in is still there.",
			ES: "Vuelva a su solicitud e inicie de nuevo la verificación. Los datos que introdujo siguen ahí.",
		},
	}
}

func uncheckable() Notice {
	return Notice{
		Title: contract.Words{EN: "We could not check this yet", ES: "Todavía no pudimos comprobarlo"},
		Text: contract.Words{
			EN: "The verification service does not answer at the moment. Wait a few seconds and load this page again.",
			ES: "El servicio de verificación no responde en este momento. Espere unos segundos y vuelva a cargar esta página.",
		},
		Retry: true,
	}
}

// refuse answers a refused return with a page and logs the reason. The attempt stays
// open. Errors other than refusals are internal failures and are returned.
func (c *Handler) refuse(w http.ResponseWriter, r *http.Request, err error) error {
	var why refusal
	var bad *httpx.Error
	status, n := http.StatusBadRequest, refused()
	switch {
	case errors.As(err, &bad) && bad.HTTPStatus() < 500:
		status = bad.HTTPStatus()
	case !errors.As(err, &why):
		return err
	case errors.Is(err, jose.ErrExpired), errors.Is(err, jose.ErrTooOld):
		n = tooLate()
	case errors.Is(err, jose.ErrKeysUnavailable):
		n = uncheckable()
		httpx.RetryAfter(w, 5*time.Second)
	case why == errLate:
		status, n = http.StatusGone, tooLate()
	case why == errMethod:
		status = http.StatusMethodNotAllowed
	case why == errOtherBrowser:
		status, n = http.StatusForbidden, otherWindow()
	case why == errParkedTooOften:
		status = http.StatusTooManyRequests
	}
	if c.Refused != nil {
		c.Refused(reason(err))
	}
	c.Log.InfoContext(r.Context(), "return refused", "err", err.Error(), "status", status, "requestId", httpx.RequestID(r.Context()))
	return c.Pages.Notice(w, r, status, n)
}

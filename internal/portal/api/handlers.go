package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/i18n"
	"vestibule/internal/journey"
	"vestibule/internal/portal/applications"
	"vestibule/internal/portal/notify"
	"vestibule/internal/prefill"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/suggest"
)

const (
	maxRequest    = 64 << 10 // bytes of a request's body
	maxEvents     = 200      // events on a page
	defaultEvents = 100
	maxIdemKey    = 255 // bytes of an Idempotency-Key
)

// request is the body of POST /api/v1/applications.
type request struct {
	Product       string          `json:"product"`
	Mode          string          `json:"mode"`
	Prefill       json.RawMessage `json:"prefill"`
	ExternalID    string          `json:"externalId"`
	UserArgs      string          `json:"userArgs"`
	ReturnURL     string          `json:"returnUrl"`
	AllowedOrigin string          `json:"allowedOrigin"`
	Language      i18n.Lang       `json:"language"`
}

// created is the response to that request.
type created struct {
	ID         string         `json:"id"`
	EmbedToken string         `json:"embedToken"`
	ConnectURL string         `json:"connectUrl"`
	Warnings   []httpx.Detail `json:"warnings,omitempty"` // of a valid request that may not do what its sender wants
}

func (a *API) create(w http.ResponseWriter, r *http.Request) error {
	key, err := idempotencyKey(r)
	if err != nil {
		return err
	}
	raw, err := readJSON(w, r)
	if err != nil {
		return err
	}
	var in request
	if err := httpx.UnmarshalStrict(raw, &in); err != nil {
		return err
	}
	n, err := a.check(in)
	if err != nil {
		return err
	}
	var out created
	var replayed bool
	err = a.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		do := func() (created, error) {
			app, problems, err := a.Applications.Create(ctx, tx, n)
			switch {
			case len(problems) > 0:
				return created{}, refusedPrefill(n.Product, n.Prefill, problems)
			case err != nil:
				return created{}, a.createError(err, n.Product)
			}
			return a.issueToken(ctx, tx, app, n.AllowedOrigin, in.Language)
		}
		if key == "" {
			out, err = do()
			return err
		}
		out, replayed, err = a.idempotent(ctx, tx, key, raw, do)
		return err
	})
	return a.answer(w, out, replayed, err)
}

func (a *API) answer(w http.ResponseWriter, out created, replayed bool, err error) error {
	if err != nil {
		return err
	}
	if replayed {
		w.Header().Set("Idempotent-Replayed", "true")
	}
	w.Header().Set("Location", "/api/v1/applications/"+out.ID)
	return httpx.JSON(w, http.StatusCreated, out)
}

// issueToken issues an embed token and returns it with the URL that uses it, whose page is in a language; "" is the
// language of the applicant's browser.
func (a *API) issueToken(ctx context.Context, tx *store.Tx, app applications.Application, origin string, lang i18n.Lang) (created, error) {
	token, err := a.Kit.Token(ctx, tx, app.ID, origin)
	if err != nil {
		return created{}, err
	}
	query := url.Values{"grant": {token}}
	if lang != "" {
		query.Set("lang", string(lang))
	}
	out := created{ID: app.ID, EmbedToken: token, ConnectURL: a.URL + "/applications/" + app.ID + "/connect?" + query.Encode()}
	if app.Mode == applications.Embedded && origin == "" {
		out.Warnings = []httpx.Detail{{Field: "allowedOrigin", Message: "is missing: connectUrl works as a page of its own, " +
			"but your page cannot show it in a frame or in vestibule-apply; give the origin of your page, such as https://app.example.com"}}
	}
	return out, nil
}

// newToken issues a new embed token for an application, for an applicant who returns
// later or on another device. Its origin may differ from the application's.
func (a *API) newToken(w http.ResponseWriter, r *http.Request, app applications.Application) error {
	in := struct {
		AllowedOrigin *string `json:"allowedOrigin"`
	}{}
	if r.ContentLength != 0 {
		raw, err := readJSON(w, r)
		if err != nil {
			return err
		}
		if err := httpx.UnmarshalStrict(raw, &in); err != nil {
			return err
		}
	}
	origin := app.AllowedOrigin
	if in.AllowedOrigin != nil {
		if origin = *in.AllowedOrigin; !applications.FrameOrigin(origin) {
			return httpx.NewError(contract.CodeInvalidParameters, errors.New("allowedOrigin out of bounds"), wrongOrigin)
		}
	}
	out, err := store.Value(r.Context(), a.DB.Tx, func(ctx context.Context, tx *store.Tx) (created, error) {
		return a.issueToken(ctx, tx, app, origin, "")
	})
	return a.answer(w, out, false, err)
}

func readJSON(w http.ResponseWriter, r *http.Request) ([]byte, error) {
	var raw json.RawMessage
	if err := httpx.DecodeJSON(w, r, maxRequest, &raw); err != nil {
		return nil, err
	}
	return raw, nil
}

func idempotencyKey(r *http.Request) (string, error) {
	values := r.Header.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	key := values[0]
	if key == "" {
		return "", httpx.NewError(contract.CodeMalformedHeaders, errors.New("empty Idempotency-Key"),
			httpx.Detail{Field: "Idempotency-Key", Message: "is empty; it must have 1 to 255 printable characters without spaces"})
	}
	if len(values) > 1 || len(key) > maxIdemKey || !httpx.IsVisible(key) {
		return "", httpx.NewError(contract.CodeMalformedHeaders, errors.New("malformed Idempotency-Key"),
			httpx.Detail{Field: "Idempotency-Key", Message: "must be given once, with 1 to 255 printable characters without spaces"})
	}
	return key, nil
}

// check validates a request and lists all invalid fields, then validates the
// applicant's data.
func (a *API) check(in request) (applications.New, error) {
	n := applications.New{Product: contract.Product(in.Product), Mode: applications.Mode(in.Mode),
		Origin: applications.FromAPI, ExternalID: in.ExternalID,
		UserArgs: in.UserArgs, ReturnURL: in.ReturnURL, AllowedOrigin: in.AllowedOrigin, Lang: cmp.Or(in.Language, i18n.English)}
	var wrong []httpx.Detail
	bad := func(field, message string) { wrong = append(wrong, httpx.Detail{Field: field, Message: message}) }
	if in.Product == "" {
		bad("product", "is required: "+strings.Join(a.offered(), ", "))
	}
	if in.Mode == "" {
		bad("mode", "is required: embedded, redirect or redirect-form")
	} else if !n.Mode.Valid() {
		bad("mode", "must be embedded, redirect or redirect-form")
	}
	if utf8.RuneCountInString(in.ExternalID) > contract.MaxExternalID || !isLabel(in.ExternalID) {
		bad("externalId", wrongLabel)
	}
	if utf8.RuneCountInString(in.UserArgs) > contract.MaxUserArgs || strings.ContainsFunc(in.UserArgs, prefill.IsInvisible) {
		bad("userArgs", "must have at most 255 characters, none of them invisible")
	}
	if !applications.Browsable(in.ReturnURL) {
		bad("returnUrl", "must be an absolute https address (http on this machine), without user or fragment")
	}
	if !applications.FrameOrigin(in.AllowedOrigin) {
		wrong = append(wrong, wrongOrigin)
	}
	if !n.Lang.Spoken() {
		bad("language", "must be en or es")
	}
	if len(wrong) > 0 {
		return applications.New{}, httpx.NewError(contract.CodeInvalidParameters, errors.New("fields out of bounds"), wrong...)
	}
	if !n.Product.Valid() {
		return applications.New{}, a.createError(applications.ErrUnknownProduct, n.Product)
	}
	var err error
	n.Prefill, err = a.applicant(n.Product, in.Prefill)
	return n, err
}

func isLabel(s string) bool {
	return strings.TrimSpace(s) == s && !strings.ContainsFunc(s, unicode.IsControl) && !strings.ContainsFunc(s, prefill.IsInvisible)
}

const wrongLabel = "must have at most 64 characters, without control or invisible characters and without spaces at either end"

var wrongOrigin = httpx.Detail{Field: "allowedOrigin",
	Message: "must be an https origin without a path, such as https://app.example.com (http on this machine)"}

// offered lists the products that an application can be for.
func (a *API) offered() []string {
	return slices.DeleteFunc([]string{"cashflow", "income", "eligibility", "passport"},
		func(p string) bool { return !a.Applications.Offers(contract.Product(p)) })
}

func (a *API) createError(err error, product contract.Product) error {
	switch {
	case errors.Is(err, applications.ErrUnknownProduct):
		return httpx.NewError(contract.CodeInvalidProduct, err,
			httpx.Detail{Field: "product", Message: "is not offered here" + suggest.Hint(string(product), a.offered())})
	case errors.Is(err, applications.ErrDuplicateExternalID):
		return httpx.NewError(contract.CodeDuplicateExternalID, err, httpx.Detail{Field: "externalId", Message: "belongs to another application"})
	case applications.IsRefusal(err):
		return httpx.NewError(contract.CodeInvalidParameters, err)
	}
	return err
}

// find calls next with the application that the address names.
func (a *API) find(next func(w http.ResponseWriter, r *http.Request, app applications.Application) error) httpx.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) error {
		id, err := httpx.PathUUID(r, "id", "id", contract.CodeNotFound)
		if err != nil {
			return err
		}
		app, err := a.Applications.Get(r.Context(), a.DB.SQL, id)
		if err != nil {
			return httpx.NotFoundIf(err, store.ErrNotFound)
		}
		return next(w, r, app)
	}
}

// applicationJSON is the JSON form of an application. Unknown values are null.
type applicationJSON struct {
	ID          string                `json:"id"`
	Product     contract.Product      `json:"product"`
	Mode        applications.Mode     `json:"mode"`
	ExternalID  string                `json:"externalId"`
	State       journey.State         `json:"state"`
	Outcome     *contract.Outcome     `json:"outcome"`
	Status      *contract.Status      `json:"status"`
	Substatus   *contract.Substatus   `json:"substatus"`
	Error       *contract.WidgetError `json:"error"`
	PublicToken *string               `json:"publicToken"`
	Resumable   bool                  `json:"resumable"`
	Decision    *notify.DecisionJSON  `json:"decision"`
	Report      *notify.ReportJSON    `json:"report"`
	CreatedAt   string                `json:"createdAt"`
	UpdatedAt   string                `json:"updatedAt"`
}

const timestamp = "2006-01-02T15:04:05.000Z"

func (a *API) get(w http.ResponseWriter, _ *http.Request, app applications.Application) error {
	return httpx.JSON(w, http.StatusOK, show(app))
}

func show(app applications.Application) applicationJSON {
	j := app.Journey
	return applicationJSON{ID: app.ID, Product: app.Product, Mode: app.Mode, ExternalID: app.ExternalID,
		State: j.State, Outcome: contract.Null(j.Outcome()), Status: contract.Null(j.Status), Substatus: contract.Null(j.Substatus),
		Error: contract.Null(j.Error), PublicToken: contract.Null(j.PublicToken), Resumable: app.Resumable(),
		Decision: notify.DecisionOf(app.Decision), Report: notify.ReportOf(app),
		CreatedAt: app.CreatedAt.UTC().Format(timestamp), UpdatedAt: app.UpdatedAt.UTC().Format(timestamp)}
}

// selectedReport returns the stored report of the parameter revision, by default the newest.
func (a *API) selectedReport(r *http.Request, app applications.Application) (of applications.StoredReport, err error) {
	n, ok := number(r.URL.Query(), "revision", -1, 0, 1<<31)
	if !ok {
		return of, httpx.NewError(contract.CodeInvalidParameters, errors.New("malformed revision"),
			httpx.Detail{Field: "revision", Message: "must be a whole number; 0 is the report as it was first made"})
	}
	of, err = a.Applications.StoredReportOf(r.Context(), a.DB.SQL, app.ID, 0, int(n))
	switch {
	case errors.Is(err, store.ErrNotFound) && n >= 0 && app.HasReport():
		err = httpx.NewError(contract.CodeNotFound, err,
			httpx.Detail{Field: "revision", Message: "is not stored; the newest is " + strconv.Itoa(notify.ReportOf(app).Revision)})
	case errors.Is(err, store.ErrNotFound):
		err = notReady(app, err)
	}
	return of, err
}

func (a *API) report(w http.ResponseWriter, r *http.Request, app applications.Application) error {
	of, err := a.selectedReport(r, app)
	if err != nil {
		return err
	}
	raw, err := a.Applications.Report(r.Context(), a.DB.SQL, app.ID, of.Attempt, of.Revision)
	if err != nil {
		return err
	}
	raw = report.WithoutPositions(raw) // which only the review dashboard needs
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Content-Length", strconv.Itoa(len(raw)))
	h.Set("X-Content-Type-Options", "nosniff")
	_, _ = w.Write(raw) // the client has disconnected
	return nil
}

// reportPDF sends the report with its verdict and the decisions as a PDF.
func (a *API) reportPDF(w http.ResponseWriter, r *http.Request, app applications.Application) error {
	l := i18n.English
	if values, ok := r.URL.Query()["lang"]; ok {
		if l = i18n.Lang(values[0]); len(values) > 1 || !l.Spoken() {
			return httpx.NewError(contract.CodeInvalidParameters, errors.New("unknown language"),
				httpx.Detail{Field: "lang", Message: "must be en or es"})
		}
	}
	of, err := a.selectedReport(r, app)
	if err != nil {
		return err
	}
	raw, err := a.PDF(r.Context(), app, of, l)
	if err != nil {
		return err
	}
	name := string(app.Product) + "-" + app.ID
	if of.Revision > 0 {
		name += "-revision-" + strconv.Itoa(of.Revision)
	}
	httpx.SendDownload(w, "application/pdf", name+".pdf", raw)
	return nil
}

func notReady(app applications.Application, why error) error {
	return &httpx.Error{Code: contract.CodeReportNotReady, Why: why, Message: "There is no report yet; follow the application's state.",
		Extra: map[string]any{"state": app.Journey.State, "status": contract.Null(app.Journey.Status)}}
}

// event is the JSON form of a timeline entry.
type event struct {
	Seq       int64                 `json:"seq"`
	At        string                `json:"at"`
	Kind      string                `json:"kind"`
	Attempt   *int                  `json:"attempt"`
	Status    *contract.Status      `json:"status"`
	Substatus *contract.Substatus   `json:"substatus"`
	Error     *contract.WidgetError `json:"error"`
	From      *string               `json:"from"`
	To        string                `json:"to"`
	Reasons   []string              `json:"reasons"` // of a decision
}

// events lists the timeline, oldest first, starting after the parameter after. next
// is the value of after for the following page, or null after the last entry.
func (a *API) events(w http.ResponseWriter, r *http.Request, app applications.Application) error {
	q := r.URL.Query()
	after, ok1 := number(q, "after", 0, 0, 1<<53)
	limit, ok2 := number(q, "limit", defaultEvents, 1, maxEvents)
	if !ok1 || !ok2 {
		return httpx.NewError(contract.CodeInvalidParameters, errors.New("malformed page"),
			httpx.Detail{Field: "after, limit", Message: "must be whole numbers: after from 0, limit from 1 to 200"})
	}
	lines, err := a.Applications.Timeline(r.Context(), app.ID, after, int(limit)+1)
	if err != nil {
		return err
	}
	out := struct {
		Events []event `json:"events"`
		Next   *int64  `json:"next"`
	}{Events: []event{}}
	for i, l := range lines {
		if int64(i) == limit {
			out.Next = &lines[i-1].Seq
			break
		}
		e := event{Seq: l.Seq, At: l.At.UTC().Format(timestamp), Kind: l.Kind, Status: contract.Null(l.Status),
			Substatus: contract.Null(l.Substatus), Error: contract.Null(l.Error), From: contract.Null(l.From), To: l.To,
			Reasons: append([]string{}, l.Reasons...)}
		if l.Attempt > 0 {
			e.Attempt = &l.Attempt
		}
		out.Events = append(out.Events, e)
	}
	return httpx.JSON(w, http.StatusOK, out)
}

func number(q url.Values, name string, missing, least, most int64) (int64, bool) {
	values, there := q[name]
	if !there {
		return missing, true
	}
	n, err := strconv.ParseInt(values[0], 10, 64)
	return n, len(values) == 1 && err == nil && n >= least && n <= most
}

func (a *API) spec(w http.ResponseWriter, _ *http.Request) error {
	spec, err := a.Spec()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "max-age=300")
	_, _ = w.Write(spec) // the client has disconnected
	return nil
}

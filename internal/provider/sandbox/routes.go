package sandbox

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"vestibule/internal/contract"
	"vestibule/internal/httpx"
	"vestibule/internal/provider/bankaccounts"
	"vestibule/internal/provider/customers"
	"vestibule/internal/provider/visits"
	"vestibule/internal/provider/webhooks"
	"vestibule/internal/report"
	"vestibule/internal/store"
	"vestibule/internal/webhook"
)

const (
	maxBody  = 64 << 10
	maxFiles = 64 << 20 // a visit may be completed with pay stubs
)

// Handler returns the handler of the control listener.
func (c *Control) Handler() http.Handler {
	mux := http.NewServeMux()
	for pattern, h := range map[string]httpx.HandlerFunc{
		"GET /clock":                    c.clock,
		"POST /clock":                   c.setClock,
		"GET /faults":                   c.faults,
		"POST /faults":                  c.addFault,
		"DELETE /faults":                c.clearFaults,
		"POST /visits/{token}/complete": c.complete,
		"POST /webhooks/fire":           c.fire,
		"POST /keys/rotate":             c.rotateKeys,
		"POST /callbacks":               c.setCallback,
		"POST /complete-urls":           c.setCompleteURL,
		"POST /sandbox-reports":         c.prepare,
		"GET /inbox":                    c.inbox,
		"POST /inbox":                   c.receive,
		"POST /bank-accounts/revoke":    c.revoke,
		"POST /disputes":                c.dispute,
		"POST /reset":                   c.reset,
	} {
		mux.Handle(pattern, httpx.API(c.Log, h))
	}
	sameOrigin := http.NewCrossOriginProtection()
	sameOrigin.SetDenyHandler(httpx.API(c.Log, func(http.ResponseWriter, *http.Request) error {
		return httpx.NewError(contract.CodeForbidden, errors.New("request of a page of another origin"))
	}))
	return httpx.Wrap(c.Log, c.thisMachine(sameOrigin.Handler(httpx.NotFound(c.Log, mux, httpx.ErrorPages{}.Of))))
}

// thisMachine rejects requests with another Host header, against DNS rebinding: the control
// listener has no authentication. It also rejects webhooks except at the inbox, because an
// account's callback URL makes the service itself send requests.
func (c *Control) thisMachine(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if addr, err := netip.ParseAddr(host); host != "localhost" && (err != nil || !addr.IsLoopback()) {
			httpx.WriteError(w, r, c.Log, &httpx.Error{Code: contract.CodeForbidden, Status: http.StatusMisdirectedRequest,
				Message: "The controls answer on this machine's own names only.", Why: errors.New("request to another host")})
			return
		}
		if r.Header.Get("webhook-id") != "" && r.URL.Path != "/inbox" {
			httpx.WriteError(w, r, c.Log, httpx.NewError(contract.CodeForbidden, errors.New("an event was sent to a control")))
			return
		}
		next.ServeHTTP(w, r)
	})
}

type clockBody struct {
	Now    report.Timestamp `json:"now"`
	Offset string           `json:"offset"` // from the time of day, as in 72h0m0s
}

func (c *Control) clock(w http.ResponseWriter, r *http.Request) error {
	return httpx.JSON(w, http.StatusOK, clockBody{report.TimestampOf(c.Clock.Now()),
		time.Duration(c.Clock.offset.Load()).Round(time.Second).String()})
}

func (c *Control) setClock(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Now     *string `json:"now"`
		Advance *string `json:"advance"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	var moved time.Duration
	var err error
	switch {
	case (in.Now == nil) == (in.Advance == nil):
		return invalidField("now", "must be given, or advance, and not both")
	case in.Now != nil:
		at, perr := time.Parse(time.RFC3339, *in.Now)
		if y := at.Year(); perr != nil || y < 2000 || y > 2100 {
			return invalidField("now", "must be a time from 2000 to 2100 such as 2026-05-04T10:00:00Z")
		}
		moved, err = c.Clock.Set(r.Context(), at)
	default:
		d, perr := time.ParseDuration(*in.Advance)
		if y := c.Clock.Now().Add(d).Year(); perr != nil || y < 2000 || y > 2100 {
			return invalidField("advance", "must be a duration such as 72h or -5m")
		}
		moved, err = c.Clock.Advance(r.Context(), d)
	}
	if err != nil {
		return err
	}
	if err := c.Moved(r.Context(), moved); err != nil {
		return err
	}
	return c.clock(w, r)
}

func (c *Control) faults(w http.ResponseWriter, r *http.Request) error {
	return httpx.JSON(w, http.StatusOK, c.Faults.List())
}

func (c *Control) addFault(w http.ResponseWriter, r *http.Request) error {
	f := Fault{Times: 1}
	if err := httpx.DecodeJSON(w, r, maxBody, &f); err != nil {
		return err
	}
	if err := missing("match", f.Match, "action", f.Action); err != nil {
		return err
	}
	if field, words := f.check(); field != "" {
		return invalidField(field, words)
	}
	if f.Times == 0 {
		return invalidField("times", "must be at least 1, or negative for always")
	}
	c.Faults.Add(f)
	return httpx.JSON(w, http.StatusCreated, f)
}

func (c *Control) clearFaults(w http.ResponseWriter, r *http.Request) error {
	c.Faults.Clear()
	return httpx.NoContent(w)
}

// sourcesBody describes the sources to connect for the report or one stated employer.
type sourcesBody struct {
	Payroll *struct {
		Provider string `json:"provider"`
		Username string `json:"username"`
	} `json:"payroll"`
	PayStubs  []fileBody `json:"payStubs"`
	Documents []fileBody `json:"documents"`
	Skip      string     `json:"skip"`
}

type fileBody struct {
	FileName string `json:"fileName"`
	Content  string `json:"contentBase64"`
}

func (b sourcesBody) sources() (out Sources, err error) {
	if p := b.Payroll; p != nil {
		out.Payroll = &SignIn{Provider: p.Provider, Username: p.Username}
	}
	if out.Stubs, err = filesOf("payStubs", b.PayStubs); err != nil {
		return out, err
	}
	out.Documents, err = filesOf("documents", b.Documents)
	out.Skip = b.Skip
	return out, err
}

func filesOf(field string, from []fileBody) (out []visits.File, err error) {
	for _, f := range from {
		content, err := base64.StdEncoding.DecodeString(f.Content)
		if err != nil {
			return nil, invalidField(field, "has a contentBase64 that is not base64")
		}
		out = append(out, visits.File{Name: f.FileName, Content: content})
	}
	return out, nil
}

// complete completes a visit. It rejects sources of another product than the
// visit's.
func (c *Control) complete(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		Username string `json:"username"`
		Bank     string `json:"bank"`
		Banks    []struct {
			Bank     string `json:"bank"`
			Username string `json:"username"`
		} `json:"banks"`
		sourcesBody
		Employers []sourcesBody `json:"employers"`
		Supplier  string        `json:"supplier"`
		End       string        `json:"end"`
	}
	if err := httpx.DecodeJSON(w, r, maxFiles, &in); err != nil {
		return err
	}
	how := Completion{Supplier: in.Supplier, End: in.End}
	if in.Username != "" || in.Bank != "" {
		if in.Banks != nil {
			return invalidField("banks", "exclude bank and username")
		}
		how.Banks = []SignIn{{Provider: in.Bank, Username: in.Username}}
	}
	for _, b := range in.Banks {
		how.Banks = append(how.Banks, SignIn{Provider: b.Bank, Username: b.Username})
	}
	var err error
	if how.Sources, err = in.sources(); err != nil {
		return err
	}
	for _, e := range in.Employers {
		of, err := e.sources()
		if err != nil {
			return err
		}
		how.Employers = append(how.Employers, of)
	}
	v, err := c.completeVisit(r.Context(), r.PathValue("token"), how)
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeInvalidToken, errors.New("no visit has this token"), httpx.Detail{Field: "token",
			Message: "is not the token of a visit: give an initialization token, a redirect token, or the handle of an invite"})
	}
	if err != nil {
		return err
	}
	back, err := v.ReturnURL(r.Context())
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, struct {
		PublicToken string          `json:"publicToken"`
		Status      contract.Status `json:"status"`
		Substatus   *string         `json:"substatus"`
		CompleteURL *string         `json:"completeUrl"`
	}{v.PublicToken(), v.Status, contract.Null(string(v.Substatus)), contract.Null(back)})
}

func (c *Control) fire(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		PublicToken string `json:"publicToken"`
		PublicID    string `json:"publicId"` // in place of publicToken: a test event to the account's callback
		Times       int    `json:"times"`
		Delay       string `json:"delay"`
		Reorder     bool   `json:"reorder"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	switch {
	case (in.PublicToken == "") == (in.PublicID == ""):
		return invalidField("publicToken", "is missing: give the publicToken of a report, or for a test event the publicId of an account")
	case in.PublicID != "":
		if err := c.fireTest(r.Context(), in.PublicID); err != nil {
			return err
		}
		return httpx.JSON(w, http.StatusOK, map[string]int{"deliveries": 1})
	case in.Times < 0 || in.Times > 100:
		return invalidField("times", "must be from 1 to 100")
	}
	how := webhooks.FireOptions{Times: in.Times, Reorder: in.Reorder}
	if in.Delay != "" {
		d, err := time.ParseDuration(in.Delay)
		if err != nil || d < 0 {
			return invalidField("delay", "must be a duration such as 5s")
		}
		how.Delay = d
	}
	n, err := c.fireEvents(r.Context(), strings.ToLower(in.PublicToken), how)
	if errors.Is(err, store.ErrNotFound) {
		return httpx.NewError(contract.CodeInvalidToken, err)
	}
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, map[string]int{"deliveries": n})
}

// fireTest sends a test event to an account's first callback.
func (c *Control) fireTest(ctx context.Context, publicID string) error {
	return c.DB.Tx(ctx, func(ctx context.Context, tx *store.Tx) error {
		id, err := c.customer(ctx, tx, publicID)
		if err != nil {
			return err
		}
		all, err := c.Webhooks.Callbacks(ctx, tx, id)
		if err == nil && len(all) == 0 {
			err = webhook.ErrStopped
		}
		if err == nil {
			_, err = c.Webhooks.SendTest(ctx, tx, id, all[0])
		}
		switch {
		case errors.Is(err, webhook.ErrStopped):
			return httpx.NewError(contract.CodeInvalidState, err, httpx.Detail{Field: "publicId",
				Message: "has no callback that is enabled: POST /callbacks sets one"})
		case errors.Is(err, webhooks.ErrTooManyTests):
			return &httpx.Error{Code: contract.CodeRateLimited, RetryAfter: time.Hour, Why: err,
				Message: "An account can send " + strconv.Itoa(webhooks.MaxTests) + " test events an hour."}
		}
		return err
	})
}

// fireEvents resends the events of a report with a publicToken to its customer, or
// with a sharing token to the third party. An unknown token is store.ErrNotFound.
func (c *Control) fireEvents(ctx context.Context, token string, how webhooks.FireOptions) (deliveries int, err error) {
	q := c.DB.SQL
	publicToken, receiver := token, ""
	if share, err := c.Sharing.Get(ctx, q, token); err == nil {
		publicToken, receiver = share.PublicToken, share.ThirdPartyID
	} else if !errors.Is(err, store.ErrNotFound) {
		return 0, err
	}
	r, err := c.Reports.Get(ctx, q, publicToken)
	if err != nil {
		return 0, err
	}
	receiver = cmp.Or(receiver, r.CustomerID)
	if a, err := c.Customers.ByID(ctx, q, receiver); err != nil || a.Environment != contract.Sandbox {
		return 0, errors.Join(err, store.ErrNotFound)
	}
	return c.Webhooks.Fire(ctx, receiver, token, how, r.Status, r.Substatus)
}

// rotateKeys publishes a new key. It signs once every client's cached key set can
// contain it or, with atOnce, immediately.
func (c *Control) rotateKeys(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		AtOnce bool `json:"atOnce"`
	}
	if r.ContentLength != 0 {
		if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
			return err
		}
	}
	if err := c.Keys.Rotate(r.Context(), in.AtOnce); err != nil {
		return err
	}
	return httpx.NoContent(w)
}

func (c *Control) setCallback(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		PublicID string `json:"publicId"`
		URL      string `json:"url"`
		Rotate   bool   `json:"rotate"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	if err := missing("publicId", in.PublicID, "url", in.URL); err != nil {
		return err
	}
	if err := c.Webhooks.Sender.CheckURL(in.URL); err != nil {
		return httpx.NewError(contract.CodeInvalidParameters, err, httpx.Detail{Field: "url",
			Message: "must be https and public, or on this machine, without user and fragment: " +
				strings.TrimPrefix(err.Error(), "this address cannot receive webhooks: ")})
	}
	var secret string
	err := c.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) (err error) {
		id, err := c.customer(ctx, tx, in.PublicID)
		if err != nil {
			return err
		}
		secret, err = c.Webhooks.SetCallback(ctx, tx, id, in.URL, in.Rotate)
		return err
	})
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusOK, map[string]string{"secret": secret})
}

func (c *Control) setCompleteURL(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		PublicID string `json:"publicId"`
		URL      string `json:"url"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	if err := missing("publicId", in.PublicID, "url", in.URL); err != nil {
		return err
	}
	u, ok := httpx.ParseURL(strings.ReplaceAll(in.URL, "[token]", "token"))
	if !ok || u.Fragment != "" {
		return invalidField("url", "must be an absolute http or https address without user and fragment")
	}
	err := c.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		id, err := c.customer(ctx, tx, in.PublicID)
		if err != nil {
			return err
		}
		return c.Customers.SetCompleteURL(ctx, tx, id, in.URL)
	})
	if err != nil {
		return err
	}
	return httpx.NoContent(w)
}

// prepare stores a prepared report, made from a submission or, with profile instead,
// from a profile of the mock bank. For fields of one kind of report only, see
// preparation. publicId selects the owner; the default is the generated customer.
func (c *Control) prepare(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		PublicID string `json:"publicId"`
		preparation
	}
	if err := httpx.DecodeJSON(w, r, customers.MaxPreparedReport, &in); err != nil {
		return err
	}
	add, err := c.Prepared.read(in.preparation)
	if err != nil {
		return err
	}
	var made customers.PreparedReport
	err = c.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		owner, err := c.customer(ctx, tx, cmp.Or(in.PublicID, c.First))
		if err != nil {
			return err
		}
		made, err = add(ctx, tx, owner)
		return err
	})
	if err != nil {
		return err
	}
	return httpx.JSON(w, http.StatusCreated, map[string]string{"sandboxReportId": made.ID})
}

// revoke revokes the tokenized number of an account, as its bank would.
func (c *Control) revoke(w http.ResponseWriter, r *http.Request) error {
	var in struct {
		AccountID string `json:"accountId"`
	}
	if err := httpx.DecodeJSON(w, r, maxBody, &in); err != nil {
		return err
	}
	if !contract.IsUUID(in.AccountID) {
		return invalidField("accountId", "must be the account_id of a report")
	}
	err := c.BankAccounts.Revoke(r.Context(), strings.ToLower(in.AccountID))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return httpx.NewError(contract.CodeNotFound, errors.New("no such account"))
	case errors.Is(err, bankaccounts.ErrNoToken):
		return httpx.NewError(contract.CodeInvalidState, err)
	case err != nil:
		return err
	}
	return httpx.NoContent(w)
}

// reset deletes every report, visit, and event, the faults, and the clock's offset,
// and restores the generated customers.
func (c *Control) reset(w http.ResponseWriter, r *http.Request) error {
	err := c.DB.Tx(r.Context(), func(ctx context.Context, tx *store.Tx) error {
		if err := emptyDatabase(ctx, c.DB, tx); err != nil {
			return err
		}
		return c.Refill(ctx, tx)
	})
	if err != nil {
		return err
	}
	c.Faults.Clear()
	moved, err := c.Clock.shift(r.Context(), 0)
	if err != nil {
		return err
	}
	if err := c.Moved(r.Context(), moved); err != nil {
		return err
	}
	return httpx.NoContent(w)
}

func withPrefix(prefix string, details []httpx.Detail) []httpx.Detail {
	for i := range details {
		details[i].Field = prefix + details[i].Field
	}
	return details
}

func invalidField(field, words string) error {
	return httpx.NewError(contract.CodeInvalidParameters, errors.New("invalid "+field), httpx.Detail{Field: field, Message: words})
}

// missing returns an error that names each field without a value, of pairs of a field and its value; nil if there is none.
func missing(pairs ...string) error {
	var details []httpx.Detail
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			details = append(details, httpx.Detail{Field: pairs[i], Message: "is missing"})
		}
	}
	if details == nil {
		return nil
	}
	return httpx.NewError(contract.CodeInvalidParameters, errors.New("fields are missing"), details...)
}

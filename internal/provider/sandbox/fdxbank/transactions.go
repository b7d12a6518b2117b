package fdxbank

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"time"

	"vestibule/internal/analysis/bankdata"
)

// transaction is a transaction in the shape of version 6; version 5 has the category as
// the name of a member around it.
type transaction struct {
	Category    string          `json:"accountCategory,omitempty"`
	ID          string          `json:"transactionId"`
	Posted      string          `json:"postedTimestamp,omitempty"`
	Made        string          `json:"transactionTimestamp"`
	Description string          `json:"description"`
	Memo        string          `json:"memo,omitempty"`
	Direction   string          `json:"debitCreditMemo"`
	Status      string          `json:"status"`
	Amount      json.RawMessage `json:"amount"`
}

// transactions is the resource /accounts/{id}/transactions, newest first. Institutions
// with tokenized numbers sign debits besides.
func (s *Server) transactions(w http.ResponseWriter, r *http.Request, a access) (any, error) {
	of, err := a.chosen(r)
	if err != nil {
		return nil, err
	}
	q := r.URL.Query()
	offset, limit, err := window(q, transactionPage, maxTransactionPage)
	if err != nil {
		return nil, err
	}
	from, err := instant(q.Get("startTime"), false)
	if err != nil {
		return nil, err
	}
	to, err := instant(q.Get("endTime"), true)
	if err != nil || !from.IsZero() && !to.IsZero() && to.Before(from) {
		return nil, errInput
	}
	switch {
	case a.fault == FaultPartial && of.ID == a.accounts[len(a.accounts)-1].ID:
		return nil, errFailed
	case a.fault == FaultHuge:
		return nil, writeHuge(w)
	case a.fault == FaultRepeat:
		offset = 0
	}
	var all []bankdata.Transaction
	for _, t := range slices.Backward(of.Transactions) {
		if !t.Posted.Before(from) && (to.IsZero() || !t.Posted.After(to)) {
			all = append(all, t)
		}
	}
	out := struct {
		Page         page  `json:"page"`
		Links        links `json:"links"`
		Transactions []any `json:"transactions"`
	}{Page: page{Total: len(all)}, Transactions: []any{}}
	for i, t := range all[min(offset, len(all)):min(offset+limit, len(all))] {
		out.Transactions = append(out.Transactions, a.transaction(of, t, offset+i))
	}
	if a.fault == FaultEndless {
		for i := len(out.Transactions); i < limit && len(all) > 0; i++ {
			t := all[len(all)-1]
			t.ID = fmt.Sprintf("%s-%d", t.ID, offset+i)
			out.Transactions = append(out.Transactions, a.transaction(of, t, offset+i))
		}
	}
	if offset+limit < len(all) || a.fault == FaultEndless {
		out.Page, out.Links = s.next(r, a, offset+limit, len(all), true)
	}
	if a.fault == FaultNegative {
		out.Page, out.Links = page{NextOffset: "-1", Total: -5}, links{}
	}
	return out, nil
}

// transaction returns a transaction as the institution describes it. n counts the
// transactions of the list.
func (a access) transaction(of bankdata.Account, t bankdata.Transaction, n int) any {
	category, _, _, wrapper := kindOf(of)
	posted := t.Posted.Time
	if a.fault == FaultFuture && n < 3 {
		posted = posted.AddDate(0, 1, 0)
	}
	at := posted.Format(time.RFC3339)
	out := transaction{Category: category, ID: t.ID, Posted: at, Made: at, Description: t.Description, Memo: t.Memo,
		Direction: "CREDIT", Status: "POSTED"}
	if t.Pending {
		out.Posted, out.Status = "", "PENDING"
	}
	amount := t.Amount
	if t.Out() {
		out.Direction = "DEBIT"
		if !a.bank.Tokens {
			amount = -amount
		}
	}
	out.Amount = json.RawMessage(amount.String())
	switch {
	case a.fault == FaultOverflow && n == 1:
		out.Amount = json.RawMessage("1e400")
	case a.fault == FaultMarkup:
		out.Description = `<img src=x onerror=alert(1)> ` + out.Description
	}
	if a.v5 {
		out.Category = ""
		return map[string]transaction{wrapper: out}
	}
	return out
}

// instant reads startTime or endTime: a date, which is a whole day, or a timestamp.
func instant(raw string, end bool) (time.Time, error) {
	if raw == "" {
		return time.Time{}, nil
	}
	if day, err := time.Parse(time.DateOnly, raw); err == nil {
		if end {
			day = day.AddDate(0, 0, 1).Add(-time.Nanosecond)
		}
		return day, nil
	}
	at, err := time.Parse(time.RFC3339, raw)
	if err != nil {
		return at, errInput
	}
	return at.UTC(), nil
}

// writeHuge writes an answer of hugeBytes.
func writeHuge(w http.ResponseWriter) error {
	w.Header().Set("Content-Type", "application/json")
	io.WriteString(w, `{"transactions":[`) // on error the client is gone
	for n, size := 0, 0; size < hugeBytes; n++ {
		written, err := fmt.Fprintf(w, `{"accountCategory":"DEPOSIT_ACCOUNT","transactionId":"%d","postedTimestamp":"2026-01-02T00:00:00Z",`+
			`"description":"POS DEBIT","debitCreditMemo":"DEBIT","status":"POSTED","amount":1.00},`, n)
		if err != nil {
			return nil
		}
		size += written
	}
	io.WriteString(w, `{}]}`)
	return nil
}

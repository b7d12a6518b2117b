package fdx

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"testing"
	"time"

	"vestibule/internal/analysis/bankdata"
	"vestibule/internal/report"
)

// transactionsBody returns a page of transactions as a bank of version 5 or 6 sends it.
func transactionsBody(n int, version string) []byte {
	var out bytes.Buffer
	out.WriteString(`{"page":{},"transactions":[`)
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		at := fakeNow.Add(-time.Duration(i) * 10 * time.Minute).Format("2006-01-02T15:04:05.000Z")
		members := fmt.Sprintf(`"accountId":"10001","transactionId":"8f14e45f-ceea-467f-a8f0-%012d","postedTimestamp":%q,`+
			`"transactionTimestamp":%q,"description":"POS DEBIT KROGER #%d AUSTIN TX","debitCreditMemo":"DEBIT","category":"5411",`+
			`"status":"POSTED","amount":%d.%02d,"transactionType":"POSDEBIT","payee":"Kroger"`, i, at, at, i%1000, i%500, i%100)
		if version == "5" {
			fmt.Fprintf(&out, `{"depositTransaction":{%s}}`, members)
		} else {
			fmt.Fprintf(&out, `{"accountCategory":"DEPOSIT_ACCOUNT",%s}`, members)
		}
	}
	out.WriteString(`]}`)
	return out.Bytes()
}

// BenchmarkMapping maps 100,000 transactions of one body, beside encoding/json that
// decodes the same bytes alone. Its target is twice the time.
func BenchmarkMapping(b *testing.B) {
	type plain struct {
		ID          string  `json:"transactionId"`
		Posted      string  `json:"postedTimestamp"`
		At          string  `json:"transactionTimestamp"`
		Description string  `json:"description"`
		Memo        string  `json:"memo"`
		Payee       string  `json:"payee"`
		Direction   string  `json:"debitCreditMemo"`
		Type        string  `json:"transactionType"`
		Status      string  `json:"status"`
		Amount      float64 `json:"amount"`
	}
	for _, version := range []string{"5", "6"} {
		body := transactionsBody(maxTransactions, version)
		b.Run("fdx/"+version, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				got, err := mapTransactions(bytes.NewReader(body), report.DateOf(fakeNow))
				if err != nil || len(got) != maxTransactions {
					b.Fatal(len(got), err)
				}
			}
		})
		b.Run("json/"+version, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				var got struct {
					Transactions []struct {
						plain
						Deposit plain `json:"depositTransaction"`
					} `json:"transactions"`
				}
				if err := json.Unmarshal(body, &got); err != nil || len(got.Transactions) != maxTransactions {
					b.Fatal(err)
				}
			}
		})
	}
}

// mapTransactions maps one page of a deposit account's transactions as Fetch does.
func mapTransactions(r io.Reader, today report.Date) ([]bankdata.Transaction, error) {
	var into bankdata.Account
	l := &ledger{fetch: &fetch{bank: &bank{}, from: bankdata.HistoryStart(today), to: today, today: today, left: maxTransactions,
		textLeft: maxText}, into: &into, kind: deposit, index: map[string]int{}, alike: map[string]int{}}
	each := l.element()
	_, _, err := readPage(r, "transactions", func(d *json.Decoder) error {
		_, err := each(d)
		return err
	})
	return into.Transactions, cmp.Or(err, l.checkSigns())
}

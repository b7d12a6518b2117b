package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"time"

	"vestibule/internal/provider/sources/fdx"
	"vestibule/internal/report"
)

// mappingFigures measures on one core how the FDX connector maps the 100,000 transactions
// of an answer. The peer is encoding/json, which decodes the same bytes into plain structs.
// Both alternate.
func mappingFigures(ctx context.Context) ([]figure, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const transactions, rounds = 100_000, 9
	today := report.DateOf(time.Now())
	body := fdxAnswer(transactions, today)
	contestants := []func() error{
		func() error {
			got, err := fdx.MapTransactions(bytes.NewReader(body), today)
			if err == nil && len(got) != transactions {
				err = fmt.Errorf("%d transactions were mapped", len(got))
			}
			return err
		},
		func() error {
			var got struct {
				Transactions []struct {
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
				} `json:"transactions"`
			}
			return json.Unmarshal(body, &got)
		},
	}
	var spent [2][]float64 // ns a run, of each round
	for round := range rounds + 1 {
		for turn := range contestants {
			who := (round + turn) % len(contestants)
			runtime.GC()
			began := busy()
			if err := contestants[who](); err != nil {
				return nil, err
			}
			if round > 0 { // the first one warms up
				spent[who] = append(spent[who], busy()-began)
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	speed := rates(spent[0], func(i int) float64 { return spent[0][i] / spent[1][i] })
	speed.name, speed.wanted = "mapping 100,000 FDX transactions, one core", "≤ 2.00"
	speed.ours = fmt.Sprintf("%.0f ms", quantile(spent[0], 0.5)/1e6)
	speed.peer = fmt.Sprintf("encoding/json %.0f ms", quantile(spent[1], 0.5)/1e6)
	return []figure{speed}, nil
}

// fdxAnswer returns an answer of version 6 with transactions of the two years up to a day.
func fdxAnswer(n int, today report.Date) []byte {
	var out bytes.Buffer
	out.WriteString(`{"page":{},"transactions":[`)
	for i := range n {
		if i > 0 {
			out.WriteByte(',')
		}
		at := today.Add(-time.Duration(i) * 10 * time.Minute).Format(time.RFC3339)
		fmt.Fprintf(&out, `{"accountCategory":"DEPOSIT_ACCOUNT","accountId":"10001","transactionId":"8f14e45f-ceea-467f-a8f0-%012d",`+
			`"postedTimestamp":%q,"transactionTimestamp":%q,"description":"POS DEBIT KROGER #%d AUSTIN TX","debitCreditMemo":"DEBIT",`+
			`"category":"5411","status":"POSTED","amount":%d.%02d,"transactionType":"POSDEBIT","payee":"Kroger"}`,
			i, at, at, i%1000, i%500, i%100)
	}
	out.WriteString(`]}`)
	return out.Bytes()
}

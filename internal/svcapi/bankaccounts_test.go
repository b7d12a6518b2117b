package svcapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"vestibule/internal/contract"
	"vestibule/internal/report"
)

func TestConsumerBankAccounts(t *testing.T) {
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		if _, _, ok := r.BasicAuth(); !ok || r.Header.Get("X-Public-Id") != "svc-child" {
			t.Errorf("%s with %v", r.URL.Path, r.Header)
		}
		switch r.Method + " " + r.URL.Path {
		case "GET /connect/consumers/" + token1 + "/bank-accounts":
			writeJSON(w, 200, map[string]any{"accounts": []any{map[string]any{"account_id": token2, "date_opened": "2020-01-31",
				"full_account_number": "900012345678", "routing_number": nil, "account_number_type": "TAN", "more": 1}}})
		case "GET /connect/consumers/" + token1 + "/bank-accounts/" + token2 + "/ach-details":
			writeJSON(w, 200, map[string]any{"full_account_number": "900012345678", "routing_number": "110000000", "account_number_type": "TAN"})
		default:
			t.Errorf("%s %s", r.Method, r.URL.Path)
		}
	}}
	of := ConsumerRef{ConsumerID: token1, PublicID: "svc-child"}
	all, err := s.client().ConsumerBankAccounts(t.Context(), of)
	if err != nil || len(all) != 1 || all[0].AccountID != token2 || report.Text(all[0].FullAccountNumber) != "900012345678" ||
		all[0].RoutingNumber != nil || all[0].DateOpened == nil {
		t.Errorf("%+v, %v", all, err)
	}
	if text := fmt.Sprintf("%v %+v", all, all[0]); strings.Contains(text, "900012345678") {
		t.Errorf("printed as %s", text)
	}
	got, err := s.client().ConsumerACH(t.Context(), of, token2)
	if want := (ACHDetails{"900012345678", "110000000", "TAN"}); err != nil || got != want {
		t.Errorf("%+v, %v, want %+v", got, err, want)
	}
}

func TestInvalidBankAccountAnswers(t *testing.T) {
	good := map[string]any{"full_account_number": "1", "routing_number": "1", "account_number_type": "AN"}
	for _, c := range []struct {
		status int
		body   any
		want   contract.Code
	}{
		{400, map[string]any{"error": "BAD_REQUEST"}, contract.CodeBadRequest},
		{403, map[string]any{"error": "FORBIDDEN"}, contract.CodeForbidden},
		{403, map[string]any{"error": "CONSENT_NOT_PROVIDED"}, contract.CodeConsentNotProvided},
		{404, map[string]any{"error": "NOT_FOUND"}, contract.CodeNotFound},
		{200, map[string]any{}, contract.CodeUpstream},
		{200, map[string]any{"full_account_number": "1", "routing_number": "", "account_number_type": "AN"}, contract.CodeUpstream},
		{200, map[string]any{"full_account_number": "1", "routing_number": "1", "account_number_type": "X"}, contract.CodeUpstream},
	} {
		s := &service{handler: func(w http.ResponseWriter, r *http.Request) { writeJSON(w, c.status, c.body) }}
		if got, err := s.client().ConsumerACH(t.Context(), ConsumerRef{ConsumerID: token1},
			token2); CodeOf(err) != c.want || got != (ACHDetails{}) {
			t.Errorf("%v: %+v, %v, want %s", c.body, got, err, c.want)
		}
	}
	s := &service{handler: func(w http.ResponseWriter, r *http.Request) {
		writeJSON(w, 200, map[string]any{"accounts": []any{map[string]any{"account_id": "../x"}}})
	}}
	if _, err := s.client().ConsumerBankAccounts(t.Context(), ConsumerRef{ConsumerID: token1}); CodeOf(err) != contract.CodeUpstream {
		t.Errorf("an invalid id: %v", err)
	}
	s = &service{handler: func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("asked for %s", r.URL.Path)
		writeJSON(w, 200, good)
	}}
	for _, bad := range []struct{ consumer, account, child string }{{"..", token2, ""}, {token1, "x/y", ""}, {token1, token2, "a\nb"}} {
		of := ConsumerRef{ConsumerID: bad.consumer, PublicID: bad.child}
		if _, err := s.client().ConsumerACH(t.Context(), of, bad.account); err == nil {
			t.Errorf("%q: no error", bad)
		}
	}
}

func TestDay(t *testing.T) {
	for raw, want := range map[string]string{
		`"2020-01-31"`:                    "2020-01-31",
		`"2020-01-31T23:30:00Z"`:          "2020-01-31",
		`"2020-01-31T23:30:00.123-05:00"`: "2020-01-31",
		`"2020-01-31T00:00:00"`:           "2020-01-31",
		`null`:                            "",
		`"31.01.2020"`:                    "refused",
		`"2020-02-30"`:                    "refused",
		`""`:                              "refused",
		`5`:                               "refused",
	} {
		got, account := "", BankAccount{}
		if err := json.Unmarshal([]byte(`{"date_opened":`+raw+`}`), &account); err != nil {
			got = "refused"
		} else if account.DateOpened != nil {
			got = account.DateOpened.String()
		}
		if got != want {
			t.Errorf("%s is %q, want %q", raw, got, want)
		}
	}
}

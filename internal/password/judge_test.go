package password_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"vestibule/internal/password"
	"vestibule/internal/store"
	"vestibule/internal/testutil/storetest"
)

func TestATryIsCountedBeforeItCanBeRight(t *testing.T) {
	const right = "correct horse battery"
	db := storetest.SQLite(t, store.Portal)
	hash := password.Hash(right)
	now := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	g, err := password.New(t.Context(), db, func() time.Time { return now }, password.Settings{Cookie: "known"})
	if err != nil {
		t.Fatal(err)
	}
	asked := 0
	judge := func(email, given string) (password.Verdict, error) {
		return g.Authenticate(t.Context(), password.Try{Email: email, Password: given, Place: "here"}, func(context.Context) (string, error) {
			asked++
			if email == "a@example.com" {
				return hash, nil
			}
			return "", store.ErrNotFound
		})
	}
	for _, tc := range []struct {
		email, given string
		want         password.Verdict
		asked        int // how often find was called
	}{
		{"", right, password.Wrong, 0}, {"a@example.com", "", password.Wrong, 0}, {"a@example.com", strings.Repeat("x", password.Max+1), password.Wrong, 0},
		{"a@example.com", right, password.Right, 1}, {"a@example.com", "something else", password.Wrong, 1}, {"b@example.com", right, password.Wrong, 1},
	} {
		asked = 0
		if got, err := judge(tc.email, tc.given); got != tc.want || asked != tc.asked || err != nil {
			t.Errorf("%q with %.20q = %v, %v, after looking %d times; want %v after %d", tc.email, tc.given, got, err, asked, tc.want, tc.asked)
		}
	}
	for range password.TriesHere - 2 {
		if got, err := judge("a@example.com", "something else"); got != password.Wrong || err != nil {
			t.Errorf("a wrong one = %v, %v", got, err)
		}
	}
	asked = 0
	if got, err := judge("a@example.com", right); got != password.TooOften || asked != 0 || err != nil {
		t.Errorf("the right one after too many = %v, %v, after looking %d times", got, err, asked)
	}
	failed := errors.New("the database is away")
	_, err = g.Authenticate(t.Context(), password.Try{Email: "c@example.com", Password: right, Place: "here"}, func(context.Context) (string, error) { return "", failed })
	if !errors.Is(err, failed) {
		t.Errorf("a failure is %v", err)
	}
}

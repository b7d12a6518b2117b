package httpx_test

import (
	"context"
	"errors"
	"io"
	"net/http/httptest"
	"testing"

	"vestibule/internal/httpx"
)

type rendered func(w io.Writer) error

func (f rendered) Render(_ context.Context, w io.Writer) error { return f(w) }

func TestPageThatFailsIsNotSentInPart(t *testing.T) {
	w := httptest.NewRecorder()
	broken := errors.New("broken")
	err := httpx.HTML(w, httptest.NewRequest("GET", "/", nil), 200, rendered(func(w io.Writer) error {
		_, _ = io.WriteString(w, "<p>half")
		return broken
	}))
	if !errors.Is(err, broken) || w.Body.Len() != 0 {
		t.Errorf("HTML = %v with %q sent", err, w.Body)
	}
}

func TestHEADHasNoBody(t *testing.T) {
	w := httptest.NewRecorder()
	err := httpx.HTML(w, httptest.NewRequest("HEAD", "/", nil), 404, rendered(func(w io.Writer) error {
		_, err := io.WriteString(w, "<p>whole")
		return err
	}))
	if err != nil || w.Code != 404 || w.Body.Len() != 0 {
		t.Errorf("HTML = %v, %d with %q sent", err, w.Code, w.Body)
	}
}

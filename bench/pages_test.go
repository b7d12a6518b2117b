package main

import "testing"

// The page that html/template renders is kept like ours, so that the bench can compare them.
func TestPagesAreTheSame(t *testing.T) {
	if _, _, err := applyPages(t.Context()); err != nil {
		t.Error(err)
	}
}

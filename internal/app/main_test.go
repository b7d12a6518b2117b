package app_test

import (
	"log"
	"os"
	"testing"

	"vestibule/internal/testutil/assets"
)

func TestMain(m *testing.M) {
	if err := assets.Load(); err != nil {
		log.Fatal(err)
	}
	os.Exit(m.Run())
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"testing"
	"time"

	"vestibule/bench/fleet"
)

func TestProbe(t *testing.T) {
	n := 0
	if os.Getenv("PG") != "" {
		n = 1
	}
	f, err := fleet.Launch(t.Context(), fleet.Options{Bin: os.Getenv("BIN"), Replicas: n})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Stop()
	l, err := fleet.NewLoad(f)
	if err != nil {
		t.Fatal(err)
	}
	run := func(n int) time.Duration {
		began := time.Now()
		if err := parallel(8, n, func(int) error { return l.Whole(t.Context()) }); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	run(100)
	before, _ := f.Cost()
	m, _ := f.Metrics("vestibule_database_transactions_total", "vestibule_jobs_total")
	done := make(chan bool)
	go func() {
		defer close(done)
		if name := os.Getenv("PROFILE"); name != "" {
			r, err := http.Get("http://" + f.Replicas[0].Admin + "/debug/pprof/profile?seconds=8")
			if err == nil {
				raw, _ := io.ReadAll(r.Body)
				os.WriteFile(name, raw, 0o600)
			}
		}
	}()
	const many = 300
	took := run(many)
	<-done
	after, _ := f.Cost()
	fmt.Println(took/many, after.Less(before).Per(many))
	m2, _ := f.Metrics("vestibule_database_transactions_total", "vestibule_jobs_total")
	for k, v := range m2 {
		if v != m[k] {
			fmt.Printf("%.2f %s\n", (v-m[k])/many, k)
		}
	}
}

package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"vestibule/bench/fleet"
)

// replicaFigures measures the throughput of three replicas behind a balancer on PostgreSQL,
// beside one replica behind the same balancer, at full load with journeys of all kinds.
// First each replica may use all processors, with jobs in all replicas and in one. Then
// each has a share of the processors, as on separate machines, which shows what replicas
// cost each other. Both deployments run at the same time and get requests in turns.
func replicaFigures(ctx context.Context) ([]figure, error) {
	dir, err := os.MkdirTemp("", "vestibule-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	bin, err := buildProgram(ctx, dir)
	if err != nil {
		return nil, err
	}
	const share = 0.2
	var all []figure
	for _, c := range []struct {
		workers     int
		share       float64
		how, wanted string
	}{
		{0, 0, "on the same processors", "reported"},
		{1, 0, "same, jobs by one of them", "reported"},
		{0, share, fmt.Sprintf("each on %.1f of one", share), "≥ 1.50"},
	} {
		got, err := replicasOn(ctx, bin, c.workers, c.share, c.how, c.wanted)
		if err != nil {
			return nil, err
		}
		all = append(all, got...)
	}
	return all, nil
}

func replicasOn(ctx context.Context, bin string, workers int, share float64, how, wanted string) ([]figure, error) {
	const rounds, lasts, crowd = 5, 4 * time.Second, 40
	var fleets []*fleet.Fleet
	var loads []*fleet.Load
	for _, n := range []int{3, 1} {
		f, err := fleet.Launch(ctx, fleet.Options{Bin: bin, Replicas: n, Workers: min(workers, n), Balanced: true, Share: share})
		if err != nil {
			return nil, err
		}
		defer f.Stop()
		l, err := fleet.NewLoad(f)
		if err != nil {
			return nil, err
		}
		fleets, loads = append(fleets, f), append(loads, l)
	}
	var paced, cost [2][]float64 // ns a journey; of processors, but for the load's
	for round := range rounds + 1 {
		for turn := range 2 {
			who := (round + turn) % 2
			before, err := fleets[who].Cost()
			if err != nil {
				return nil, err
			}
			ended, took := loads[who].Crowd(ctx, crowd, lasts)
			after, err := fleets[who].Cost()
			if err != nil {
				return nil, err
			}
			if len(loads[who].Errs) > 0 {
				return nil, fmt.Errorf("journeys failed: %v", loads[who].Errs)
			}
			if ended == 0 {
				return nil, fmt.Errorf("no journey came to its end")
			}
			if round > 0 { // the first one warms up
				paced[who] = append(paced[who], float64(took)/float64(ended))
				cost[who] = append(cost[who], float64(after.Less(before).Per(float64(ended)).Own()))
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
	}
	return []figure{
		ratesOf("journeys, three replicas / one, "+how, paced[0], paced[1], wanted),
		compared("their processor time a journey, same", cost[0], cost[1], "reported"),
	}, nil
}

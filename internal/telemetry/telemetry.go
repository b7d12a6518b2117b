// Package telemetry provides metrics for /metrics, and sends traces if configured.
//
// Labels and attributes have few, predefined values: route patterns, kinds, reasons.
// Text from clients, addresses, identifiers and personal data are never labels of a
// metric or attributes of a span. There are no globals: each program has its Telemetry.
//
// The methods of a nil *Party do nothing, so callers need not check for nil.
package telemetry

import (
	"context"
	"database/sql"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"vestibule/internal/httpx"
	"vestibule/internal/jobs"
)

// Telemetry holds the metrics and traces of one program.
type Telemetry struct {
	registry *prometheus.Registry
	traces   *traces // nil: traces are not sent

	requests    *prometheus.CounterVec
	requestTime *prometheus.HistogramVec
	jobs        *prometheus.CounterVec
	jobTime     *prometheus.HistogramVec
	deliveries  *prometheus.CounterVec
	deliverTime *prometheus.HistogramVec
	fetches     *prometheus.CounterVec
	refusals    *prometheus.CounterVec
	reportTime  *prometheus.HistogramVec
	calls       *prometheus.CounterVec
	callTime    *prometheus.HistogramVec
}

// Histogram buckets in seconds: for waiting users, and for background work.
var (
	waitBuckets = []float64{.0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 15}
	jobBuckets  = []float64{.005, .02, .1, .5, 2, 10, 60}
)

// New returns the telemetry of a program, with metrics of its process.
func New(c Config) *Telemetry {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	histogram := func(name, help string, bounds []float64, labels ...string) *prometheus.HistogramVec {
		return prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: bounds}, labels)
	}
	t := &Telemetry{
		registry: prometheus.NewRegistry(),
		traces:   newTraces(c),

		requests: counter("vestibule_http_requests_total", "Requests answered, by route pattern and class of "+
			"status (2xx); code 000 is a connection that broke.", "party", "route", "class"),
		requestTime: histogram("vestibule_http_request_duration_seconds", "From a request's first line to the end of "+
			"its answer; streams last as long as they are open.", waitBuckets, "party", "route"),
		jobs: counter("vestibule_jobs_total", "Runs of background jobs: done, later (not yet "+
			"its time), failed (runs again), given_up.", "party", "kind", "outcome"),
		jobTime:     histogram("vestibule_job_duration_seconds", "One run of a background job.", jobBuckets, "party", "kind"),
		deliveries:  counter("vestibule_webhook_deliveries_total", "Webhooks sent, by what came of it and why.", "party", "outcome", "reason"),
		deliverTime: histogram("vestibule_webhook_delivery_duration_seconds", "One attempt to send a webhook.", waitBuckets, "party"),
		fetches:     counter("vestibule_keyset_fetches_total", "Fetches of the provider's key set: ok or failed.", "party", "outcome"),
		refusals:    counter("vestibule_returns_refused_total", "Returns of a secure redirect that were refused, by reason.", "party", "reason"),
		reportTime: histogram("vestibule_report_duration_seconds", "Making a report: analysis and writing, by "+
			"product and the report's status.", jobBuckets, "party", "product", "status"),
		calls: counter("vestibule_provider_calls_total", "Calls of the provider's API: ok, or the error code.",
			"party", "operation", "outcome"),
		callTime: histogram("vestibule_provider_call_duration_seconds", "One call of the provider's API with its repetitions.",
			waitBuckets, "party", "operation"),
	}
	t.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
		t.requests, t.requestTime, t.jobs, t.jobTime, t.deliveries, t.deliverTime, t.fetches, t.refusals, t.reportTime, t.calls, t.callTime)
	return t
}

// Metrics serves the metrics in Prometheus' text format.
func (t *Telemetry) Metrics() http.Handler {
	return promhttp.HandlerFor(t.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError})
}

// Close sends the buffered spans until ctx ends.
func (t *Telemetry) Close(ctx context.Context) error { return t.traces.close(ctx) }

// Party is the telemetry of one of the two parties.
type Party struct {
	*Telemetry
	name string
}

// Party returns the telemetry of the named party.
func (t *Telemetry) Party(name string) *Party { return &Party{t, name} }

// Handler observes every request to next, which must be the handler of httpx.Wrap.
func (p *Party) Handler(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen := &httpx.RequestRecord{}
		ctx, end := p.traces.request(r, p.name, seen)
		began := time.Now()
		done := false
		defer func() {
			class := "000"
			if done {
				class = strconv.Itoa(seen.Status/100) + "xx"
			}
			p.requests.WithLabelValues(p.name, seen.Route, class).Inc()
			p.requestTime.WithLabelValues(p.name, seen.Route).Observe(time.Since(began).Seconds())
			end()
		}()
		next.ServeHTTP(w, r.WithContext(httpx.WithRequestRecord(ctx, seen)))
		done = true
	})
}

// Traceparent returns the current span as W3C traceparent, which a job stores when it is
// enqueued, or "".
func (p *Party) Traceparent(ctx context.Context) string {
	if p == nil {
		return ""
	}
	return p.traces.traceparent(ctx)
}

// Job observes one run of a job; the returned function is called with its outcome.
func (p *Party) Job(ctx context.Context, kind, traceparent string, attempt int) (context.Context, func(outcome string)) {
	if p == nil {
		return ctx, func(string) {}
	}
	ctx, end := p.traces.job(ctx, p.name, kind, traceparent, attempt)
	began := time.Now()
	return ctx, func(outcome string) {
		p.jobs.WithLabelValues(p.name, kind, outcome).Inc()
		p.jobTime.WithLabelValues(p.name, kind).Observe(time.Since(began).Seconds())
		end(outcome, outcome == "failed" || outcome == "given_up")
	}
}

// Call observes one call of the provider's API. The returned header is sent with every
// try.
func (p *Party) Call(ctx context.Context, operation string) (context.Context, http.Header, func(outcome string)) {
	if p == nil {
		return ctx, nil, func(string) {}
	}
	ctx, header, end := p.traces.call(ctx, p.name, operation)
	began := time.Now()
	return ctx, header, func(outcome string) {
		p.calls.WithLabelValues(p.name, operation, outcome).Inc()
		p.callTime.WithLabelValues(p.name, operation).Observe(time.Since(began).Seconds())
		end(outcome, outcome != "ok")
	}
}

// Delivered counts and times an attempt to send a webhook.
func (p *Party) Delivered(outcome, reason string, elapsed time.Duration) {
	if p == nil {
		return
	}
	p.deliveries.WithLabelValues(p.name, outcome, reason).Inc()
	p.deliverTime.WithLabelValues(p.name).Observe(elapsed.Seconds())
}

// KeysFetched counts a fetch of a key set.
func (p *Party) KeysFetched(err error) {
	if p == nil {
		return
	}
	outcome := "ok"
	if err != nil {
		outcome = "failed"
	}
	p.fetches.WithLabelValues(p.name, outcome).Inc()
}

// ReturnRefused counts a refused redirect callback.
func (p *Party) ReturnRefused(reason string) {
	if p != nil {
		p.refusals.WithLabelValues(p.name, reason).Inc()
	}
}

// ReportFinished records how long a report took.
func (p *Party) ReportFinished(product, status string, elapsed time.Duration) {
	if p != nil {
		p.reportTime.WithLabelValues(p.name, product, status).Observe(elapsed.Seconds())
	}
}

// Database reports on a connection pool, and on the engine's commits and the
// transactions that share them. commits may be nil.
func (p *Party) Database(pool *sql.DB, commits func() (batches, transactions uint64)) {
	if p == nil {
		return
	}
	labels := prometheus.Labels{"party": p.name}
	gauge := func(name, help string, value func(sql.DBStats) float64) {
		p.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
			func() float64 { return value(pool.Stats()) }))
	}
	count := func(name, help string, value func() float64) {
		p.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels}, value))
	}
	gauge("vestibule_database_connections_max", "Connections that the pool may open.",
		func(s sql.DBStats) float64 { return float64(s.MaxOpenConnections) })
	gauge("vestibule_database_connections_open", "Connections that are open.",
		func(s sql.DBStats) float64 { return float64(s.OpenConnections) })
	gauge("vestibule_database_connections_busy", "Connections that are in use.", func(s sql.DBStats) float64 { return float64(s.InUse) })
	count("vestibule_database_waits_total", "How often a connection was waited for.",
		func() float64 { return float64(pool.Stats().WaitCount) })
	count("vestibule_database_wait_seconds_total", "How long connections were waited for.",
		func() float64 { return pool.Stats().WaitDuration.Seconds() })
	if commits == nil {
		return
	}
	count("vestibule_database_commits_total", "Commits of the engine's, each of them an fsync.",
		func() float64 { n, _ := commits(); return float64(n) })
	count("vestibule_database_transactions_total", "Transactions in those commits: how many share one.",
		func() float64 { _, n := commits(); return float64(n) })
}

// Queue reports the waiting and running jobs, which it counts at each scrape.
func (p *Party) Queue(count func(context.Context) ([]jobs.Waiting, error)) {
	if p != nil {
		p.registry.MustRegister(&queue{count: count,
			jobs: prometheus.NewDesc("vestibule_jobs_unfinished", "Jobs that wait, run, or wait to run again.",
				[]string{"queue", "kind", "state"}, prometheus.Labels{"party": p.name}),
			age: prometheus.NewDesc("vestibule_jobs_oldest_due_seconds", "Age of the oldest job that is due and not started.",
				[]string{"queue", "kind"}, prometheus.Labels{"party": p.name})})
	}
}

// scrapeTimeout bounds the database query of a scrape.
const scrapeTimeout = 2 * time.Second

type queue struct {
	count     func(context.Context) ([]jobs.Waiting, error)
	jobs, age *prometheus.Desc
}

func (q *queue) Describe(out chan<- *prometheus.Desc) {
	out <- q.jobs
	out <- q.age
}

// Collect sends nothing while the database is unavailable: readiness reports that, and
// the other metrics are still needed.
func (q *queue) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTimeout)
	defer cancel()
	all, err := q.count(ctx)
	if err != nil {
		return
	}
	for _, w := range all {
		out <- prometheus.MustNewConstMetric(q.jobs, prometheus.GaugeValue, float64(w.Jobs), string(w.Queue), w.Kind, w.State)
		if w.State == "available" {
			out <- prometheus.MustNewConstMetric(q.age, prometheus.GaugeValue, w.Oldest.Seconds(), string(w.Queue), w.Kind)
		}
	}
}

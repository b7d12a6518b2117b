package telemetry

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"vestibule/internal/httpx"
)

// traces creates and sends spans. A nil *traces creates none, but calls still propagate
// the trace of their request.
type traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

func newTraces(c Config) *traces {
	if c.Endpoint == "" {
		return nil
	}
	out := c.exporter()
	provider := sdk.NewTracerProvider(
		sdk.WithBatcher(out),
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(c.Share))),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", "vestibule"), attribute.String("service.version", c.Version))))
	return &traces{provider: provider, tracer: provider.Tracer("vestibule")}
}

func (c Config) exporter() *exporter {
	return &exporter{url: strings.TrimRight(c.Endpoint, "/") + "/v1/traces", headers: c.Headers, log: c.Log,
		client: &http.Client{Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		}}}
}

// Check sends no spans to the collector, and returns an error unless it accepts them.
func (c Config) Check(ctx context.Context) error {
	return c.exporter().post(ctx, []byte(`{"resourceSpans":[]}`))
}

func (t *traces) close(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// propagator propagates W3C's traceparent only: tracestate and baggage contain other
// systems' data.
var propagator propagation.TraceContext

func withParent(ctx context.Context, traceparent string) context.Context {
	sc := trace.SpanContextFromContext(propagator.Extract(context.Background(), propagation.MapCarrier{"traceparent": traceparent}))
	if !sc.IsValid() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, sc)
}

func (t *traces) traceparent(ctx context.Context) string {
	out := propagation.MapCarrier{}
	propagator.Inject(ctx, out)
	return out["traceparent"]
}

// methods are the HTTP methods that a span names.
var methods = []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut,
	http.MethodPatch, http.MethodDelete, http.MethodOptions}

func (t *traces) request(r *http.Request, party string, seen *httpx.RequestRecord) (context.Context, func()) {
	ctx := withParent(r.Context(), r.Header.Get("Traceparent"))
	if t == nil {
		return ctx, func() {}
	}
	method := r.Method
	if !slices.Contains(methods, method) {
		method = "_OTHER"
	}
	ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("vestibule.party", party), attribute.String("http.request.method", method)))
	return ctx, func() {
		// OpenTelemetry's semantic conventions for HTTP: the route has no method, and
		// is absent if no route matched.
		path := seen.Route[strings.IndexByte(seen.Route, ' ')+1:]
		if strings.HasPrefix(path, "/") {
			span.SetName(method + " " + path)
			span.SetAttributes(attribute.String("http.route", path))
		}
		span.SetAttributes(attribute.Int("http.response.status_code", seen.Status))
		if seen.Status >= 500 {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

func (t *traces) job(ctx context.Context, party, kind, traceparent string, attempt int) (context.Context, func(outcome string, bad bool)) {
	ctx = withParent(ctx, traceparent)
	if t == nil {
		return ctx, func(string, bool) {}
	}
	ctx, span := t.tracer.Start(ctx, "job "+kind, trace.WithSpanKind(trace.SpanKindConsumer),
		trace.WithAttributes(attribute.String("vestibule.party", party), attribute.String("vestibule.job", kind),
			attribute.Int("vestibule.attempt", attempt)))
	return ctx, spanEnd(span)
}

func (t *traces) call(ctx context.Context, party, operation string) (context.Context, http.Header, func(outcome string, bad bool)) {
	end := func(string, bool) {}
	if t != nil {
		var span trace.Span
		ctx, span = t.tracer.Start(ctx, "call "+operation, trace.WithSpanKind(trace.SpanKindClient),
			trace.WithAttributes(attribute.String("vestibule.party", party), attribute.String("vestibule.operation", operation)))
		end = spanEnd(span)
	}
	header := http.Header{}
	propagator.Inject(ctx, propagation.HeaderCarrier(header))
	return ctx, header, end
}

func spanEnd(span trace.Span) func(outcome string, bad bool) {
	return func(outcome string, bad bool) {
		span.SetAttributes(attribute.String("vestibule.outcome", outcome))
		if bad {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// exporter posts spans as OTLP over HTTP in JSON. The standard exporter adds gRPC and
// protobuf's gateway, a sixth of the program's size.
type exporter struct {
	url     string
	headers map[string]string
	client  *http.Client
	log     *slog.Logger
}

type otlpSpan struct {
	TraceID    string          `json:"traceId"`
	SpanID     string          `json:"spanId"`
	Parent     string          `json:"parentSpanId,omitempty"`
	Name       string          `json:"name"`
	Kind       int             `json:"kind"`
	Start      string          `json:"startTimeUnixNano"`
	End        string          `json:"endTimeUnixNano"`
	Attributes []otlpAttribute `json:"attributes"`
	Status     struct {
		Code int `json:"code,omitempty"`
	} `json:"status"`
}

type otlpAttribute struct {
	Key   string            `json:"key"`
	Value map[string]string `json:"value"` // protobuf's JSON writes 64-bit numbers as strings
}

// ExportSpans sends a batch. It logs and drops spans that cannot be sent, so that
// tracing never blocks the program.
func (e *exporter) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := e.send(ctx, spans); err != nil {
		e.log.WarnContext(ctx, "traces not sent", "spans", len(spans), "err", err.Error())
	}
	return nil
}

// Shutdown does nothing: the SDK's provider holds the batches.
func (e *exporter) Shutdown(context.Context) error { return nil }

func (e *exporter) send(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if len(spans) == 0 {
		return nil
	}
	var all []otlpSpan
	for _, s := range spans {
		one := otlpSpan{TraceID: s.SpanContext().TraceID().String(), SpanID: s.SpanContext().SpanID().String(),
			Name: s.Name(), Kind: int(s.SpanKind()),
			Start: strconv.FormatInt(s.StartTime().UnixNano(), 10), End: strconv.FormatInt(s.EndTime().UnixNano(), 10),
			Attributes: attributes(s.Attributes())}
		if s.Parent().HasSpanID() {
			one.Parent = s.Parent().SpanID().String()
		}
		if s.Status().Code == codes.Error {
			one.Status.Code = 2
		}
		all = append(all, one)
	}
	body, err := json.Marshal(map[string]any{"resourceSpans": []any{map[string]any{
		"resource":   map[string]any{"attributes": attributes(spans[0].Resource().Attributes())},
		"scopeSpans": []any{map[string]any{"scope": map[string]string{"name": "vestibule"}, "spans": all}},
	}}})
	if err != nil {
		return err
	}
	return e.post(ctx, body)
}

func (e *exporter) post(ctx context.Context, body []byte) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	for name, value := range e.headers {
		req.Header.Set(name, value)
	}
	resp, err := e.client.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	io.Copy(io.Discard, io.LimitReader(resp.Body, 64<<10)) // so that the connection can be used again
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("the collector answers %d", resp.StatusCode)
	}
	return nil
}

func attributes(in []attribute.KeyValue) []otlpAttribute {
	out := []otlpAttribute{}
	for _, a := range in {
		kind := "stringValue"
		if a.Value.Type() == attribute.INT64 {
			kind = "intValue"
		}
		out = append(out, otlpAttribute{string(a.Key), map[string]string{kind: a.Value.String()}})
	}
	return out
}

import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  DiagLogLevel,
  defaultTextMapGetter,
  diag,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { TraceContext, Tracing } from '../kernel/tracing.ts';

interface TracingOptions {
  /** The URL of the collector, without `/v1/traces`. */
  endpoint: string;
  /** The share of traces that are recorded, from 0 to 1. */
  share: number;
  /** Gets the errors of the exporter. */
  log(line: string): void;
}

/** The collector may be unreachable. The process must not wait for it. */
const stopTimeoutMs = 2_000;
const maxTextLength = 4_096;

/** Records traces and sends them to an OpenTelemetry collector. */
export function startTracing({ endpoint, share, log }: TracingOptions): Tracing {
  const report = (...parts: unknown[]) => log(`OpenTelemetry: ${parts.map(String).join(' ')}`);
  const ignore = () => undefined;
  diag.setLogger({ error: report, warn: report, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  const exporter = new OTLPTraceExporter({ url: `${endpoint.replace(/\/$/, '')}/v1/traces` });
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': 'tessera' }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(share),
    spanLimits: { attributeValueLengthLimit: maxTextLength },
    spanProcessors: [new BatchSpanProcessor({ exporter })],
  });
  return new OpenTelemetry(provider, provider.getTracer('tessera'));
}

/** A caller's trace is recorded with the same share as others, so that callers cannot cause more work. They can only leave a trace out. */
function samplerOf(share: number): ParentBasedSampler {
  const root = new TraceIdRatioBasedSampler(share);
  return new ParentBasedSampler({ root, remoteParentSampled: root, remoteParentNotSampled: new AlwaysOffSampler() });
}

const describeError = (error: unknown): string => (error instanceof Error ? error.name : typeof error);

/** The name of a span has few values, so it contains the table but not the rest of the statement. */
const summaryOf = (sql: string): string =>
  /^\s*(?:\/\*.*?\*\/\s*)*((?:insert into|update|delete from) "?\w+"?|\w+)/is.exec(sql)?.[1]?.toLowerCase().replaceAll('"', '') ??
  'statement';

class OpenTelemetry implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #contexts = new AsyncLocalStorage<Context>();
  readonly #propagator = new W3CTraceContextPropagator();

  constructor(provider: TracerProvider, tracer: Tracer) {
    this.#provider = provider;
    this.#tracer = tracer;
  }

  beginRequest({ method, requestId, headers }: Parameters<Tracing['beginRequest']>[0]): ReturnType<Tracing['beginRequest']> {
    const caller = this.#propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter);
    const attributes = { 'http.request.method': method, 'tessera.request_id': requestId };
    const span = this.#tracer.startSpan(method, { kind: SpanKind.SERVER, attributes }, caller);
    const own = trace.setSpan(caller, span);
    return {
      run: (work) => this.#contexts.run(own, work),
      end({ route, operation, status }) {
        if (route !== undefined) span.updateName(`${method} ${route}`).setAttribute('http.route', route);
        if (operation !== undefined) span.setAttribute('tessera.operation', operation);
        span.setAttribute('http.response.status_code', status);
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
        span.end();
      },
    };
  }

  current(): TraceContext | null {
    return this.#contexts.getStore() ?? null;
  }

  async runBatch<T>(name: string, requests: readonly (TraceContext | null)[], work: () => Promise<T>): Promise<T> {
    const known = requests.flatMap((request) => (request === null ? [] : [request as Context]));
    const [first, ...others] = known;
    if (first === undefined) return work();
    const links = others.flatMap((each) => trace.getSpanContext(each) ?? []).map((context) => ({ context }));
    const span = this.#start(`batch ${name}`, { 'tessera.batch.size': requests.length }, first, links);
    try {
      const result = await this.#contexts.run(trace.setSpan(first, span), work);
      span.end();
      return result;
    } catch (error) {
      fail(span, error);
      throw error;
    }
  }

  beginStatement(sql: string): ReturnType<Tracing['beginStatement']> {
    const parent = this.#contexts.getStore();
    if (parent === undefined) return null;
    const attributes = { 'db.system.name': 'postgresql', 'db.query.text': sql };
    const span = this.#tracer.startSpan(summaryOf(sql), { kind: SpanKind.CLIENT, attributes }, parent);
    return { end: (error) => (error === undefined ? span.end() : fail(span, error)) };
  }

  #start(
    name: string,
    attributes: Attributes,
    parent: Context,
    links: { context: NonNullable<ReturnType<typeof trace.getSpanContext>> }[],
  ): Span {
    return this.#tracer.startSpan(name, { kind: SpanKind.INTERNAL, attributes, links }, parent);
  }

  async stop(): Promise<void> {
    const timeout = AbortSignal.timeout(stopTimeoutMs);
    const timedOut = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve()));
    await Promise.race([this.#provider.shutdown().catch(() => undefined), timedOut]);
  }
}

/** Messages of errors may contain values of rows, so only the kind of the error is recorded. */
function fail(span: Span, error: unknown): void {
  span.setAttribute('error.type', describeError(error)).setStatus({ code: SpanStatusCode.ERROR }).end();
}

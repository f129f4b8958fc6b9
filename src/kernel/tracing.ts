/**
 * Traces of requests, for OpenTelemetry. These are only types: the packages of OpenTelemetry are loaded by `platform/open-telemetry.ts`, and
 * only if tracing is configured. Otherwise there is no `Tracing`, and the code that would use it does nothing.
 */
export interface Tracing {
  /** Begins the span of an HTTP request. The header `traceparent` makes it part of the caller's trace. */
  beginRequest(request: TracedRequest): RequestSpan;
  /** The request that the current code works for, or null. */
  current(): TraceContext | null;
  /** Runs a batch of requests in a span of its own. The span belongs to the first request and links to the others. */
  runBatch<T>(name: string, requests: readonly (TraceContext | null)[], work: () => Promise<T>): Promise<T>;
  /** Begins the span of a database statement. Returns null if the current code works for no request, as in a background job. */
  beginStatement(sql: string): StatementSpan | null;
  /** Sends the last spans. */
  stop(): Promise<void>;
}

/** The place of a span in its trace. Only the implementation knows its content. */
export type TraceContext = object;

interface TracedRequest {
  method: string;
  requestId: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
}

export interface RequestSpan {
  /** Runs code that works for this request, so that its statements become part of the trace. */
  run(work: () => void): void;
  /** `route` is the pattern of the path. The path itself is not recorded, because the query may contain secrets. */
  end(result: { route: string | undefined; operation: string | undefined; status: number }): void;
}

interface StatementSpan {
  end(error?: unknown): void;
}

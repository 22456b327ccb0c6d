import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
  type Link,
  type Span,
  type SpanContext,
  type TextMapPropagator,
  type Tracer,
} from '@opentelemetry/api';
import { clientSoftwareOf, type ClientSoftware } from '../identity/caller.ts';
import type { ClientHeaders } from '../request/context.ts';
import type { SubgraphClient } from '../subgraphs/subgraph-request.ts';
import type { OperationPlanner } from '../planning/operation-planner.ts';
import type { RunKind, RunTracer, TracedRun } from '../pipeline/run-tracer.ts';

/** What a span is about. Neither texts of operations nor variables nor credentials belong here. */
export interface SpanDescription {
  readonly name: string;
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
  readonly links?: Link[];
}

/** Records where the time of an operation goes. OpenTelemetry, "Trace". */
export interface Tracing {
  /**
   * Runs the answering of a request within a span of its own, below the span that the client names in `traceparent`.
   *
   * @throws what `run` throws
   */
  traceRequest<T>(
    headers: ClientHeaders,
    about: SpanDescription,
    run: (span: Span) => Promise<T>,
  ): Promise<T>;
  /**
   * Runs what no client waits for in a trace of its own.
   *
   * @param linked the span that it has come of
   * @throws what `run` throws
   */
  traceLinked<T>(
    linked: SpanContext | undefined,
    about: SpanDescription,
    run: (span: Span) => Promise<T>,
  ): Promise<T>;
  /** Begins a span below the current one; outside of a request, nothing is recorded. @returns ends it */
  begin(name: string): () => void;
  /** The span under way. */
  current(): SpanContext | undefined;
  /**
   * Runs a part of that. Outside of a request, nothing is recorded.
   *
   * @param run gets the headers that propagate the trace
   * @throws what `run` throws
   */
  traceStep<T>(about: SpanDescription, run: (step: TracedStep) => Promise<T>): Promise<T>;
  /** Sends what has been recorded, and records nothing from then on. */
  close(): Promise<void>;
}

/** A part of the answering of a request. */
export interface TracedStep {
  /** Absent where nothing is recorded. */
  readonly span: Span | undefined;
  /** `traceparent`, and `tracestate` where there is one. W3C Trace Context §3. */
  readonly headers: Readonly<Record<string, string>>;
}

const NOTHING_RECORDED: TracedStep = Object.freeze({ span: undefined, headers: Object.freeze({}) });

/**
 * Makes spans of a tracer, and carries the one that is under way through everything that is done in it.
 *
 * @param propagator reads the span of a client, and writes the one that a subgraph gets
 */
export function createTracing(
  tracer: Tracer,
  propagator: TextMapPropagator,
  close: () => Promise<void>,
): Tracing {
  const underWay = new AsyncLocalStorage<Context>();

  async function within<T>(
    about: SpanDescription,
    parent: Context,
    run: (step: TracedStep) => Promise<T>,
  ): Promise<T> {
    const { name, kind = SpanKind.INTERNAL, attributes = {}, links = [] } = about;
    const span = tracer.startSpan(name, { kind, attributes, links }, parent);
    const own = trace.setSpan(parent, span);
    try {
      return await underWay.run(own, () => run({ span, headers: headersOf(own) }));
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end();
    }
  }

  function headersOf(context: Context): Record<string, string> {
    const headers: Record<string, string> = {};
    propagator.inject(context, headers, { set: (carrier, name, value) => void (carrier[name] = value) });
    return headers;
  }

  return {
    traceRequest(headers, about, run) {
      const parent = propagator.extract(ROOT_CONTEXT, headers, CLIENT_HEADERS);
      return within(about, parent, ({ span }) => run(span as Span)); // within always has one
    },
    traceLinked(linked, about, run) {
      const links = linked ? [{ context: linked }] : [];
      return within({ ...about, links }, ROOT_CONTEXT, ({ span }) => run(span as Span)); // within always has one
    },
    begin(name) {
      const parent = underWay.getStore();
      if (!parent) return () => undefined;
      const span = tracer.startSpan(name, {}, parent);
      return () => span.end();
    },
    current() {
      const context = underWay.getStore();
      return context && trace.getSpanContext(context);
    },
    traceStep(about, run) {
      const parent = underWay.getStore();
      return parent ? within(about, parent, run) : run(NOTHING_RECORDED);
    },
    close,
  };
}

const CLIENT_HEADERS = {
  get: (headers: ClientHeaders, name: string) => headers[name] as string | string[] | undefined, // readonly makes the difference
  keys: (headers: ClientHeaders) => Object.keys(headers),
};

/** Records each planning of an operation, cache hits included. */
export function tracePlanning(planner: OperationPlanner, tracing: Tracing): OperationPlanner {
  return {
    ...planner,
    planOperation: (request, signal) =>
      tracing.traceStep({ name: 'graphql.plan' }, () =>
        Promise.resolve(planner.planOperation(request, signal)),
      ),
  };
}

const FIRST_SERVER_ERROR = 500;

/** Records each fetch from a subgraph, with its repetitions, and carries the trace on to it. */
export function traceFetches(client: SubgraphClient, tracing: Tracing): SubgraphClient {
  return {
    send: (request) =>
      tracing.traceStep(
        {
          name: `graphql.fetch ${request.subgraph}`,
          kind: SpanKind.CLIENT,
          attributes: { 'graphql.subgraph.name': request.subgraph },
        },
        async ({ span, headers }) => {
          const response = await client.send({ ...request, headers: { ...request.headers, ...headers } });
          span?.setAttribute('http.response.status_code', response.status);
          if (response.status >= FIRST_SERVER_ERROR) span?.setStatus({ code: SpanStatusCode.ERROR });
          return response;
        },
      ),
    close: () => client.close(),
  };
}

const MAX_NAME_CHARACTERS = 100;

const SPANS: Readonly<Record<RunKind, { readonly name: string; readonly kind: SpanKind }>> = {
  request: { name: 'graphql.operation', kind: SpanKind.SERVER },
  event: { name: 'graphql.event', kind: SpanKind.CONSUMER },
  tick: { name: 'graphql.tick', kind: SpanKind.INTERNAL },
};

/**
 * Records runs. A request's span is below the one that the client names, and ends with the first part of the response. Events and
 * ticks begin traces of their own, linked to the span in which their stream was opened.
 */
export function createRunTracer(tracing: Tracing): RunTracer {
  return {
    trace(run, perform) {
      const { requestId, headers, opened } = run.context;
      const about = { ...SPANS[run.kind], attributes: { 'trellis.request_id': requestId } };
      const record = async (span: Span): ReturnType<typeof perform> => {
        const result = await perform();
        describe(span, run);
        describeClient(span, clientSoftwareOf(run.context));
        return result;
      };
      if (run.kind === 'request') return tracing.traceRequest(headers, about, record);
      return tracing.traceLinked(opened, about, record);
    },
    begin: (name) => tracing.begin(name),
    current: () => tracing.current(),
  };
}

function describeClient(span: Span, client: ClientSoftware | undefined): void {
  if (!client) return;
  span.setAttribute('graphql.client.name', client.name);
  if (client.version !== '') span.setAttribute('graphql.client.version', client.version);
}

function describe(span: Span, { admitted, errorCode, stage }: TracedRun): void {
  if (admitted) {
    const { name, kind } = admitted.operation;
    span.setAttribute('graphql.operation.type', kind);
    if (name !== undefined) span.setAttribute('graphql.operation.name', name.slice(0, MAX_NAME_CHARACTERS));
  }
  const clientId = admitted?.caller.context.clientId;
  if (clientId !== undefined) span.setAttribute('trellis.oauth_client', clientId);
  if (errorCode === undefined) return;
  span.setAttribute('trellis.error.code', errorCode);
  if (stage !== undefined) span.setAttribute('trellis.stage', stage);
  span.setStatus({ code: SpanStatusCode.ERROR });
}

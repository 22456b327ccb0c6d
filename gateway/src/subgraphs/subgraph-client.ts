import { fillIn } from '../settings/fill-in.ts';
import { subgraphConnections } from '../settings/subgraph-connections.ts';
import { SubgraphConnections } from './connections/subgraph-connections.ts';
import { SubgraphCall } from './subgraph-call.ts';
import { SubgraphFailure } from './subgraph-failure.ts';
import type { SubgraphClient, SubgraphRequest } from './subgraph-request.ts';

export type {
  SubgraphClient,
  SubgraphHeaders,
  SubgraphRequest,
  SubgraphResponse,
} from './subgraph-request.ts';

/** Settings of {@link createSubgraphClient}. */
export interface SubgraphClientOptions {
  /** From the call to the last byte of the response, milliseconds. @default 10_000 */
  readonly timeoutMs?: number | undefined;
  /** The largest response, before and after decompression. @default 16 MiB */
  readonly maxResponseBytes?: number | undefined;
  /** What is connected to, and how. @default as where no setting is given */
  readonly connections?: SubgraphConnections | undefined;
}

/** Sockets to one origin where no connections are given; more requests wait for one. */
const MAX_CONNECTIONS = 256;

/**
 * Calls over HTTP/1.1 or HTTP/2, by the rules of each subgraph, with keep-alive sockets. Redirects are never followed, and
 * nothing is sent twice.
 */
export function createSubgraphClient(options: SubgraphClientOptions = {}): SubgraphClient {
  const defaults = {
    timeoutMs: options.timeoutMs ?? 10_000,
    maxBytes: options.maxResponseBytes ?? 16 * 1024 * 1024,
  };
  const connections = options.connections ?? openDefault(defaults.timeoutMs);

  return {
    send(request) {
      if (request.signal.aborted) return Promise.reject(request.signal.reason as Error);
      const target = targetOf(request);
      if (target instanceof SubgraphFailure) return Promise.reject(target);
      const { timeoutMs = defaults.timeoutMs, maxBytes = defaults.maxBytes } = request;
      const call = new SubgraphCall(request, { timeoutMs, maxBytes });
      const { headers, body, streamed } = request;
      const ruled = connections.of(request.subgraph);
      const sent = { path: target.path, headers, timeoutMs, body };
      if (streamed) ruled.uploadPoolOf(target.origin).dispatch({ ...sent, streamed }, call);
      else ruled.poolOf(target.origin).dispatch(sent, call);
      return call.response;
    },
    close: () => connections.close(),
  };
}

function openDefault(connectTimeoutMs: number): SubgraphConnections {
  const settings = fillIn(subgraphConnections.members, {});
  return new SubgraphConnections(settings, { maxConnections: MAX_CONNECTIONS, connectTimeoutMs });
}

interface CallTarget {
  readonly origin: string;
  readonly path: string;
}

const targets = new Map<string, CallTarget>();

/** Parsed once for each address: there are as many as subgraphs. */
function targetOf({ url, subgraph }: SubgraphRequest): CallTarget | SubgraphFailure {
  let target = targets.get(url);
  if (target) return target;
  target = parseTarget(url);
  if (!target)
    return new SubgraphFailure(subgraph, 'unreachable', `The subgraph "${subgraph}" has no usable address.`);
  targets.set(url, target);
  return target;
}

function parseTarget(url: string): CallTarget | undefined {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return undefined;
  return { origin: parsed.origin, path: `${parsed.pathname}${parsed.search}` };
}

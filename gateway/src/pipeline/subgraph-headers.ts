import { USER_CONTEXT_HEADER } from '@trellis/user-context';
import type { Caller } from '../auth/caller.ts';
import type { SubgraphContexts } from '../auth/subgraph-context.ts';
import type { ClientHeaders, RequestContext } from '../context.ts';
import type { SubgraphHeaders } from '../execution/subgraph-client.ts';

/** Makes the headers that go to a subgraph with one request. */
export type HeadersForSubgraphs = (
  context: RequestContext,
  caller: Caller,
) => (subgraph: string) => SubgraphHeaders | Promise<SubgraphHeaders>;

/** Settings of {@link createSubgraphHeaders}. */
export interface SubgraphHeaderOptions {
  /** Names of client headers that subgraphs get, in lower case. All others stay here, cookies and tokens included. */
  readonly forward: readonly string[];
  /** Absent where subgraphs are not told who is asking. */
  readonly contexts: SubgraphContexts | undefined;
}

const REQUEST_ID_HEADER = 'x-request-id';

/**
 * Headers that can't be configured to be forwarded: those that make up the connection or the message, and those that
 * a subgraph may take for the gateway's own word.
 */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  USER_CONTEXT_HEADER,
  REQUEST_ID_HEADER,
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/**
 * Whether an operator may have a header forwarded. `x-user-*` never, as many services believe such headers.
 *
 * @param name in lower case
 */
export function mayBeForwarded(name: string): boolean {
  return HEADER_NAME.test(name) && !NEVER_FORWARDED.has(name) && !/^x[-_]user[-_]/.test(name);
}

/**
 * The headers to subgraphs are an allow-list: the signed context, the request id, and what the operator names. What a
 * client lists in `Connection` was meant for this hop alone. RFC 9110 §7.6.1.
 */
export function createSubgraphHeaders({ forward, contexts }: SubgraphHeaderOptions): HeadersForSubgraphs {
  const names = forward.map((name) => name.toLowerCase()).filter(mayBeForwarded);
  return (context, caller) => {
    const base = { ...forwarded(context.headers, names), [REQUEST_ID_HEADER]: context.requestId };
    if (!contexts) return () => base;
    return (subgraph) => {
      const signed = contexts.signedFor(caller, subgraph);
      return typeof signed === 'string'
        ? withContext(base, signed)
        : signed.then((token) => withContext(base, token));
    };
  };
}

function withContext(base: SubgraphHeaders, signed: string): SubgraphHeaders {
  return { ...base, [USER_CONTEXT_HEADER]: signed };
}

function forwarded(headers: ClientHeaders, names: readonly string[]): SubgraphHeaders {
  const picked: Record<string, string> = {};
  if (names.length === 0) return picked;
  const forThisHop = new Set(
    textOf(headers['connection'])
      ?.toLowerCase()
      .split(/[\s,]+/),
  );
  for (const name of names) {
    const value = Object.hasOwn(headers, name) ? textOf(headers[name]) : undefined;
    if (value !== undefined && !forThisHop.has(name)) picked[name] = value;
  }
  return picked;
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

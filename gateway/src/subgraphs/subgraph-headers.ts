import { own } from '@trellis/runtime/own-property';
import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import type { Caller } from '../identity/caller.ts';
import type { SubgraphContexts } from './subgraph-context.ts';
import type { ClientHeaders, RequestContext } from '../request/context.ts';
import type { SubgraphHeaders } from './subgraph-request.ts';
import { mayBeForwarded } from '../settings/forms.ts';
import { REQUEST_ID_HEADER } from '../settings/header-names.ts';
import type { HeaderRules } from '../settings/headers.ts';

/** Makes the headers that go to subgraphs with one request. */
export interface HeadersForSubgraphs {
  of(
    context: Pick<RequestContext, 'headers' | 'requestId'>,
    caller: Caller,
  ): (subgraph: string) => SubgraphHeaders | Promise<SubgraphHeaders>;
  /**
   * Names all client data for subgraphs: where it is equal, subgraphs can't distinguish two requests except by
   * their ids. It may hold tokens: never to be logged or stored.
   */
  identityOf(context: RequestContext, caller: Caller): string;
  /**
   * The same for streams, which outlive tokens: equal for callers with the same data for subgraphs, one user with two
   * tokens or a group of users among them.
   */
  streamIdentityOf(headers: ClientHeaders, caller: Caller): string;
  /** Headers with values of the operator, which are the same for all callers. Some are secret. */
  fixedFor(subgraph: string): SubgraphHeaders;
  /** Names of headers that a client may give in the payload of `connection_init`, in lower case. */
  readonly fromPayload: readonly string[];
  /** Names of all headers of clients that go on to some subgraph, in lower case. */
  readonly forwarded: readonly string[];
}

/** Settings of {@link createSubgraphHeaders}. */
export interface SubgraphHeaderOptions {
  readonly rules: HeaderRules;
  /** On top of those for all, by the name of the subgraph. */
  readonly ofSubgraphs: Readonly<Record<string, HeaderRules>>;
  /** Names of headers that a client may give in the payload of `connection_init`. @default none */
  readonly fromPayload?: readonly string[] | undefined;
  /** Absent where subgraphs do not get the caller's identity. */
  readonly contexts: SubgraphContexts | undefined;
}

/**
 * The headers to subgraphs are an allow-list: the signed context, the request id, and what the operator names. `Connection`
 * (RFC 9110 §7.6.1) has no say: requests to subgraphs are the gateway's own, no headers go on but by name, and a client that
 * could strike one of these could undo what a proxy has set.
 */
export function createSubgraphHeaders(options: SubgraphHeaderOptions): HeadersForSubgraphs {
  const { contexts } = options;
  const compiled = new Map<string, CompiledRules>();

  function rulesOf(subgraph: string): CompiledRules {
    const known = compiled.get(subgraph) ?? compileRules(options, subgraph);
    compiled.set(subgraph, known);
    return known;
  }

  const everyForwarded = [...allForwarded(options)];
  return {
    of: (context, caller) => (subgraph) => {
      const base = headersOf(context, rulesOf(subgraph));
      const signed = contexts?.signedFor(caller, subgraph);
      if (signed === undefined) return base;
      return typeof signed === 'string'
        ? withContext(base, signed)
        : signed.then((token) => withContext(base, token));
    },
    identityOf: (context, caller) => {
      if (everyForwarded.length === 0) return (contexts && caller.token) ?? '';
      const values = everyForwarded.map((name) => headerOf(context.headers, name) ?? null);
      return JSON.stringify(contexts ? [...values, caller.token ?? null] : values);
    },
    streamIdentityOf: (headers, caller) => {
      const values = everyForwarded.map((name) => headerOf(headers, name) ?? null);
      return JSON.stringify(contexts ? [...values, caller.context] : values);
    },
    fixedFor: (subgraph) => rulesOf(subgraph).set,
    fromPayload: lowerCase(options.fromPayload ?? []),
    forwarded: everyForwarded,
  };
}

/** What may go to any subgraph, with what decides whether it does. */
function allForwarded({ rules, ofSubgraphs }: SubgraphHeaderOptions): ReadonlySet<string> {
  const named = [rules, ...Object.values(ofSubgraphs)].flatMap(({ forward = [] }) => lowerCase(forward));
  return new Set(named);
}

function headerOf(headers: ClientHeaders, name: string): string | undefined {
  return textOf(own(headers, name));
}

interface CompiledRules {
  /** In lower case. */
  readonly forward: readonly string[];
  readonly set: SubgraphHeaders;
  readonly setsAny: boolean;
}

function compileRules({ rules, ofSubgraphs }: SubgraphHeaderOptions, subgraph: string): CompiledRules {
  const special: HeaderRules = own(ofSubgraphs, subgraph) ?? {};
  const removed = new Set(lowerCase([...(rules.remove ?? []), ...(special.remove ?? [])]));
  const isForwardable = (name: string): boolean => mayBeForwarded(name) && !removed.has(name);
  const named = Object.entries({ ...rules.set, ...special.set }).map(
    ([name, value]) => [name.toLowerCase(), value] as const,
  );
  const set = named.filter(([name]) => isForwardable(name));
  return {
    forward: [...new Set(lowerCase([...(rules.forward ?? []), ...(special.forward ?? [])]))].filter(
      isForwardable,
    ),
    set: Object.fromEntries(set),
    setsAny: set.length > 0,
  };
}

function lowerCase(names: readonly string[]): readonly string[] {
  return names.map((name) => name.toLowerCase());
}

type OutgoingHeaders = Record<string, string>;

function headersOf(
  { headers, requestId }: Pick<RequestContext, 'headers' | 'requestId'>,
  { forward, set, setsAny }: CompiledRules,
): OutgoingHeaders {
  const picked: OutgoingHeaders = forward.length > 0 ? forwarded(headers, forward) : {};
  const outgoing = setsAny ? { ...picked, ...set } : picked;
  outgoing[REQUEST_ID_HEADER] = requestId;
  return outgoing;
}

/** @param own made for one request, and held by it alone */
function withContext(own: OutgoingHeaders, signed: string): SubgraphHeaders {
  own[USER_CONTEXT_HEADER] = signed;
  return own;
}

function forwarded(headers: ClientHeaders, names: readonly string[]): OutgoingHeaders {
  const picked: OutgoingHeaders = {};
  for (const name of names) {
    const value = headerOf(headers, name);
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

function textOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'object' ? value.join(', ') : value;
}

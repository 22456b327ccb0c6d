import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Metrics } from '@trellis/runtime';
import type { TestUserContext } from '@trellis/testkit';
import {
  LAST_EVENT_ID_EXTENSION,
  SUBSCRIBE_HEADERS_EXTENSION,
  USER_CONTEXT_HEADER,
  type UserContext,
} from '@trellis/subgraph-protocol';
import type { FormattedExecutionResult } from 'graphql';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import type { SubgraphServer } from '../build-subgraph-server.ts';

/** A subscription as the gateway would send it. */
export interface SubscriptionQuestion {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly as: UserContext;
  readonly lastEventId?: string;
}

/** A subscription that has begun, or was rejected. */
export interface TestSubscription<Data> {
  /** What has come so far. */
  readonly results: readonly FormattedExecutionResult<Data, { readonly eventId?: string }>[];
  /** The errors that it was rejected with, or that ended it; undefined when there were none. */
  readonly rejection: readonly { readonly message: string; readonly extensions?: unknown }[] | undefined;
  /** Whether nothing more will come. */
  readonly hasEnded: boolean;
  /** Ends it and its socket. */
  close(): Promise<void>;
}

/** What a subscription is opened at. */
export interface SubscriptionTarget {
  readonly service: string;
  readonly server: SubgraphServer;
  readonly metrics: Metrics;
  readonly keys: TestUserContext;
}

const BEGIN_DEADLINE_MS = 60_000;
const LOOK_MS = 5;

/** Opens a socket of its own and subscribes on it. Resolves once what happens would be noticed. */
export async function subscribe<Data>(
  { service, server, metrics, keys }: SubscriptionTarget,
  { query, variables, as, lastEventId }: SubscriptionQuestion,
): Promise<TestSubscription<Data>> {
  const before = await countBegun(metrics);
  const client = createClient({
    url: `${await listen(server)}/graphql`,
    webSocketImpl: WebSocket,
    retryAttempts: 0,
    connectionParams: async () => ({ [USER_CONTEXT_HEADER]: await keys.sign(service, { scopes: [] }) }),
  });
  const state: State<Data> = { results: [], rejection: undefined, hasEnded: false };
  const extensions = {
    [SUBSCRIBE_HEADERS_EXTENSION]: { [USER_CONTEXT_HEADER]: await keys.sign(service, as) },
    ...(lastEventId !== undefined && { [LAST_EVENT_ID_EXTENSION]: lastEventId }),
  };
  client.subscribe<Data, { readonly eventId?: string }>(
    { query, extensions, ...(variables && { variables }) },
    {
      next: (result) => {
        state.results.push(result as State<Data>['results'][number]); // as the server formats it
        if (!('data' in result)) Object.assign(state, { rejection: errorsOf(result.errors) });
      },
      error: (error) => Object.assign(state, { hasEnded: true, rejection: errorsOf(error) }),
      complete: () => Object.assign(state, { hasEnded: true }),
    },
  );
  await begun(state, async () => (await countBegun(metrics)) > before);
  return Object.assign(state, { close: async () => client.dispose() });
}

interface State<Data> {
  readonly results: FormattedExecutionResult<Data, { readonly eventId?: string }>[];
  readonly rejection: TestSubscription<Data>['rejection'];
  readonly hasEnded: boolean;
}

async function listen(server: SubgraphServer): Promise<string> {
  if (!server.server.listening) await server.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.server.address() as AddressInfo; // it listens on a port
  return `ws://127.0.0.1:${port}`;
}

async function begun(state: State<unknown>, hasBegun: () => Promise<boolean>): Promise<void> {
  const deadline = AbortSignal.timeout(BEGIN_DEADLINE_MS);
  while (!state.hasEnded && !(await hasBegun())) {
    deadline.throwIfAborted();
    await pause(LOOK_MS);
  }
}

async function countBegun(metrics: Metrics): Promise<number> {
  const values = (await metrics.getSingleMetric('trellis_subscriptions_total')?.get())?.values ?? [];
  return values.reduce((sum, { value }) => sum + value, 0);
}

function errorsOf(error: unknown): TestSubscription<unknown>['rejection'] {
  return Array.isArray(error)
    ? (error as TestSubscription<unknown>['rejection'])
    : [{ message: String(error) }];
}

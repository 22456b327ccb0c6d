import {
  amountsOf,
  DEFAULT_SHARES,
  ShareBuckets,
  shareKeysOf,
  type ShareKeys,
} from '@trellis/runtime/admission';
import type { FastifyInstance, FastifyRequest, onRequestHookHandler } from 'fastify';
import { tooManyRequests } from '../errors.ts';

/** Endpoints that are flooded together, and not with others: a flood of token requests closes no sign-in page. */
export type BudgetGroup = (typeof groups)[number];

const groups = ['pages', 'sign-in', 'mail', 'clients', 'registration', 'administration'] as const;

/** What a request costs of what its network may ask for in a group of endpoints. */
export interface EndpointBudget {
  readonly group: BudgetGroup;
  /** Of `REQUESTS_PER_ADDRESS`: 1 for what only reads, more for what hashes, stores or sends. */
  readonly cost: number;
}

/** `free` is answered from memory, without a store and without a secret. */
export type BudgetDecision = EndpointBudget | 'free';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Of the endpoint; none where it is free. */
    readonly budget?: EndpointBudget;
    /** The response is the same for all: 405, or what browsers ask before they send. */
    readonly isFixed?: boolean;
  }
}

/** Limits requests by the network that they come from, and by the client that they prove to come from. */
export interface RequestLimits {
  /** @throws OAuthError 429 when the network of the address has nothing left */
  admit(budget: EndpointBudget, address: string): void;
  /**
   * A client has proved who it is: it pays instead of its network.
   *
   * @throws OAuthError 429 when the client has nothing left
   */
  chargeClient(budget: EndpointBudget, address: string, clientId: string): void;
  /** A client has not proved who it is, which costs its network more. */
  chargeFailure(budget: EndpointBudget, address: string): void;
}

const WINDOW_MS = 10_000;
/** A service at work for many users asks as often as so many addresses. */
const ADDRESSES_OF_CLIENT = 10;
/** Addresses whose keys are remembered: most requests come from one that has just sent another. */
const MAX_REMEMBERED = 1_000;
const MAX_ADDRESS_LENGTH = 64;
/** A failure costs as much as so many requests. */
const FAILURE_COST = 10;

/**
 * Token buckets in this process, which are asked before any store is.
 *
 * @param perAddress what one address may ask for in ten seconds, in each group; networks around it a few times as much
 * @param now milliseconds on a clock that never goes back
 */
export function createRequestLimits(
  perAddress: number,
  now: () => number = () => performance.now(),
): RequestLimits {
  const amounts = amountsOf(perAddress, DEFAULT_SHARES.ofCaller);
  const networks = new Map(
    groups.map((group) => [group, new ShareBuckets({ amounts, windowMs: WINDOW_MS, now })]),
  );
  const clients = new ShareBuckets({
    amounts: [perAddress * ADDRESSES_OF_CLIENT],
    windowMs: WINDOW_MS,
    now,
  });
  const take = (buckets: ShareBuckets | undefined, keys: ShareKeys, cost: number, whose: string): void => {
    const waitMs = buckets?.take(keys, cost) ?? 0;
    if (waitMs > 0) throw tooManyRequests(`Too many requests from this ${whose}.`, waitMs / 1000);
  };
  const keysOf = rememberKeys();
  return {
    admit: ({ group, cost }, address) => take(networks.get(group), keysOf(address), cost, 'network'),
    chargeClient: ({ group, cost }, address, client) => {
      networks.get(group)?.charge(keysOf(address), -cost);
      take(clients, shareKeysOf({ client, address }), cost, 'client');
    },
    chargeFailure: ({ group, cost }, address) =>
      networks.get(group)?.charge(keysOf(address), cost * (FAILURE_COST - 1)),
  };
}

function rememberKeys(): (address: string) => ShareKeys {
  const remembered = new Map<string, ShareKeys>();
  return (address) => {
    const known = remembered.get(address);
    if (known) return known;
    const keys = shareKeysOf({ address });
    if (address.length > MAX_ADDRESS_LENGTH) return keys;
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(address, keys);
    return keys;
  };
}

/**
 * Has every endpoint that is added from now on ask the limits first.
 *
 * @param decide what is decided for a method and path; throws where nothing is
 */
export function limitRequests(
  server: FastifyInstance,
  limits: RequestLimits,
  decide: (method: string, path: string) => BudgetDecision,
): void {
  server.addHook('onRoute', (route) => {
    if (route.config?.isFixed === true) return;
    const [budget, ...others] = [route.method].flat().map((method) => decide(method, route.url));
    if (others.length > 0) throw new Error(`${route.url}: each method has a budget of its own.`);
    if (budget === undefined || budget === 'free') return;
    const admit: onRequestHookHandler = (request, _reply, done) => {
      limits.admit(budget, request.ip);
      done();
    };
    route.config = { ...route.config, budget };
    route.onRequest = [...[route.onRequest ?? []].flat(), admit];
  });
}

/** The budget of the endpoint that a request has come to. */
export function budgetOfRequest({ routeOptions }: FastifyRequest): EndpointBudget {
  const { budget } = routeOptions.config;
  if (budget === undefined) throw new Error(`${routeOptions.url} has no budget.`);
  return budget;
}

import type { RedisConnection } from '@trellis/redis';
import type { Sealer } from '../secrets/sealing.ts';
import { randomToken } from '../secrets/secrets.ts';
import type { AuthorizationRequest } from './authorization-request.ts';

/** Something that waits for a user to sign in. Each has its own, so that tabs don't mix. */
export type Transaction = AuthorizationTransaction | VisitTransaction;

/** An authorization request on its way through sign-in and consent. */
export interface AuthorizationTransaction extends TransactionStart {
  readonly kind: 'authorization';
  readonly request: AuthorizationRequest;
}

/** A visit to a page of this server that is for users who have signed in. */
export interface VisitTransaction extends TransactionStart {
  readonly kind: 'visit';
  /** Path and query below the issuer, made by this server. */
  readonly path: string;
}

interface TransactionStart {
  /** Unguessable. */
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A transaction that begins. */
export type NewTransaction =
  Pick<AuthorizationTransaction, 'kind' | 'request'> | Pick<VisitTransaction, 'kind' | 'path'>;

/** Names and values, as they came. */
export type ParameterEntries = readonly (readonly [string, string])[];

/**
 * Transactions, which browsers carry sealed in addresses and forms: a caller who has not signed in writes to no store. What
 * is stored is that a transaction was answered.
 */
export interface Transactions {
  /** Begins one. @returns a text that is good in this browser alone */
  begin(transaction: NewTransaction, browserHash: string): string;
  /** Whether or not it is over. @returns undefined for what is not of this server and browser */
  open(sealed: string, browserHash: string): Transaction | undefined;
  /** @returns undefined for what is not of this server and browser, too old, or answered already */
  find(sealed: string, browserHash: string): Promise<Transaction | undefined>;
  /** Ends one, which someone who has signed in is answered: of any number of callers one gets true. */
  end(transaction: Transaction): Promise<boolean>;
  /** Wraps the parameters of a posted request for the redirect that it is answered with. */
  sealPosted(parameters: ParameterEntries): string;
  openPosted(sealed: string): ParameterEntries | undefined;
}

/** What transactions work with. */
export interface TransactionsDependencies {
  readonly sealer: Sealer;
  readonly redis: RedisConnection;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Seconds that a user has for the pages. */
  readonly ttlS: number;
}

interface Posted {
  readonly parameters: ParameterEntries;
  readonly postedAt: number;
}

/** Milliseconds in which a browser has to follow the redirect after a posted request. */
const POSTED_TTL_MS = 120_000;
const POSTED = 'posted';

/** Transactions in sealed texts. */
export function createTransactions({ sealer, redis, clock, ttlS }: TransactionsDependencies): Transactions {
  const isOver = (since: number, ttlMs: number): boolean => clock() - since > ttlMs;
  const open: Transactions['open'] = (sealed, browserHash) => {
    const text = sealer.open(sealed, placeOf(browserHash));
    return text === undefined ? undefined : (JSON.parse(text) as Transaction); // sealed by begin below
  };
  return {
    begin: (transaction, browserHash) => {
      const begun: Transaction = { ...transaction, id: randomToken(18), createdAt: clock() };
      return sealer.seal(JSON.stringify(begun), placeOf(browserHash));
    },
    open,
    find: async (sealed, browserHash) => {
      const transaction = open(sealed, browserHash);
      if (!transaction || isOver(transaction.createdAt, ttlS * 1000)) return undefined;
      return (await redis.exists(answeredKey(transaction.id))) === 1 ? undefined : transaction;
    },
    end: async ({ id }) => (await redis.set(answeredKey(id), '1', 'EX', ttlS, 'NX')) === 'OK',
    sealPosted: (parameters) => {
      const posted: Posted = { parameters, postedAt: clock() };
      return sealer.seal(JSON.stringify(posted), POSTED);
    },
    openPosted: (sealed) => {
      const text = sealer.open(sealed, POSTED);
      if (text === undefined) return undefined;
      const { parameters, postedAt } = JSON.parse(text) as Posted; // sealed by sealPosted above
      return isOver(postedAt, POSTED_TTL_MS) ? undefined : parameters;
    },
  };
}

function placeOf(browserHash: string): string {
  return `browser ${browserHash}`;
}

function answeredKey(id: string): string {
  return `transaction-answered:{${id}}`;
}

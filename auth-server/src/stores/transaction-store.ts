import { defineScript, type RedisConnection } from '@trellis/redis';
import type { AuthorizationRequest } from '../authorize/authorization-request.ts';
import { randomToken } from '../secrets.ts';

/** Something that waits for a person to sign in. Each has its own, so that tabs don't mix. */
export type Transaction = AuthorizationTransaction | VisitTransaction;

/** An authorization request on its way through sign-in and consent. */
export interface AuthorizationTransaction extends TransactionBinding {
  readonly kind: 'authorization';
  readonly request: AuthorizationRequest;
}

/** A visit to a page of this server that is for people who have signed in. */
export interface VisitTransaction extends TransactionBinding {
  readonly kind: 'visit';
  /** Path and query below the issuer, made by this server. */
  readonly path: string;
}

interface TransactionBinding {
  /** Hash of the browser's cookie: the pages work in this browser alone. */
  readonly browserHash: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** Transactions, and requests that were posted, by unguessable ids. */
export interface TransactionStore {
  save(transaction: Transaction): Promise<string>;
  find(id: string): Promise<Transaction | undefined>;
  /** Finds and deletes: of any number of callers one gets it. */
  take(id: string): Promise<Transaction | undefined>;
  /** Keeps the parameters of a posted request until the browser has followed the redirect. */
  savePosted(parameters: readonly (readonly [string, string])[]): Promise<string>;
  findPosted(id: string): Promise<readonly (readonly [string, string])[] | undefined>;
}

const take = defineScript(new URL('../../src/stores/take-1.lua', import.meta.url));
const POSTED_TTL_S = 120;

/** Transactions in Redis. @param ttlS seconds that a person has for the pages */
export function createTransactionStore(redis: RedisConnection, ttlS: number): TransactionStore {
  return {
    save: async (transaction) => {
      const id = randomToken(18);
      await redis.set(transactionKey(id), JSON.stringify(transaction), 'EX', ttlS);
      return id;
    },
    find: async (id) => parseTransaction(await redis.get(transactionKey(id))),
    take: async (id) => parseTransaction((await take(redis, [transactionKey(id)], [])) as string | null),
    savePosted: async (parameters) => {
      const id = randomToken(18);
      await redis.set(postedKey(id), JSON.stringify(parameters), 'EX', POSTED_TTL_S);
      return id;
    },
    findPosted: async (id) => {
      const text = await redis.get(postedKey(id));
      return text === null ? undefined : (JSON.parse(text) as readonly (readonly [string, string])[]);
    },
  };
}

/** What is read was written by `save` above. */
function parseTransaction(text: string | null): Transaction | undefined {
  return text === null ? undefined : (JSON.parse(text) as Transaction);
}

function transactionKey(id: string): string {
  return `transaction:{${id}}`;
}

function postedKey(id: string): string {
  return `posted:{${id}}`;
}

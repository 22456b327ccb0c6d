import type { PushedRequestStore } from './pushed-request-store.ts';
import type { Transactions } from './transactions.ts';

/** Authorization requests that wait. */
export interface AuthorizeFeatures {
  readonly pushedRequests: PushedRequestStore;
  readonly transactions: Transactions;
}

import type { QueueRejection } from '../concurrency/concurrency-limit.ts';
import { KeysUnavailable } from './key-set.ts';

/** An issuer is asked about as many tokens as it may be at a time: by all callers, or by the network that the token came from. */
export class IssuerBusy extends KeysUnavailable {
  /** `share`: the network has its share. */
  readonly why: QueueRejection | 'timeout';

  constructor(why: QueueRejection | 'timeout') {
    super('Too many tokens wait for introspection.');
    this.why = why;
  }
}

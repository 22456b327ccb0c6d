import { inTransaction, type Pool, type Transaction } from '@trellis/postgres';
import { responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import { once } from './idempotency.ts';

/** One root field of a mutation. */
export interface MutationCall<Answer> {
  /** Who does it. */
  readonly userId: string;
  /** The arguments as the resolver received them. */
  readonly args: unknown;
  readonly info: GraphQLResolveInfo;
  /** Reads a result that was stored as JSON back into what the resolver returns. */
  readonly revive: (stored: unknown) => Answer;
}

/** Does the mutations of one request, one transaction each. */
export interface Mutations {
  /** Commits what `work` does when it resolves; where the request carries an idempotency key, it is done once. */
  run<Answer>(
    call: MutationCall<Answer>,
    work: (transaction: Transaction) => Promise<Answer>,
  ): Promise<Answer>;
}

/** Settings of {@link createMutations}. */
export interface MutationsOptions {
  readonly pool: Pool;
  /** The request's idempotency key. */
  readonly idempotencyKey?: string | undefined;
  /** Called after each commit: loaders forget what they have read, and the relay wakes to publish. */
  readonly onCommit: () => void;
}

/** Makes the mutations of one request. */
export function createMutations({ pool, idempotencyKey, onCommit }: MutationsOptions): Mutations {
  return {
    run: async (call, work) => {
      const answer = await inTransaction(pool, (transaction) =>
        idempotencyKey === undefined
          ? work(transaction)
          : doOnce(transaction, call, idempotencyKey, () => work(transaction)),
      );
      onCommit();
      return answer;
    },
  };
}

function doOnce<Answer>(
  transaction: Transaction,
  { userId, args, info, revive }: MutationCall<Answer>,
  key: string,
  work: () => Promise<Answer>,
): Promise<Answer> {
  const path = responsePathAsArray(info.path).join('.');
  return once(transaction, { userId, key, path, call: [info.fieldName, args], revive }, work);
}

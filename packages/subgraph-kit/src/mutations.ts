import { inTransaction, type Pool, type Transaction } from '@trellis/postgres';
import { responsePathAsArray, type GraphQLResolveInfo } from 'graphql';
import { runIdempotently } from './idempotency.ts';

/** One root field of a mutation. */
export interface MutationCall<Result> {
  /** Who does it. */
  readonly userId: string;
  /** The arguments as the resolver received them. */
  readonly args: unknown;
  readonly info: GraphQLResolveInfo;
  /** Reads a result that was stored as JSON back into what the resolver returns. */
  readonly revive: (stored: unknown) => Result;
}

/** Does the mutations of one request, one transaction each. */
export interface Mutations {
  /** Commits what `work` does when it resolves; where the request carries an idempotency key, it is done once. */
  run<Result>(
    call: MutationCall<Result>,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result>;
}

/** Settings of {@link createMutations}. */
export interface MutationsOptions {
  readonly pool: Pool;
  /** The request's idempotency key. */
  readonly idempotencyKey?: string | undefined;
  /** Called after each commit: loaders forget what they have read, and the relay wakes to publish. */
  readonly onCommit: () => void;
  /** Resolves when all processes know that a user has changed something. Absent where no one reads from a replica. */
  readonly wrote?: ((userId: string) => Promise<void>) | undefined;
}

/** Makes the mutations of one request. */
export function createMutations({ pool, idempotencyKey, onCommit, wrote }: MutationsOptions): Mutations {
  return {
    run: async (call, work) => {
      const response = await inTransaction(pool, (transaction) =>
        idempotencyKey === undefined
          ? work(transaction)
          : doOnce(transaction, call, idempotencyKey, () => work(transaction)),
      );
      onCommit();
      await wrote?.(call.userId);
      return response;
    },
  };
}

function doOnce<Result>(
  transaction: Transaction,
  { userId, args, info, revive }: MutationCall<Result>,
  key: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const path = responsePathAsArray(info.path).join('.');
  return runIdempotently(transaction, { userId, key, path, call: [info.fieldName, args], revive }, work);
}

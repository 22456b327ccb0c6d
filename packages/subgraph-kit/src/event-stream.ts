import { EVENT_ID_EXTENSION } from '@trellis/subgraph-protocol';
import {
  createSourceEventStream,
  execute,
  GraphQLError,
  type ExecutionArgs,
  type ExecutionResult,
  type SubscriptionArgs,
} from 'graphql';

/** The key under which a `subscribe` resolver gives an event the id that a client can resume after. */
export const eventId: unique symbol = Symbol('eventId');

/** Makes what the resolvers of one event receive. */
export type CreateEventContext = () => unknown;

/**
 * Runs a subscription as GraphQL §6.2.3 says, with three additions: each event gets a context of its own, as loaders that
 * outlive an event would answer what was true at an earlier one; an event's id goes into the result's extensions; and a
 * source that fails ends the subscription with a result that has the error and no data, because a stream that throws
 * would take the socket with it, and all that others have subscribed to on it.
 *
 * @returns the results, or one with the errors that prevented the stream from starting
 */
export async function streamEvents(
  args: SubscriptionArgs,
  createContext: CreateEventContext,
): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source[Symbol.asyncIterator]();
  const results = mapEvents(events, args, createContext);
  const end = results.return.bind(results);
  // A generator that has not begun, or waits for an event, does not hear of its end: its source is ended directly.
  results.return = async (value) => {
    await events.return?.();
    return end(value);
  };
  return results;
}

async function* mapEvents(
  events: AsyncIterator<unknown>,
  args: ExecutionArgs,
  createContext: CreateEventContext,
): AsyncGenerator<ExecutionResult, void, void> {
  try {
    for (;;) {
      const { done, value: event } = await events.next();
      if (done === true) return;
      const result = await execute({ ...args, rootValue: event, contextValue: await createContext() });
      const id = eventIdOf(event);
      yield id === undefined
        ? result
        : { ...result, extensions: { ...result.extensions, [EVENT_ID_EXTENSION]: id } };
    }
  } catch (error) {
    yield { errors: [asGraphQLError(error)] };
  } finally {
    await events.return?.();
  }
}

function asGraphQLError(error: unknown): GraphQLError {
  if (error instanceof GraphQLError) return error;
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}

function eventIdOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !(eventId in event)) return undefined;
  const id = event[eventId];
  return typeof id === 'string' ? id : undefined;
}

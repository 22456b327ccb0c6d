import { EVENT_ID_EXTENSION } from '@trellis/user-context';
import {
  createSourceEventStream,
  execute,
  type ExecutionArgs,
  type ExecutionResult,
  type SubscriptionArgs,
} from 'graphql';

/** The key under which a `subscribe` resolver gives an event the id that a client can resume after. */
export const eventId: unique symbol = Symbol('eventId');

/** Makes what the resolvers of one event receive. */
export type CreateEventContext = () => unknown;

/**
 * Runs a subscription as GraphQL §6.2.3 says, with two additions: each event gets a context of its own, as loaders that
 * outlive an event would answer what was true at an earlier one; and an event's id goes into the result's extensions.
 *
 * @returns the results, or one with the errors that kept the stream from beginning
 */
export async function streamEvents(
  args: SubscriptionArgs,
  createContext: CreateEventContext,
): Promise<AsyncGenerator<ExecutionResult, void, void> | ExecutionResult> {
  const source = await createSourceEventStream(args);
  return Symbol.asyncIterator in source ? mapEvents(source, args, createContext) : source;
}

async function* mapEvents(
  events: AsyncIterable<unknown>,
  args: ExecutionArgs,
  createContext: CreateEventContext,
): AsyncGenerator<ExecutionResult, void, void> {
  for await (const event of events) {
    const result = await execute({ ...args, rootValue: event, contextValue: await createContext() });
    const id = eventIdOf(event);
    yield id === undefined
      ? result
      : { ...result, extensions: { ...result.extensions, [EVENT_ID_EXTENSION]: id } };
  }
}

function eventIdOf(event: unknown): string | undefined {
  if (typeof event !== 'object' || event === null || !(eventId in event)) return undefined;
  const id = event[eventId];
  return typeof id === 'string' ? id : undefined;
}

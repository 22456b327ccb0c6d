import { buildASTSchema, execute, parse, type ExecutionResult } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { limitResolverTime } from './limit-resolver-time.ts';

const never = (): Promise<never> => new Promise(() => {});
const timeouts: string[] = [];

function createSchema(items: () => unknown) {
  const schema = buildASTSchema(gql`
    type Query {
      quick: String
      slow: String
      items: [String]
    }
  `);
  const fields = schema.getQueryType()?.getFields() ?? {};
  Object.assign(fields['quick'] ?? {}, { resolve: () => Promise.resolve('quick') });
  Object.assign(fields['slow'] ?? {}, { resolve: never });
  Object.assign(fields['items'] ?? {}, { resolve: items });
  limitResolverTime(schema, { timeoutMsOf: () => 5_000, onTimeout: (field) => timeouts.push(field) });
  return schema;
}

async function runUntilTimeout(query: string, items: () => unknown = () => []): Promise<ExecutionResult> {
  const result = Promise.resolve(execute({ schema: createSchema(items), document: parse(query) }));
  await vi.advanceTimersByTimeAsync(5_000);
  return result;
}

describe('Limits: per-resolver timeout', () => {
  beforeEach(() => {
    timeouts.length = 0;
    vi.useFakeTimers();
  });
  afterEach(() => void vi.useRealTimers());

  it('fails the field that hangs, with its own error, while the rest arrives', async () => {
    const { data, errors } = await runUntilTimeout('{ quick slow }');
    expect(data).toEqual({ quick: 'quick', slow: null });
    expect(errors?.map((error) => [error.path, error.message, error.extensions])).toEqual([
      [['slow'], 'Query.slow took longer than 5000 ms.', { code: 'INTERNAL_SERVER_ERROR' }],
    ]);
    expect(timeouts).toEqual(['Query.slow']);
  });

  it('fails one element of a list of promises and keeps the others', async () => {
    const { data, errors } = await runUntilTimeout('{ items }', () => [Promise.resolve('a'), never(), 'c']);
    expect(data).toEqual({ items: ['a', null, 'c'] });
    expect(errors?.map((error) => error.path)).toEqual([['items', 1]]);
  });

  it('leaves no timer behind for a resolver that answers in time', async () => {
    await execute({ schema: createSchema(() => []), document: parse('{ quick }') });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('passes on what a resolver throws', async () => {
    const { errors } = await runUntilTimeout('{ items }', () => Promise.reject(new Error('broken')));
    expect(errors?.map(({ message }) => message)).toEqual(['broken']);
  });
});

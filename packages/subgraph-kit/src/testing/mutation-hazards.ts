import { queryChecked } from '@trellis/postgres';
import { deepEqual, equal, ok } from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { createId } from '../ids.ts';
import type { GraphResponse, Question, TestSubgraph } from './test-subgraph.ts';

/** What can be wrong with the input of a mutation, or with the moment at which it comes. */
export type Hazard =
  | 'injection'
  | 'overLong'
  | 'outOfRange'
  | 'wrongRole'
  | 'foreignOwner'
  | 'staleVersion'
  | 'unknownId'
  | 'concurrent';

/** What must come of all that a case sends. */
export type HazardOutcome =
  /** Each is answered with this code, for this field, and leaves nothing behind. */
  | { readonly rejected: string; readonly field?: string }
  /** Each is answered so, without an error, because there was nothing to do. */
  | { readonly nothing: null | false }
  /** So many did something, one of these numbers, and the first was answered with this, when it is given. */
  | { readonly done: readonly number[]; readonly response?: unknown };

/** One case of a hazard. */
export interface HazardCase {
  /** What is sent, in words. */
  readonly name: string;
  /** What is sent, at the same time. Called when the data that the test begins with exists. */
  readonly send: () => readonly Question[];
  readonly outcome: HazardOutcome;
}

/** By mutation: the cases of each hazard, or why it can't meet that one. */
export type HazardTable = Readonly<Record<string, Readonly<Record<Hazard, readonly HazardCase[] | string>>>>;

/** All cases of a table, each with a title for its test. */
export function casesOf(table: HazardTable): readonly (readonly [title: string, hazardCase: HazardCase])[] {
  return Object.entries(table).flatMap(([mutation, hazards]) =>
    Object.entries(hazards).flatMap(([hazard, cases]) =>
      typeof cases === 'string'
        ? []
        : cases.map((each) => [`${mutation}, ${hazard}: ${each.name}`, each] as const),
    ),
  );
}

/** The names of a subgraph's mutations: each must be in the table. */
export async function mutationsOf(subgraph: TestSubgraph): Promise<readonly string[]> {
  const { data } = await subgraph.ask<{ __schema: { mutationType: { fields: { name: string }[] } } }>({
    query: '{ __schema { mutationType { fields { name } } } }',
  });
  return data.__schema.mutationType.fields.map(({ name }) => name);
}

/**
 * Sends what a case sends, each with an idempotency key, and checks that nothing is half done: a mutation that was rejected
 * leaves rows, outbox and idempotency records as they were; of all others, the rows that changed are those published.
 *
 * @param tables those with the rows that mutations write, each with a column `id`
 * @throws AssertionError when it is not so, or the outcome is not the one expected
 */
export async function meetHazard(
  subgraph: TestSubgraph,
  tables: readonly string[],
  { send, outcome }: HazardCase,
): Promise<void> {
  const before = await readState(subgraph, tables);
  const responses = await Promise.all(
    send().map((question) => subgraph.ask({ idempotencyKey: createId(), ...question })),
  );
  const after = await readState(subgraph, tables);
  if ('rejected' in outcome) return checkRejected(responses, outcome, before, after);
  if ('nothing' in outcome) checkNothing(responses, outcome.nothing);
  else checkDone(responses, outcome);
  const published = after.published.slice(before.published.length);
  equal(
    published.length,
    responses.filter(didSomething).length,
    'as many events as mutations that did something',
  );
  deepEqual(new Set(published), changedIds(before.rows, after.rows), 'what changed is what was published');
}

interface State {
  readonly rows: ReadonlyMap<string, unknown>;
  /** Subjects, in the order in which they were published. */
  readonly published: readonly string[];
  readonly idempotencyRecords: number;
}

async function readState({ pool }: TestSubgraph, tables: readonly string[]): Promise<State> {
  const union = tables
    .map((table) => `SELECT id::text, to_jsonb(t) AS row FROM ${table} AS t`)
    .join(' UNION ALL ');
  const rows = await queryChecked(pool, { id: 'text', row: 'jsonb' }, union);
  const outbox = await queryChecked(
    pool,
    { subject: 'uuid' },
    'SELECT subject FROM outbox ORDER BY position',
  );
  return {
    rows: new Map(rows.map(({ id, row }) => [id, row])),
    published: outbox.map(({ subject }) => subject),
    idempotencyRecords: (await pool.query('SELECT FROM idempotent_answer')).rowCount ?? 0,
  };
}

function changedIds(before: State['rows'], after: State['rows']): ReadonlySet<string> {
  const ids = new Set([...before.keys(), ...after.keys()]);
  return new Set([...ids].filter((id) => !isDeepStrictEqual(before.get(id), after.get(id))));
}

function checkRejected(
  responses: readonly GraphResponse<unknown>[],
  { rejected, field }: { readonly rejected: string; readonly field?: string },
  before: State,
  after: State,
): void {
  for (const { errors, data } of responses) {
    deepEqual(
      errors.map(({ extensions }) => [extensions['code'], extensions['field']]),
      [[rejected, field]],
    );
    ok(!didSomething({ data }), 'a response with an error has no result');
  }
  deepEqual(after, before, 'a rejected mutation leaves everything as it was');
}

function checkNothing(responses: readonly GraphResponse<unknown>[], nothing: null | false): void {
  deepEqual(
    responses.map(({ data, errors }) => [resultOf({ data }), errors]),
    responses.map(() => [nothing, []]),
  );
}

function checkDone(
  responses: readonly GraphResponse<unknown>[],
  { done, response }: { readonly done: readonly number[]; readonly response?: unknown },
): void {
  const count = responses.filter(didSomething).length;
  ok(done.includes(count), `${count} did something; ${JSON.stringify(responses[0])}`);
  if (response !== undefined) deepEqual(responses[0]?.data, response);
}

/** The result of the one mutation that was asked for; null when it, or everything, is null. */
function resultOf({ data }: Pick<GraphResponse<unknown>, 'data'>): unknown {
  return Object.values(data ?? {})[0] ?? null;
}

function didSomething(response: Pick<GraphResponse<unknown>, 'data'>): boolean {
  const result = resultOf(response);
  if (result === null || result === false) return false;
  return !(typeof result === 'object' && 'success' in result && result.success === false);
}

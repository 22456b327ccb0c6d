import type { QueryPlan } from '@apollo/query-planner';
import { expect, it } from 'vitest';
import { GATEWAY_ITSELF } from './threads/job-waiters.ts';
import { PlannerResults } from './planner-results.ts';

const plan: QueryPlan = {
  kind: 'QueryPlan',
  node: {
    kind: 'Fetch',
    serviceName: 'users',
    operation: '{me{name bio(length:"ä\\n")}}',
    operationName: undefined,
    operationKind: 'query' as never,
    variableUsages: ['id'],
  },
};

it('asks the planner twice for a text with the same overrides, and then never again', async () => {
  const results = new PlannerResults();
  let asked = 0;
  const ask = (text: string, labels: readonly string[]): Promise<QueryPlan> =>
    results.of(text, labels, GATEWAY_ITSELF, () => {
      asked += 1;
      return Promise.resolve(plan);
    });
  const all: QueryPlan[] = [];
  for (let time = 0; time < 5; time += 1) all.push(await ask('{ me { name } }', []));
  for (const each of all) expect(each).toEqual(plan);
  expect(asked).toBe(2);
  await ask('{ me { name } }', ['percent(5)']);
  await ask('{ me { id } }', []);
  expect(asked).toBe(4);
});

it('remembers no failure', async () => {
  const results = new PlannerResults();
  const failing = results.of('{ me { name } }', [], GATEWAY_ITSELF, () => Promise.reject(new Error('busy')));
  await expect(failing).rejects.toThrow('busy');
  expect(await results.of('{ me { name } }', [], GATEWAY_ITSELF, () => Promise.resolve(plan))).toBe(plan);
});

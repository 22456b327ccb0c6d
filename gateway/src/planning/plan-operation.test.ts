import { parse, visit, type DocumentNode, type FieldNode } from 'graphql';
import { cpuTimeOf } from '@trellis/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bookshop } from '../../test-fixtures/graphs/bookshop.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import { PlannerOverstrained, PlannerQueueFull } from './threads/planner-rejections.ts';
import { createPlannerPool, type QueryPlanSource } from './threads/planner-pool.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import { Supergraph } from '../supergraph/supergraph.ts';
import { decidedFor } from '../testing/decided-for.ts';
import { plannableFor } from '../testing/plannable-for.ts';
import { NOTHING_DENIED } from '../operation/access/requirement.ts';
import type { Plan } from '../plan/plan.ts';
import type { OperationPlanner, PlanRequest } from './operation-planner.ts';
import { startWarmPlanner } from '../testing/warm-planner.ts';
import { createOperationPlanner, type PlannerOptions } from './plan-operation.ts';

let original: Supergraph;
let thread: QueryPlanSource;

beforeAll(() => {
  const subgraphs = Object.entries(bookshop).map(([name, { typeDefs }]) => ({ name, typeDefs }));
  original = buildSupergraph(composeGraph({ name: 'bookshop', subgraphs }, (name) => `http://${name}.test/`));
  thread = createPlannerPool({ start: startWarmPlanner });
});
afterAll(() => thread.close());

interface Bench {
  readonly supergraph: Supergraph;
  readonly planner: OperationPlanner;
  /** What the planner was asked for. */
  readonly asked: string[];
  plan(document: DocumentNode, variables?: Record<string, unknown>): Promise<Plan>;
}

function createBench(options: PlannerOptions = {}): Bench {
  const asked: string[] = [];
  const source = sourceThat((supergraph, operation, ...rest) => {
    asked.push(operation);
    return thread.plan(supergraph, operation, ...rest);
  });
  const planner = createOperationPlanner({ source, ...options });
  const supergraph = new Supergraph(original);
  return {
    supergraph,
    planner,
    asked,
    plan: async (document, variables = {}) =>
      planner.planOperation(
        { supergraph, operation: plannableFor(document), decided: decidedFor(document, variables) },
        new AbortController().signal,
      ),
  };
}

function sourceThat(plan: QueryPlanSource['plan']): QueryPlanSource {
  return {
    plan,
    introspect: (...question) => thread.introspect(...question),
    load: () => Promise.resolve(),
    unload: () => undefined,
    close: () => Promise.resolve(),
  };
}

function requestFor(supergraph: Supergraph): PlanRequest {
  const document = parse('{ books { title } }');
  return { supergraph, operation: plannableFor(document), decided: decidedFor(document) };
}

function fieldsOf(document: DocumentNode): FieldNode[] {
  const fields: FieldNode[] = [];
  visit(document, { Field: (node) => void fields.push(node) });
  return fields;
}

describe('plans', () => {
  it('are made once for equal texts', async () => {
    const bench = createBench();
    const first = await bench.plan(parse('{ books { title } }'));
    expect(await bench.plan(parse('{ books { title } }'))).toBe(first);
    expect(bench.asked).toHaveLength(1);
  });

  it('S-035 are made once for 500 that ask at once', async () => {
    const bench = createBench();
    const plans = await Promise.all(
      Array.from({ length: 500 }, () => bench.plan(parse('{ books { title count } }'))),
    );
    expect(new Set(plans).size).toBe(1);
    expect(bench.asked).toHaveLength(1);
  });

  it('depend on the values of conditions, not on other variables', async () => {
    const bench = createBench();
    const document = parse(
      'query ($id: ID!, $a: Boolean!, $b: Boolean = true) { book(id: $id) { title @include(if: $a) count @skip(if: $b) } }',
    );
    const plans = await Promise.all([
      bench.plan(document, { id: '1', a: true, b: true }),
      bench.plan(document, { id: '2', a: true, b: true }),
      bench.plan(document, { id: '1', a: false, b: true }),
      bench.plan(document, { id: '1', a: true, b: false }),
    ]);
    expect(plans[1]).toBe(plans[0]);
    expect(new Set(plans).size).toBe(3);
  });

  it('depend on what is denied, and why', async () => {
    const bench = createBench();
    const document = parse('{ books { title pages } }');
    const title = fieldsOf(document).find(({ name }) => name.value === 'title');
    if (!title) throw new Error('The document is another one.');
    const { signal } = new AbortController();
    const planFor = async (message: string): Promise<Plan> =>
      bench.planner.planOperation(
        {
          supergraph: bench.supergraph,
          operation: plannableFor(document),
          decided: decidedFor(document),
          denied: { ...NOTHING_DENIED, key: message, fields: new Map([[title, { code: 'X', message }]]) },
        },
        signal,
      );
    const plans = await Promise.all([bench.plan(document), planFor('one'), planFor('one'), planFor('two')]);
    expect(new Set(plans).size).toBe(3);
  });

  it('are bounded in number; the planner is asked once more for one that has left, and then never again', async () => {
    const bench = createBench({ maxPlans: 2 });
    const plans: Plan[] = [];
    for (const name of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c'])
      plans.push(await bench.plan(parse(`{ ${name}: maybe { pages } }`)));
    expect(plans[3]).not.toBe(plans[0]);
    expect(plans[3]?.step).toEqual(plans[0]?.step);
    expect(bench.asked).toHaveLength(6);
  });

  it('are not waited for by one who left, and are made for the others', async () => {
    const bench = createBench();
    const controller = new AbortController();
    controller.abort(new Error('left'));
    const document = parse('{ books { count } }');
    await expect(
      bench.planner.planOperation(
        { supergraph: bench.supergraph, operation: plannableFor(document), decided: decidedFor(document) },
        controller.signal,
      ),
    ).rejects.toThrow('left');
    await bench.plan(document);
    expect(bench.asked).toHaveLength(1);
  });

  it('that can not be made are an internal error, and are tried again', async () => {
    let tries = 0;
    const source = sourceThat(() => {
      tries += 1;
      return Promise.reject(new Error('The planner is confused.'));
    });
    const planner = createOperationPlanner({ source });
    const request = requestFor(new Supergraph(original));
    const { signal } = new AbortController();
    await expect(planner.planOperation(request, signal)).rejects.toMatchObject({
      extensions: { code: 'INTERNAL_SERVER_ERROR' },
    });
    await expect(planner.planOperation(request, signal)).rejects.toThrow('could not be planned');
    expect(tries).toBe(2);
  });
});

describe('an operation that overstrains the planner', () => {
  it('S-036 is rejected, and rejected again without another try', async () => {
    let tries = 0;
    const source = sourceThat(() => {
      tries += 1;
      return Promise.reject(new PlannerOverstrained('planningMs', 5_000, 5_001));
    });
    const planner = createOperationPlanner({ source });
    const request = requestFor(new Supergraph(original));
    for (let time = 0; time < 3; time += 1) {
      await expect(planner.planOperation(request, new AbortController().signal)).rejects.toMatchObject({
        extensions: {
          code: 'QUERY_TOO_COMPLEX',
          limit: { name: 'planningMs', maximum: 5_000, actual: 5_001 },
        },
      });
    }
    expect(tries).toBe(1);
  });

  it('is asked to come back when too many wait', async () => {
    const source = sourceThat(() => Promise.reject(new PlannerQueueFull('1000 wait.')));
    const planner = createOperationPlanner({ source });
    const request = requestFor(new Supergraph(original));
    await expect(planner.planOperation(request, new AbortController().signal)).rejects.toMatchObject({
      extensions: { code: 'OVERLOADED', retryAfterS: 1 },
    });
  });

  it('is rejected by the bound that the planner has itself', async () => {
    const source = sourceThat(() =>
      Promise.reject(new Error('Number of non-local selections exceeds limit of 100000')),
    );
    const planner = createOperationPlanner({ source });
    const request = requestFor(new Supergraph(original));
    await expect(planner.planOperation(request, new AbortController().signal)).rejects.toMatchObject({
      extensions: { code: 'QUERY_TOO_COMPLEX' },
    });
  });
});

describe('a generation that no longer serves', () => {
  it('is released when the last of what was begun is planned, once', async () => {
    let finish = (): void => {};
    const planning = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const released: string[] = [];
    const source: QueryPlanSource = {
      ...sourceThat(async (...question) => {
        await planning;
        return thread.plan(...question);
      }),
      unload: ({ hash }) => void released.push(hash),
    };
    const planner = createOperationPlanner({ source });
    const supergraph = new Supergraph(original);
    const request = requestFor(supergraph);
    const plan = planner.planOperation(request, new AbortController().signal);
    planner.retire(supergraph);
    expect(released).toEqual([]);
    finish();
    await plan;
    expect(released).toEqual([supergraph.hash]);
    planner.retire(supergraph);
    expect(released).toHaveLength(1);
  });
});

describe('what is planned', () => {
  const planned = async (
    text: string,
    variables: Record<string, unknown> = {},
  ): Promise<string | undefined> => {
    const bench = createBench();
    await bench.plan(parse(text), variables);
    return bench.asked[0]?.replaceAll(/\s+/g, ' ').trim();
  };

  it('has its conditions decided', async () => {
    expect(
      await planned('query ($a: Boolean!) { books { title @include(if: $a) count @skip(if: $a) } }', {
        a: true,
      }),
    ).toBe('query {books {title}}');
  });

  it('has another key where the client takes one that the planner may need', async () => {
    expect(await planned('{ books { id: title size: author { name } other: id } }')).toBe(
      'query {books {trellis_0: title trellis_1: author {name} other: id}}',
    );
  });

  it('has no @live and no @defer', async () => {
    expect(await planned('query @live { books { ... @defer { title } } }')).toBe(
      'query {books {... {title}}}',
    );
  });

  it('leaves out fragments that no object can match', async () => {
    expect(await planned('{ found { ... on Book { ... on Found { ... on Author { name } } title } } }')).toBe(
      'query {found {... on Book {title}}}',
    );
  });

  it('is nothing where nothing has to be fetched', async () => {
    expect(await planned('{ __typename }')).toBeUndefined();
  });
});

describe('bounds of planning', () => {
  it('S-007 reject a fragment bomb before it goes off', async () => {
    for (const levels of [14, 30, 60]) {
      const fragments = Array.from(
        { length: levels },
        (_, level) =>
          `fragment F${level} on Book { a${level}: related { ...F${level + 1} } b${level}: related { ...F${level + 1} } }`,
      );
      const text = `{ books { ...F0 } } ${fragments.join(' ')} fragment F${levels} on Book { title }`;
      const document = parse(text);
      const elapsedMs = await cpuTimeOf(() =>
        expect(createBench().plan(document)).rejects.toMatchObject({
          extensions: { code: 'QUERY_TOO_COMPLEX', limit: { name: 'selections', maximum: 5000 } },
        }),
      );
      expect(elapsedMs).toBeLessThan(500); // expanding it would take longer than anybody lives
    }
  });

  it('S-032 reject conditions on more variables than are sensible', async () => {
    const names = Array.from({ length: 33 }, (_, index) => `v${index}`);
    const text = `query (${names.map((name) => `$${name}: Boolean!`).join(' ')}) { books { ${names
      .map((name) => `${name}: title @skip(if: $${name})`)
      .join(' ')} } }`;
    const variables = Object.fromEntries(names.map((name) => [name, true]));
    await expect(createBench().plan(parse(text), variables)).rejects.toMatchObject({
      extensions: { limit: { name: 'conditionVariables', maximum: 32, actual: 33 } },
    });
  });

  it('S-032 plan what as many variables fan out to, once for each choice of values', async () => {
    const names = Array.from({ length: 8 }, (_, field) =>
      Array.from({ length: 4 }, (_unused, depth) => `v${field}x${depth}`),
    );
    const fields = names.map(
      ([include, skip, ...more], field) =>
        `f${field}: title @include(if: $${include}) @skip(if: $${skip}) ... @include(if: $${more[0]}) { g${field}: count @skip(if: $${more[1]}) }`,
    );
    const declared = names.flat().map((name) => `$${name}: Boolean!`);
    const document = parse(`query (${declared.join(' ')}) { books { id ${fields.join(' ')} } }`);
    const bench = createBench();
    for (const divisor of [2, 3, 2]) {
      const values = names.flat().map((name, index) => [name, index % divisor === 0]);
      await bench.plan(document, Object.fromEntries(values) as Record<string, boolean>);
    }
    expect(bench.asked).toHaveLength(2); // and not 2^32
  });

  it('S-030 S-031 plan deferred parts in the time of one, with conditions and without', async () => {
    const { signal } = new AbortController();
    for (const parts of [8, 30, 50]) {
      const names = Array.from({ length: Math.min(parts, 30) }, (_, index) => `v${index}`);
      const conditional = names.map((name) => `... @defer(if: $${name}) { ${name}: title }`);
      const always = Array.from({ length: parts }, (_, index) => `... @defer { a${index}: title }`);
      const declared = names.map((name) => `$${name}: Boolean!`).join(' ');
      const variables = Object.fromEntries(names.map((name, index) => [name, index % 2 === 0]));
      for (const text of [
        `query (${declared}) { books { ${conditional.join(' ')} } }`,
        `{ books { ${always.join(' ')} } }`,
      ]) {
        const bench = createBench();
        const document = parse(text);
        const decided = decidedFor(document, variables);
        const operation = plannableFor(document);
        const elapsedMs = await cpuTimeOf(() =>
          bench.planner.planOperation(
            { supergraph: bench.supergraph, operation, decided, incremental: true },
            signal,
          ),
        );
        expect(elapsedMs).toBeLessThan(2_000); // 2^30 plans would take longer than anybody lives
        expect(bench.asked.length).toBeLessThanOrEqual(2);
      }
    }
  });

  it('S-033 reject an explosion of types, and plan what is as deep without it', async () => {
    const explicit = (level: number): string =>
      level === 0
        ? 'id'
        : `... on Book { related { ${explicit(level - 1)} } a: related { ${explicit(level - 1)} } b: related { ${explicit(level - 1)} } }`;
    await expect(createBench().plan(parse(`{ found { ${explicit(8)} } }`))).rejects.toMatchObject({
      extensions: { code: 'QUERY_TOO_COMPLEX' },
    });
    const spared = (level: number): string => (level === 0 ? 'id' : `related { ${spared(level - 1)} }`);
    const bench = createBench();
    await bench.plan(
      parse(`{ found { ... on Book { ${spared(8)} } ... on Author { first { ${spared(7)} } } } }`),
    );
    expect(bench.asked).toHaveLength(1);
  });
});

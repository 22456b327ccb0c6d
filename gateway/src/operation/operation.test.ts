import { Kind, parse, print, visit, type DocumentNode, type SelectionNode } from 'graphql';
import { gql } from 'graphql-tag';
import { describe, expect, it } from 'vitest';
import { buildDemandingGraph } from '../../test-fixtures/demand/demanding-graph.ts';
import { demandingOperation } from '../../test-fixtures/demand/demanding-operation.ts';
import { createRandom } from '@trellis/testkit/random';
import { randomOperation } from '../../test-fixtures/synthetic/random-operation.ts';
import { composeGraph } from '../../test-fixtures/synthetic/start-graph.ts';
import { RequestError } from '../errors.ts';
import { ANONYMOUS } from '../identity/caller.ts';
import { dropUnusedVariables } from '../plan/prune-document.ts';
import { DEFAULT_COSTS } from '../settings/cost.ts';
import { PROTECTIVE_LIMITS, type OperationLimits } from '../settings/limits.ts';
import { buildSupergraph } from '../supergraph/build-supergraph.ts';
import type { Supergraph } from '../supergraph/supergraph.ts';
import type { Decided } from './document/decided-conditions.ts';
import { fragmentsOf } from './document/parse-operation.ts';
import { createOperationCache, type OperationCache } from './operation-cache.ts';
import type { Operation } from './operation.ts';

const OPERATIONS = 150;

/** Hints, rights, allowances, and lists that are sized from above, on interfaces and unions as well. */
const ANNOTATED = gql`
  extend schema
    @link(
      url: "https://specs.apollo.dev/federation/v2.9"
      import: ["@key", "@listSize", "@cost", "@authenticated", "@requiresScopes", "@composeDirective"]
    )
    @link(url: "https://trellis.test/cache/v1.0", import: ["@cacheControl"])
    @link(url: "https://trellis.test/depth/v1.0", import: ["@depthAllowance"])
    @composeDirective(name: "@cacheControl")
    @composeDirective(name: "@depthAllowance")
  directive @cacheControl(
    maxAge: Int
    scope: CacheControlScope
    inheritMaxAge: Boolean
  ) on FIELD_DEFINITION | OBJECT | INTERFACE | UNION
  directive @depthAllowance(extra: Int!) on FIELD_DEFINITION
  enum CacheControlScope {
    PUBLIC
    PRIVATE
  }
  type Query {
    users(first: Int): [User!]! @cacheControl(maxAge: 60)
    any: [Any!]! @cacheControl(maxAge: 20)
    node: Node @cacheControl(maxAge: 90)
    secret: String @requiresScopes(scopes: [["s"]]) @cacheControl(maxAge: 70)
    connection(first: Int): UserConnection @cacheControl(maxAge: 100)
    feed(first: Int): Feed
      @listSize(slicingArguments: ["first"], sizedFields: ["posts", "users"])
      @cacheControl(maxAge: 80)
    version: String
  }
  interface Node {
    id: ID!
    related: [Node!]! @cacheControl(inheritMaxAge: true)
  }
  union Any = User | Post | Vault
  type Feed {
    posts: [Post!]! @cacheControl(inheritMaxAge: true)
    users: [User!]!
    title: String
  }
  type UserConnection {
    edges: [UserEdge!]! @cacheControl(inheritMaxAge: true)
    pageInfo: String
  }
  type UserEdge {
    node: User
    cursor: String
  }
  type Vault implements Node @authenticated {
    id: ID!
    related: [Node!]!
  }
  type User implements Node @key(fields: "id") @cacheControl(maxAge: 30) {
    id: ID!
    email: String @cacheControl(scope: PRIVATE) @authenticated
    posts(first: Int): [Post!]! @depthAllowance(extra: 2) @cacheControl(inheritMaxAge: true)
    related: [Node!]! @depthAllowance(extra: 4)
    connection(first: Int): UserConnection @cacheControl(maxAge: 100)
  }
  type Post implements Node @key(fields: "id") @cost(weight: 4) {
    id: ID!
    title: String
    author: User @cacheControl(maxAge: 5)
    related: [Node!]!
  }
`;

function operationCacheOf(
  supergraph: Supergraph,
  limits: OperationLimits = PROTECTIVE_LIMITS,
): OperationCache {
  return createOperationCache(supergraph, {
    limits,
    costs: DEFAULT_COSTS,
    policies: {},
    introspection: true,
  });
}

const demanding = buildDemandingGraph().supergraph;
const annotated = buildSupergraph(
  composeGraph(
    { name: 'annotated', subgraphs: [{ name: 'all', typeDefs: ANNOTATED }] },
    () => 'http://all.test/',
  ),
);

/** The reference: every fragment where it is spread. */
function inlined(document: DocumentNode): DocumentNode {
  const fragments = fragmentsOf(document);
  const expand = (selection: SelectionNode): SelectionNode => {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) return selection;
    const { typeCondition, selectionSet } = fragments.get(selection.name.value) ?? fail(selection.name.value);
    return {
      kind: Kind.INLINE_FRAGMENT,
      typeCondition,
      selectionSet,
      directives: selection.directives ?? [],
    };
  };
  return visit(
    {
      ...document,
      definitions: document.definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION),
    },
    { SelectionSet: (set) => ({ ...set, selections: set.selections.map(expand) }) },
  );
}

function fail(name: string): never {
  throw new Error(`There is no fragment ${name}.`);
}

/** The reference: without what conditions leave out, and without conditions. */
function decidedText(document: DocumentNode, decided: Decided): string {
  const nothing: SelectionNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  const without = visit(document, {
    SelectionSet(set) {
      const selections = set.selections.filter((selection) => decided.includes(selection));
      return { ...set, selections: selections.length > 0 ? selections : [nothing] };
    },
    Directive: ({ name }) => (name.value === 'skip' || name.value === 'include' ? null : undefined),
  });
  return print(dropUnusedVariables(without).document);
}

/** What does not depend on variables. */
function factsOf({ measure, guard, mayDefer, conditionVariables }: Operation): unknown {
  const { fields, types } = guard.deniedTo(ANONYMOUS);
  const denied = new Set([...fields].map(([{ name }, { message }]) => `${name.value}: ${message}`));
  const { depth, depthAllowance, ...others } = measure;
  return {
    excess: depth - depthAllowance,
    ...others,
    denied,
    types: [...types.keys()].toSorted(),
    mayDefer,
    conditionVariables,
  };
}

function amountsOf(
  { costOf, cacheHintsOf }: Operation,
  variables: Readonly<Record<string, unknown>>,
  decided: Decided,
): unknown {
  return { cost: costOf(variables, decided), hints: cacheHintsOf(decided) };
}

function rejectedAs(error: unknown): undefined {
  if (!(error instanceof RequestError)) throw error;
  return undefined;
}

/** @returns nothing where the reference is rejected, for being too large or for what is left of a subscription */
function operationOf(operationCache: OperationCache, text: string): Operation | undefined {
  try {
    return operationCache.document(text).operation(undefined);
  } catch (error) {
    return rejectedAs(error);
  }
}

describe.each([
  { graph: 'that demands much', supergraph: demanding, seed: 1 },
  { graph: 'that demands much, and others', supergraph: demanding, seed: 2 },
  { graph: 'with hints, rights and allowances', supergraph: annotated, seed: 3 },
])('An operation of a graph $graph', ({ supergraph, seed }) => {
  const random = createRandom(seed);
  const operationCache = operationCacheOf(supergraph);
  const make = (): { readonly text: string; readonly variables: Readonly<Record<string, unknown>> } =>
    supergraph === demanding && random.chance(50)
      ? demandingOperation(random)
      : randomOperation(supergraph.schema, random, { maxDepth: 4, defer: true, root: 'query' });

  it('is known as it would be with its fragments written out and its conditions decided', () => {
    let compared = 0;
    for (let number = 0; number < OPERATIONS; number += 1) {
      const { text, variables: given } = make();
      const operation = operationOf(operationCache, text);
      const expanded = inlined(parse(text));
      const reference = operationOf(operationCache, print(expanded));
      if (!operation || !reference) continue;
      expect({ text, ...Object(factsOf(operation)) }).toEqual({ text, ...Object(factsOf(reference)) });
      try {
        const variables = operation.coerceVariables(given);
        const decided = operation.decide(variables);
        const plain = operationOf(operationCache, decidedText(expanded, decided));
        if (!plain) continue;
        const amounts = amountsOf(operation, variables, decided);
        expect({ text, given, amounts }).toEqual({
          text,
          given,
          amounts: amountsOf(plain, variables, plain.decide(variables)),
        });
        expect(operation.selectionsOf(decided)).toBe(reference.selectionsOf(decided));
        compared += 1;
      } catch (error) {
        rejectedAs(error); // a condition that is null
      }
    }
    expect(compared).toBeGreaterThan(OPERATIONS / 3);
  });
});

describe('An operation', () => {
  it('is frozen, and the same for every sender of its text', () => {
    const operationCache = operationCacheOf(annotated);
    const operation = operationCache.document('{ version }', '198.51.100.1').operation(undefined);
    expect(Object.isFrozen(operation)).toBe(true);
    expect(operationCache.document('{ version }', '203.0.113.1').operation(undefined)).toBe(operation);
  });

  it('S-007 with sized lists in fragments that multiply one another is made in linear time, and so is its cost', () => {
    const levels = Array.from(
      { length: 40 },
      (_, level) => `fragment f${level} on UserConnection { ...f${level + 1} ...f${level + 1} }`,
    );
    const text = `query ($n: Int) { connection(first: $n) { ...f0 } } ${levels.join(' ')} fragment f40 on UserConnection { edges { cursor } }`;
    const limits = { ...PROTECTIVE_LIMITS, selections: Number.POSITIVE_INFINITY };
    const operation = operationCacheOf(annotated, limits).document(text).operation(undefined);
    const variables = operation.coerceVariables({ n: 3 });
    expect(operation.costOf(variables, operation.decide(variables))).toBe(1 + 2 ** 40 * 3 * 2);
  });
});

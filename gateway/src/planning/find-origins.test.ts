import type { FetchDataKeyRenamer, FetchNode, PlanNode } from '@apollo/query-planner';
import { describe, expect, it } from 'vitest';
import type { TargetOrigins } from '../plan/plan.ts';
import type { TypeIndex } from '../supergraph/type-index.ts';
import { compilePlanNode } from './compile-plan.ts';
import { findOrigins } from './find-origins.ts';

const posts = fetch('{ posts { id author { __typename id } } }');
const names = entities(['posts', '@', 'author'], '{ name }');

const types: TypeIndex = {
  isSubtype: (type, condition) => type === condition,
  isObject: () => true,
  fieldType: () => undefined,
};

function originsOf(...nodes: PlanNode[]): TargetOrigins {
  return findOrigins(compilePlanNode({ kind: 'Sequence', nodes }, types));
}

function fetch(operation: string, more: Partial<FetchNode> = {}): FetchNode {
  return {
    kind: 'Fetch',
    serviceName: 'any',
    operation,
    operationKind: 'query' as never,
    ...more,
  } as FetchNode;
}

function rename(path: string[], renameKeyTo: string): FetchDataKeyRenamer {
  return { kind: 'KeyRenamer', path, renameKeyTo };
}

function entities(path: string[], selection: string, more: Partial<FetchNode> = {}): PlanNode {
  const operation = `query($representations:[_Any!]!){_entities(representations:$representations){...on User${selection}}}`;
  const requires = [{ kind: 'Field' as const, name: 'id' }];
  return { kind: 'Flatten', path, node: fetch(operation, { requires, ...more }) };
}

describe('where the objects of a fetch come from', () => {
  it('is known when a single fetch brings them, with their keys', () => {
    expect(originsOf(posts, names)).toEqual(
      new Map([['posts @ author', { referenceKeys: ['__typename', 'id'] }]]),
    );
  });

  it('is found through fragments, and below entities', () => {
    const feed = fetch(
      '{ feed { ...F ... on Post { author { id } } } } fragment F on Post { author { __typename } }',
    );
    const friends = entities(['feed', '@', 'author'], '{ friends { id } }');
    const origins = originsOf(feed, friends, entities(['feed', '@', 'author', 'friends', '@'], '{ name }'));
    expect(origins.get('feed @ author')?.referenceKeys?.toSorted()).toEqual(['__typename', 'id']);
    expect(origins.get('feed @ author friends @')).toEqual({ referenceKeys: ['id'] });
  });

  it('is not known when two fetches bring them', () => {
    expect(originsOf(posts, fetch('{ posts { author { email } } }'), names)).toEqual(new Map());
  });

  it('is not known when a response is rewritten, or values come from above', () => {
    const rewrite = rename(['posts'], 'articles');
    const context = rename(['..', 'locale'], 'c0');
    expect(originsOf({ ...posts, outputRewrites: [rewrite] }, names)).toEqual(new Map());
    expect(
      originsOf(posts, entities(['posts', '@', 'author'], '{ name }', { contextRewrites: [context] })),
    ).toEqual(new Map());
  });

  it.each([
    ['have objects of their own', '{ posts { author { id address { city } } } }'],
    ['have many values', '{ posts { author { __typename id a b c } } }'],
    ['have names that all objects have', '{ posts { author { constructor: id } } }'],
  ])('finds no keys of objects that %s', (_what, operation) => {
    expect(originsOf(fetch(operation), names).get('posts @ author')).toEqual({ referenceKeys: undefined });
  });
});

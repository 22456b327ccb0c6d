import { buildASTSchema, Kind, parse, type OperationDefinitionNode } from 'graphql';
import { gql } from 'graphql-tag';
import { cpuTimeOf } from '@trellis/testkit';
import { describe, expect, it } from 'vitest';
import { fragmentsOf } from '../document/parse-operation.ts';
import { Analyzer } from '../fold/selection-fold.ts';
import { rootTypeOf } from '../../supergraph/type-index.ts';
import { depthAnalysis } from './depth.ts';
import { measureOf, type OperationMeasure, totalsAnalysis } from './measure-operation.ts';

const schema = buildASTSchema(gql`
  interface Node {
    id: ID!
    parent: Node
  }
  type Query {
    post: Post
    node: Node
    a: Post
    b: Post
  }
  type Post implements Node {
    id: ID!
    parent: Node
    author: User
    next: Post
    thread: Post
  }
  type User {
    name: String
    post: Post
  }
`);
const allowances = new Map([
  ['Post.thread', 3],
  ['User.post', 1],
]);
const analyzer = new Analyzer({ depth: depthAnalysis(allowances), totals: totalsAnalysis }, schema);

function measure(text: string, name?: string): OperationMeasure {
  const document = parse(text);
  const operation = document.definitions.find(
    (definition): definition is OperationDefinitionNode =>
      definition.kind === Kind.OPERATION_DEFINITION && (!name || definition.name?.value === name),
  );
  if (!operation) throw new Error('no operation');
  const fold = analyzer.fold({ fragments: fragmentsOf(document) });
  return measureOf(operation, fold.ofOperation(operation.selectionSet, rootTypeOf(schema, operation)));
}

describe('Limits: maximum query depth', () => {
  it('S-008 counts fields from root to leaf, both included', () => {
    expect(measure('{ post { author { name } } }').depth).toBe(3);
    expect(measure('{ post { id } }').depth).toBe(2);
    expect(measure('{ __typename }').depth).toBe(1);
  });

  it.each([
    ['named fragments', '{ post { ...f } } fragment f on Post { next { next { id } } }'],
    [
      'fragments within fragments',
      '{ ...q } fragment q on Query { post { ...f } } fragment f on Post { next { next { id } } }',
    ],
    ['inline fragments', '{ post { ... on Post { next { ... { next { id } } } } } }'],
    ['fragments on interfaces', '{ post { ... on Node { parent { parent { id } } } } }'],
    ['deferred fragments', '{ post { ... @defer { next { next { id } } } } }'],
  ])('S-008 sees through %s', (_name, text) => {
    expect(measure(text).depth).toBe(4);
  });

  it('S-008 measures the operation that runs, not its neighbours', () => {
    const text = 'query a { post { id } } query b { post { next { next { next { id } } } } }';
    expect(measure(text, 'a').depth).toBe(2);
    expect(measure(text, 'b').depth).toBe(5);
  });

  it('exempts what is below __schema and __type', () => {
    expect(measure('{ __schema { types { fields { type { ofType { name } } } } } }').depth).toBe(1);
    expect(measure('{ __type(name: "Post") { fields { name } } post { id } }').depth).toBe(2);
  });

  it('S-008 honours an allowance on paths through its field alone', () => {
    const through = measure('{ post { thread { next { id } } } }');
    expect(through).toMatchObject({ depth: 4, depthAllowance: 3 });
    const beside = measure('{ post { thread { id } next { next { next { id } } } } }');
    expect(beside).toMatchObject({ depth: 5, depthAllowance: 0 });
  });

  it('takes the largest allowance of a path, not their sum', () => {
    const measured = measure('{ post { thread { thread { author { post { id } } } } } }');
    expect(measured).toMatchObject({ depth: 6, depthAllowance: 3 });
  });

  it('measures a fragment again where it is reached with another allowance', () => {
    const fragment = 'fragment f on Post { next { next { next { next { id } } } } }';
    const measured = measure(`{ post { thread { ...f } ...f } } ${fragment}`);
    expect(measured).toMatchObject({ depth: 6, depthAllowance: 0 });
  });

  it('takes linear time where fragments expand exponentially', async () => {
    const levels = Array.from(
      { length: 90 },
      (_, level) => `fragment f${level} on Post { next { ...f${level + 1} } thread { ...f${level + 1} } }`,
    );
    const elapsedMs = await cpuTimeOf(() => {
      const measured = measure(`{ post { ...f0 } } ${levels.join(' ')} fragment f90 on Post { id }`);
      expect(measured.depth - measured.depthAllowance).toBe(92);
    });
    expect(elapsedMs).toBeLessThan(200);
  });
});

describe('Limits: aliases, root fields, directives', () => {
  it('S-009 counts aliases once per expansion of their fragment, those of __typename included', () => {
    const text = '{ a { ...f } b { ...f } x: __typename } fragment f on Post { y: id z: id }';
    expect(measure(text).aliases).toBe(5);
  });

  it('S-011 counts root fields through fragments', () => {
    const text =
      '{ a { id } ...f ...f ... on Query { b { id } } } fragment f on Query { a { id } post { id } }';
    expect(measure(text).rootFields).toBe(6);
  });

  it('S-013 counts directives wherever they stand', () => {
    const text = `
      query ($v: Boolean = true @x) @x { a @include(if: $v) { id @skip(if: $v) } ...f @x ... @x { b { id } } }
      fragment f on Query { a { id @x @x } }`;
    expect(measure(text).directives).toBe(8);
  });
});

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse, type OperationDefinitionNode, type SelectionNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { RequestError } from '../../errors.ts';
import { decidedFor } from '../../testing/decided-for.ts';

const SOURCES = fileURLToPath(new URL('../..', import.meta.url));

function firstOf(text: string): SelectionNode {
  const [definition] = parse(text).definitions as readonly OperationDefinitionNode[];
  const selection = definition?.selectionSet.selections[0];
  if (!selection) throw new Error('nothing is selected');
  return selection;
}

function includes(text: string, variables?: Readonly<Record<string, unknown>>): boolean {
  return decidedFor(parse(text), variables).includes(firstOf(text));
}

describe('GraphQL §3.13: a decided condition', () => {
  it.each([
    ['{ a }', {}, true],
    ['{ a @skip(if: true) }', {}, false],
    ['{ a @include(if: false) }', {}, false],
    ['query ($x: Boolean!) { a @skip(if: $x) }', { x: false }, true],
    ['query ($x: Boolean!) { a @include(if: $x) }', { x: true }, true],
    ['query ($x: Boolean!) { a @skip(if: $x) @include(if: $x) }', { x: true }, false],
    ['query ($x: Boolean!) { ... @include(if: $x) { a } }', { x: false }, false],
  ])('of %s with %o is %s', (text, variables, expected) => {
    expect(includes(text, variables)).toBe(expected);
  });

  it('holds where a variable with a default at its place is not given', () => {
    const text = 'query ($x: Boolean) { ... @defer(if: $x) { a } }';
    expect(decidedFor(parse(text)).deferOf(firstOf(text))).toBeDefined();
    expect(decidedFor(parse('query ($x: Boolean) @live(if: $x) { a }')).isLive).toBe(true);
    expect(decidedFor(parse('query ($x: Boolean) @live(if: $x) { a }'), { x: false }).isLive).toBe(false);
  });

  it.each([
    'query ($x: Boolean = false) { a @skip(if: $x) }',
    'query ($x: Boolean = false) { a @include(if: $x) }',
    'query ($x: Boolean = false) { ... @skip(if: $x) { a } }',
    'query ($x: Boolean = false) { ...F @include(if: $x) } fragment F on Query { a }',
    'query ($x: Boolean = false) { ...F } fragment F on Query { b { a @skip(if: $x) } }',
    'query ($x: Boolean) { ... @defer(if: $x) { a } }',
    'query ($x: Boolean) @live(if: $x) { a }',
  ])('G1: is BAD_USER_INPUT where it is null: %s', (text) => {
    const decide = (): unknown => decidedFor(parse(text), { x: null });
    expect(decide).toThrow(RequestError);
    expect(decide).toThrow('Variable "$x" decides a condition');
  });

  it('looks at the variables of its own operation alone', () => {
    const text =
      'query A($x: Int) { a(n: $x) } query B($x: Boolean!) { ...F } fragment F on Query { a @skip(if: $x) }';
    expect(() => decidedFor(parse(text), { x: null }, 'A')).not.toThrow();
    expect(() => decidedFor(parse(text), { x: null }, 'B')).toThrow(RequestError);
  });

  it('has a key that distinguishes it from the others of its operation', () => {
    const document = parse('query ($x: Boolean!, $y: Boolean!) { a @skip(if: $x) b @skip(if: $y) }');
    const keys = [0, 1, 2, 3].map((bits) => decidedFor(document, { x: bits > 1, y: bits % 2 === 1 }).key);
    expect(new Set(keys).size).toBe(4);
    expect(decidedFor(parse('query ($n: Int) { a(n: $n) @skip(if: false) }'), { n: 1 }).key).toBe('');
  });
});

describe('G1: no other source', () => {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts') && !file.startsWith('testing/'))
    .map((file) => ({ file, text: readFileSync(`${SOURCES}${file}`, 'utf8') }));
  const holding = (pattern: RegExp): readonly string[] =>
    sources
      .filter(({ text }) => pattern.test(text))
      .map(({ file }) => file)
      .toSorted();

  it('reads what a directive is conditional on', () => {
    expect(holding(/=== 'if'/)).toEqual(['operation/document/decided-directives.ts']);
    expect(holding(/'(skip|include)'/)).toEqual(['operation/document/decided-directives.ts']);
    expect(holding(/getDirectiveValues|shouldIncludeNode|collectFields.*graphql/)).toEqual([]);
  });

  it('makes a decision: it is made where variables are coerced, and handed on', () => {
    expect(holding(/\bcompileDecision\(/)).toEqual([
      'operation/document/decided-conditions.ts',
      'operation/operation.ts',
    ]);
    expect(holding(/\bnew DecidedConditions\(/)).toEqual(['operation/document/decided-conditions.ts']);
  });

  it('of planning knows variables, but for deciding', () => {
    const planning = sources.filter(({ file }) => /^(planning|plan|operation\/document)\//.test(file));
    const readers = planning.filter(({ text }) => /\bownVariable\(/.test(text));
    expect(readers.map(({ file }) => file).toSorted()).toEqual([
      'operation/document/decided-conditions.ts',
      'operation/document/live-directive.ts', // how often a live query is resolved
    ]);
  });
});

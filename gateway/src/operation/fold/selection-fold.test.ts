import { Kind, parse, type DocumentNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { fragmentsOf } from '../document/parse-operation.ts';
import { gather, itemsOf, type Gathered } from './gathered.ts';
import { Analyzer, type Analysis, type Summaries } from './selection-fold.ts';

/** Names of fields in the order in which they are asked about, each as often as that happens. */
function namesAnalysis(asked: string[]): Analysis<Gathered<string>> {
  return {
    none: undefined,
    field({ node }, below) {
      asked.push(node.name.value);
      return gather([{ item: node.name.value }, below]);
    },
    combine: gather,
  };
}

const levels: Analysis<number> = {
  none: 0,
  field: (_field, below) => below,
  combine: (parts) => 1 + Math.max(...parts),
};

interface Folded {
  readonly asked: readonly string[];
  readonly found: Summaries<{ names: Analysis<Gathered<string>>; levels: Analysis<number> }>;
}

function fold(document: DocumentNode, maxLevels?: number): Folded {
  const asked: string[] = [];
  const analyzer = new Analyzer({ names: namesAnalysis(asked), levels });
  const [operation] = document.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('The operation comes first.');
  const found = analyzer
    .fold({ fragments: fragmentsOf(document), maxLevels })
    .ofOperation(operation.selectionSet, undefined);
  return { asked, found };
}

/** `f0` spreads `f1` twice, which spreads `f2` twice, … */
function doubling(fragments: number): string {
  const all = Array.from(
    { length: fragments },
    (_, level) => `fragment f${level} on T { a${level} { ...f${level + 1} } b${level} { ...f${level + 1} } }`,
  );
  return `{ ...f0 ...f0 } ${all.join(' ')} fragment f${fragments} on T { end }`;
}

describe('A fold over selections', () => {
  it('asks all analyses in one walk, from the leaves up', () => {
    const { asked, found } = fold(parse('{ a { b ... { c } } d }'));
    expect(asked).toEqual(['b', 'c', 'a', 'd']);
    expect(itemsOf(found.names)).toEqual(['a', 'b', 'c', 'd']);
    expect(found.levels).toBe(3);
  });

  it('S-007 visits each selection once, however fragments multiply one another', () => {
    const { asked, found } = fold(parse(doubling(60)));
    expect(asked).toHaveLength(121);
    expect(itemsOf(found.names)).toHaveLength(121);
    expect(found.levels).toBe(122);
  });

  it('S-001 ends where selections are nested more deeply than they may be, in fragments too', () => {
    const chain = Array.from({ length: 3_000 }, (_, index) => `fragment f${index} on T { ...f${index + 1} }`);
    expect(() => fold(parse(`{ ...f0 } ${chain.join(' ')}`), 200)).toThrow('nesting');
    expect(() => fold(parse('{ a { b { c } } }'), 2)).toThrow('nesting');
    expect(() => fold(parse('{ a { b { c } } }'), 3)).not.toThrow();
  });

  it('S-006 ends at a fragment that spreads itself', () => {
    expect(() => fold(parse('{ ...a } fragment a on T { x { ...b } } fragment b on T { ...a }'))).toThrow(
      'Cannot spread fragment "a" within itself.',
    );
  });

  it('takes a fragment that does not exist for one without selections', () => {
    expect(fold(parse('{ a ...none }')).found.levels).toBe(1);
  });

  it('finds of an idle analysis that there is nothing, without asking it', () => {
    const asked: string[] = [];
    const analyzer = new Analyzer({ names: { ...namesAnalysis(asked), isIdle: true }, levels });
    const document = parse('{ a }');
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new TypeError('There is no operation.');
    const fold = analyzer.fold({ fragments: new Map() });
    expect(fold.ofOperation(operation.selectionSet, undefined)).toEqual({ names: undefined, levels: 1 });
    expect(asked).toEqual([]);
  });
});

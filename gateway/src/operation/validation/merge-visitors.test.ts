import { BREAK, parse, visit, visitInParallel, type ASTNode, type ASTVisitor } from 'graphql';
import { describe, expect, it } from 'vitest';
import { mergeVisitors } from './merge-visitors.ts';

const document = parse(
  'query q($v: Int = 1) { a { b(x: [1, { y: $v }]) @d { c } ...f } e } fragment f on T { a { g } }',
);

/** Visitors that note what they see, and return preset values at some of it. */
function notingVisitors(notes: string[]): ASTVisitor[] {
  const note =
    (what: string, result?: (name: string) => unknown) =>
    (node: ASTNode): unknown => {
      const name = 'name' in node && node.name && 'value' in node.name ? node.name.value : '';
      notes.push(`${what} ${node.kind} ${name}`);
      return result?.(name);
    };
  const isNot = (unwanted: string) => (name: string) => (name === unwanted ? false : undefined);
  return [
    { Field: note('1') },
    { Field: { enter: note('2', isNot('a')), leave: note('2 left') }, Argument: note('2') },
    { enter: note('3', isNot('b')), leave: note('3 left') },
    { Field: note('4', (name) => (name === 'c' ? BREAK : undefined)), Document: { leave: note('4 left') } },
    { enter: note('5'), Field: { leave: note('5 left', (name) => (name === 'c' ? BREAK : false)) } },
    { leave: note('6 left'), FragmentDefinition: () => false, OperationDefinition: note('6') },
    {},
  ];
}

describe('Merged visitors', () => {
  it('see what they see with visitInParallel, in the same order', () => {
    const [expected, seen]: [string[], string[]] = [[], []];
    visit(document, visitInParallel(notingVisitors(expected)));
    visit(document, mergeVisitors(notingVisitors(seen)));
    expect(seen).toEqual(expected);
    expect(seen).toContain('3 left Field a');
    expect(seen).not.toContain('2 Field g');
  });

  it('learn where they are, and are called as methods of their own', () => {
    const places: unknown[] = [];
    const visitor = {
      own: 'visitor',
      ObjectField(this: unknown, ...place: unknown[]): void {
        places.push([this, ...place.slice(1).map((part) => structuredClone(part))]);
      },
    };
    visit(document, visitInParallel([visitor]));
    visit(document, mergeVisitors([visitor]));
    expect(places).toHaveLength(2);
    expect(places[1]).toEqual(places[0]);
  });
});

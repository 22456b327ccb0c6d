import {
  Kind,
  parse,
  print,
  stripIgnoredCharacters,
  type DocumentNode,
  type FragmentDefinitionNode,
  type InlineFragmentNode,
  type SelectionSetNode,
} from 'graphql';
import { createRandom, type Random } from '@trellis/testkit/random';
import { describe, expect, it } from 'vitest';
import {
  readSelections,
  type ReadSelection,
  type ReadDocument,
  type ReadFragment,
} from './read-selections.ts';

/** The same by graphql-js. */
function selectedBy(document: DocumentNode): ReadDocument {
  const fragments = new Map<string, ReadFragment>();
  let root: readonly ReadSelection[] = [];
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) root = setOf(definition.selectionSet);
    else if (definition.kind === Kind.FRAGMENT_DEFINITION)
      fragments.set(definition.name.value, fragmentOf(definition));
  }
  return { root, fragments };
}

function setOf({ selections }: SelectionSetNode): ReadSelection[] {
  return selections.map((node): ReadSelection => {
    if (node.kind === Kind.FRAGMENT_SPREAD) return { kind: 'spread', name: node.name.value };
    if (node.kind === Kind.INLINE_FRAGMENT) return fragmentOf(node);
    const { name, alias, selectionSet } = node;
    const key = alias?.value ?? name.value;
    return { kind: 'field', name: name.value, key, selections: selectionSet && setOf(selectionSet) };
  });
}

function fragmentOf({
  typeCondition,
  selectionSet,
}: InlineFragmentNode | FragmentDefinitionNode): ReadFragment {
  return { kind: 'fragment', typeCondition: typeCondition?.name.value, selections: setOf(selectionSet) };
}

class Writer {
  readonly #random: Random;

  constructor(seed: number) {
    this.#random = createRandom(seed);
  }

  document(): string {
    const { below, pick } = this.#random;
    const definitions = [`query ${pick(NAMES)}${pick(DEFINITIONS)}${this.#directives()}${this.#set(3)}`];
    for (let count = below(3); count > 0; count -= 1)
      definitions.push(`fragment F${count} on ${pick(NAMES)}${this.#directives()}${this.#set(2)}`);
    if (below(2) === 0) definitions.reverse();
    return definitions.join(pick(['\n', ' # {"\n', ',']));
  }

  #set(depth: number): string {
    const { below, pick } = this.#random;
    const selections = Array.from({ length: 1 + below(4) }, () => this.#selection(depth));
    return `{${selections.join(pick([' ', ', ', ' # }\n']))}}`;
  }

  #selection(depth: number): string {
    const { below, pick } = this.#random;
    const field = `${pick(NAMES)}${pick(ARGUMENTS)}${this.#directives()}`;
    switch (below(depth > 0 ? 6 : 2)) {
      case 0:
        return field;
      case 1:
        return `...F${below(3)}${this.#directives()}`;
      case 2:
        return `... on ${pick(NAMES)}${this.#directives()}${this.#set(depth - 1)}`;
      case 3:
        return `...${this.#directives()}${this.#set(depth - 1)}`;
      case 4:
        return `${pick(NAMES)} : ${field}`;
      default:
        return `${pick(NAMES)}:${field}${this.#set(depth - 1)}`;
    }
  }

  #directives(): string {
    const { chance, pick } = this.#random;
    return chance(25) ? ` @${pick(NAMES)}${pick(ARGUMENTS)} ` : ' ';
  }
}

const NAMES = ['id', '_entities', 'fragment', 'query', '__typename', 'a1', 'Type_2'];
const DEFINITIONS = ['', '($a: [Int!]! = [1], $b: In = {c: {d: "({"}} @dir(x: ")"))'];
const ARGUMENTS = [
  '',
  '(a: "){\\"(", b: [$c, {d: ")"}])',
  '(a: """){ \\""" (" """)',
  '(a: """""", b: "")',
  '(a: "\\\\" # ")\n b: true)',
];

describe('What a document selects', () => {
  it('is what graphql-js reads, whatever stands between, over 500 documents', () => {
    for (let seed = 0; seed < 500; seed += 1) {
      const text = new Writer(seed).document();
      const document = parse(text);
      const expected = selectedBy(document);
      expect(readSelections(text), text).toEqual(expected);
      expect(readSelections(print(document)), text).toEqual(expected);
      expect(readSelections(stripIgnoredCharacters(text)), text).toEqual(expected);
    }
  });

  it('is read of an operation without a name, and of mutations and subscriptions', () => {
    for (const text of ['{a}', 'mutation{a}', 'subscription S @b{a}', '\uFEFFquery($c:Int){a}'])
      expect(readSelections(text), text).toEqual(selectedBy(parse(text)));
  });

  it.each([
    '{',
    '{a',
    '{a(',
    '{a(b:"',
    '{a(b:""" ',
    '{a:}',
    '{..a}',
    'query',
    'fragment F on',
    '{a}}',
    '{é}',
  ])('can not be read of %s', (text) => {
    expect(() => parse(text)).toThrow();
    expect(() => readSelections(text)).toThrow(SyntaxError);
  });
});

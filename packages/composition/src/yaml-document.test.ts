import { describe, expect, it } from 'vitest';
import { parseYamlDocument, type YamlDocument } from './yaml-document.ts';

function read(text: string): Pick<YamlDocument, 'value' | 'problems'> {
  const { value, problems } = parseYamlDocument(text, 'a.yaml');
  return { value, problems };
}

/** Lists of ten, each of which has the one before ten times. */
const BILLION_LAUGHS = Array.from({ length: 10 }, (_, index) => {
  const elements = Array<string>(10).fill(index === 0 ? 'x' : `*a${index - 1}`);
  return `a${index}: &a${index} [${elements.join(', ')}]`;
});

function repeated(times: number): string {
  return `a: &a x\nb:\n${'  - *a\n'.repeat(times)}`;
}

describe('Aliases of a YAML text', () => {
  it('stand for what their anchors do, for the last one before them', () => {
    expect(read('a: &x 1\nb: *x\nc: &x { d: 2 }\ne: [*x]\n')).toEqual({
      value: { a: 1, b: 1, c: { d: 2 }, e: [{ d: 2 }] },
      problems: [],
    });
    expect(read(repeated(99)).problems).toEqual([]);
  });

  it.each([
    ['origins: [*.example.com]', '*.example.com', 11],
    ['origins: *', '*', 10],
    ['*a : 1', '*a', 1],
    ['a: *a', '*a', 4],
    ['{ a: *b, c: &b 1 }', '*b', 6],
  ])('without an anchor are problems with their place: %j', (text, alias, column) => {
    const { value, problems } = read(text);
    expect(value).toBeUndefined();
    expect(problems).toContainEqual({
      message: `${alias} is an alias in YAML, and no anchor before it has that name: put a text that begins with * in quotes`,
      location: { source: 'a.yaml', line: 1, column },
    });
  });

  it.each([repeated(100), BILLION_LAUGHS.join('\n')])('are problems when they are too many', (text) => {
    expect(read(text)).toEqual({
      value: undefined,
      problems: [
        { message: expect.stringMatching(/^too many aliases: /) as string, location: { source: 'a.yaml' } },
      ],
    });
  });

  it('that YAML 1.1 can not merge are problems as well', () => {
    const { problems } = read('%YAML 1.1\n---\na: &a 1\nb: { <<: *a }\n');
    expect(problems.map(({ message }) => message)).toEqual(['Merge sources must be maps or map aliases']);
  });
});

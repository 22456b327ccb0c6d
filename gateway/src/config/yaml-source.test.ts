import { describe, expect, it } from 'vitest';
import { parseYamlSource, type YamlSource } from './yaml-source.ts';

function parse(text: string): YamlSource {
  return parseYamlSource(text, '/etc/trellis/gateway.yaml', { DEPTH: '7' });
}

const HINT =
  'is an alias in YAML, and no anchor before it has that name: put a text that begins with * in quotes';

describe('gateway.yaml: aliases', () => {
  it('stand for what their anchors do, variables included', () => {
    const { value, problems } = parse('a: &depth ${env.DEPTH}\nb: *depth\nc: &c { d: 1 }\ne: [*c, *depth]\n');
    expect(problems).toEqual([]);
    expect(value).toEqual({ a: 7, b: 7, c: { d: 1 }, e: [{ d: 1 }, 7] });
  });

  it('without an anchor are problems with their place, beside all others', () => {
    const text =
      'cors:\n  origins: [*.example.com, *.example.org]\na: ${env.NOT_SET}\na: 1\nb: *late\nc: &late 1\n';
    const { value, problems } = parse(text);
    expect(value).toBeUndefined();
    expect(problems).toEqual([
      'Map keys must be unique at line 4, column 1.',
      `*.example.com ${HINT} (gateway.yaml:2).`,
      `*.example.org ${HINT} (gateway.yaml:2).`,
      `*late ${HINT} (gateway.yaml:5).`,
      'The environment variable NOT_SET is not set (gateway.yaml:3).',
    ]);
    expect(parse('origins: [*]').problems).toContain(`* ${HINT} (gateway.yaml:1).`);
  });

  it('may be 99 of an anchor; more are a problem beside others', () => {
    const repeated = (times: number): string => `a: &a \${env.NOT_SET:-x}\nb:\n${'  - *a\n'.repeat(times)}`;
    expect(parse(repeated(99)).problems).toEqual([]);
    expect(parse(`${repeated(100)}c: \${env.NOT_SET}`)).toMatchObject({
      value: undefined,
      problems: [
        expect.stringMatching(/^Too many aliases: /),
        'The environment variable NOT_SET is not set (gateway.yaml:103).',
      ],
    });
  });

  it('that multiply are a problem: billion laughs', () => {
    const lists = Array.from({ length: 10 }, (_, index) => {
      const elements = Array<string>(10).fill(index === 0 ? 'x' : `*a${index - 1}`);
      return `a${index}: &a${index} [${elements.join(', ')}]`;
    });
    expect(parse(lists.join('\n')).problems).toEqual([expect.stringMatching(/^Too many aliases: /)]);
  });
});

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { subgraphFiles } from './subgraph-files.ts';

const page = readFileSync(new URL('../../../docs/add-a-subgraph.md', import.meta.url), 'utf8');
const likes = { name: 'likes', typeName: 'Like', port: 4021 };
const written = subgraphFiles({ ...likes, version: undefined });
const elsewhere = Object.keys(subgraphFiles({ ...likes, version: '0.1.0' }));
const rows = [
  ...page.matchAll(/^\| (`.+`) +\| .+ \| (as written|changed|in other folders only) +\|$/gm),
].flatMap(([, files = '', state = '']) =>
  [...files.matchAll(/`([^`]+)`/g)].map(([, file = '']) => ({ file, state })),
);
const blocks = new Map(
  [...page.matchAll(/^```\w+ services\/likes\/(\S+)\n([^]*?)^```$/gm)].map(([, file = '', text = '']) => [
    file,
    text,
  ]),
);
const filesOf = (...states: readonly string[]): readonly string[] =>
  rows.filter(({ state }) => states.includes(state)).map(({ file }) => file);

/** Layout of JSON is the formatter's. */
function contentOf(file: string, text: string): unknown {
  return file.endsWith('.json') ? JSON.parse(text) : text;
}

describe('docs/add-a-subgraph.md', () => {
  it('begins with the command', () => {
    expect(/^```\w* .*\n([^]*?)^```$/m.exec(page)?.[1]).toBe('npx trellis new-subgraph likes\n');
  });

  it('lists each file that the command writes', () => {
    expect(filesOf('as written', 'changed').toSorted()).toEqual(Object.keys(written).toSorted());
    const more = elsewhere.filter((file) => !Object.hasOwn(written, file));
    expect(filesOf('in other folders only').toSorted()).toEqual(more.toSorted());
  });

  it.each(filesOf('as written'))('shows %s as the command writes it', (file) => {
    expect(contentOf(file, blocks.get(file) ?? '')).toEqual(contentOf(file, written[file] ?? ''));
  });

  it('shows each file that it changes, and no other', () => {
    const changed = [...blocks].filter(([file, text]) => contentOf(file, text) !== written[file]);
    const texts = changed.map(([file]) => file).filter((file) => !file.endsWith('.json'));
    expect(texts.toSorted()).toEqual(filesOf('changed').toSorted());
  });
});

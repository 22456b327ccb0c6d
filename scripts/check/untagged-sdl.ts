import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

/** Sources of the product and of its benchmarks: what tests are made of may put schemas together as it likes. */
const SOURCES = /^(?:gateway|auth-server|bench|cli|(?:packages|services)\/[^/]+)\/src\/.*\.ts$/;
const OF_TESTS = /\.test\.ts$|\/(?:testing|generated)\//;
/** How schemas begin. */
const SDL =
  /\btype (?:Query|Mutation|Subscription) *\{|\bextend (?:type|interface) \w+ *[@{]|\bextend schema\s+@/;

/** Files whose schemas are texts for a reason. */
export const textsForAReason: Readonly<Record<string, string>> = {
  'bench/src/supergraphs/large-graph.ts': 'schemas of thousands of types, put together of lines',
  'cli/src/new-subgraph/subgraph-files.ts': 'the text of a file that it writes',
  'packages/composition/src/window/order-examples.ts':
    'pieces that each example puts together in another way',
};

/**
 * Finds schemas of GraphQL that stand in TypeScript as plain texts. By the tag `gql` editors, formatters and readers know them, and
 * what can't be parsed fails when the module is loaded.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkUntaggedSdl(directory: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '*.ts'], { cwd: directory, encoding: 'utf8' });
  return listed
    .split('\0')
    .filter((path) => SOURCES.test(path) && !OF_TESTS.test(path) && !Object.hasOwn(textsForAReason, path))
    .flatMap((path) => findUntaggedSdl(path, readFileSync(join(directory, path), 'utf8')));
}

/** @returns what is wrong in one file, one sentence each */
export function findUntaggedSdl(path: string, text: string): readonly string[] {
  if (!SDL.test(text)) return [];
  const tagged = new Set<number>();
  const found: string[] = [];
  const report = (start: number, end: number): void => {
    if (tagged.has(start) || !SDL.test(text.slice(start, end))) return;
    const line = text.slice(0, start).split('\n').length;
    found.push(`${path}:${line} has a schema as a plain text. Tag it gql.`);
  };
  new Visitor({
    TaggedTemplateExpression: ({ tag, quasi }) => {
      if (tag.type === 'Identifier' && tag.name === 'gql') tagged.add(quasi.start);
    },
    TemplateLiteral: ({ start, end }) => report(start, end),
    Literal: ({ start, end, value }) => {
      if (typeof value === 'string') report(start, end);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

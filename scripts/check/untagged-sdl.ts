import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isExecutableDefinitionNode, parse } from 'graphql';
import { parseSync, Visitor, type TemplateLiteral } from 'oxc-parser';
import { own } from '@trellis/runtime/own-property';

/** How schemas begin. */
const SDL =
  /\b(?:type|interface|input|enum) \w+[^{}]*\{|\bextend (?:type|interface) \w+ *@|\bextend schema\s+@/;
/** Stands for a placeholder: a definition, so that a text can be parsed only where its placeholders stand between definitions. */
const DEFINITION = '\n"""\nof a placeholder\n"""\ndirective @placeholder on OBJECT\n';

/** Schemas that have to be texts. */
interface TextsForAReason {
  /** So many stand in the file. */
  readonly texts: number;
  readonly reason: string;
}

const PIECES = 'pieces that each pair of schemas puts together, repeats or replaces in another way';
const PLACES = 'lines and columns of errors and hints, or what stands between definitions';

/** Files with schemas that are texts for a reason. */
export const textsForAReason: Readonly<Record<string, TextsForAReason>> = {
  'cli/src/supergraph/check-usage.test.ts': {
    texts: 1,
    reason: 'pieces of it are replaced, and lines of reports count its lines',
  },
  'cli/src/supergraph/prove-window.test.ts': { texts: 20, reason: PIECES },
  'cli/testing/change-pairs/change-pair.ts': { texts: 2, reason: PIECES },
  'cli/testing/change-pairs/rule-pairs.ts': { texts: 11, reason: PIECES },
  'cli/testing/change-pairs/schema-pairs.ts': { texts: 20, reason: PIECES },
  'cli/testing/change-pairs/subgraph-pairs.ts': { texts: 33, reason: PIECES },
  'packages/composition/src/compose-supergraph.test.ts': { texts: 19, reason: PLACES },
  'packages/composition/src/one-of.test.ts': { texts: 3, reason: PLACES },
  'packages/composition/src/supergraph-config.test.ts': {
    texts: 1,
    reason: 'what a configuration has between its quotes',
  },
  'packages/composition/src/window/order-examples.ts': { texts: 34, reason: PIECES },
  'packages/composition/src/window/subgraph-version.ts': {
    texts: 1,
    reason: 'product code, which has no development dependency',
  },
};

/**
 * Finds schemas of GraphQL that stand in TypeScript as plain texts. By the tag `gql` editors, formatters and readers know them, and
 * what can't be parsed fails when the module is loaded. A text that can't be parsed is no schema, and so are an operation, and a text
 * whose placeholders stand within a definition: nothing that reads TypeScript could know those.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkUntaggedSdl(directory: string): readonly string[] {
  const listed = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mts', '*.cts'], {
    cwd: directory,
    encoding: 'utf8',
  });
  return listed
    .split('\0')
    .filter((path) => path !== '')
    .flatMap((path) => judgeTexts(path, findUntaggedSdl(path, readFileSync(join(directory, path), 'utf8'))));
}

/** What is wrong where a file has these schemas as plain texts. */
export function judgeTexts(path: string, found: readonly string[]): readonly string[] {
  const listed = own(textsForAReason, path);
  if (!listed) return found;
  const { texts, reason } = listed;
  if (found.length === texts) return [];
  const counted = `${path} has ${found.length} schemas as plain texts, and ${texts} for a reason (${reason}).`;
  return [`${counted} Tag the others gql, or write the number into scripts/check/untagged-sdl.ts.`];
}

/** @returns what is wrong in one file, one sentence each */
export function findUntaggedSdl(path: string, text: string): readonly string[] {
  if (!SDL.test(text)) return [];
  const tagged = new Set<number>();
  const found: string[] = [];
  const report = (start: number, sdl: string): void => {
    if (tagged.has(start) || !isSchema(sdl)) return;
    const line = text.slice(0, start).split('\n').length;
    found.push(`${path}:${line} has a schema as a plain text. Tag it gql.`);
  };
  new Visitor({
    TaggedTemplateExpression: ({ tag, quasi }) => {
      if (tag.type === 'Identifier' && tag.name === 'gql') tagged.add(quasi.start);
    },
    TemplateLiteral: (template) => report(template.start, textOf(template)),
    Literal: ({ start, value }) => {
      if (typeof value === 'string') report(start, value);
    },
  }).visit(parseSync(path, text).program);
  return found;
}

function textOf({ quasis }: TemplateLiteral): string {
  return quasis.map(({ value }) => value.cooked ?? '').join(DEFINITION);
}

/** Whether the tag could take it: definitions of types, and nothing else. */
function isSchema(text: string): boolean {
  if (!SDL.test(text)) return false;
  try {
    return !parse(text, { noLocation: true }).definitions.some(isExecutableDefinitionNode);
  } catch {
    return false;
  }
}

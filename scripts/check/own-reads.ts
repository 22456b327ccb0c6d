import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor, type CallExpression, type Expression } from 'oxc-parser';

/** Files that read an own property themselves, and why. */
export const readByThemselves: Readonly<Record<string, string>> = {
  'packages/runtime/src/own-property.ts': 'the one place',
  'packages/explorer/client/view/error-list.tsx':
    'a page for browsers, which is built of its own files and of packages of others alone',
  'examples/web/src/graph/describe-error.ts': 'an application that uses the platform from outside',
  'scripts/run.mjs': 'nothing is installed yet when it starts',
};

/**
 * Finds reads of own properties that are written out, `Object.hasOwn(table, key) ? table[key] : undefined`: `own` does that.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkOwnReads(directory: string): readonly string[] {
  const options = { cwd: directory, encoding: 'utf8', maxBuffer: 2 ** 24 } as const;
  const listed = execFileSync('git', ['ls-files', '-z', '*.ts', '*.tsx', '*.mjs'], options);
  return listed
    .split('\0')
    .filter((path) => path !== '' && !Object.hasOwn(readByThemselves, path))
    .flatMap((path) => findOwnReads(path, readFileSync(join(directory, path), 'utf8')));
}

/** @returns what is wrong in one file, one sentence each */
export function findOwnReads(path: string, text: string): readonly string[] {
  if (!text.includes('Object.hasOwn(')) return [];
  const found: string[] = [];
  new Visitor({
    ConditionalExpression: ({ start, test, consequent, alternate }) => {
      const isOwnRead =
        alternate.type === 'Identifier' &&
        alternate.name === 'undefined' &&
        askedIn(test).some((call) => reads(bare(consequent), call, text));
      if (isOwnRead)
        found.push(
          `${path}:${text.slice(0, start).split('\n').length} reads an own property. Use own of @trellis/runtime/own-property.`,
        );
    },
  }).visit(parseSync(path, text).program);
  return found;
}

/** The calls of `Object.hasOwn` that have to hold. */
function askedIn(test: Expression): readonly CallExpression[] {
  const asked = bare(test);
  if (asked.type === 'LogicalExpression' && asked.operator === '&&')
    return [...askedIn(asked.left), ...askedIn(asked.right)];
  if (asked.type !== 'CallExpression' || asked.callee.type !== 'MemberExpression') return [];
  const { object, property } = asked.callee;
  const isHasOwn = object.type === 'Identifier' && object.name === 'Object' && 'name' in property;
  return isHasOwn && property.name === 'hasOwn' ? [asked] : [];
}

function reads(value: Expression, { arguments: [object, key] }: CallExpression, text: string): boolean {
  if (value.type !== 'MemberExpression' || !value.computed || !object || !key) return false;
  if (object.type === 'SpreadElement' || key.type === 'SpreadElement') return false;
  const written = (node: Expression): string => text.slice(bare(node).start, bare(node).end);
  return written(value.object) === written(object) && written(value.property) === written(key);
}

/** Without parentheses and types around it. */
function bare(node: Expression): Expression {
  return node.type === 'ParenthesizedExpression' || node.type === 'TSAsExpression'
    ? bare(node.expression)
    : node;
}

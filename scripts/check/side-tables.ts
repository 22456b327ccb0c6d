import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';

/** Objects that may have a table at the top of a module: they are not ours, or of one request. */
const OF_ONE_REQUEST: ReadonlySet<string> = new Set(['AbortSignal', 'ServerResponse', 'PresentedProof']);
const PRIMITIVES: ReadonlySet<string> = new Set([
  'string',
  'number',
  'boolean',
  'symbol',
  'bigint',
  'undefined',
]);
const TABLES: ReadonlySet<string> = new Set(['Map', 'Set', 'WeakMap', 'WeakSet']);
const FUNCTIONS: ReadonlySet<string> = new Set([
  'FunctionDeclaration',
  'FunctionExpression',
  'ArrowFunctionExpression',
]);

/**
 * Finds tables at the top of modules that are keyed by objects: what is derived of a plan, step, shape, document or supergraph is a
 * private member of it, where it is seen and goes with it.
 *
 * @param directory the repository
 * @param folders relative to it; tests are passed over
 * @returns what is wrong, one sentence each
 */
export function checkSideTables(directory: string, folders: readonly string[]): readonly string[] {
  return folders.flatMap((folder) =>
    sourcesIn(join(directory, folder)).flatMap((path) =>
      findSideTables(path, readFileSync(join(directory, folder, path), 'utf8')).map(
        (problem) => `${folder}/${problem}`,
      ),
    ),
  );
}

function sourcesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts') && !path.endsWith('.d.ts'))
    .toSorted();
}

/** @returns what is wrong in one file, one sentence each */
export function findSideTables(path: string, text: string): readonly string[] {
  const found: string[] = [];
  const look = (value: unknown, annotation: string | undefined): void => {
    if (Array.isArray(value)) for (const element of value as readonly unknown[]) look(element, annotation);
    else if (isNode(value)) {
      const key = keyOf(value, annotation, text);
      if (key !== undefined && !isAllowed(key))
        found.push(
          `${path}:${text.slice(0, value.start).split('\n').length} has a table at the top of the module, keyed by ${key}. ` +
            'Make it a private member of what it is about.',
        );
      for (const child of childrenAtTop(value)) look(child, annotationOf(value, text) ?? annotation);
    }
  };
  look(parseSync(path, text).program.body, undefined);
  return found;
}

interface SyntaxNode {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [member: string]: unknown;
}

function isNode(value: unknown): value is SyntaxNode {
  return typeof value === 'object' && value !== null && 'type' in value && typeof value.type === 'string';
}

/** What is evaluated with the module: no bodies of functions, and of classes what is static. */
function childrenAtTop(node: SyntaxNode): readonly unknown[] {
  if (FUNCTIONS.has(node.type) || node.type.startsWith('TS')) return typeWrapped(node);
  if (node.type === 'PropertyDefinition' && node['static'] !== true) return [];
  if (isFrozen(node)) return []; // a constant
  return Object.values(node).filter((child) => typeof child === 'object' && child !== null);
}

function isFrozen({ type, callee }: SyntaxNode): boolean {
  return (
    type === 'CallExpression' &&
    isNode(callee) &&
    isNode(callee['property']) &&
    callee['property']['name'] === 'freeze'
  );
}

/** `… as Table`, `… satisfies Table`, `…!` hold an expression. */
function typeWrapped({ type, expression }: SyntaxNode): readonly unknown[] {
  return type.startsWith('TS') && expression !== undefined ? [expression] : [];
}

/** The type that a variable or member is given, as it is written. */
function annotationOf({ type, id, typeAnnotation }: SyntaxNode, text: string): string | undefined {
  const given = type === 'VariableDeclarator' && isNode(id) ? id['typeAnnotation'] : typeAnnotation;
  return isNode(given) ? text.slice(given.start, given.end) : undefined;
}

/** What a table that is made here is keyed by; absent where this makes none, or one of constants. */
function keyOf(node: SyntaxNode, annotation: string | undefined, text: string): string | undefined {
  const { type, callee, typeArguments, arguments: given } = node;
  if (type !== 'NewExpression' || !isNode(callee) || !TABLES.has(String(callee['name']))) return undefined;
  const written = isNode(typeArguments) ? text.slice(typeArguments.start, typeArguments.end) : annotation;
  const key = /<\s*([^,<>]+)/u.exec(written ?? '')?.[1]?.trim();
  if (key !== undefined) return key;
  const isConstant = (Array.isArray(given) && given.length > 0) || annotation !== undefined;
  return isConstant && !String(callee['name']).startsWith('Weak') ? undefined : 'what it does not say';
}

function isAllowed(key: string): boolean {
  return key
    .split('|')
    .map((part) => part.trim())
    .every((part) => PRIMITIVES.has(part) || OF_ONE_REQUEST.has(part) || /^['"`\d]/u.test(part));
}

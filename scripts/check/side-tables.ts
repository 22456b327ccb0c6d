import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, type Program } from 'oxc-parser';
import { filesBelow } from '../programs/files-below.ts';

/** Where product code is. */
const FOLDERS: readonly string[] = ['gateway/src', 'auth-server/src', 'cli/src', 'packages', 'services'];
const SOURCES =
  /^(?!.*(?:^|\/)(?:generated|dist|node_modules|proofs)\/)(?!.*\.(?:test|d)\.tsx?$).*(?:\/src\/|\/client\/).*\.tsx?$/;

/** Without either there is nothing to find. */
const HINTS = /\bnew (?:Weak)?(?:Map|Set)\b|^(?:export )?(?:let|var)\b/mu;

/**
 * What may stand at the top of a module all the same, and why: tables by the objects that they are keyed by; tables that are keyed by
 * texts or numbers, and variables, by file and name.
 */
export const allowedAtTop: Readonly<Record<string, string>> = {
  AbortSignal: 'of the platform: what watches one can not be a member of it',
  ServerResponse: "of Node: what ends a request's admission has nothing else in common with what began it",
  'gateway/src/http/message/media-types.ts modesByHeader':
    'at most 100 headers; what one means depends on nothing else',
  'gateway/src/http/websocket/wire-protocol.ts heads':
    'bounded beginnings of messages, which connections of a protocol share; an id is all that they depend on',
  'gateway/src/testing/compose.ts compositions': 'of tests: what equal subgraphs compose to',
  'packages/postgres/src/testing/check-rows.setup.ts mismatches': 'of tests: what the file has found so far',
  'packages/registry/src/stores/git-store.ts repositories': 'what the process removes when it exits',
  'auth-server/src/passwords/common-passwords.ts filter': 'a constant, read from its file at the first use',
  'gateway/src/app/worker.ts gateway': 'a program: what its messages are about',
  'gateway/src/app/worker.ts logger': 'a program: what its messages are about',
  'gateway/src/app/worker.ts listen': 'a program: what its messages are about',
  'gateway/src/planning/threads/planning-budget.ts clock':
    'the clock of the thread, whose file is opened once',
  'gateway/src/planning/threads/worker-thread.ts ahead':
    'the thread that a process starts before it has a pool',
  'packages/http1/src/server/plain-messages.ts date':
    'the text of this second, for every response of the process',
  'packages/http1/src/server/plain-messages.ts dateOf': 'the second of that text',
};

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

/** State at the top of a module. */
export interface StateAtTop {
  readonly path: string;
  readonly line: number;
  readonly kind: 'table' | 'variable';
  /** Of a variable its name, of a table what it is keyed by. */
  readonly name: string;
  /** The variable or member that holds it. */
  readonly holder: string;
}

/**
 * Finds state at the top of modules: tables that are filled later, and variables. What is derived of a plan, a client or a key is
 * a private member of it, where it is seen and goes with it; what changes belongs to what changes it, and has a bound and an end.
 *
 * @param directory the repository
 * @returns what is wrong, one sentence each
 */
export function checkSideTables(directory: string): readonly string[] {
  const paths = FOLDERS.flatMap((folder) => filesBelow(directory, folder)).filter((path) =>
    SOURCES.test(path),
  );
  const found = paths
    .toSorted()
    .flatMap((path) => findStateAtTop(path, readFileSync(join(directory, path), 'utf8')));
  const needed = new Set(found.flatMap(exceptionsFor));
  return [
    ...found.filter((state) => !isAllowed(state)).map(sentenceOf),
    ...Object.keys(allowedAtTop)
      .filter((exception) => !needed.has(exception))
      .map((exception) => `${exception} is an exception of scripts/check/side-tables.ts that nothing needs.`),
  ];
}

/** Whether it stands among the exceptions. */
export function isAllowed(state: StateAtTop): boolean {
  return exceptionsFor(state).every((exception) => Object.hasOwn(allowedAtTop, exception));
}

function exceptionsFor({ kind, path, name, holder }: StateAtTop): readonly string[] {
  const parts = partsOf(name);
  if (kind === 'variable' || parts.every(isPrimitive)) return [`${path} ${holder}`];
  return parts.filter((part) => !isPrimitive(part));
}

function sentenceOf({ path, line, kind, name }: StateAtTop): string {
  return kind === 'table'
    ? `${path}:${line} has a table at the top of the module, keyed by ${name}. Make it a private member of what it is about.`
    : `${path}:${line} has a variable at the top of the module, ${name}. Make it a member of what changes it.`;
}

/** @returns all of one file, exceptions included */
export function findStateAtTop(path: string, text: string): readonly StateAtTop[] {
  if (!HINTS.test(text)) return [];
  const { program } = parseSync(path, text);
  return [...tablesIn(program, text), ...variablesIn(program)].map(({ start, ...state }) => {
    return { path, line: text.slice(0, start).split('\n').length, ...state };
  });
}

interface PlacedState extends Pick<StateAtTop, 'kind' | 'name' | 'holder'> {
  readonly start: number;
}

function variablesIn({ body }: Program): readonly PlacedState[] {
  return body
    .map((node) => (node.type === 'ExportNamedDeclaration' ? node.declaration : node))
    .filter((node) => node?.type === 'VariableDeclaration')
    .filter(({ kind, declare }) => (kind === 'let' || kind === 'var') && declare !== true)
    .flatMap(({ declarations }) => declarations)
    .map(({ start, id }) => {
      const name = id.type === 'Identifier' ? id.name : 'a pattern';
      return { start, kind: 'variable', name, holder: name };
    });
}

function tablesIn({ body }: Program, text: string): readonly PlacedState[] {
  const found: PlacedState[] = [];
  const look = (value: unknown, annotation: string | undefined, holder: string): void => {
    if (Array.isArray(value))
      for (const element of value as readonly unknown[]) look(element, annotation, holder);
    else if (isNode(value)) {
      const key = keyOf(value, annotation, text);
      if (key !== undefined && !(partsOf(key).every(isPrimitive) && isFilled(value)))
        found.push({ start: value.start, kind: 'table', name: key, holder });
      for (const child of childrenAtTop(value))
        look(child, annotationOf(value, text) ?? annotation, holderIn(value) ?? holder);
    }
  };
  look(body, undefined, 'no variable');
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

/** What is made with its content, by texts or numbers, is a constant. */
function isFilled({ arguments: given }: SyntaxNode): boolean {
  return Array.isArray(given) && given.length > 0;
}

/** The name of a variable or member. */
function holderIn({ type, id, key }: SyntaxNode): string | undefined {
  const named = type === 'VariableDeclarator' ? id : key;
  return isNode(named) && typeof named['name'] === 'string' ? named['name'] : undefined;
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
  if (/^:\s*Readonly(?:Map|Set)\b/u.test(annotation ?? '')) return undefined; // nothing is added to it
  const written = isNode(typeArguments) ? text.slice(typeArguments.start, typeArguments.end) : annotation;
  const key = /<\s*([^,<>]+)/u.exec(written ?? '')?.[1]?.trim();
  if (key !== undefined) return key;
  const isConstant = (Array.isArray(given) && given.length > 0) || annotation !== undefined;
  return isConstant && !String(callee['name']).startsWith('Weak') ? undefined : 'what it does not say';
}

function partsOf(key: string): readonly string[] {
  return key.split('|').map((part) => part.trim());
}

function isPrimitive(part: string): boolean {
  return PRIMITIVES.has(part) || /^['"`\d]/u.test(part);
}

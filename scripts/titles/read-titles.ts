import { parseSync, Visitor, type BinaryExpression, type CallExpression, type Expression } from 'oxc-parser';

/** A test as its file writes it. */
export interface TestTitle {
  /** Those of the groups around it, then its own, with ` > ` between them. A table of rows is one title. */
  readonly title: string;
  /** From 1. */
  readonly line: number;
  /** What the test does, as it is written. */
  readonly body: string;
}

type Node = CallExpression['arguments'][number];

/**
 * Reads the titles of all tests that a file defines, without running it. What a title takes from elsewhere is `…`.
 *
 * @param path its ending gives the language
 * @throws Error when the text is no TypeScript
 */
export function readTitles(path: string, text: string): readonly TestTitle[] {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} can't be parsed: ${error.message}`);
  const titles: TestTitle[] = [];
  const groups: string[] = [];
  new Visitor({
    CallExpression: (call) => {
      const kind = kindOf(call);
      if (kind === undefined) return;
      const title = readTitle(call.arguments[0], text);
      if (kind === 'group') groups.push(title);
      else
        titles.push({
          title: [...groups, title].join(' > '),
          line: text.slice(0, call.start).split('\n').length,
          body: call.arguments.slice(1).map(textOf(text)).join(', '),
        });
    },
    'CallExpression:exit': (call) => {
      if (kindOf(call) === 'group') groups.pop();
    },
  }).visit(program);
  return titles;
}

const kinds: ReadonlyMap<string, 'group' | 'test'> = new Map([
  ['describe', 'group'],
  ['it', 'test'],
  ['test', 'test'],
]);
/** What a call with a table or a condition returns takes title and test. */
const TAKES_TITLE_LATER: ReadonlySet<string> = new Set(['each', 'for', 'skipIf', 'runIf']);

/** `it('…')`, `it.skip('…')`, `it.each(rows)('…')`; not `it.each(rows)` by itself, nor `test.extend({})`. */
function kindOf({ callee, arguments: args }: CallExpression): 'group' | 'test' | undefined {
  if (args.length < 2) return undefined;
  if (callee.type === 'Identifier') return kinds.get(callee.name);
  if (callee.type === 'CallExpression') {
    const name = lastName(callee.callee);
    return name !== undefined && TAKES_TITLE_LATER.has(name) ? kindOfChain(callee.callee) : undefined;
  }
  if (callee.type === 'TaggedTemplateExpression') return kindOfChain(callee.tag);
  const name = lastName(callee);
  return name === undefined || TAKES_TITLE_LATER.has(name) ? undefined : kindOfChain(callee);
}

/** Of `it.concurrent.skip`. */
function kindOfChain(node: Expression): 'group' | 'test' | undefined {
  if (node.type === 'Identifier') return kinds.get(node.name);
  if (node.type === 'CallExpression') return kindOfChain(node.callee);
  return lastName(node) !== undefined && node.type === 'MemberExpression'
    ? kindOfChain(node.object)
    : undefined;
}

const modifiers: ReadonlySet<string> = new Set([
  ...TAKES_TITLE_LATER,
  'skip',
  'only',
  'todo',
  'fails',
  'concurrent',
  'sequential',
  'shuffle',
]);

function lastName(node: Expression): string | undefined {
  if (node.type !== 'MemberExpression' || node.property.type !== 'Identifier') return undefined;
  return modifiers.has(node.property.name) ? node.property.name : undefined;
}

function readTitle(node: Node | BinaryExpression['left'] | undefined, text: string): string {
  if (node?.type === 'Literal') return String(node.value);
  if (node?.type === 'TemplateLiteral') return node.quasis.map(({ value }) => value.cooked ?? '').join('…');
  if (node?.type === 'BinaryExpression' && node.operator === '+')
    return `${readTitle(node.left, text)}${readTitle(node.right, text)}`;
  return node?.type === 'Identifier' ? textOf(text)(node) : '…';
}

function textOf(text: string): (node: Node) => string {
  return ({ start, end }) => text.slice(start, end);
}

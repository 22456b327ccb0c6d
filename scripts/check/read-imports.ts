import { parseSync, Visitor, type Argument, type CallExpression, type NewExpression } from 'oxc-parser';

/** What a source file asks for from elsewhere. */
export interface ReadImports {
  /** As they are written, in their order: imports and exports from, types alone too, dynamic imports and addresses. */
  readonly specifiers: readonly string[];
  /** Lines whose dynamic import is computed, so that what it loads is unknown. */
  readonly computed: readonly number[];
}

/**
 * Reads what a source file imports, in whichever way: `import`, `export … from`, `import type`, `import('…')` as a value and
 * as a type, `new URL('…', import.meta.url)`, `import.meta.resolve('…')`, `require('…')` and `require.resolve('…')`.
 *
 * @param path its ending gives the language
 * @throws Error when the text is no TypeScript or JavaScript
 */
export function readImports(path: string, text: string): ReadImports {
  const { program, errors } = parseSync(path, text);
  const [error] = errors;
  if (error !== undefined) throw new Error(`${path} can't be parsed: ${error.message}`);
  const specifiers: string[] = [];
  const computed: number[] = [];
  const add = (specifier: string | undefined): void => {
    if (specifier !== undefined) specifiers.push(specifier);
  };
  new Visitor({
    ImportDeclaration: ({ source }) => add(source.value),
    ExportAllDeclaration: ({ source }) => add(source.value),
    ExportNamedDeclaration: ({ source }) => add(source?.value),
    TSImportType: ({ source }) => add(source.value),
    TSExternalModuleReference: ({ expression }) => add(expression.value),
    ImportExpression: ({ source, start }) => {
      const specifier = literalOf(source);
      if (specifier === undefined) computed.push(text.slice(0, start).split('\n').length);
      add(specifier);
    },
    NewExpression: (node) => add(addressOf(node)),
    CallExpression: (node) => add(resolvedBy(node)),
  }).visit(program);
  return { specifiers, computed };
}

/** `…` of `new URL('…', import.meta.url)`. */
function addressOf({ callee, arguments: [address, base] }: NewExpression): string | undefined {
  const isUrl = callee.type === 'Identifier' && callee.name === 'URL';
  return isUrl && isOfImportMeta(base, 'url') ? literalOf(address) : undefined;
}

/** `…` of `import.meta.resolve('…')`, `require('…')` and `require.resolve('…')`. */
function resolvedBy({ callee, arguments: [specifier] }: CallExpression): string | undefined {
  const asked =
    callee.type === 'MemberExpression' && isNamed(callee.property, 'resolve') ? callee.object : callee;
  return isOfImportMeta(callee, 'resolve') || isNamed(asked, 'require') ? literalOf(specifier) : undefined;
}

type Part = Argument | { readonly type: 'PrivateIdentifier' } | undefined;

function isNamed(node: Part, name: string): boolean {
  return node?.type === 'Identifier' && node.name === name;
}

function isOfImportMeta(node: Part, name: string): boolean {
  return (
    node?.type === 'MemberExpression' &&
    node.object.type === 'MetaProperty' &&
    node.object.property.name === 'meta' &&
    isNamed(node.property, name)
  );
}

/** A string that is written out; of a template what stands before its first expression, up to the last folder. */
function literalOf(node: Part): string | undefined {
  if (node?.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined;
  if (node?.type !== 'TemplateLiteral') return undefined;
  const start = node.quasis[0]?.value.cooked ?? '';
  if (node.expressions.length === 0) return start;
  return start.includes('/') ? start.slice(0, start.lastIndexOf('/') + 1) : undefined;
}

import { isEnumType, type GraphQLLeafType } from 'graphql';
import type { FieldShape, ObjectShape, SelectionShape, ValueShape } from './response-shape.ts';

/** Writes responses of one operation. */
export interface ResponseWriter {
  /**
   * Writes a response as JSON, and checks each value while it does.
   *
   * @param data merged data without failures
   * @param quote writes a string as JSON
   * @returns nothing when anything is not as it must be: then the slow path finds out what
   */
  write(data: unknown, quote: (text: string) => string): string | undefined;
  /** How many objects were in the response that was written last, as an execution's result counts them. */
  objects(): number;
}

/** Functions of one writer: an operation that needs more is completed by the slow path. */
const MAX_FUNCTIONS = 400;

/**
 * Compiles the writer of a selection. What is accepted is written just as the slow path would; there is no error
 * logic here, one constant stands for everything that may be wrong.
 *
 * Code is made from names of the schema and keys of the operation, which are GraphQL names, and from nothing else.
 *
 * @param unitedPaths where one object stands in many places, as paths in the data: it is written once
 * @returns nothing when there is no writer for it: fields that are answered here, or a runtime that makes no code
 */
export function compileWriter(
  selection: SelectionShape,
  unitedPaths: ReadonlySet<string> = new Set(),
): ResponseWriter | undefined {
  const compiler = new WriterCompiler(unitedPaths);
  const root = compiler.object(selection, []);
  if (root === undefined || compiler.hasGivenUp) return undefined;
  try {
    // oxlint-disable-next-line typescript/no-implied-eval, no-new-func -- names only, see above; the fallback is the slow path
    const make = new Function('enums', 'bail', compiler.source(root)) as WriterFactory;
    return make(compiler.enums, bail);
  } catch {
    return undefined; // code generation is not allowed in this process
  }
}

type WriterFactory = (enums: readonly ReadonlySet<unknown>[], thrown: symbol) => ResponseWriter;

const bail = Symbol('bail');

/** From the root of the data; `@` stands for each element of a list. */
type Path = readonly string[];

class WriterCompiler {
  readonly enums: ReadonlySet<unknown>[] = [];
  hasGivenUp = false;
  readonly #functions: string[] = [];
  readonly #nameOf = new Map<SelectionShape, string>();
  readonly #unitedPaths: ReadonlySet<string>;
  /**
   * Names of the maps from objects to their text. Each response has new ones: a map that is cleared leaves its table behind,
   * which keeps all that was in it alive once it is old.
   */
  readonly #texts: string[] = [];

  constructor(unitedPaths: ReadonlySet<string>) {
    this.#unitedPaths = unitedPaths;
  }

  source(root: string): string {
    return `'use strict';
const stringify = JSON.stringify;
let objects = 0;
${this.#texts.map((name) => `let ${name};`).join('\n')}
${this.#functions.join('\n')}
const write = (data, quote) => {
  objects = -1;
${this.#texts.map((name) => `  ${name} = new Map();`).join('\n')}
  try { return ${root}(data, quote); }
  catch (error) { if (error === bail) return undefined; throw error; }
  finally { ${this.#texts.map((name) => `${name} = undefined;`).join(' ')} }
};
return { write, objects: () => objects };`;
  }

  /** @returns the name of the function that writes an object of the selection */
  object(selection: SelectionShape, path: Path): string | undefined {
    const known = this.#nameOf.get(selection);
    if (known !== undefined) return known;
    const name = `w${this.#nameOf.size}`;
    const isUnited = this.#unitedPaths.has(path.join(' '));
    this.#nameOf.set(selection, isUnited ? `${name}once` : name);
    if (this.#nameOf.size > MAX_FUNCTIONS) this.hasGivenUp = true;
    if (this.hasGivenUp) return undefined;
    this.#functions.push(`function ${name}(o, quote) {
  if (typeof o !== 'object' || o === null || Array.isArray(o)) throw bail;
  objects += 1;
${this.#byType(selection, path)}
}`);
    return isUnited ? this.#once(name) : name;
  }

  /**
   * A text that was put together is copied piece by piece wherever it stands, unless it is made one piece first: reading a number
   * from it does that.
   */
  #once(name: string): string {
    const texts = `${name}texts`;
    this.#texts.push(texts);
    this.#functions.push(`function ${name}once(o, quote) {
  let t = ${texts}.get(o);
  if (t === undefined) { t = ${name}(o, quote); Number(t); ${texts}.set(o, t); }
  else objects += 1;
  return t;
}`);
    return `${name}once`;
  }

  #byType(selection: SelectionShape, path: Path): string {
    const { onlyType } = selection;
    if (onlyType !== undefined) {
      const check = `  if (o.__typename !== undefined && o.__typename !== ${JSON.stringify(onlyType)}) throw bail;\n`;
      return `${check}${this.#fields(selection.of(onlyType), path)}`;
    }
    const cases = selection
      .possibleTypes()
      .map((type) => `    case ${JSON.stringify(type)}: {\n${this.#fields(selection.of(type), path)}\n    }`);
    return `  switch (o.__typename) {\n${cases.join('\n')}\n    default: throw bail;\n  }`;
  }

  #fields(shape: ObjectShape | undefined, path: Path): string {
    if (shape && shape.deferred.length > 0) this.hasGivenUp = true; // the slow path notes where
    if (!shape?.isObject || shape.denial) return '  throw bail;';
    const lines = ["  let t = '';", '  let v;'];
    for (const [index, field] of shape.fields.entries()) lines.push(this.#field(field, shape, path, index));
    return [...lines, shape.fields.length === 0 ? "  return '{}';" : "  return t + '}';"].join('\n');
  }

  #field(field: FieldShape, shape: ObjectShape, path: Path, index: number): string {
    const key = JSON.stringify(`${index === 0 ? '{' : ','}${JSON.stringify(field.responseKey)}:`);
    if (field.denial || field.kind === 'introspection') {
      this.hasGivenUp = true;
      return '';
    }
    if (field.kind === 'typename')
      return `  t += ${key} + ${JSON.stringify(JSON.stringify(shape.typeName))};`;
    const value = this.#value(field.value, [...path, field.sourceKey], 'v', `t += ${key}`);
    return `  v = o[${JSON.stringify(field.sourceKey)}];\n${value}`;
  }

  /** Statements that append a value, or throw. */
  #value(shape: ValueShape, path: Path, value: string, append: string): string {
    const onNull = shape.nullable ? `${append} + 'null';` : 'throw bail;';
    return `  if (${value} === null) ${onNull === 'throw bail;' ? onNull : `{ ${onNull} }`}\n  else { ${this.#present(shape, path, value, append)} }`;
  }

  #present(shape: ValueShape, path: Path, value: string, append: string): string {
    switch (shape.kind) {
      case 'leaf':
        return this.#leaf(shape.type, value, append);
      case 'object':
        return `${append} + ${this.object(shape.selection, path) ?? 'undefined'}(${value}, quote);`;
      case 'list':
        return `${append} + ${this.#list(shape.item, [...path, '@'])}(${value}, quote);`;
      default:
        return shape satisfies never;
    }
  }

  #list(item: ValueShape, path: Path): string {
    const name = `l${this.#functions.length}`;
    this.#functions.push('');
    const index = this.#functions.length - 1;
    this.#functions[index] = `function ${name}(list, quote) {
  if (!Array.isArray(list)) throw bail;
  if (list.length === 0) return '[]';
  let t = '[';
  for (let i = 0; i < list.length; i++) {
    if (i !== 0) t += ',';
    const v = list[i];
  ${this.#value(item, path, 'v', "t += ''")}
  }
  return t + ']';
}`;
    return name;
  }

  #leaf(type: GraphQLLeafType, value: string, append: string): string {
    if (isEnumType(type)) {
      this.enums.push(new Set(type.getValues().map(({ name }) => name)));
      return `if (!enums[${this.enums.length - 1}].has(${value})) throw bail; ${append} + '"' + ${value} + '"';`;
    }
    switch (type.name) {
      case 'Int':
        return `if ((${value} | 0) !== ${value}) throw bail; ${append} + ${value};`;
      case 'Float':
        return `if (typeof ${value} !== 'number' || !isFinite(${value})) throw bail; ${append} + ${value};`;
      case 'Boolean':
        return `if (typeof ${value} !== 'boolean') throw bail; ${append} + ${value};`;
      case 'String':
      case 'ID':
        return `if (typeof ${value} !== 'string') throw bail; ${append} + quote(${value});`;
      default:
        return `if (${value} === undefined) throw bail; ${append} + stringify(${value});`;
    }
  }
}

import {
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLArgument,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLSchema,
} from 'graphql';
import {
  IncrementalLabelsRule,
  IncrementalRootRule,
  StreamedListRule,
  StreamOverlapRule,
} from '../../src/operation/validation/incremental-rules.ts';
import type { Random } from '@trellis/testkit/random';

/** An operation made at random, valid by its schema. */
export interface RandomOperation {
  readonly text: string;
  readonly document: DocumentNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What an operation may be made of. */
export interface OperationTaste {
  readonly maxDepth: number;
  /** Whether fragments may be deferred, and lists streamed. */
  readonly defer: boolean;
  readonly root: 'query' | 'mutation';
  /** Whether aliases may be names of fields, or of what objects inherit. @default true */
  readonly awkwardAliases?: boolean;
}

/** Keys that ordinary aliases are chosen from: names with a meaning elsewhere, and names that collide. */
const AWKWARD_ALIASES =
  'id upc name price email username size key value title __proto__ constructor prototype toString hasOwnProperty then _entities _service data'.split(
    ' ',
  );

const RULES = [
  ...specifiedRules,
  IncrementalLabelsRule,
  IncrementalRootRule,
  StreamedListRule,
  StreamOverlapRule,
];

/** Makes valid operations: what validation rejects is dropped and made again. */
export function randomOperation(
  schema: GraphQLSchema,
  random: Random,
  taste: OperationTaste,
): RandomOperation {
  for (;;) {
    const made = new OperationMaker(schema, random, taste).make();
    if (validate(schema, made.document, RULES).length === 0) return made;
  }
}

class OperationMaker {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  readonly #taste: OperationTaste;
  readonly #fragments: string[] = [];
  readonly #variables = new Map<string, unknown>();
  readonly #definitions: string[] = [];
  #defers = 0;

  constructor(schema: GraphQLSchema, random: Random, taste: OperationTaste) {
    this.#schema = schema;
    this.#random = random;
    this.#taste = taste;
  }

  make(): RandomOperation {
    const { root, maxDepth } = this.#taste;
    const type = root === 'query' ? this.#schema.getQueryType() : this.#schema.getMutationType();
    if (!type) throw new Error(`The schema has no ${root} type.`);
    const selections = this.#selections(type, maxDepth);
    const definitions = this.#definitions.length > 0 ? `(${this.#definitions.join(', ')})` : '';
    const text = [`${root} Random${definitions} ${selections}`, ...this.#fragments].join('\n');
    return { text, document: parse(text), variables: Object.fromEntries(this.#variables) };
  }

  #selections(type: GraphQLCompositeType, depth: number): string {
    const count = 1 + this.#random.below(4);
    const made = Array.from({ length: count }, () => this.#selection(type, depth));
    return `{ ${made.join(' ')} }`;
  }

  #selection(type: GraphQLCompositeType, depth: number): string {
    const share = isAbstractType(type) ? 45 : 12;
    if (depth > 0 && this.#random.chance(share)) return this.#fragment(type, depth);
    if (this.#random.chance(8)) return `${this.#random.chance(30) ? 'kind: ' : ''}__typename`;
    const fields = 'getFields' in type ? Object.values(type.getFields()) : [];
    const usable = fields.filter((field) => depth > 0 || !isCompositeType(getNamedType(field.type)));
    return usable.length === 0 ? '__typename' : this.#field(this.#random.pick(usable), depth);
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const named = getNamedType(field.type);
    const given = field.args
      .filter((argument) => isNonNullType(argument.type) || this.#random.chance(50))
      .map((argument) => this.#argument(argument));
    const values = given.length > 0 ? `(${given.join(', ')})` : '';
    const below = isCompositeType(named) ? ` ${this.#selections(named, depth - 1)}` : '';
    return `${this.#alias(field, values)}${field.name}${values}${this.#condition()}${this.#stream(field)}${below}`;
  }

  /** Different arguments need different keys; beside that, some fields are renamed for no reason at all. */
  #alias(field: GraphQLField<unknown, unknown>, values: string): string {
    const { awkwardAliases = true } = this.#taste;
    if (awkwardAliases && this.#random.chance(10)) return `${this.#random.pick(AWKWARD_ALIASES)}: `;
    return values !== '' && this.#random.chance(70) ? `${field.name}${this.#random.below(50)}: ` : '';
  }

  #fragment(type: GraphQLCompositeType, depth: number): string {
    const target = this.#random.chance(70) ? this.#random.pick(this.#overlapping(type)) : type;
    const directives = `${this.#condition()}${this.#defer()}`;
    if (this.#random.chance(40)) {
      const name = `F${this.#fragments.length}`;
      this.#fragments.push(''); // its number is taken before those within
      const index = this.#fragments.length - 1;
      this.#fragments[index] = `fragment ${name} on ${target.name} ${this.#selections(target, depth - 1)}`;
      const again = this.#random.chance(15) ? ` ...${name}` : '';
      return `...${name}${directives}${again}`;
    }
    const condition = target === type && this.#random.chance(50) ? '' : ` on ${target.name}`;
    return `...${condition}${directives} ${this.#selections(target, depth - 1)}`;
  }

  #overlapping(type: GraphQLCompositeType): readonly GraphQLCompositeType[] {
    const possible = isObjectType(type) ? [type] : this.#schema.getPossibleTypes(type);
    const abstract = Object.values(this.#schema.getTypeMap()).filter(
      (candidate) =>
        isAbstractType(candidate) && possible.some((object) => this.#schema.isSubType(candidate, object)),
    ) as GraphQLCompositeType[];
    return [...possible, ...possible, ...abstract];
  }

  #condition(): string {
    if (!this.#random.chance(12)) return '';
    const directive = this.#random.pick(['skip', 'include']);
    return ` @${directive}(if: ${this.#boolean()})`;
  }

  #defer(): string {
    if (!this.#taste.defer || !this.#random.chance(50)) return '';
    this.#defers += 1;
    const label = this.#random.chance(50) ? `label: "L${this.#defers}"` : '';
    const condition = this.#random.chance(30) ? `if: ${this.#boolean()}` : '';
    const values = [label, condition].filter((text) => text !== '').join(', ');
    return ` @defer${values && `(${values})`}`;
  }

  #stream({ type }: GraphQLField<unknown, unknown>): string {
    if (!this.#taste.defer || !isListType(getNullableType(type)) || !this.#random.chance(35)) return '';
    this.#defers += 1;
    const label = this.#random.chance(50) ? `label: "L${this.#defers}"` : '';
    const condition = this.#random.chance(20) ? `if: ${this.#boolean()}` : '';
    const count = this.#random.chance(80) ? `initialCount: ${this.#count()}` : '';
    const values = [label, condition, count].filter((text) => text !== '').join(', ');
    return ` @stream${values && `(${values})`}`;
  }

  #count(): string {
    if (this.#random.chance(60)) return String(this.#random.below(4));
    const name = `n${this.#random.below(3)}`;
    if (!this.#variables.has(name)) {
      this.#definitions.push(`$${name}: Int${this.#random.chance(50) ? '!' : ' = 2'}`);
      this.#variables.set(name, this.#random.below(4));
    }
    return `$${name}`;
  }

  #boolean(): string {
    if (this.#random.chance(40)) return String(this.#random.chance(50));
    const name = `b${this.#random.below(4)}`;
    if (!this.#variables.has(name)) {
      const hasDefault = this.#random.chance(25);
      this.#definitions.push(hasDefault ? `$${name}: Boolean = true` : `$${name}: Boolean!`);
      this.#variables.set(name, hasDefault && this.#random.chance(50) ? true : this.#random.chance(60));
    }
    return `$${name}`;
  }

  #argument(argument: GraphQLArgument): string {
    if (this.#random.chance(50)) return `${argument.name}: ${literal(this.#value(argument.type))}`;
    const name = this.#random.chance(5) ? `__proto__${this.#variables.size}` : `v${this.#variables.size}`;
    this.#definitions.push(`$${name}: ${String(argument.type)}`);
    this.#variables.set(name, asJson(this.#value(argument.type)));
    return `${argument.name}: $${name}`;
  }

  #value(type: GraphQLInputType): Value {
    if (isNonNullType(type)) return this.#value(type.ofType);
    if (isListType(type)) return [this.#value(type.ofType), this.#value(type.ofType)];
    if (isEnumType(type)) return { enumValue: this.#random.pick(type.getValues()).name };
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        ({ type: inner }) => isNonNullType(inner) || this.#random.chance(60),
      );
      return { members: fields.map((field): [string, Value] => [field.name, this.#value(field.type)]) };
    }
    return this.#scalar(String(type));
  }

  #scalar(name: string): Value {
    switch (name) {
      case 'Int':
        return this.#random.below(100);
      case 'Float':
        return this.#random.below(100) / 4;
      case 'Boolean':
        return this.#random.chance(50);
      case 'ID':
        return `id-${this.#random.below(24)}`;
      default:
        return this.#random.pick(['text', 'a "quoted" one', 'ž', '']);
    }
  }
}

type Value =
  | string
  | number
  | boolean
  | readonly Value[]
  | { readonly enumValue: string }
  | { readonly members: readonly (readonly [string, Value])[] };

function literal(value: Value): string {
  if (typeof value !== 'object') return JSON.stringify(value);
  if ('enumValue' in value) return value.enumValue;
  if ('members' in value)
    return `{${value.members.map(([name, inner]) => `${name}: ${literal(inner)}`).join(', ')}}`;
  return `[${value.map(literal).join(', ')}]`;
}

function asJson(value: Value): unknown {
  if (typeof value !== 'object') return value;
  if ('enumValue' in value) return value.enumValue;
  if ('members' in value)
    return Object.fromEntries(value.members.map(([name, inner]) => [name, asJson(inner)]));
  return value.map(asJson);
}

import {
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isNonNullType,
  isObjectType,
  type GraphQLCompositeType,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { createRandom, type Random } from '@trellis/testkit/random';

const MIN_CHARACTERS = 300;
const MAX_CHARACTERS = 3_000;
const MAX_DEPTH = 6;
/** As many as the guards allow. */
const MAX_ALIASES = 10;
/** Lists are asked for by so few that no operation costs too much. */
const MAX_LENGTH = 2;

/**
 * Queries as applications send them, each with another shape, other aliases and another name: from 300 to 3,000 characters,
 * most of them towards the shorter end.
 */
export class VariedOperations {
  readonly #schema: GraphQLSchema;

  /** @param schema of clients */
  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** The same for the same number. */
  text(number: number): string {
    for (let attempt = 0; ; attempt += 1) {
      const random = createRandom(number * 1_000 + attempt);
      const share = (random.below(1_000) / 1_000) ** 2;
      const wanted = MIN_CHARACTERS + (MAX_CHARACTERS - MIN_CHARACTERS) * share;
      const text = `query Page${number} ${new QueryMaker(this.#schema, random).selections(wanted)}`;
      if (text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS) return text;
    }
  }
}

class QueryMaker {
  readonly #schema: GraphQLSchema;
  readonly #random: Random;
  #aliases = 0;

  constructor(schema: GraphQLSchema, random: Random) {
    this.#schema = schema;
    this.#random = random;
  }

  /** Of the root, until there are so many characters, or nothing is left. */
  selections(characters: number): string {
    const root = this.#schema.getQueryType();
    if (!root) throw new Error('The schema has no query type.');
    const fields = this.#shuffled(Object.values(root.getFields()));
    let text = '';
    for (const field of fields) {
      if (text.length < characters) text += ` ${this.#field(field, MAX_DEPTH)}`;
    }
    return `{${text} }`;
  }

  #field(field: GraphQLField<unknown, unknown>, depth: number): string {
    const named = getNamedType(field.type);
    const below = isCompositeType(named) ? ` { ${this.#selections(named, depth - 1)} }` : '';
    return `${this.#alias(field.name)}${field.name}${this.#arguments(field)}${below}`;
  }

  #alias(name: string): string {
    if (this.#aliases === MAX_ALIASES || !this.#random.chance(25)) return '';
    this.#aliases += 1;
    return `${name}${this.#random.below(1_000)}: `;
  }

  #selections(type: GraphQLCompositeType, depth: number): string {
    if (!isObjectType(type)) return this.#ofTypes(this.#schema.getPossibleTypes(type), depth);
    const usable = Object.values(type.getFields()).filter(
      (field) => depth > 1 || !isCompositeType(getNamedType(field.type)),
    );
    if (usable.length === 0) return '__typename';
    const count = 1 + this.#random.below(8);
    return this.#shuffled(usable)
      .slice(0, count)
      .map((field) => this.#field(field, depth))
      .join(' ');
  }

  #ofTypes(types: readonly GraphQLObjectType[], depth: number): string {
    const some = types.filter(() => this.#random.chance(60));
    return [
      '__typename',
      ...some.map((type) => `... on ${type.name} { id ${this.#ofNode(type, depth)} }`),
    ].join(' ');
  }

  /** Fields of several types meet: those of the same name must not differ. */
  #ofNode(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      ({ name, type: of }) => isCompositeType(getNamedType(of)) && name !== 'id',
    );
    const [field] = depth > 1 ? this.#shuffled(fields) : [];
    return field ? `${field.name}${this.#arguments(field)} { ${this.#below(field, depth)} }` : '';
  }

  #below(field: GraphQLField<unknown, unknown>, depth: number): string {
    const named = getNamedType(field.type);
    return isCompositeType(named) ? this.#selections(named, depth - 1) : '';
  }

  #arguments({ args }: GraphQLField<unknown, unknown>): string {
    const given = args
      .filter(({ type, name }) => isNonNullType(type) || name === 'first' || name === 'limit')
      .map(({ name, type }) =>
        name === 'first' || name === 'limit'
          ? `${name}: ${1 + this.#random.below(MAX_LENGTH)}`
          : `${name}: ${this.#value(type)}`,
      );
    return given.length === 0 ? '' : `(${given.join(', ')})`;
  }

  /** Of an input object one member, as `@oneOf` asks. */
  #value(type: GraphQLInputType): string {
    const named = getNamedType(type);
    const text = `"${this.#random.below(1_000_000)}"`;
    return isInputObjectType(named) ? `{ ${Object.keys(named.getFields())[0]}: ${text} }` : text;
  }

  #shuffled<T>(items: readonly T[]): readonly T[] {
    const left = [...items];
    return items.flatMap(() => left.splice(this.#random.below(left.length), 1));
  }
}

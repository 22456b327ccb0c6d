import {
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  type ValueNode,
} from 'graphql';

/** How many more values are looked at; below zero, some were not. */
export interface ValueBudget {
  values: number;
}

/** Reads from values which input fields and enum values they hold: no value of a scalar. */
export interface InputReader {
  /** @param into takes coordinates: `PostFilter.order`, `Order.NEWEST` */
  read(value: unknown, into: Set<string>, budget: ValueBudget): void;
  /** The same of a default in a document. */
  readLiteral(value: ValueNode, into: Set<string>): void;
}

const NOTHING: InputReader = { read: () => undefined, readLiteral: () => undefined };

/** The readers of a graph's input types, each made when it is first asked for: types may contain themselves. */
export class InputReaders {
  readonly #readers = new Map<string, InputReader>();

  of(type: GraphQLNamedType): InputReader {
    const known = this.#readers.get(type.name);
    if (known) return known;
    const reader = isInputObjectType(type)
      ? new ObjectReader(type, this)
      : isEnumType(type)
        ? new EnumReader(
            type.name,
            type.getValues().map(({ name }) => name),
          )
        : NOTHING;
    this.#readers.set(type.name, reader);
    return reader;
  }
}

class EnumReader implements InputReader {
  readonly #coordinates: ReadonlyMap<string, string>;

  constructor(type: string, values: readonly string[]) {
    this.#coordinates = new Map(values.map((value) => [value, `${type}.${value}`]));
  }

  read(value: unknown, into: Set<string>, budget: ValueBudget): void {
    if ((budget.values -= 1) < 0) return;
    if (Array.isArray(value)) for (const item of value) this.read(item, into, budget);
    else if (typeof value === 'string') this.#note(value, into);
  }

  readLiteral(value: ValueNode, into: Set<string>): void {
    if (value.kind === Kind.LIST) for (const item of value.values) this.readLiteral(item, into);
    else if (value.kind === Kind.ENUM) this.#note(value.value, into);
  }

  #note(value: string, into: Set<string>): void {
    const coordinate = this.#coordinates.get(value);
    if (coordinate !== undefined) into.add(coordinate);
  }
}

interface MemberReader {
  readonly coordinate: string;
  readonly reader: InputReader;
}

class ObjectReader implements InputReader {
  readonly #type: GraphQLInputObjectType;
  readonly #readers: InputReaders;
  #members: ReadonlyMap<string, MemberReader> | undefined;

  constructor(type: GraphQLInputObjectType, readers: InputReaders) {
    this.#type = type;
    this.#readers = readers;
  }

  read(value: unknown, into: Set<string>, budget: ValueBudget): void {
    if ((budget.values -= 1) < 0 || typeof value !== 'object' || value === null) return;
    if (Array.isArray(value)) {
      for (const item of value) this.read(item, into, budget);
      return;
    }
    const members = this.#readMembers();
    for (const [name, inner] of Object.entries(value)) {
      const member = members.get(name);
      if (!member) continue;
      into.add(member.coordinate);
      if (member.reader !== NOTHING) member.reader.read(inner, into, budget);
    }
  }

  readLiteral(value: ValueNode, into: Set<string>): void {
    if (value.kind === Kind.LIST) for (const item of value.values) this.readLiteral(item, into);
    if (value.kind !== Kind.OBJECT) return;
    const members = this.#readMembers();
    for (const { name, value: inner } of value.fields) {
      const member = members.get(name.value);
      if (!member) continue;
      into.add(member.coordinate);
      member.reader.readLiteral(inner, into);
    }
  }

  /** When the first value comes: its own type may be among them. */
  #readMembers(): ReadonlyMap<string, MemberReader> {
    return (this.#members ??= new Map(
      Object.values(this.#type.getFields()).map(({ name, type }) => [
        name,
        { coordinate: `${this.#type.name}.${name}`, reader: this.#readers.of(getNamedType(type)) },
      ]),
    ));
  }
}

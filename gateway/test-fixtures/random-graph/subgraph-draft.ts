/** A field of a type in one subgraph. */
export interface FieldDraft {
  /** Arguments and type: `(a: Int): [User!]!`. */
  readonly signature: string;
  readonly directives: Set<string>;
}

/** An object type or interface in one subgraph. */
export class TypeDraft {
  readonly name: string;
  readonly keyword: 'type' | 'interface';
  readonly directives = new Set<string>();
  readonly interfaces = new Set<string>();
  readonly fields = new Map<string, FieldDraft>();

  constructor(keyword: 'type' | 'interface', name: string) {
    this.keyword = keyword;
    this.name = name;
  }

  /** Adds a field, or directives to a known one. */
  field(name: string, signature: string, ...directives: readonly string[]): void {
    const known = this.fields.get(name) ?? { signature, directives: new Set() };
    for (const directive of directives) known.directives.add(directive);
    this.fields.set(name, known);
  }

  print(): string {
    const parents = this.interfaces.size > 0 ? ` implements ${[...this.interfaces].join(' & ')}` : '';
    const head = [`${this.keyword} ${this.name}${parents}`, ...this.directives].join(' ');
    const fields = [...this.fields].map(([name, { signature, directives }]) =>
      ['', '', [`${name}${signature}`, ...directives].join(' ')].join(' '),
    );
    return `${head} {\n${fields.join('\n')}\n}`;
  }
}

const IMPORTS =
  '@key @shareable @external @requires @provides @override @inaccessible @interfaceObject @tag'.split(' ');

/** The schema of one subgraph while it is made. */
export class SubgraphDraft {
  readonly name: string;
  readonly types = new Map<string, TypeDraft>();
  /** Definitions that have no fields: unions, enums, inputs, by name. */
  readonly definitions = new Map<string, string>();
  /** Names of interfaces and unions that fields may have as a type. */
  readonly abstractNames: string[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** The type of this name, made where it is absent. */
  type(name: string, keyword: 'type' | 'interface' = 'type'): TypeDraft {
    const type = this.types.get(name) ?? new TypeDraft(keyword, name);
    this.types.set(name, type);
    return type;
  }

  print(): string {
    const imports = IMPORTS.map((name) => `"${name}"`).join(', ');
    return [
      `extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: [${imports}])`,
      ...[...this.types.values()].map((type) => type.print()),
      ...this.definitions.values(),
    ].join('\n');
  }
}

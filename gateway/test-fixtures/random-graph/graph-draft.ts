import type { Random } from '@trellis/testkit/random';
import { SubgraphDraft, type TypeDraft } from './subgraph-draft.ts';

/** A way to name an entity. */
export interface KeyDraft {
  /** As in `@key(fields: …)`. */
  readonly fields: string;
  /** Names and types of the fields that it is made of. */
  readonly parts: readonly (readonly [name: string, type: string])[];
}

/** An entity of the graph. */
export interface EntityDraft {
  readonly name: string;
  readonly keys: readonly KeyDraft[];
  /** The interface whose objects it is among, where subgraphs know that interface as one object. */
  family?: string;
  /** Subgraphs that must not define it, because they know its family as one object. */
  readonly hiddenIn: Set<SubgraphDraft>;
}

/** A field that one subgraph resolves, of a type that others may know. */
export interface HomedField {
  readonly type: string;
  readonly name: string;
  readonly signature: string;
  readonly home: SubgraphDraft;
}

const SUBGRAPH_NAMES = ['alpha', 'beta', 'gamma', 'delta', 'epsilon'];

/** A graph while it is made: its subgraphs, and what they have in common. */
export class GraphDraft {
  readonly random: Random;
  readonly subgraphs: readonly SubgraphDraft[];
  readonly entities: EntityDraft[] = [];
  /** Fields of entities that have one home alone: what moving, requiring and providing choose from. */
  readonly homed: HomedField[] = [];
  /** Subgraphs that know the family as one object. */
  readonly objectsOfFamilies: SubgraphDraft[] = [];
  #names = 0;

  constructor(random: Random, subgraphs: number) {
    this.random = random;
    this.subgraphs = SUBGRAPH_NAMES.slice(0, subgraphs).map((name) => new SubgraphDraft(name));
  }

  /** A name that the graph does not have yet. */
  uniqueName(start: string): string {
    this.#names += 1;
    return `${start}${this.#names}`;
  }

  /** Subgraphs other than one, in random order. */
  others(subgraph: SubgraphDraft): readonly SubgraphDraft[] {
    return this.shuffled(this.subgraphs.filter((other) => other !== subgraph));
  }

  shuffled<T>(items: readonly T[]): readonly T[] {
    return items
      .map((item) => ({ item, at: this.random.below(1_000_000) }))
      .toSorted((left, right) => left.at - right.at)
      .map(({ item }) => item);
  }

  /** The entity's type in a subgraph, made with one of its keys where it is absent. */
  entityIn(entity: EntityDraft, subgraph: SubgraphDraft): TypeDraft {
    const known = subgraph.types.get(entity.name);
    if (known) return known;
    const type = subgraph.type(entity.name);
    const [first] = entity.keys;
    const key = this.random.chance(85) && first ? first : this.random.pick(entity.keys);
    this.addKey(type, subgraph, key);
    return type;
  }

  /** Adds a key and its fields to a type. */
  addKey(type: TypeDraft, subgraph: SubgraphDraft, key: KeyDraft): void {
    type.directives.add(`@key(fields: "${key.fields}")`);
    for (const [name, partType] of key.parts) {
      type.field(name, `: ${partType}`);
      if (partType.startsWith('Group')) this.defineGroup(subgraph, partType.replace('!', ''));
    }
  }

  /** A value type that keys nest. */
  defineGroup(subgraph: SubgraphDraft, name: string): void {
    const group = subgraph.type(name);
    group.directives.add('@shareable');
    group.field('id', ': ID!');
  }

  /** The name by which a subgraph may return the entity; absent where it cannot. */
  referenceTo(entity: EntityDraft, subgraph: SubgraphDraft): string | undefined {
    if (entity.hiddenIn.has(subgraph)) return entity.family;
    this.entityIn(entity, subgraph);
    return entity.name;
  }
}

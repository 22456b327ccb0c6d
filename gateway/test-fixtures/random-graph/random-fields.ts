import type { EntityDraft, GraphDraft } from './graph-draft.ts';
import { defineNames, randomLeaf, randomType, type RandomType } from './random-type.ts';
import type { SubgraphDraft } from './subgraph-draft.ts';

const NAMES = 'title size rank state owner items parent total note flag link price'.split(' ');

/** Fields of each entity, in the subgraphs that know it and in some that come to know it by them. */
export function addFields(draft: GraphDraft): void {
  for (const entity of draft.entities) {
    for (const name of draft.shuffled(NAMES).slice(0, 2 + draft.random.below(5)))
      addField(draft, entity, name);
  }
  for (const subgraph of draft.objectsOfFamilies) addFamilyField(draft, subgraph);
}

/** What the object of a family leads to. */
function addFamilyField(draft: GraphDraft, subgraph: SubgraphDraft): void {
  subgraph.type('Family').field(draft.uniqueName('leads'), randomType(draft, subgraph).signature);
}

function addField(draft: GraphDraft, entity: EntityDraft, name: string): void {
  const { random } = draft;
  const possible = draft.subgraphs.filter((subgraph) => !entity.hiddenIn.has(subgraph));
  const knowing = possible.filter((subgraph) => subgraph.types.has(entity.name));
  const home = random.pick(random.chance(75) && knowing.length > 0 ? knowing : possible);
  const made = randomType(draft, home);
  const type = draft.entityIn(entity, home);
  const sharing = draft.others(home).find((other) => possible.includes(other) && canShare(other, made));
  if (sharing && random.chance(22)) {
    defineNames(sharing, made.signature);
    type.field(name, made.signature, '@shareable');
    draft.entityIn(entity, sharing).field(name, made.signature, '@shareable');
    return;
  }
  const isSecret = made.references.length === 0 && random.chance(6);
  type.field(name, made.signature, ...(isSecret ? ['@inaccessible'] : []));
  draft.homed.push({ type: entity.name, name, signature: made.signature, home });
}

/** Whether another subgraph can have a field of that type too, with all that it knows already. */
export function canShare(subgraph: SubgraphDraft, { references }: Pick<RandomType, 'references'>): boolean {
  return references.every((name) => subgraph.types.has(name) && !subgraph.abstractNames.includes(name));
}

/** Queries of each subgraph, and mutations of some. */
export function addRootFields(draft: GraphDraft): void {
  const { random } = draft;
  for (const subgraph of draft.subgraphs) {
    for (let count = 1 + random.below(4); count > 0; count -= 1) addRootField(draft, subgraph, 'Query');
    if (random.chance(60))
      for (let count = 1 + random.below(3); count > 0; count -= 1) addRootField(draft, subgraph, 'Mutation');
  }
  if (random.chance(50)) addSharedRootField(draft);
}

function addRootField(draft: GraphDraft, subgraph: SubgraphDraft, root: 'Query' | 'Mutation'): void {
  const name = draft.uniqueName(root === 'Query' ? 'get' : 'do');
  subgraph.type(root).field(name, randomType(draft, subgraph).signature);
}

function addSharedRootField(draft: GraphDraft): void {
  const [first, second] = draft.shuffled(draft.subgraphs);
  if (!first || !second) return;
  const entity = draft.entities.find(({ name }) => first.types.has(name) && second.types.has(name));
  const signature = entity ? `: [${entity.name}!]` : randomLeaf(draft, first).signature;
  const name = draft.uniqueName('both');
  for (const subgraph of [first, second]) {
    if (!entity) defineNames(subgraph, signature);
    subgraph.type('Query').field(name, signature, '@shareable');
  }
}

import type { EntityDraft, GraphDraft } from './graph-draft.ts';
import { randomLeaf } from './random-type.ts';
import type { SubgraphDraft } from './subgraph-draft.ts';

/** In half of the graphs: an interface with a key, which other subgraphs know as one object (`@interfaceObject`). */
export function addInterfaceObject(draft: GraphDraft): void {
  const { random } = draft;
  if (!random.chance(50)) return;
  const [home, ...others] = draft.shuffled(draft.subgraphs);
  if (!home) return;
  const hidden = new Set(others.slice(0, 1 + random.below(2)));
  const face = home.type('Family', 'interface');
  face.directives.add('@key(fields: "id")');
  face.field('id', ': ID!');
  home.abstractNames.push('Family');
  const members = Array.from({ length: 2 + random.below(2) }, (_, index) =>
    addMember(draft, home, hidden, index),
  );
  addCommonFields(draft, home, 'Family', members);
  for (const subgraph of hidden) {
    const type = subgraph.type('Family');
    type.directives.add('@key(fields: "id")').add('@interfaceObject');
    type.field('id', ': ID!');
    for (let count = 1 + random.below(3); count > 0; count -= 1)
      type.field(draft.uniqueName('seen'), randomLeaf(draft, subgraph).signature);
    draft.objectsOfFamilies.push(subgraph);
  }
}

function addMember(
  draft: GraphDraft,
  home: SubgraphDraft,
  hiddenIn: Set<SubgraphDraft>,
  index: number,
): EntityDraft {
  const member: EntityDraft = {
    name: `Member${index}`,
    keys: [{ fields: 'id', parts: [['id', 'ID!']] }],
    family: 'Family',
    hiddenIn,
  };
  draft.entities.push(member);
  const type = home.type(member.name);
  type.interfaces.add('Family');
  type.directives.add('@key(fields: "id")');
  type.field('id', ': ID!');
  return member;
}

/** Interfaces and unions of what a subgraph knows; some of them are in two subgraphs. */
export function addAbstractTypes(draft: GraphDraft): void {
  for (const subgraph of draft.subgraphs) {
    if (draft.random.chance(45)) addInterface(draft, subgraph);
    if (draft.random.chance(45)) addUnion(draft, subgraph);
  }
}

function addInterface(draft: GraphDraft, subgraph: SubgraphDraft): void {
  const name = draft.uniqueName('Face');
  const members = visibleEntities(draft, subgraph).slice(0, 2 + draft.random.below(2));
  const [other] = draft.others(subgraph);
  const isTwice =
    other !== undefined && draft.random.chance(35) && members.every(({ hiddenIn }) => !hiddenIn.has(other));
  for (const home of isTwice ? [subgraph, other] : [subgraph]) {
    home.type(name, 'interface');
    home.abstractNames.push(name);
    for (const member of members) draft.entityIn(member, home).interfaces.add(name);
    addCommonFields(draft, home, name, members);
  }
}

/** Fields of an interface, which each of its objects resolves in that subgraph. */
function addCommonFields(
  draft: GraphDraft,
  home: SubgraphDraft,
  name: string,
  members: readonly EntityDraft[],
): void {
  for (let count = 1 + draft.random.below(2); count > 0; count -= 1) {
    const field = draft.uniqueName('common');
    const { signature } = randomLeaf(draft, home);
    home.type(name).field(field, signature);
    for (const member of members) {
      draft.entityIn(member, home).field(field, signature);
      draft.homed.push({ type: member.name, name: field, signature, home });
    }
  }
}

function addUnion(draft: GraphDraft, subgraph: SubgraphDraft): void {
  const name = draft.uniqueName('Any');
  const [common, ...members] = visibleEntities(draft, subgraph).slice(0, 2 + draft.random.below(2));
  if (!common) return;
  defineUnion(draft, subgraph, name, [common, ...members]);
  const [other] = draft.others(subgraph);
  if (!other || !draft.random.chance(35) || common.hiddenIn.has(other)) return;
  const more = visibleEntities(draft, other).filter((entity) => entity !== common);
  defineUnion(draft, other, name, [common, ...more.slice(0, 1 + draft.random.below(2))]);
}

function defineUnion(
  draft: GraphDraft,
  subgraph: SubgraphDraft,
  name: string,
  members: readonly EntityDraft[],
): void {
  for (const member of members) draft.entityIn(member, subgraph);
  subgraph.definitions.set(name, `union ${name} = ${members.map((member) => member.name).join(' | ')}`);
  subgraph.abstractNames.push(name);
}

/** In random order. */
function visibleEntities(draft: GraphDraft, subgraph: SubgraphDraft): readonly EntityDraft[] {
  return draft.shuffled(draft.entities.filter(({ hiddenIn }) => !hiddenIn.has(subgraph)));
}

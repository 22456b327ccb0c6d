import type { EntityDraft, GraphDraft, KeyDraft } from './graph-draft.ts';

/** Two to five entities, each in one subgraph or several, by one key or several. */
export function addEntities(draft: GraphDraft): void {
  const { random } = draft;
  const count = 2 + random.below(4);
  for (let index = 0; index < count; index += 1) {
    const entity: EntityDraft = {
      name: `Entity${index}`,
      keys: randomKeys(draft, index),
      hiddenIn: new Set(),
    };
    draft.entities.push(entity);
    const homes = draft.shuffled(draft.subgraphs).slice(0, 1 + random.below(draft.subgraphs.length));
    for (const subgraph of homes) {
      const type = draft.entityIn(entity, subgraph);
      for (const key of entity.keys) if (random.chance(45)) draft.addKey(type, subgraph, key);
    }
  }
}

function randomKeys(draft: GraphDraft, index: number): readonly KeyDraft[] {
  const { random } = draft;
  const simple: KeyDraft = { fields: 'id', parts: [['id', 'ID!']] };
  const others: readonly KeyDraft[] = [
    { fields: `code${index}`, parts: [[`code${index}`, 'Int!']] },
    { fields: `sku${index}`, parts: [[`sku${index}`, 'String!']] },
    {
      fields: `part${index} side${index}`,
      parts: [
        [`part${index}`, 'String!'],
        [`side${index}`, 'Int!'],
      ],
    },
    { fields: `group${index} { id }`, parts: [[`group${index}`, `Group${index}!`]] },
    {
      fields: `id group${index} { id }`,
      parts: [
        ['id', 'ID!'],
        [`group${index}`, `Group${index}!`],
      ],
    },
  ];
  const more = draft.shuffled(others).slice(0, random.below(3));
  return random.chance(80) || more.length === 0 ? [simple, ...more] : more;
}

/** Where a subgraph knows an entity by its key alone, it sometimes says that it cannot resolve it. */
export function addReferences(draft: GraphDraft): void {
  for (const subgraph of draft.subgraphs)
    for (const { name } of draft.entities) {
      const type = subgraph.types.get(name);
      const [key, ...more] = [...(type?.directives ?? [])].filter((directive) =>
        directive.startsWith('@key'),
      );
      if (!type || key === undefined || more.length > 0 || !draft.random.chance(30)) continue;
      if (type.fields.size > 1 || type.interfaces.size > 0) continue;
      type.directives.delete(key);
      type.directives.add(key.replace(')', ', resolvable: false)'));
    }
}

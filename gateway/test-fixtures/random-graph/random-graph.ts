import { parse } from 'graphql';
import type { GraphDefinition } from '../synthetic/subgraph-definition.ts';
import type { Random } from '@trellis/testkit/random';
import { GraphDraft } from './graph-draft.ts';
import { addAbstractTypes, addInterfaceObject } from './random-abstract-types.ts';
import { addEntities, addReferences } from './random-entities.ts';
import { addFields, addRootFields } from './random-fields.ts';
import { addMovedFields, addProvidedFields, addRequirements } from './random-field-rules.ts';

/**
 * Makes the subgraphs of a graph at random. Most compose; the caller discards what does not.
 *
 * Within the bounds of `synthetic/world.ts`, which knows the data: a field that two subgraphs share has one signature, keys
 * nest `id` alone, and no requirement needs another.
 */
export function randomGraph(random: Random, name: string): GraphDefinition {
  const draft = new GraphDraft(random, 2 + random.below(4));
  addEntities(draft);
  addInterfaceObject(draft);
  addAbstractTypes(draft);
  addFields(draft);
  addMovedFields(draft);
  addRequirements(draft);
  addProvidedFields(draft);
  addRootFields(draft);
  addReferences(draft);
  return {
    name,
    subgraphs: draft.subgraphs.map((subgraph) => ({
      name: subgraph.name,
      typeDefs: parse(subgraph.print()),
    })),
  };
}

import { fillIn } from './fill-in.ts';
import type { InForce } from './setting.ts';

/** What an operation costs where its schema says nothing. See docs/configuration/gateway-yaml.md#cost. */
export const cost = {
  type: 'group',
  doc: 'What operations cost.',
  members: {
    field: {
      type: 'int',
      min: 0,
      default: 1,
      reload: 'live',
      doc: 'Cost of a field whose schema has no @cost.',
    },
    types: {
      type: 'map',
      values: { type: 'int', min: 0 },
      default: {},
      reload: 'live',
      doc: 'Cost of a field that returns the type, by its name. A @cost in the schema wins.',
    },
    slicingArguments: {
      type: 'list',
      default: ['first', 'last', 'limit'],
      reload: 'live',
      doc: 'Arguments that multiply the cost of what they slice: by their value, or by their length where they are lists. Lists of ids, named like a key of what they ask for (id, ids), always do. A @listSize that names others wins.',
    },
    omittedSlice: {
      type: 'int',
      min: 1,
      default: 10,
      unit: 'elements',
      reload: 'live',
      doc: 'Taken for a slicing argument that is absent, null or negative and has no default.',
    },
    listSize: {
      type: 'int',
      min: 1,
      default: 10,
      unit: 'elements',
      reload: 'live',
      doc: 'Taken for a list that no argument slices and no @listSize sizes.',
    },
  },
} as const;

/** The settings of costs. */
export type CostSettings = InForce<typeof cost.members>;

/** Those that hold where nothing is configured. */
export const DEFAULT_COSTS: CostSettings = fillIn(cost.members, {});

import { fillIn } from './fill-in.ts';
import type { InForce } from './setting.ts';

/** What one request may ask for. `fixed`: protects the process, and no operator can change it. */
export const limits = {
  type: 'group',
  doc: 'What one request may ask for.',
  members: {
    depth: {
      type: 'int',
      min: 1,
      default: 10,
      bare: null,
      unit: 'fields',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Fields from root to leaf.',
    },
    aliases: {
      type: 'int',
      min: 1,
      default: 10,
      bare: null,
      unit: 'aliases',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Aliases of an operation, each expansion of a fragment counted.',
    },
    rootFields: {
      type: 'int',
      min: 1,
      default: 20,
      bare: null,
      unit: 'fields',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Fields at the root of an operation, fragments expanded.',
    },
    directives: {
      type: 'int',
      min: 1,
      default: 50,
      bare: null,
      unit: 'directives',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Directives of an operation, each expansion of a fragment counted.',
    },
    cost: {
      type: 'int',
      min: 1,
      default: 10_000,
      bare: null,
      unit: 'cost',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Total cost of an operation, or of all operations of a batch.',
    },
    subgraphRequests: {
      type: 'int',
      min: 1,
      default: 200,
      bare: null,
      unit: 'subgraph requests',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Subgraph requests that the plan of an operation makes.',
    },
    tokens: {
      type: 'int',
      min: 1,
      default: 10_000,
      unit: 'tokens',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Lexical tokens of a document.',
    },
    selections: {
      type: 'int',
      min: 1,
      default: 5_000,
      unit: 'selections',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Selections after expanding fragments: of a document, and of what is planned for an operation.',
    },
    variables: {
      type: 'int',
      min: 1,
      default: 50_000,
      unit: 'values',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Values within the variables of a request, all levels counted.',
    },
    batch: {
      type: 'int',
      min: 1,
      default: 10,
      unit: 'operations',
      exceeded: 'QUERY_TOO_COMPLEX',
      reload: 'live',
      doc: 'Operations in a batch.',
    },
    bodyBytes: {
      type: 'int',
      min: 1,
      default: 1_048_576,
      unit: 'bytes',
      exceeded: 'PAYLOAD_TOO_LARGE',
      reload: 'live',
      doc: 'Size of a request body, and of what it is unpacked to.',
    },
    responseCharacters: {
      type: 'int',
      min: 1,
      default: 33_554_432,
      unit: 'characters',
      exceeded: 'RESPONSE_TOO_LARGE',
      reload: 'live',
      doc: 'Size of the data of a response.',
    },
    bidiControls: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'Whether documents, variables, extensions, names of files and forwarded headers may hold characters that embed, override or isolate a direction of writing (U+202A to U+202E, U+2066 to U+2069). Marks (LRM, RLM, ALM) always may.',
    },
    nesting: {
      type: 'fixed',
      value: 200,
      unit: 'levels',
      exceeded: 'QUERY_TOO_COMPLEX',
      doc: 'Levels of selection sets, fragments counted as levels.',
    },
    overlaps: {
      type: 'fixed',
      value: 20_000,
      unit: 'pairs',
      exceeded: 'QUERY_TOO_COMPLEX',
      doc: 'Pairs of fields under one response key that validation has to compare.',
    },
    conditionVariables: {
      type: 'fixed',
      value: 32,
      unit: 'variables',
      exceeded: 'QUERY_TOO_COMPLEX',
      doc: 'Variables of an operation that decide its conditions.',
    },
    defers: {
      type: 'fixed',
      value: 100,
      unit: 'fragments',
      exceeded: 'QUERY_TOO_COMPLEX',
      doc: 'Deferred fragments and streamed lists of an operation, fragments expanded.',
    },
    planningMb: {
      type: 'fixed',
      value: 512,
      unit: 'megabytes',
      exceeded: 'QUERY_TOO_COMPLEX',
      doc: 'Memory of a query planner worker.',
    },
  },
} as const;

/** Bounds on what one request may ask for. `Infinity` switches one off. See docs/errors.md#limits. */
export type OperationLimits = InForce<typeof limits.members>;

/** What protects the process of a gateway without a configuration. */
export const PROTECTIVE_LIMITS: OperationLimits = fillIn(limits.members, {}, { isBare: true });

/** The guards that are on in every configuration. */
export const DEFAULT_LIMITS: OperationLimits = fillIn(limits.members, {});

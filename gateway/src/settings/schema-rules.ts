/** Whether clients may ask for the schema. */
export const introspection = {
  type: 'flag',
  default: { computed: 'true, in production false' },
  reload: 'live',
  doc: 'Whether __schema and __type are answered.',
} as const;

/** What errors do to non-null positions. */
export const onError = {
  type: 'choice',
  choices: ['PROPAGATE', 'NULL', 'HALT'],
  default: 'PROPAGATE',
  reload: 'live',
  doc: 'What an error does to a non-null position, of requests without onError: PROPAGATE (null at the next nullable position above), NULL (null at the position itself) or HALT (no data, the first error alone).',
} as const;

/** Progressive overrides. */
export const overridePercents = {
  type: 'map',
  values: { type: 'number', min: 0, max: 100, unit: 'percent' },
  default: {},
  reload: 'live',
  doc: 'By label of a progressive @override, for labels other than percent(…): of how many operations in 100 it is on.',
} as const;

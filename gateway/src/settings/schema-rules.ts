/** Whether clients may ask for the schema. */
export const introspection = {
  type: 'flag',
  default: { computed: 'true, in production false' },
  reload: 'live',
  doc: 'Whether __schema and __type are answered.',
} as const;

/** Progressive overrides. */
export const overridePercents = {
  type: 'map',
  values: { type: 'number', min: 0, max: 100, unit: 'percent' },
  default: {},
  reload: 'live',
  doc: 'By label of a progressive @override, for labels other than percent(…): of how many operations in 100 it is on.',
} as const;

/** Every option of every command, as `parseArgs` takes them. */
export const options = {
  config: { type: 'string', default: 'supergraph.yaml' },
  output: { type: 'string' },
  format: { type: 'string', default: 'text' },
  subgraph: { type: 'string' },
  schema: { type: 'string' },
  'routing-url': { type: 'string' },
  release: { type: 'string' },
  against: { type: 'string' },
  operations: { type: 'string', multiple: true },
  limits: { type: 'string' },
  'limits-against': { type: 'string' },
  approvals: { type: 'string' },
  composers: { type: 'string' },
  graph: { type: 'string' },
  registry: { type: 'string' },
  trust: { type: 'string' },
  supergraph: { type: 'string' },
  'operation-name': { type: 'string' },
  variable: { type: 'string', multiple: true },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

type Option = keyof typeof options;

const common: readonly Option[] = [
  'config',
  'output',
  'format',
  'subgraph',
  'schema',
  'routing-url',
  'json',
  'help',
];

const ofRegistry: readonly Option[] = ['graph', 'registry', 'trust'];

/** The name of a command. */
export type CommandName = 'compose' | 'check' | 'lint' | 'explain';

/** The options that each command takes. */
export const commandOptions: Readonly<Record<CommandName, readonly string[]>> = {
  compose: [...common, ...ofRegistry, 'composers', 'release'],
  check: [
    ...common,
    ...ofRegistry,
    'against',
    'operations',
    'limits',
    'limits-against',
    'approvals',
    'composers',
  ],
  lint: [...common, 'limits', 'composers'],
  explain: [
    'supergraph',
    'operation-name',
    'variable',
    'limits',
    'format',
    'output',
    'config',
    'json',
    'help',
  ],
};

/** Every command. */
export const commandNames = Object.keys(commandOptions) as readonly CommandName[]; // its own keys

/** Whether there is such a command. */
export function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(commandOptions, name);
}

import type { CliCommandEntry } from './cli-command.ts';

const NOT_CONFIGURED = 'the configuration is wrong: every problem is printed';

/** Of what serves until it is stopped. */
const SERVER = { 1: 'it could not start, or ended by itself', 78: NOT_CONFIGURED } as const;

/** Of what composes. */
const CHECKED = {
  1: 'it does not compose, a change is breaking, or a file can not be read or written',
  69: 'undecided: recorded operations are incomplete, or what is compared with is unreachable',
  77: 'a record or a text of a registry is not trusted',
} as const;

/** Of what reads recorded operations, and publishes lists. */
const OPERATIONS = {
  1: 'a file can not be read, an operation is not served, or a list is another one or unknown: nothing was changed',
  69: 'undecided: the database or the graph is unavailable',
} as const;

/** Of what reads or writes a registry. */
const PUBLISHED = {
  1: 'it does not compose, a change is breaking, or running subgraphs do not serve it; nothing was changed',
  69: 'undecided: recorded operations are incomplete, or the registry is unreachable, full or damaged',
  75: 'others published at the same time, again and again: try again',
  77: 'no right, or a record or a text is not trusted',
} as const;

/** Every command, in the order in which help lists them. */
export const cliCommands: readonly CliCommandEntry[] = [
  {
    name: 'start',
    summary: 'run the whole platform on embedded defaults',
    page: 'operations.md',
    exits: SERVER,
    load: async () => (await import('./commands/start.ts')).startCommand(),
  },
  {
    name: 'gateway',
    summary: 'run the gateway alone, over any supergraph',
    page: 'operations.md',
    exits: SERVER,
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand(),
  },
  {
    name: 'auth-server',
    summary: 'run the auth-server alone, or manage accounts, clients, grants and keys',
    page: 'auth-operations.md',
    exits: { ...SERVER, 1: 'the command failed, or the server could not start' },
    json: 'of commands: what was done, or what was asked for, one object a line',
    load: async () => (await import('./commands/auth-server.ts')).authServerCommand(),
  },
  {
    name: 'search',
    summary: 'rebuild the search index',
    page: 'operations.md',
    exits: { 78: NOT_CONFIGURED, 130: 'interrupted; a running search service goes on with it' },
    json: 'how many documents of each kind the index has, and the seconds it took',
    load: async () => (await import('./commands/search.ts')).searchCommand(),
  },
  {
    name: 'supergraph',
    summary: 'compose a supergraph, or check a change of it',
    page: 'composition.md',
    exits: CHECKED,
    json: 'as compose, check, lint and explain do',
    load: async () => (await import('./commands/supergraph.ts')).supergraphCommand(),
  },
  {
    name: 'compose',
    summary: 'compose subgraphs into a supergraph',
    page: 'composition.md',
    exits: CHECKED,
    json: 'the report, on standard error where the supergraph goes to standard output',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('compose'),
  },
  {
    name: 'check',
    summary: 'check what a change does to clients, to rights and costs, and in which order to deploy it',
    page: 'composition.md',
    exits: CHECKED,
    json: 'the report: diagnostics, changes with verdicts, the order of deployment, plans',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('check'),
  },
  {
    name: 'lint',
    summary: 'warn of what only the whole graph shows',
    page: 'composition.md',
    exits: CHECKED,
    json: 'the report: diagnostics',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('lint'),
  },
  {
    name: 'explain',
    summary: 'show how the gateway would run an operation: requests, cost and rights',
    page: 'composition.md',
    exits: CHECKED,
    json: 'the plan with requests, depth, cost and rights',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('explain'),
  },
  {
    name: 'operations',
    summary:
      'list, export and prune recorded operations; publish, check and retire lists of those that clients may send',
    page: 'recorded-operations.md',
    exits: OPERATIONS,
    json: 'of list: operations with their clients, or lists; of export: what it wrote; of prune: how many were deleted; of init: what was made; of publish, check and retire: what was done or found',
    load: async () => (await import('./commands/operations.ts')).operationsCommand(),
  },
  {
    name: 'publish',
    summary: 'compose, check and append a release to the log of a graph',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'the outcome, the record and the report of the check',
    load: async () => (await import('./commands/registry.ts')).publishingCommand(),
  },
  {
    name: 'promote',
    summary: 'serve the release of one environment in another',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'the outcome and the record',
    load: async () => (await import('./commands/registry.ts')).promotionCommand(),
  },
  {
    name: 'rollback',
    summary: 'serve an older release again',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'the outcome and the record',
    load: async () => (await import('./commands/registry.ts')).returningCommand(),
  },
  {
    name: 'history',
    summary: 'list the releases of a graph',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'the records',
    load: async () => (await import('./commands/registry.ts')).logCommand(),
  },
  {
    name: 'diff',
    summary: 'show what changes between two releases',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'the report of the check',
    load: async () => (await import('./commands/registry.ts')).differenceCommand(),
  },
  {
    name: 'verify',
    summary: 'verify signatures, chain and texts of a registry',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'what was verified, and the damage that was found',
    load: async () => (await import('./commands/registry.ts')).verificationCommand(),
  },
  {
    name: 'status',
    summary: 'list what each environment serves, and what gateways serve of it',
    page: 'operate-the-registry.md',
    exits: {
      ...PUBLISHED,
      1: 'a gateway serves another record than the newest',
      69: 'a gateway says nothing, or the registry is unreachable or damaged',
    },
    json: 'the environments with what each serves; gateways with what each serves',
    load: async () => (await import('./commands/registry.ts')).environmentsCommand(),
  },
  {
    name: 'variant',
    summary: 'serve another release to some of the requests: canaries and previews',
    page: 'follow-the-registry.md',
    exits: PUBLISHED,
    json: 'the outcome and the record; of token: the token with its variant, audience and expiry',
    load: async () => (await import('./commands/registry.ts')).variantCommand(),
  },
  {
    name: 'registry',
    summary: 'make, clean or serve a registry',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'what was made or deleted',
    load: async () => (await import('./commands/registry.ts')).registryCommand(),
  },
  {
    name: 'keys',
    summary: 'make and replace keys that sign releases',
    page: 'operate-the-registry.md',
    exits: PUBLISHED,
    json: 'the keys, or the record that names them',
    load: async () => (await import('./commands/registry.ts')).keysCommand(),
  },
  {
    name: 'contract',
    summary: 'compose the supergraph of a part of the graph, by tags; list contracts',
    page: 'composition.md',
    exits: {
      1: 'the graph or the contract does not compose, there is none of that name, or a file can not be read or written',
      69: 'the registry is unreachable or damaged',
      77: 'no right, or a record or a text is not trusted',
    },
    load: async () => (await import('./commands/contract.ts')).contractingCommand(),
  },
  {
    name: 'new-subgraph',
    summary: 'write a subgraph that compiles, runs and joins a graph',
    page: 'add-a-subgraph.md',
    exits: {
      1: 'the name is taken or reserved, the folder is not empty, or a file can not be written; nothing was written',
    },
    load: async () => (await import('./commands/new-subgraph.ts')).newSubgraphCommand(),
  },
  {
    name: 'dev',
    summary: 'serve your subgraph beside the rest of a graph, and follow each save',
    page: 'develop-a-subgraph.md',
    exits: SERVER,
    load: async () => (await import('./commands/dev.ts')).devCommand(),
  },
  {
    name: 'token',
    summary: 'print an access token of a demo account',
    page: 'auth-operations.md',
    exits: { 1: 'the platform does not run, or it rejected the sign-in' },
    json: 'the token with its account, scope and issuer',
    load: async () => (await import('./commands/token.ts')).tokenCommand(),
  },
  {
    name: 'secrets',
    summary: 'print new secrets for a production environment',
    page: 'operations.md',
    exits: {},
    json: 'an object of the variables',
    load: async () => (await import('./commands/secrets.ts')).secretsCommand(),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    page: 'command-line.md',
    exits: {},
    load: async () => (await import('./commands/completion.ts')).completionCommand(cliCommands),
  },
];

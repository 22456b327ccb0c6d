import type { CliCommandEntry } from './cli-command.ts';

/** Every command, in the order in which help lists them. */
export const cliCommands: readonly CliCommandEntry[] = [
  {
    name: 'start',
    summary: 'run the whole platform on embedded defaults',
    load: async () => (await import('./commands/start.ts')).startCommand(),
  },
  {
    name: 'gateway',
    summary: 'run the gateway alone, over any supergraph',
    load: async () => (await import('./commands/gateway.ts')).gatewayCommand(),
  },
  {
    name: 'auth-server',
    summary: 'run the auth-server alone, or manage accounts, clients, grants and keys',
    load: async () => (await import('./commands/auth-server.ts')).authServerCommand(),
  },
  {
    name: 'search',
    summary: 'rebuild the search index',
    load: async () => (await import('./commands/search.ts')).searchCommand(),
  },
  {
    name: 'supergraph',
    summary: 'compose a supergraph, or check a change of it',
    load: async () => (await import('./commands/supergraph.ts')).supergraphCommand(),
  },
  {
    name: 'compose',
    summary: 'compose subgraphs into a supergraph',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('compose'),
  },
  {
    name: 'check',
    summary: 'check what a change does to clients, to rights and costs, and in which order to deploy it',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('check'),
  },
  {
    name: 'lint',
    summary: 'warn of what only the whole graph shows',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('lint'),
  },
  {
    name: 'explain',
    summary: 'show how the gateway would run an operation: requests, cost and rights',
    load: async () => (await import('./commands/supergraph.ts')).compositionCommand('explain'),
  },
  {
    name: 'operations',
    summary: 'list, export and prune the operations that gateways have recorded',
    load: async () => (await import('./commands/operations.ts')).operationsCommand(),
  },
  {
    name: 'publish',
    summary: 'compose, check and append a release to the log of a graph',
    load: async () => (await import('./commands/registry.ts')).publishingCommand(),
  },
  {
    name: 'promote',
    summary: 'serve the release of one environment in another',
    load: async () => (await import('./commands/registry.ts')).promotionCommand(),
  },
  {
    name: 'rollback',
    summary: 'serve an older release again',
    load: async () => (await import('./commands/registry.ts')).returningCommand(),
  },
  {
    name: 'history',
    summary: 'list the releases of a graph',
    load: async () => (await import('./commands/registry.ts')).logCommand(),
  },
  {
    name: 'diff',
    summary: 'show what changes between two releases',
    load: async () => (await import('./commands/registry.ts')).differenceCommand(),
  },
  {
    name: 'verify',
    summary: 'verify signatures, chain and texts of a registry',
    load: async () => (await import('./commands/registry.ts')).verificationCommand(),
  },
  {
    name: 'status',
    summary: 'list what each environment serves',
    load: async () => (await import('./commands/registry.ts')).environmentsCommand(),
  },
  {
    name: 'registry',
    summary: 'make, clean or serve a registry',
    load: async () => (await import('./commands/registry.ts')).registryCommand(),
  },
  {
    name: 'keys',
    summary: 'make and replace keys that sign releases',
    load: async () => (await import('./commands/registry.ts')).keysCommand(),
  },
  {
    name: 'token',
    summary: 'print an access token of a demo account',
    load: async () => (await import('./commands/token.ts')).tokenCommand(),
  },
  {
    name: 'secrets',
    summary: 'print new secrets for a production environment',
    load: async () => (await import('./commands/secrets.ts')).secretsCommand(),
  },
  {
    name: 'completion',
    summary: 'print the completion script of a shell',
    load: async () => (await import('./commands/completion.ts')).completionCommand(cliCommands),
  },
];

import type { Project } from './project.ts';

/** The program `trellis`. */
export const cliRooms: Project = {
  folder: 'cli',
  sources: 'src',
  introduction: 'The program `trellis`.',
  rooms: {
    'main.ts': { floor: 8, purpose: 'the program' },
    'describe-commands.ts': { floor: 8, purpose: 'every command as its documentation says it' },
    'trellis.ts': { floor: 7, purpose: 'reads the command line, and loads the command that is called' },
    'cli-commands.ts': { floor: 6, purpose: 'the list of commands' },
    commands: { floor: 5, purpose: 'one file per command' },
    'own-registry': { floor: 4, purpose: 'publishes what the platform hosts to a registry of its own' },
    'registry-server': { floor: 4, purpose: 'a registry over HTTP: rights, audit, PostgreSQL' },
    'explain-failure.ts': { floor: 3, purpose: 'what a failed start means' },
    platform: {
      floor: 2,
      purpose: 'the whole platform: stores, secrets, addresses, one process or several',
    },
    publish: { floor: 3, purpose: 'publishes releases, moves and reads the logs of a registry' },
    sites: {
      floor: 1,
      purpose: 'builds files for browsers, and serves them',
      parts: {
        'web-application': 'the sample application',
        documentation: 'the documentation, built when asked',
      },
    },
    supergraph: { floor: 2, purpose: 'composes supergraphs and checks changes' },
    registry: { floor: 1, purpose: 'opens registries, and reads their releases' },
    'new-subgraph': { floor: 3, purpose: 'writes the files of a new subgraph' },
    development: {
      floor: 3,
      purpose: 'a graph that follows a developer: saves, mocks, a key of one’s own',
    },
    operations: { floor: 3, purpose: 'tables of recorded operations, and lists of operations' },
    recorded: { floor: 1, purpose: 'reads recorded operations, wherever they are' },
    token: { floor: 2, purpose: 'signs a demo account in' },
    secrets: { floor: 2, purpose: 'makes secrets for production' },
    completion: { floor: 2, purpose: 'completion scripts of shells' },
    'command-environment.ts': { floor: 0, purpose: 'variables of commands, secrets from files' },
    'process-group.ts': {
      floor: 0,
      purpose: 'a process that ends with this one, and all that it has started',
    },
    'operations-port.ts': { floor: 0, purpose: 'the port of metrics of a program that runs alone' },
    'flags-as-variables.ts': { floor: 0, purpose: 'flags that stand for variables of a deployable' },
    'own-version.ts': { floor: 0, purpose: 'the version of the package' },
    generated: { floor: 0, purpose: 'types of SQL rows and parameters' },
    'programs.ts': { floor: 0, purpose: 'each deployable once' },
    terminal: { floor: 0, purpose: 'how progress, colours and verdicts are shown' },
    'cli-command.ts': { floor: 0, purpose: 'what a command is' },
  },
};

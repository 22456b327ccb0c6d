/** A folder with the files right in it, or a file at the root of its project. */
export interface Room {
  /** A room imports rooms of lower floors, and none of its own. */
  readonly floor: number;
  /** What stands here, in one line. */
  readonly purpose: string;
  /** Its sub-folders by path, each a room on the same floor. They and the room import one another without a cycle. */
  readonly parts?: Readonly<Record<string, string>>;
  /** The only rooms above that may import it, where its floor alone would let in too many. */
  readonly onlyFor?: readonly string[];
}

/** A folder of the repository whose rooms have floors. */
export interface Project {
  /** Relative to the repository; `.` is the repository itself. */
  readonly folder: string;
  /** Where in the folder its rooms are; beside it may stand proofs. @default the folder itself */
  readonly sources?: string;
  /** Rooms are folders with all that is below them, which are laid out by themselves. @default false */
  readonly whole?: boolean;
  /** Tests, proofs/ and testing/ stand above all rooms; otherwise they belong to the rooms that hold them. @default true */
  readonly testsOnTop?: boolean;
  readonly introduction: string;
  /** By path within {@link Project.sources}, from the top floor to the lowest. */
  readonly rooms: Readonly<Record<string, Room>>;
}

/** Every room, its floor and its purpose: `npm run check` holds all imports against it, docs/architecture.md draws it. */
export const projects: readonly Project[] = [
  {
    folder: '.',
    whole: true,
    introduction: 'The repository. Only `cli/` imports what runs as a process of its own.',
    rooms: {
      scripts: {
        floor: 5,
        purpose:
          'commands of contributors: test, prove, build, bench, load, measure, check, generate, docs, pictures, titles',
      },
      'docs-site': {
        floor: 6,
        purpose: 'makes a site of docs/; a project of its own, installed when it is built',
      },
      'vitest.config.ts': { floor: 6, purpose: 'which tests run how' },
      bench: { floor: 4, purpose: 'what requests and content at size cost' },
      e2e: { floor: 4, purpose: 'the product driven from outside' },
      examples: {
        floor: 0,
        onlyFor: ['scripts'],
        purpose: 'applications that use the platform from outside',
      },
      cli: { floor: 3, purpose: 'the program `trellis`, and each deployable once' },
      gateway: { floor: 2, onlyFor: ['cli'], purpose: 'the only public GraphQL endpoint' },
      'auth-server': { floor: 2, onlyFor: ['cli'], purpose: 'OAuth 2.0 and OpenID Connect' },
      'services/users': { floor: 2, onlyFor: ['cli'], purpose: 'subgraph of people and of who is present' },
      'services/posts': { floor: 2, onlyFor: ['cli'], purpose: 'subgraph of posts' },
      'services/comments': { floor: 2, onlyFor: ['cli'], purpose: 'subgraph of comments' },
      'services/search': {
        floor: 2,
        onlyFor: ['cli'],
        purpose: 'subgraph that searches what the others publish',
      },
      'services/content-events': { floor: 1, purpose: 'events that users, posts and comments publish' },
      'services/demo-data': { floor: 1, purpose: 'accounts and content of a first start in development' },
      packages: { floor: 1, purpose: 'libraries of the deployables, with floors of their own' },
    },
  },
  {
    folder: 'scripts',
    introduction:
      'What contributors run: each file at the root is a command, its folder holds what it is made of.',
    rooms: {
      'run.mjs': { floor: 5, purpose: 'the door of every npm command' },
      'bench.ts': { floor: 4, purpose: 'runs the benchmarks' },
      'build.ts': { floor: 4, purpose: 'compiles everything' },
      'check.ts': { floor: 4, purpose: 'runs the checks' },
      'generate.ts': { floor: 4, purpose: 'writes what is generated' },
      'pictures.ts': { floor: 4, purpose: 'takes the pictures of the docs' },
      'docs.ts': { floor: 4, purpose: 'builds the documentation site' },
      docs: { floor: 1, purpose: 'pages, addresses and links of the documentation site' },
      'load.ts': { floor: 4, purpose: 'fills a database with content' },
      'measure.ts': { floor: 4, purpose: 'measures statements and content at size' },
      'prove.ts': { floor: 4, purpose: 'runs the proofs' },
      'test.ts': { floor: 4, purpose: 'runs the tests' },
      'titles.ts': { floor: 4, purpose: 'lists the titles of tests' },
      'checks.ts': { floor: 3, purpose: 'the list of checks' },
      generate: {
        floor: 2,
        purpose: 'pages, schemas and lists that are made from others',
        parts: { sql: 'types of SQL statements' },
      },
      prove: { floor: 2, purpose: 'finds, selects and reports proofs' },
      'generate-types.ts': { floor: 1, purpose: 'resolver types of the subgraphs' },
      build: { floor: 1, purpose: 'what is built, and whether it can be imported' },
      check: { floor: 1, purpose: 'floors and closures of packages' },
      containers: { floor: 1, purpose: 'images, database roles and Redis users, for tests of them' },
      measure: { floor: 1, purpose: 'the page of performance' },
      tests: { floor: 1, purpose: 'runs vitest and counts' },
      titles: { floor: 1, purpose: 'titles of tests, and what became of them' },
      'planted-flaws': { floor: 1, purpose: 'cured flaws, put back to see that their tests notice' },
      programs: { floor: 0, purpose: 'runs programs' },
    },
  },
  {
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
      'programs.ts': { floor: 0, purpose: 'each deployable once' },
      terminal: { floor: 0, purpose: 'how progress, colours and verdicts are shown' },
      'cli-command.ts': { floor: 0, purpose: 'what a command is' },
    },
  },
  {
    folder: 'gateway',
    sources: 'src',
    introduction: 'The gateway, from the process down to what knows nothing of the rest.',
    rooms: {
      'main.ts': { floor: 12, purpose: 'runs the gateway as a process' },
      'index.ts': { floor: 12, purpose: 'what other programs use of the gateway' },
      app: {
        floor: 11,
        purpose: 'puts the process together: configuration, resources, services, server, workers',
      },
      http: {
        floor: 10,
        purpose: 'reads requests and writes responses',
        parts: {
          routes: 'the endpoints, and admission of their requests',
          'fast-path': 'plain POST requests, answered without the framework',
          websocket: 'graphql-transport-ws: connections, their operations and credentials',
          'event-stream': 'one stream for many operations: the single connection mode of graphql-sse',
          upload: 'requests with files, which are passed on while they arrive',
          delivery: 'responses in parts and streams, and how slowly they may be read',
          message: 'what every request and response needs: media types, headers, bodies, addresses',
          pages: 'pages for browsers: the landing page and the explorer',
        },
      },
      offline: {
        floor: 11,
        purpose: 'what the gateway makes of a supergraph and its operations, for checks that run without one',
      },
      observability: { floor: 10, purpose: 'metrics and traces of what other rooms report' },
      config: { floor: 10, purpose: 'reads, checks and watches the configuration, and fills in defaults' },
      usage: {
        floor: 9,
        purpose: 'records which operations clients send',
        parts: { 'field-search': 'who has used a field, in a thread of its own' },
      },
      variants: {
        floor: 9,
        purpose:
          'which of several supergraphs serves a request, and whether a canary is worse than the main one',
      },
      streams: { floor: 9, purpose: 'subscriptions and live queries: topics, clients, upstreams' },
      pipeline: { floor: 8, purpose: 'the stages of a request, in their order' },
      execution: {
        floor: 7,
        purpose: 'runs a plan: fetches, merges, completes, writes, delivers incrementally',
      },
      planning: {
        floor: 7,
        purpose: 'makes the plan of an operation, and warms up those that are known',
        parts: { threads: 'the planner, in threads of its own' },
      },
      'response-cache': { floor: 7, purpose: 'cached responses, and what invalidates them' },
      load: { floor: 7, purpose: 'admission, execution gate, coalescing, rates, shares of memory' },
      plan: { floor: 6, purpose: 'the compiled plan of an operation' },
      subgraphs: {
        floor: 6,
        purpose: 'one request to a subgraph: client, headers, retries, circuit breaker, hedging',
        parts: {
          http2: 'sessions over HTTP/2',
          tls: 'certificates for connections to subgraphs, and why a handshake failed',
          connections: 'which client connects to a subgraph, and with which certificates',
        },
      },
      operation: {
        floor: 5,
        purpose: 'all that is known of an operation before variables and caller',
        parts: {
          'cache-hints': 'how long its response may be cached',
          limits: 'its size and its cost',
          access: 'which of its fields a caller may see',
          conditions: 'what decides what it asks for',
          fold: 'one walk over its selections, which asks all that the other parts want to know',
          validation: 'whether the schema allows it',
          document: 'its text, parsed; its variables and conditions',
        },
      },
      request: { floor: 4, purpose: 'what a client sent' },
      identity: { floor: 3, purpose: 'access tokens, keys, revocation, presence: who sends a request' },
      registry: { floor: 3, purpose: 'follows a registry, and serves what its signed records name' },
      concurrency: { floor: 2, purpose: 'how much is in flight at a time, in fair shares of callers' },
      caching: { floor: 2, purpose: 'caches, in memory and in Redis, with a share for each owner' },
      supergraph: { floor: 2, purpose: 'where the supergraph comes from, and the schema that it becomes' },
      settings: {
        floor: 1,
        purpose: 'every setting of gateway.yaml and of the environment, once: types, defaults, schema',
      },
      abort: { floor: 1, purpose: 'deadlines, and waiting until they pass' },
      'errors.ts': { floor: 2, purpose: 'the catalogue of errors' },
      'value-trie.ts': {
        floor: 0,
        purpose: 'leads from values, one after the other, to what belongs to them',
      },
      'own-property.ts': { floor: 0, purpose: 'reads what an object has itself, nothing that it inherits' },
    },
  },
  {
    folder: 'auth-server',
    sources: 'src',
    introduction:
      'The OAuth 2.0 and OpenID Connect server, by feature: each folder holds its SQL, its records in Redis and its Lua scripts. ' +
      'What a folder offers is an interface of it (`AccountFeatures`, `GrantFeatures` …); `app/` puts them together, and each endpoint ' +
      'declares those that it takes.',
    rooms: {
      'main.ts': { floor: 9, purpose: 'the program' },
      'index.ts': { floor: 9, purpose: 'what the package exports' },
      commands: { floor: 8, purpose: 'the command line: accounts, clients, grants, keys, audit' },
      app: { floor: 7, purpose: 'configuration, features put together, server, start' },
      routes: {
        floor: 6,
        purpose: 'one file per endpoint and page',
        parts: { admin: 'operations of administration, and their API', console: 'the console for operators' },
      },
      authorize: {
        floor: 5,
        purpose: 'authorization requests: checks, pushed requests, next step, transactions',
      },
      administration: {
        floor: 5,
        purpose:
          'what is done to accounts, applications, clients and sessions, what that ends, and who is notified',
      },
      grants: { floor: 4, purpose: 'one file per grant type; codes, devices, grants and their revocation' },
      tokens: { floor: 3, purpose: 'access tokens, id_tokens, refresh tokens; the feed of revocations' },
      dpop: { floor: 3, purpose: 'proofs of possession and their nonces' },
      issuers: { floor: 3, purpose: 'trusted issuers: their declarations, keys and tokens' },
      logout: { floor: 3, purpose: 'back-channel logout' },
      mail: { floor: 3, purpose: 'messages: queue, transports, limits' },
      accounts: {
        floor: 2,
        purpose: 'accounts, sessions, consents, one-time links',
        parts: { 'sign-in': 'passwords, throttles, guesses' },
      },
      clients: {
        floor: 2,
        purpose: 'metadata, scopes, redirect URIs, registry',
        parts: { authentication: 'clients prove who they are' },
      },
      http: { floor: 2, purpose: 'endpoints, parameters, cookies, errors and limits of requests' },
      attempts: {
        floor: 1,
        purpose: 'counts attempts, and the room that anybody can fill; what may happen once',
      },
      audit: { floor: 1, purpose: 'security events and metrics' },
      keys: { floor: 1, purpose: 'signing keys, their rotation, signatures' },
      outbound: {
        floor: 1,
        purpose: 'requests to addresses that others name, and the keys that are published there',
      },
      gateways: { floor: 2, purpose: 'what gateways say of the graph that they serve' },
      pages: {
        floor: 1,
        purpose: 'pages that people see',
        parts: {
          templates: 'their HTML',
          texts: 'their words in each language',
          theme: 'name, logo, colours and links of an operator',
        },
      },
      images: { floor: 0, purpose: 'what the bytes of a picture say' },
      'parameters.ts': { floor: 1, purpose: 'parameters of a request, each once' },
      generated: { floor: 0, purpose: 'types of SQL rows and parameters' },
      'batch-by-id.ts': { floor: 0, purpose: 'many lookups by id in one statement' },
      'paths.ts': { floor: 0, purpose: 'the paths of the endpoints' },
      'clock.ts': { floor: 0, purpose: 'the time' },
      'errors.ts': { floor: 0, purpose: 'the catalogue of OAuth errors' },
      passwords: {
        floor: 0,
        purpose: 'which passwords are rejected',
        parts: { generated: 'the filter of common passwords' },
      },
      'row-version.ts': { floor: 0, purpose: 'what changes whenever a row does' },
      secrets: { floor: 0, purpose: 'keys derived from secrets, comparison, sealed records' },
      settings: { floor: 0, purpose: 'settings that the endpoints know' },
    },
  },
  {
    folder: 'services',
    whole: true,
    introduction: 'The subgraphs of the example, and what they alone share.',
    rooms: {
      users: { floor: 2, purpose: 'subgraph of people and of who is present' },
      posts: { floor: 2, purpose: 'subgraph of posts' },
      comments: { floor: 2, purpose: 'subgraph of comments' },
      search: { floor: 2, purpose: 'subgraph that searches what the others publish' },
      'content-events': { floor: 1, purpose: 'events that users, posts and comments publish' },
      'demo-data': { floor: 1, purpose: 'accounts and content of a first start in development' },
    },
  },
  {
    folder: 'packages',
    whole: true,
    introduction:
      'What two deployables share, and what only development needs. PostgreSQL and Redis are two packages, because the gateway uses ' +
      'Redis alone; `admission` is one of its own, because inner rooms of two deployables use it without the HTTP server of ' +
      '`runtime` ([ADR 0037](adr/0037-packages-and-one-program.md)).',
    rooms: {
      'subgraph-kit': { floor: 5, purpose: 'all that a team needs to put a subgraph behind the gateway' },
      events: { floor: 4, purpose: 'outbox, relay, streams and consumers of domain events' },
      testkit: { floor: 4, purpose: 'temporary stores, ports and tokens for tests' },
      'subgraph-protocol': {
        floor: 3,
        purpose: 'what gateway and subgraphs agree on: errors, user contexts, service calls, presence',
      },
      postgres: { floor: 2, purpose: 'pools, migrations and typed statements, one schema per service' },
      redis: { floor: 2, purpose: 'connections, and Lua scripts as functions' },
      runtime: {
        floor: 1,
        purpose: 'configuration, logger, metrics, HTTP server, start and end of a process',
      },
      admission: {
        floor: 1,
        purpose: 'fair shares and networks of callers, proofs of possession, characters of texts',
      },
      http1: {
        floor: 1,
        purpose:
          'HTTP/1.1 where each request counts: a server of plain requests, a client, the grammar of fields',
      },
      explorer: { floor: 1, purpose: 'the page that sends operations to a graph, built to files' },
      composition: { floor: 1, purpose: 'supergraphs from subgraphs, and what changes between two' },
      registry: { floor: 1, purpose: 'releases of a graph under signature, and the stores that hold them' },
      'release-verdict': {
        floor: 0,
        purpose: 'what a release changes, and its order of deployment as a picture',
      },
      'dev-stores': {
        floor: 2,
        purpose: 'PostgreSQL and Redis for development: embedded, supervised, or in the process',
      },
    },
  },
];

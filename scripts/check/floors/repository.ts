import type { Project } from './project.ts';

/** The repository as a whole. */
export const repositoryRooms: Project = {
  folder: '.',
  whole: true,
  introduction:
    'The repository. Only `cli/` imports what runs as a process of its own, and `e2e/`, where tests of several stand.',
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
    e2e: { floor: 4, purpose: 'the product driven from outside, and tests of several deployables' },
    examples: {
      floor: 0,
      onlyFor: ['scripts'],
      purpose: 'applications that use the platform from outside',
    },
    cli: {
      floor: 3,
      onlyFor: ['scripts', 'bench', 'e2e'],
      purpose: 'the program `trellis`, and each deployable once',
    },
    gateway: { floor: 2, onlyFor: ['cli', 'e2e'], purpose: 'the only public GraphQL endpoint' },
    'auth-server': { floor: 2, onlyFor: ['cli', 'e2e'], purpose: 'OAuth 2.0 and OpenID Connect' },
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
};

/** The subgraphs of the example. */
export const servicesRooms: Project = {
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
};

/** What deployables share. */
export const packagesRooms: Project = {
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
    'own-property': { floor: 0, purpose: 'reads what an object has itself, nothing that it inherits' },
    'dev-stores': {
      floor: 2,
      purpose: 'PostgreSQL and Redis for development: embedded, supervised, or in the process',
    },
  },
};

import type { Project, Room } from './project.ts';

/** The subgraphs of the example. */
export const servicesRooms: Project = {
  folder: 'services',
  whole: true,
  introduction: 'The subgraphs of the example, and what they alone share.',
  rooms: {
    users: { floor: 2, purpose: 'subgraph of users and of their presence' },
    posts: { floor: 2, purpose: 'subgraph of posts' },
    comments: { floor: 2, purpose: 'subgraph of comments' },
    search: { floor: 2, purpose: 'subgraph that searches what the others publish' },
    'content-events': { floor: 1, purpose: 'events that users, posts and comments publish' },
    'demo-data': { floor: 1, purpose: 'accounts and content of a first start in development' },
  },
};

/** The services as rooms of the repository: a subgraph is a deployable, which the program alone imports. */
const services: Readonly<Record<string, Room>> = Object.fromEntries(
  Object.entries(servicesRooms.rooms).map(([name, { floor, purpose }]) => [
    `services/${name}`,
    { floor, purpose, ...(floor === 2 && { onlyFor: ['cli'] }) },
  ]),
);

/** The repository as a whole. */
export const repositoryRooms: Project = {
  folder: '.',
  whole: true,
  introduction:
    'The repository. Only `cli/`, and `e2e/` with the tests of several deployables, import what runs as its own process.',
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
    ...services,
    packages: { floor: 1, purpose: 'libraries of the deployables, with floors of their own' },
  },
};

/** What deployables share. */
export const packagesRooms: Project = {
  folder: 'packages',
  whole: true,
  introduction:
    'What two deployables share, and what only development needs. PostgreSQL and Redis are two packages, because the gateway uses ' +
    'Redis alone. Inner rooms import single folders of `runtime`, such as `runtime/admission`, without its HTTP server ' +
    '([ADR 0154](adr/0154-thirteen-packages.md)).',
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
    http1: {
      floor: 1,
      purpose:
        'HTTP/1.1 where each request counts: a server of plain requests, a client, the grammar of fields',
    },
    explorer: { floor: 1, purpose: 'the page that sends operations to a graph, built to files' },
    composition: { floor: 1, purpose: 'supergraphs from subgraphs, and what changes between two' },
    registry: { floor: 1, purpose: 'releases of a graph under signature, and the stores that hold them' },
    runtime: {
      floor: 0,
      purpose:
        'configuration, logger, metrics, HTTP server, start and end of a process, and who is admitted: shares, networks, proofs, texts',
    },
    'release-verdict': {
      floor: 0,
      purpose: 'what a release changes, and its order of deployment as a picture',
    },
    'dev-stores': {
      floor: 2,
      purpose: 'PostgreSQL and Redis for development: embedded, supervised, or in the process',
    },
  },
};

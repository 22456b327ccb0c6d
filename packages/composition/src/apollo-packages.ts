import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * Apollo's composer, loaded when it is first asked for. It and what it composes with are required: to import a CommonJS package, Node
 * reads all of its modules once more, for the names of what they export, which is a tenth of a composition from a cold process.
 */
export function apolloComposition(): typeof import('@apollo/composition') {
  return require('@apollo/composition') as typeof import('@apollo/composition');
}

/** What that composer proves with, likewise. */
export function queryGraphs(): typeof import('@apollo/query-graphs') {
  return require('@apollo/query-graphs') as typeof import('@apollo/query-graphs');
}

/** What that composer composes with, likewise. */
export function federationInternals(): typeof import('@apollo/federation-internals') {
  return require('@apollo/federation-internals') as typeof import('@apollo/federation-internals');
}

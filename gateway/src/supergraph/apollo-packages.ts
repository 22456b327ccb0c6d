import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/**
 * What reads a supergraph. These packages are required: to import a CommonJS package, Node reads all of its modules once more, for the
 * names of what they export. A query planner worker would take a third longer to start.
 */
export const federationInternals =
  require('@apollo/federation-internals') as typeof import('@apollo/federation-internals');

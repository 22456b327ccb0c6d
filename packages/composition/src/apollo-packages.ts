import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** Apollo's composer. */
export const apolloComposition = require('@apollo/composition') as typeof import('@apollo/composition');

/**
 * What it composes with. Both are required: to import a CommonJS package, Node reads all of its modules once more, for the names of
 * what they export, which is a tenth of a composition from a cold process.
 */
export const federationInternals =
  require('@apollo/federation-internals') as typeof import('@apollo/federation-internals');

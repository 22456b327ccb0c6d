import { apiSchemaOf } from './api-schema.ts';
import { compareApiSchemas, type ApiChanges } from './compare-api-schemas.ts';

/**
 * What clients of one supergraph notice when the other takes its place. Only the API schema counts: moving a field
 * between subgraphs, or adding one that is @inaccessible, changes nothing.
 *
 * @throws Error when either text is not a supergraph
 */
export function checkSupergraph(supergraphSdl: string, against: string): ApiChanges {
  return compareApiSchemas(apiSchemaOf(against), apiSchemaOf(supergraphSdl));
}

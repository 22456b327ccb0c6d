export { apiSchemaOf } from './api-schema.ts';
export { checks, type Check, type Finding } from './checks/index.ts';
export { checkSupergraph } from './check-supergraph.ts';
export { compareApiSchemas, type ApiChange, type ApiChanges } from './compare-api-schemas.ts';
export {
  composeSubgraphs,
  composeSupergraph,
  federationVersion,
  type Composition,
} from './compose-supergraph.ts';
export {
  formatDiagnostic,
  formatLocation,
  ownCodes,
  type Diagnostic,
  type SourceLocation,
} from './diagnostic.ts';
export { openRootFields } from './open-root-fields.ts';
export {
  loadSubgraphSchema,
  SchemaNotReadable,
  type LoadOptions,
  type SubgraphSchema,
} from './subgraph-schema.ts';
export {
  readSupergraphConfig,
  type SchemaSource,
  type SubgraphConfig,
  type SupergraphConfig,
} from './supergraph-config.ts';
export { SupergraphConfigError } from './supergraph-config-error.ts';

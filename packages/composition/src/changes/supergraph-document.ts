import { buildASTSchema, parse, type DocumentNode, type GraphQLSchema } from 'graphql';
import { readGraphStructure, type GraphStructure } from './graph-structure.ts';

/** The text of a supergraph, read once for all that look at it. */
export class SupergraphDocument {
  /** As composition wrote it. */
  readonly sdl: string;
  #document: DocumentNode | undefined;
  #structure: GraphStructure | undefined;
  #schema: GraphQLSchema | undefined;

  /** Reads nothing yet. */
  constructor(sdl: string) {
    this.sdl = sdl;
  }

  /** Which subgraph resolves what. @throws GraphQLError where the text is not GraphQL */
  get structure(): GraphStructure {
    return (this.#structure ??= readGraphStructure(this.#parse()));
  }

  /** All types, with those of composition; not validated. @throws GraphQLError where the text is not GraphQL */
  get schema(): GraphQLSchema {
    return (this.#schema ??= buildASTSchema(this.#parse(), { assumeValid: true, assumeValidSDL: true }));
  }

  #parse(): DocumentNode {
    return (this.#document ??= parse(this.sdl, { noLocation: true }));
  }
}

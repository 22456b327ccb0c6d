import { ownOf } from '@trellis/runtime/own-property';
import type { FastifyRequest } from 'fastify';
import type { GraphRequest } from '../../request/context.ts';
import { rejected } from '../../errors.ts';

/** A persisted document, as the address of a request names it. */
export interface NamedDocument {
  readonly documentId: string;
  readonly operationName: string | undefined;
}

/** Identifiers with a prefix alone: others might be the name of something else below the path. */
const PREFIXED = String.raw`:documentId(^[\w.~-]+:[\w.~:-]+$)`;

/**
 * Addresses of persisted documents below the path of the graph: `/graphql/sha256:…` and `/graphql/sha256:…/operationName`.
 *
 * @see GraphQL over HTTP, working draft, "Appendix: Persisted Documents": a dedicated URL for each persisted operation
 */
export function documentPaths(path: string): readonly string[] {
  return [`${path}/${PREFIXED}`, String.raw`${path}/${PREFIXED}/:operationName(^\w+$)`];
}

/** The document that the address of a request names, if it is one of {@link documentPaths}. */
export function documentOfAddress({ params }: Pick<FastifyRequest, 'params'>): NamedDocument | undefined {
  const documentId = ownOf(params, 'documentId');
  if (typeof documentId !== 'string') return undefined;
  const operationName = ownOf(params, 'operationName');
  return { documentId, operationName: typeof operationName === 'string' ? operationName : undefined };
}

/**
 * The request for the document of its address.
 *
 * @throws RequestError BAD_REQUEST where the parameters name another one
 */
export function withDocument(
  request: GraphRequest,
  { documentId, operationName }: NamedDocument,
): GraphRequest {
  const isOther =
    request.query !== undefined ||
    (request.documentId !== undefined && request.documentId !== documentId) ||
    (operationName !== undefined && (request.operationName ?? operationName) !== operationName);
  if (isOther) throw rejected('BAD_REQUEST', 'The parameters name another operation than the address.');
  return { ...request, documentId, operationName: operationName ?? request.operationName };
}

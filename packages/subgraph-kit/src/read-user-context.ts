import {
  INTROSPECTION_SECRET_HEADER,
  InvalidUserContext,
  unauthenticated,
  USER_CONTEXT_HEADER,
  type UserContext,
  type UserContextVerifier,
} from '@trellis/subgraph-protocol';
import type { FastifyRequest } from 'fastify';
import { GraphQLError } from 'graphql';
import { createSecretCheck } from './introspection-secrets.ts';
import { isPublicOperation } from './public-operations.ts';

/** What {@link createUserContextReader} needs to know. */
export interface UserContextReaderOptions {
  readonly verifier: UserContextVerifier;
  /** Whether `_service` and `__typename` are answered without a context; composition in development needs them. */
  readonly publicOperations: boolean;
  /** Who sends one of these in `trellis-introspection-secret` needs no context for `_service` and `__typename`. @default no one may */
  readonly introspectionSecrets?: readonly string[] | undefined;
}

/** Reads who is asking from a request that the gateway signed. */
export type UserContextReader = (request: FastifyRequest) => Promise<UserContext>;

const ANONYMOUS: UserContext = Object.freeze({ scopes: [] });

/**
 * Makes the reader. A request without a valid context is rejected with UNAUTHENTICATED and HTTP 401 before any resolver
 * runs, because a caller that reaches a subgraph past the gateway has passed no check at all.
 */
export function createUserContextReader(options: UserContextReaderOptions): UserContextReader {
  const hasSecret = createSecretCheck(options.introspectionSecrets);
  return async (request) => {
    try {
      return await options.verifier.verify(headerOf(request));
    } catch (error) {
      if (!(error instanceof InvalidUserContext)) throw error;
      const mayReadSchema =
        options.publicOperations || hasSecret(request.headers[INTROSPECTION_SECRET_HEADER]);
      if (mayReadSchema && isPublicOperation(queryOf(request))) return ANONYMOUS;
      request.log.warn(
        { err: error, requestId: request.id },
        'rejected a request without a valid user context',
      );
      throw rejection();
    }
  };
}

/** A header that is sent twice is not one that the gateway signed. */
function headerOf(request: FastifyRequest): string | undefined {
  const header = request.headers[USER_CONTEXT_HEADER];
  return typeof header === 'string' ? header : undefined;
}

function queryOf({ body }: FastifyRequest): unknown {
  return typeof body === 'object' && body !== null && 'query' in body ? body.query : undefined;
}

function rejection(): GraphQLError {
  const { message, extensions } = unauthenticated('A subgraph answers only what the gateway has signed.');
  return new GraphQLError(message, { extensions: { ...extensions, http: { status: 401 } } });
}

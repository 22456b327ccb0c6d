import { GraphQLError } from 'graphql';
import { gatewayErrorCodes, rejected, RequestError } from '../errors.ts';
import { Failure, reportReason } from '../execution/failure.ts';
import { readEvent } from '../execution/read-response.ts';
import type { ErrorDisclosure } from '../settings/subgraph-errors.ts';
import type { UpstreamFailure } from './upstream-stream.ts';

/** Why a stream ends before its source does. */
export type StreamFailure =
  /** Errors that are fit for clients, or internal ones, which are reported. */
  | { readonly kind: 'errors'; readonly errors: readonly GraphQLError[] }
  /** More events came than could be completed. */
  | { readonly kind: 'overrun' };

/**
 * Maps a failure upstream to the errors for clients.
 *
 * @param disclosure what clients see of the errors of the subgraph; absent where the defaults hold
 */
export function failureOf(
  subgraph: string,
  failure: UpstreamFailure,
  disclosure?: ErrorDisclosure,
): StreamFailure {
  return { kind: 'errors', errors: errorsUpstream(subgraph, failure, disclosure) };
}

function errorsUpstream(
  subgraph: string,
  failure: UpstreamFailure,
  disclosure: ErrorDisclosure | undefined,
): readonly GraphQLError[] {
  switch (failure.kind) {
    case 'rejected':
      return errorsOfResponse(subgraph, failure.response, disclosure);
    case 'interrupted':
      return rejected('SUBSCRIPTION_INTERRUPTED', gatewayErrorCodes.SUBSCRIPTION_INTERRUPTED.summary).errors;
    case 'unreachable':
      return [
        new GraphQLError(`The subgraph "${subgraph}" could not be subscribed to.`, {
          extensions: { code: 'INTERNAL_SERVER_ERROR' },
          originalError: failure.cause,
        }),
      ];
    default:
      return failure satisfies never;
  }
}

function errorsOfResponse(
  subgraph: string,
  response: unknown,
  disclosure: ErrorDisclosure | undefined,
): readonly GraphQLError[] {
  const read = readEvent(subgraph, response, disclosure);
  const reasons = read instanceof Failure ? read.reasons : read.errors;
  return reasons.map((reason) => reportReason(reason));
}

/** The errors that clients are shown for a failure. */
export function errorsOfFailure(failure: StreamFailure): readonly GraphQLError[] {
  return failure.kind === 'errors'
    ? failure.errors
    : rejected('OVERLOADED', 'Events came faster than they could be completed.').errors;
}

/** A failure of ours, or a rejection. */
export function failureFrom(error: unknown): StreamFailure {
  if (error instanceof RequestError) return { kind: 'errors', errors: error.errors };
  if (error instanceof GraphQLError) return { kind: 'errors', errors: [error] };
  const originalError = error instanceof Error ? error : new Error(String(error));
  return { kind: 'errors', errors: [new GraphQLError(originalError.message, { originalError })] };
}

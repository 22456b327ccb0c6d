import { ApolloLink, CombinedGraphQLErrors, HttpLink, ServerError } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { ErrorLink } from '@apollo/client/link/error';
import { RetryLink } from '@apollo/client/link/retry';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { getMainDefinition } from '@apollo/client/utilities';
import { Kind, OperationTypeNode, type OperationDefinitionNode } from 'graphql';
import type { Client } from 'graphql-ws';
import type { Config } from '../config.ts';
import type { Network } from '../network/network.ts';
import type { Session } from '../session/session.ts';
import { createResumeLink } from './resume-link.ts';

const RETRIES = 4;

/** How operations get to the graph: streams over the socket, all others over HTTP. */
export function createLink(config: Config, session: Session, network: Network, socket: Client): ApolloLink {
  return ApolloLink.split(
    (operation) => isStream(definitionOf(operation)),
    createResumeLink().concat(new GraphQLWsLink(socket)),
    ApolloLink.from([
      identifyMutations(),
      retryWithoutNetwork(network),
      endRejectedSessions(session),
      authorize(session),
      new HttpLink({ uri: config.graph }),
    ]),
  );
}

/** A mutation that is sent again, because no response has come, is done once. */
function identifyMutations(): ApolloLink {
  return new SetContextLink((context, operation) => {
    if (definitionOf(operation).operation !== OperationTypeNode.MUTATION) return {};
    return { headers: { ...headersOf(context), 'idempotency-key': crypto.randomUUID() } };
  });
}

/** What could not be sent waits for the network; a server that can't be reached is asked a few times. */
function retryWithoutNetwork(network: Network): ApolloLink {
  return new RetryLink({
    delay: { initial: 300, max: 5_000, jitter: true },
    attempts: async (count, _operation, error) => {
      if (!isNetworkFailure(error)) return false;
      if (network.state !== 'offline') return count < RETRIES;
      await network.untilOnline();
      return true;
    },
  });
}

/** A token that is rejected although it is fresh was revoked: the session shows by a refresh whether it goes on. */
function endRejectedSessions(session: Session): ApolloLink {
  return new ErrorLink(({ error, operation }) => {
    const header = headersOf(operation.getContext())['authorization'];
    if (header && isUnauthenticated(error)) session.renewRejected(header.replace(/^Bearer /, ''));
  });
}

function authorize(session: Session): ApolloLink {
  return new SetContextLink(async (context) => {
    const token = await session.accessToken();
    if (token === undefined) return {};
    return { headers: { ...headersOf(context), authorization: `Bearer ${token}` } };
  });
}

function definitionOf({ query }: Pick<ApolloLink.Operation, 'query'>): OperationDefinitionNode {
  const definition = getMainDefinition(query);
  if (definition.kind !== Kind.OPERATION_DEFINITION) throw new Error('A document without an operation.');
  return definition;
}

/** Whether there is more than one result: a subscription, or a live query. */
function isStream({ operation, directives = [] }: OperationDefinitionNode): boolean {
  return operation === OperationTypeNode.SUBSCRIPTION || directives.some(({ name }) => name.value === 'live');
}

function headersOf(context: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  return (context['headers'] as Record<string, string> | undefined) ?? {}; // set above alone
}

/** No response came: fetch has failed. */
function isNetworkFailure(error: unknown): boolean {
  return error instanceof TypeError;
}

function isUnauthenticated(error: unknown): boolean {
  if (ServerError.is(error)) return error.statusCode === 401;
  return (
    CombinedGraphQLErrors.is(error) &&
    error.errors.some(({ extensions }) => extensions?.['code'] === 'UNAUTHENTICATED')
  );
}

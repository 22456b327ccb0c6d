import { onWebSocketRequest, type Logger } from '@trellis/runtime';
import {
  clientError,
  InvalidUserContext,
  readLastEventId,
  readSubscribeHeader,
  unauthenticated,
  USER_CONTEXT_HEADER,
  type UserContext,
  type UserContextVerifier,
} from '@trellis/subgraph-protocol';
import type { FastifyInstance } from 'fastify';
import {
  getOperationAST,
  GraphQLError,
  OperationTypeNode,
  parse,
  validate,
  type DocumentNode,
  type ExecutionResult,
  type FormattedExecutionResult,
  type GraphQLFormattedError,
  type GraphQLSchema,
  type SubscriptionArgs,
} from 'graphql';
import { handleProtocols, type Context, type SubscribePayload } from 'graphql-ws';
import { useServer } from 'graphql-ws/use/ws';
import { WebSocketServer } from 'ws';
import { streamEvents, type CreateEventContext } from './event-stream.ts';
import type { ErrorFormatter } from './format-graph-error.ts';

/** What a subscription brings along beside its operation. */
export interface SubscriptionRequest {
  readonly userContext: UserContext;
  /** The event that the client has seen last. Absent: it wants what happens from now on. */
  readonly lastEventId?: string | undefined;
}

/** What {@link serveSubscriptions} works with. */
export interface SubscriptionServerOptions {
  readonly schema: GraphQLSchema;
  readonly verifier: UserContextVerifier;
  readonly logger: Logger;
  readonly formatError: ErrorFormatter;
  /** Makes what resolvers receive: once when the stream begins, and again for each event. */
  readonly createContext: (request: SubscriptionRequest) => unknown;
}

const PATH = '/graphql';
const MAX_MESSAGE_BYTES = 1_048_576;
/** Between two pings of the socket. A gateway that does not answer one is gone. */
const KEEP_ALIVE_MS = 12_000;

/**
 * Serves subscriptions to the gateway: graphql-transport-ws on a WebSocket of the same server, at `/graphql`. The gateway
 * opens the socket in its own name, by a user context without a user in the payload of `connection_init`, and sends
 * the users' contexts with each `subscribe` message. Closing the server closes the sockets with 1001.
 *
 * @see the graphql-transport-ws protocol of graphql-ws; docs/subscriptions.md
 */
export function serveSubscriptions(server: FastifyInstance, options: SubscriptionServerOptions): void {
  const sockets = new WebSocketServer({ noServer: true, maxPayload: MAX_MESSAGE_BYTES, handleProtocols });
  const running = useServer(
    {
      onConnect: ({ connectionParams }) => isGateway(connectionParams?.[USER_CONTEXT_HEADER], options),
      onSubscribe: (_connection, _id, payload) => begin(payload, options),
      subscribe: (args) => streamEvents(args, (args as PreparedSubscription).createContext), // as `begin` has returned it
      onNext: (_connection: Context, _id, _payload, _args, result) => formatResult(result, options),
      onError: (_connection, _id, _payload, errors) => formatErrors(errors, options),
    },
    sockets,
    KEEP_ALIVE_MS,
  );
  onWebSocketRequest(server.server, (request, socket, head) => {
    if (request.url?.split('?')[0] === PATH)
      sockets.handleUpgrade(request, socket, head, (opened) => sockets.emit('connection', opened, request));
    else socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
  });
  server.addHook('preClose', async () => running.dispose());
}

/** A subscription that begins: graphql-ws hands it on as it is. */
interface PreparedSubscription extends SubscriptionArgs {
  /** Makes the context of each of its events. */
  readonly createContext: CreateEventContext;
}

async function isGateway(token: unknown, { verifier, logger }: SubscriptionServerOptions): Promise<boolean> {
  try {
    await verifier.verify(typeof token === 'string' ? token : undefined);
    return true;
  } catch (error) {
    if (!(error instanceof InvalidUserContext)) throw error;
    logger.warn({ err: error }, 'rejected a socket without a valid user context');
    return false;
  }
}

async function begin(
  payload: SubscribePayload,
  options: SubscriptionServerOptions,
): Promise<PreparedSubscription | readonly GraphQLError[]> {
  try {
    return await prepare(payload, options);
  } catch (error) {
    return [error instanceof GraphQLError ? error : unexpected(error)];
  }
}

/** @throws GraphQLError when the subscription can't begin */
async function prepare(
  { query, operationName, variables, extensions }: SubscribePayload,
  options: SubscriptionServerOptions,
): Promise<PreparedSubscription> {
  const userContext = await readContext(extensions, options);
  const document = parse(query);
  assertSubscription(document, operationName, options.schema);
  const createContext = (): unknown =>
    options.createContext({ userContext, lastEventId: readLastEventId(extensions) });
  return {
    schema: options.schema,
    document,
    operationName: operationName ?? null,
    variableValues: variables ?? null,
    contextValue: await createContext(),
    createContext,
  };
}

async function readContext(
  extensions: unknown,
  { verifier, logger }: SubscriptionServerOptions,
): Promise<UserContext> {
  try {
    return await verifier.verify(readSubscribeHeader(extensions, USER_CONTEXT_HEADER));
  } catch (error) {
    if (!(error instanceof InvalidUserContext)) throw error;
    logger.warn({ err: error }, 'rejected a subscription without a valid user context');
    throw unauthenticated('A subgraph answers only what the gateway has signed.');
  }
}

function assertSubscription(
  document: DocumentNode,
  name: string | null | undefined,
  schema: GraphQLSchema,
): void {
  const [invalid] = validate(schema, document);
  if (invalid) throw clientError('GRAPHQL_VALIDATION_FAILED', invalid.message);
  if (getOperationAST(document, name)?.operation !== OperationTypeNode.SUBSCRIPTION)
    throw clientError('GRAPHQL_VALIDATION_FAILED', 'Only subscriptions are served over WebSocket.');
}

/** A result as graphql-ws hands it over, whose optional members may be there and undefined. */
type Result = { readonly [Member in keyof ExecutionResult]?: ExecutionResult[Member] | undefined };

function formatResult(
  { data, errors, extensions }: Result,
  options: SubscriptionServerOptions,
): FormattedExecutionResult {
  return {
    ...(data !== undefined && { data }),
    ...(errors && { errors: formatErrors(errors, options) }),
    ...(extensions && { extensions }),
  };
}

function formatErrors(
  errors: readonly GraphQLError[],
  { formatError }: SubscriptionServerOptions,
): readonly GraphQLFormattedError[] {
  return errors.map((error) => formatError(error.toJSON(), error));
}

function unexpected(error: unknown): GraphQLError {
  const originalError = error instanceof Error ? error : new Error(String(error));
  return new GraphQLError(originalError.message, { originalError });
}

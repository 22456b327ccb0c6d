import type { GraphQLFormattedError } from 'graphql';
import { GRAPHQL_TRANSPORT_WS_PROTOCOL, MessageType } from 'graphql-ws';

/** What a message of a client means, whatever its sub-protocol calls it. */
export type Meaning =
  | MessageType.ConnectionInit
  | MessageType.Ping
  | MessageType.Pong
  | MessageType.Subscribe
  | MessageType.Complete
  | 'terminate';

/** A sub-protocol of GraphQL over WebSocket: what its messages are called. The rules of a connection are the same in all. */
export interface WireProtocol {
  /** As `Sec-WebSocket-Protocol` names it. */
  readonly name: string;
  /** By type of message; a type that is absent is unknown. */
  readonly meanings: ReadonlyMap<string, Meaning>;
  /** Whether clients ask before the connection is acknowledged. What they ask waits until it is. */
  readonly asksEarly: boolean;
  /** Type of the message that carries a result. */
  readonly resultType: string;
  /** The messages that end an operation that was not executed, or whose stream has failed. */
  failure(id: string, errors: readonly GraphQLFormattedError[] | undefined): readonly object[];
  /** Beginnings of result messages that connections share, by the id of the operation: where clients number them. */
  readonly heads: Map<string, string>;
  /** What a client is sent before a connection is closed that was not acknowledged. */
  rejection(reason: string): object | undefined;
}

/** @see the graphql-transport-ws protocol of graphql-ws */
const graphqlTransportWs: WireProtocol = {
  name: GRAPHQL_TRANSPORT_WS_PROTOCOL,
  meanings: new Map<string, Meaning>([
    ['connection_init', MessageType.ConnectionInit],
    ['ping', MessageType.Ping],
    ['pong', MessageType.Pong],
    ['subscribe', MessageType.Subscribe],
    ['complete', MessageType.Complete],
  ]),
  asksEarly: false,
  resultType: MessageType.Next,
  heads: new Map<string, string>(),
  failure: (id, errors) => [{ id, type: MessageType.Error, payload: errors }],
  rejection: () => undefined, // the code of the closing says it
};

/**
 * The protocol before it, which Apollo Kotlin 4 uses by default, and which names itself `graphql-ws`. Its server sends errors as
 * a result, and its client asks right after `connection_init`. No `ka` is sent, which clients would then wait for: the
 * WebSocket's own pings find lost connections.
 *
 * @see PROTOCOL.md of subscriptions-transport-ws
 */
const subscriptionsTransportWs: WireProtocol = {
  name: 'graphql-ws',
  meanings: new Map<string, Meaning>([
    ['connection_init', MessageType.ConnectionInit],
    ['start', MessageType.Subscribe],
    ['stop', MessageType.Complete],
    ['connection_terminate', 'terminate'],
  ]),
  asksEarly: true,
  resultType: 'data',
  heads: new Map<string, string>(),
  failure: (id, errors) => [
    { id, type: 'data', payload: { errors } },
    { id, type: 'complete' },
  ],
  rejection: (message) => ({ type: 'connection_error', payload: { message } }),
};

const PROTOCOLS = [graphqlTransportWs, subscriptionsTransportWs];

/** The sub-protocol that a connection has agreed on. @returns undefined where it is none that is served */
export function wireProtocolOf(name: string): WireProtocol | undefined {
  return PROTOCOLS.find((protocol) => protocol.name === name);
}

/** The one of those which a client offers that it gets: the newer one, if it speaks both. */
export function chooseProtocol(offered: ReadonlySet<string>): string | false {
  return PROTOCOLS.find(({ name }) => offered.has(name))?.name ?? false;
}

/** Ids of more characters are made at random. */
const MAX_SHARED_ID = 8;
const MAX_HEADS = 1_000;

/** Where clients number their operations, one text serves all of them: it is compared at every result. */
export function sharedHeadOf(id: string, protocol: WireProtocol): string {
  const { heads } = protocol;
  const known = heads.get(id);
  if (known !== undefined) return known;
  const head = headOf(id, protocol);
  if (heads.size < MAX_HEADS && id.length <= MAX_SHARED_ID) heads.set(id, head);
  return head;
}

/**
 * The message that carries one result of an operation.
 *
 * @param response as JSON
 */
export function resultMessage(id: string, response: string, protocol: WireProtocol): string {
  return `${headOf(id, protocol)}${response}}`;
}

function headOf(id: string, { resultType }: WireProtocol): string {
  return `{"id":${JSON.stringify(id)},"type":"${resultType}","payload":`;
}

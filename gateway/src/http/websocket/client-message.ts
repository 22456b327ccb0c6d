import { MessageType } from 'graphql-ws';
import type { GraphRequest } from '../../request/context.ts';
import { RequestError } from '../../errors.ts';
import { mayHoldUnfitText, unfitTextIn } from '@trellis/runtime/admission';
import { rejectUnfitTexts } from '../../request/reject-unfit-texts.ts';
import { namesNoOperation } from '../../pipeline/persisted-query.ts';
import { readRequest, type RequestBounds } from '../message/read-request.ts';
import type { Meaning, WireProtocol } from './wire-protocol.ts';

/** A message of a client that the protocol allows. */
export type ClientMessage =
  | { readonly type: MessageType.ConnectionInit; readonly payload: MessagePayload }
  | { readonly type: MessageType.Ping; readonly payload: MessagePayload }
  | { readonly type: MessageType.Pong }
  | {
      readonly type: MessageType.Subscribe;
      readonly id: string;
      readonly request: GraphRequest | RequestError;
    }
  | { readonly type: MessageType.Complete; readonly id: string }
  | { readonly type: 'terminate' };

/** The members of a payload; to be read by own properties. */
export type MessagePayload = Readonly<Record<string, unknown>>;

/** A message that the protocol does not know, or that is not built as it says. The text names what is wrong. */
export class InvalidMessage extends Error {
  override readonly name = 'InvalidMessage';
}

const MAX_ID_CHARACTERS = 256;
const NO_PAYLOAD: MessagePayload = Object.freeze({});

/**
 * Reads a message. A request that exceeds a bound is part of a valid message; what is no request is not.
 *
 * @throws InvalidMessage
 */
export function readClientMessage(
  text: string,
  bounds: RequestBounds,
  { meanings }: WireProtocol,
): ClientMessage {
  const message = parseObject(text);
  const { type } = message;
  const meaning = typeof type === 'string' ? meanings.get(type) : undefined;
  const isSuspect = mayHoldUnfitText(text);
  if (isSuspect) assertFit(message, meaning);
  switch (meaning) {
    case MessageType.ConnectionInit:
      return { type: MessageType.ConnectionInit, payload: payloadOf(message) };
    case MessageType.Ping:
      return { type: MessageType.Ping, payload: payloadOf(message) };
    case MessageType.Pong:
      return { type: MessageType.Pong };
    case MessageType.Subscribe:
      return {
        type: MessageType.Subscribe,
        id: idOf(message),
        request: requestOf(message, bounds, isSuspect),
      };
    case MessageType.Complete:
      return { type: MessageType.Complete, id: idOf(message) };
    case 'terminate':
      return { type: 'terminate' };
    default:
      throw new InvalidMessage('Unknown message type');
  }
}

function parseObject(text: string): MessagePayload {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InvalidMessage('A message has to be JSON');
  }
  if (isObject(value)) return value;
  throw new InvalidMessage('A message has to be a JSON object');
}

/**
 * What a message says itself. What an operation holds is judged with it, as over HTTP: other operations go on.
 *
 * @throws InvalidMessage
 */
function assertFit({ payload, ...envelope }: MessagePayload, meaning: Meaning | undefined): void {
  const own = meaning === MessageType.Subscribe ? envelope : { ...envelope, payload };
  const unfit = unfitTextIn(own, 'lines');
  if (unfit) throw new InvalidMessage(`A text of the message ${unfit.problem}`);
}

function isObject(value: unknown): value is MessagePayload {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function payloadOf(message: MessagePayload): MessagePayload {
  const { payload } = message;
  if (payload === undefined || payload === null) return NO_PAYLOAD;
  if (isObject(payload)) return payload;
  throw new InvalidMessage('"payload" has to be an object');
}

function idOf({ id }: MessagePayload): string {
  if (typeof id === 'string' && id !== '' && id.length <= MAX_ID_CHARACTERS) return id;
  throw new InvalidMessage(`"id" has to be a string of 1 to ${MAX_ID_CHARACTERS} characters`);
}

function requestOf(
  { payload }: MessagePayload,
  bounds: RequestBounds,
  isSuspect: boolean,
): GraphRequest | RequestError {
  if (!isObject(payload)) throw new InvalidMessage('"payload" has to be an object');
  try {
    const request = readRequest(payload, bounds);
    if (!namesNoOperation(request)) return isSuspect ? fitRequest(request, bounds) : request;
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    if (error.errors[0]?.extensions['code'] !== 'BAD_REQUEST') return error;
    throw new InvalidMessage(error.message, { cause: error });
  }
  throw new InvalidMessage('"payload" has to have "query", "documentId" or the hash of a persisted query');
}

/** @returns the rejection where a text in it holds characters that it must not */
function fitRequest(request: GraphRequest, bounds: RequestBounds): GraphRequest | RequestError {
  try {
    rejectUnfitTexts(request, bounds);
    return request;
  } catch (error) {
    return error as RequestError; // rejectUnfitTexts throws nothing else
  }
}

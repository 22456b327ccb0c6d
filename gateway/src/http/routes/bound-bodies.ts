import type { Readable } from 'node:stream';
import type { ShareKeys, ShareRejection } from '@trellis/runtime/admission';
import { discardBody } from '@trellis/runtime';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { gatewayErrorCodes, heldTooMuch, rejected, type RequestError } from '../../errors.ts';
import type { RejectionReason } from '../../load/admission.ts';
import type { HeldBytes, InFlightBytes } from '../../load/in-flight-bytes.ts';
import { beginsBatch, BodyRejection, outlineArriving } from '../message/batch-outline.ts';
import { encodingOf, isUploadBody } from '../message/media-types.ts';
import { normalAddress } from '../message/client-address.ts';
import { unpackBody, UNPACKING_BYTES } from '../message/unpack-body.ts';

/** Settings of {@link boundBodies}. */
export interface BodyBounds {
  readonly inFlight: InFlightBytes;
  /** Largest body, in force now. */
  readonly maxBytes: () => number;
  /** Whose share a body counts in, by its address. */
  readonly shareOf: (address: string) => ShareKeys;
  /** Called for each rejected request, for metrics. */
  readonly onRejected: (reason: RejectionReason) => void;
}

/** Of smaller bodies there are no more than requests in flight, whose number is bounded. */
const SMALL_BODY_BYTES = 65_536;
/** What one chunk takes beside its bytes: who sends them one by one has the process hold far more. */
const CHUNK_BYTES = 200;
const REASONS: Readonly<Record<ShareRejection, RejectionReason>> = { share: 'share', total: 'requests' };

/**
 * Counts a body while it arrives and is worked on, and unpacks it where it is compressed. One that is too large gets 413; who would have the process hold more than
 * its share gets 429.
 */
export function boundBodies({ inFlight, maxBytes, shareOf, onRejected }: BodyBounds): preParsingHookHandler {
  return (request, reply, body, done) => {
    if (isUploadBody(request.headers)) return done(null, body); // it is not held, and has bounds of its own
    const max = maxBytes();
    if (Number(request.headers['content-length']) > max) {
      void reply.header('connection', 'close');
      discardBody(request, reply);
      return outlineArriving(request.raw, (outline) => done(new BodyRejection(tooLarge(max), outline)));
    }
    const encoding = request.method === 'POST' ? encodingOf(request.headers) : 'identity'; // no other body is read
    const isPacked = encoding !== 'identity';
    if (!isPacked && !mayBeLarge(request)) return done(null, body);
    const held = inFlight.open(() => shareOf(normalAddress(request.ip)));
    reply.raw.once('close', () => held.release());
    const rules = { max, onRejected };
    if (isPacked) {
      const unpacked = unpackArriving(body, encoding, held, rules);
      reply.raw.once('close', () => unpacked.destroy()); // the rest has no reader
      return done(null, unpacked);
    }
    countArriving(body, held, rules);
    done(null, body);
  };
}

/** The bounds hold for what is unpacked, and for the bytes that arrive: some yield nothing. */
function unpackArriving(body: Readable, encoding: string, held: HeldBytes, rules: ArrivingRules): Readable {
  const unpacked = unpackBody(body, encoding, (bytes) => {
    if (bytes > rules.max) unpacked.destroy(new BodyRejection(tooLarge(rules.max), {}));
  });
  countArriving(unpacked, held, { ...rules, overhead: UNPACKING_BYTES });
  return unpacked;
}

function tooLarge(max: number): RequestError {
  return rejected(
    'PAYLOAD_TOO_LARGE',
    `${gatewayErrorCodes.PAYLOAD_TOO_LARGE.summary} The maximum is ${max} bytes.`,
  );
}

function mayBeLarge({ headers }: FastifyRequest): boolean {
  return !(Number(headers['content-length']) <= SMALL_BODY_BYTES); // chunked bodies say no length
}

interface ArrivingRules extends Pick<BodyBounds, 'onRejected'> {
  /** Bytes of one body. */
  readonly max: number;
  /** Bytes that are held beside the body. */
  readonly overhead?: number;
}

/** An error ends the reading of the body, and not the connection, on which the response is written. */
function countArriving(body: Readable, held: HeldBytes, rules: ArrivingRules): void {
  const { max, onRejected } = rules;
  let bytes = 0;
  let overhead = rules.overhead ?? 0;
  let isBatch: boolean | undefined;
  const end = (error: RequestError): void => {
    body.off('data', onData);
    held.release();
    body.emit('error', new BodyRejection(error, { isBatch, operations: undefined }));
    if (rules.overhead !== undefined) body.destroy(); // what is unpacked is no connection
  };
  const onData = (chunk: Buffer): void => {
    isBatch ??= beginsBatch(chunk);
    bytes += chunk.length;
    overhead += CHUNK_BYTES;
    if (bytes > max) return end(tooLarge(max));
    const rejection = held.hold(bytes + overhead);
    if (rejection === undefined) return;
    onRejected(REASONS[rejection]);
    end(heldTooMuch(rejection));
  };
  body.on('data', onData);
}

import type { Readable } from 'node:stream';
import type { ShareKeys, ShareRefusal } from '@trellis/admission';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { gatewayErrorCodes, heldTooMuch, refused, type RequestRefused } from '../../errors.ts';
import type { RefusalReason } from '../../load/admission.ts';
import type { HeldBytes, UnansweredBytes } from '../../load/unanswered-bytes.ts';
import { normalAddress } from '../message/client-address.ts';

/** Settings of {@link boundBodies}. */
export interface BodyBounds {
  readonly unanswered: UnansweredBytes;
  /** Largest body, in force now. */
  readonly maxBytes: () => number;
  /** Whose share a body counts in, by its address. */
  readonly shareOf: (address: string) => ShareKeys;
  /** Called for each rejected request, for metrics. */
  readonly onRefused: (reason: RefusalReason) => void;
}

/** Of smaller bodies there are no more than requests in flight, whose number is bounded. */
const SMALL_BODY_BYTES = 65_536;
/** What one chunk takes beside its bytes: who sends them one by one has the process hold far more. */
const CHUNK_BYTES = 200;
const REASONS: Readonly<Record<ShareRefusal, RefusalReason>> = { share: 'share', total: 'requests' };

/**
 * Counts a body while it arrives and is worked on. One that is too large is answered 413; who would have the process hold more than
 * its share is answered 429.
 */
export function boundBodies({ unanswered, maxBytes, shareOf, onRefused }: BodyBounds): preParsingHookHandler {
  return (request, reply, body, done) => {
    const max = maxBytes();
    if (Number(request.headers['content-length']) > max) {
      void reply.header('connection', 'close'); // the client may go on sending
      return done(tooLarge(max));
    }
    if (mayBeLarge(request)) {
      const held = unanswered.open(() => shareOf(normalAddress(request.ip)));
      reply.raw.once('close', () => held.release());
      countArriving(body, held, { max, onRefused });
    }
    done(null, body);
  };
}

function tooLarge(max: number): RequestRefused {
  return refused(
    'PAYLOAD_TOO_LARGE',
    `${gatewayErrorCodes.PAYLOAD_TOO_LARGE.summary} The maximum is ${max} bytes.`,
  );
}

function mayBeLarge({ headers }: FastifyRequest): boolean {
  return !(Number(headers['content-length']) <= SMALL_BODY_BYTES); // chunked bodies say no length
}

interface ArrivingRules extends Pick<BodyBounds, 'onRefused'> {
  /** Bytes of one body. */
  readonly max: number;
}

/** An error ends the reading of the body, and not the connection, on which the answer is written. */
function countArriving(body: Readable, held: HeldBytes, { max, onRefused }: ArrivingRules): void {
  let bytes = 0;
  let overhead = 0;
  const end = (error: RequestRefused): void => {
    body.off('data', onData);
    held.release();
    body.emit('error', error);
  };
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length;
    overhead += CHUNK_BYTES;
    if (bytes > max) return end(tooLarge(max));
    const refusal = held.hold(bytes + overhead);
    if (refusal === undefined) return;
    onRefused(REASONS[refusal]);
    end(heldTooMuch(refusal));
  };
  body.on('data', onData);
}

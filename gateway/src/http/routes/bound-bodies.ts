import type { Readable } from 'node:stream';
import type { ShareKeys, ShareRefusal } from '@trellis/admission';
import type { FastifyRequest, preParsingHookHandler } from 'fastify';
import { heldTooMuch } from '../../errors.ts';
import type { RefusalReason } from '../../load/admission.ts';
import type { HeldBytes, UnansweredBytes } from '../../load/unanswered-bytes.ts';
import { normalAddress } from '../message/client-address.ts';

/** Settings of {@link boundBodies}. */
export interface BodyBounds {
  readonly unanswered: UnansweredBytes;
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

/** Counts a body while it arrives and is worked on. Who would have the process hold more than its share is answered 429. */
export function boundBodies({ unanswered, shareOf, onRefused }: BodyBounds): preParsingHookHandler {
  return (request, reply, body, done) => {
    if (mayBeLarge(request)) {
      const held = unanswered.open(() => shareOf(normalAddress(request.ip)));
      reply.raw.once('close', () => held.release());
      countArriving(body, held, onRefused);
    }
    done(null, body);
  };
}

function mayBeLarge({ headers }: FastifyRequest): boolean {
  return !(Number(headers['content-length']) <= SMALL_BODY_BYTES); // chunked bodies say no length
}

/** The error ends the reading of the body, and not the connection, on which the answer is written. */
function countArriving(body: Readable, held: HeldBytes, onRefused: BodyBounds['onRefused']): void {
  let bytes = 0;
  const onData = (chunk: Buffer): void => {
    bytes += chunk.length + CHUNK_BYTES;
    const refusal = held.hold(bytes);
    if (refusal === undefined) return;
    body.off('data', onData);
    held.release();
    onRefused(REASONS[refusal]);
    body.emit('error', heldTooMuch(refusal));
  };
  body.on('data', onData);
}

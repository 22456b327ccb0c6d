import { compactVerify, decodeProtectedHeader } from 'jose';
import { digestOf } from './blob.ts';
import { formatLogName, type LogName } from './log-name.ts';
import { ALGORITHM, type TrustedKeys } from './public-key.ts';
import { RECORD_TYPE } from './record-signer.ts';
import { RegistryError } from './registry-error.ts';
import { decodeRecord, type RegistryRecord } from './registry-record.ts';
import { MAX_RECORD_BYTES } from './registry-store.ts';

/** A record whose signature was checked. */
export interface VerifiedRecord {
  readonly record: RegistryRecord;
  /** SHA-256 of its compact JWS: what the next record names as previous. */
  readonly hash: string;
  /** Thumbprint of the key that signed it. */
  readonly keyId: string;
  readonly jws: string;
}

/** The place that a record is expected in. */
export interface ExpectedPlace {
  readonly log: LogName;
  readonly sequence: number;
}

/**
 * Checks one record: its signature, then its graph, environment and sequence. Whether it follows the one before is checked by
 * `verifyLog`.
 *
 * @throws RegistryError UNSIGNED, UNTRUSTED_KEY, BAD_SIGNATURE, NEWER_FORMAT, INVALID_RECORD, OTHER_LOG
 */
export async function verifyRecord(
  jws: string,
  { log, sequence }: ExpectedPlace,
  trust: TrustedKeys,
): Promise<VerifiedRecord> {
  const place = `Record ${sequence} of ${formatLogName(log)}`;
  const keyId = readKeyId(jws, place);
  const key = trust.find(keyId);
  if (!key)
    throw new RegistryError(
      'UNTRUSTED_KEY',
      `${place} is signed by the key ${keyId}, which is not trusted. Trusted: ${trust.keyIds.join(', ')}.`,
    );
  const payload = await verifySignature(jws, key, place);
  const record = decodeRecord(payload);
  if (record.graph !== log.graph || record.environment !== log.environment || record.sequence !== sequence)
    throw new RegistryError(
      'OTHER_LOG',
      `${place} says that it is record ${record.sequence} of ${formatLogName(record)}.`,
    );
  return { record, hash: digestOf(jws), keyId, jws };
}

function readKeyId(jws: string, place: string): string {
  const { alg, kid, typ } = readHeader(jws, place);
  if (alg !== ALGORITHM || typ !== RECORD_TYPE || kid === undefined || !/^[A-Za-z0-9_-]{43}$/.test(kid))
    throw new RegistryError(
      'UNSIGNED',
      `${place} is not signed as records are (${ALGORITHM}, ${RECORD_TYPE}).`,
    );
  return kid;
}

function readHeader(jws: string, place: string): ReturnType<typeof decodeProtectedHeader> {
  try {
    if (jws.length > MAX_RECORD_BYTES) throw new Error(`longer than ${MAX_RECORD_BYTES} bytes`);
    return decodeProtectedHeader(jws);
  } catch (error) {
    throw new RegistryError('UNSIGNED', `${place} is no compact JWS.`, { cause: error });
  }
}

async function verifySignature(
  jws: string,
  key: NonNullable<ReturnType<TrustedKeys['find']>>,
  place: string,
): Promise<string> {
  try {
    const { payload } = await compactVerify(jws, key, { algorithms: [ALGORITHM] });
    return Buffer.from(payload).toString('utf8');
  } catch (error) {
    throw new RegistryError('BAD_SIGNATURE', `${place}: the signature does not match.`, { cause: error });
  }
}

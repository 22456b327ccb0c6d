import { RegistryError, type RegistryErrorCode } from '../registry-error.ts';
import { readAtMost } from './read-at-most.ts';

const MAX_BYTES = 64 * 1024;

/** What codes of stores mean where their status says too little. */
const meanings = new Map<string, readonly [code: RegistryErrorCode, help: string]>([
  ['NoSuchBucket', ['NO_REGISTRY', 'there is no such bucket']],
  ['RequestTimeTooSkewed', ['NO_RIGHT', 'the clock of this machine is too far off']],
  ['ExpiredToken', ['NO_RIGHT', 'the session of the credentials has expired']],
  ['QuotaExceeded', ['STORE_FULL', 'its quota is used up']],
  ['XMinioStorageFull', ['STORE_FULL', 'its disks are full']],
  ['InsufficientStorage', ['STORE_FULL', 'it has no space left']],
  ['EntityTooLarge', ['TOO_LARGE', 'it takes no objects of that size']],
  ['NotImplemented', ['STORE_UNSUITABLE', 'it does not implement what a registry needs']],
  ['MethodNotAllowed', ['STORE_READ_ONLY', 'it takes no writes there']],
  ['PermanentRedirect', ['NO_REGISTRY', 'the bucket is in another region: name its endpoint']],
  ['TemporaryRedirect', ['STORE_UNAVAILABLE', 'the bucket is in another region: name its endpoint']],
  ['AuthorizationHeaderMalformed', ['NO_RIGHT', 'the bucket is in another region: set AWS_REGION']],
]);

const byStatus = new Map<number, RegistryErrorCode>([
  [401, 'NO_RIGHT'],
  [403, 'NO_RIGHT'],
  [405, 'STORE_READ_ONLY'],
  [501, 'STORE_UNSUITABLE'],
  [507, 'STORE_FULL'],
]);

/** Says what a response of an object store that is no success means. Of its text only the code is used: stores repeat what was signed. */
export async function objectFailure(
  response: Response,
  description: string,
  signal: AbortSignal,
): Promise<RegistryError> {
  const { status } = response;
  const content = await readAtMost(response, MAX_BYTES, signal).catch(() => new Uint8Array());
  const [, code = ''] = /<Code>([A-Za-z0-9]{1,64})<\/Code>/.exec(Buffer.from(content).toString('utf8')) ?? [];
  const [kind, help] = meanings.get(code) ?? [];
  if (kind) return new RegistryError(kind, `${description}: ${help}.`);
  const said = code === '' ? `status ${status}` : `status ${status}, ${code}`;
  return new RegistryError(byStatus.get(status) ?? 'STORE_UNAVAILABLE', `${description} says: ${said}.`);
}

import type { OpenedRecords } from '../secrets/opened-records.ts';
import type { TokenBinding } from '../tokens/token-binding.ts';
import type { Sealer, Unsealed } from '../secrets/sealing.ts';

/** What a grant allows: from one authorization, or from one sign-in of a device; and what refresh tokens of a public client are bound to. */
export interface Grant extends TokenBinding {
  readonly clientId: string;
  /** The registration of the client that it was given to. */
  readonly clientIncarnation: string;
  /** The account's id. */
  readonly subject: string;
  readonly scopes: readonly string[];
  /** The one resource that access tokens are for. */
  readonly audience: string;
  /** When the user signed in, milliseconds since 1970. */
  readonly authenticatedAt: number;
  /** The session it came from; one of its own for a device. */
  readonly sessionId: string;
  /** Whether a device has it, whose sign-in is no session of a browser. */
  readonly ofDevice: boolean;
  /** When it began, seconds since 1970. */
  readonly createdAt: number;
  /** When it ends however often it is refreshed, seconds since 1970. */
  readonly expiresAt: number;
}

/** A grant as it was found. */
export interface FoundGrant extends Grant {
  /** Sealed under another key than the newest. */
  readonly isOutdated: boolean;
}

/**
 * A grant in text, for Redis: the generation of the live refresh token, the time of the last rotation, and the grant, which
 * is sealed for its key. The first two lines are what `rotate-refresh-tokens-2-each.lua` reads and changes; another writer who changes
 * them can bring back an old refresh token of this very grant, and nothing that the grant does not allow. Compact, because
 * there may be millions.
 */
export function encodeGrant(sealer: Sealer, key: string, grant: Grant, progress: GrantProgress): string {
  return encodeSealedGrant(sealGrant(sealer, key, grant), progress);
}

/** The same of what {@link sealGrant} has made; without it what goes before it. */
export function encodeSealedGrant(sealed: string, { generation, rotatedAt }: GrantProgress): string {
  return `${generation}\n${rotatedAt}\n${sealed}`;
}

/** The part of the record that says what the grant is. */
export function sealGrant(sealer: Sealer, key: string, grant: Grant): string {
  return sealer.seal(linesOf(grant), key);
}

/** How far the refresh tokens of a grant have come. */
export interface GrantProgress {
  /** The generation of the live refresh token. */
  readonly generation: number;
  /** When it was issued, seconds since 1970. */
  readonly rotatedAt: number;
}

/** The opposite of {@link encodeGrant}; undefined for what it has not made for the key. */
export function decodeGrant(
  sealer: Sealer,
  key: string,
  record: string,
  opened: OpenedRecords<FoundGrant>,
): (GrantProgress & { readonly grant: FoundGrant }) | undefined {
  const [generation = '', rotatedAt = '', sealed = ''] = record.split('\n', 3);
  const grant = opened.read(key, sealed, () => openGrant(sealer, key, sealed));
  return grant && { generation: Number(generation), rotatedAt: Number(rotatedAt), grant };
}

function openGrant(sealer: Sealer, key: string, sealed: string): FoundGrant | undefined {
  const unsealed = sealer.unseal(sealed, key);
  return unsealed && grantOf(unsealed);
}

function linesOf(grant: Grant): string {
  return [
    grant.clientId,
    grant.expiresAt,
    grant.keyThumbprint ?? '',
    grant.subject,
    grant.scopes.join(' '),
    grant.audience,
    grant.authenticatedAt,
    grant.sessionId,
    grant.createdAt,
    grant.clientIncarnation,
    grant.ofDevice ? 'device' : '',
    grant.certificateThumbprint ?? '',
  ].join('\n');
}

/** What was sealed has all lines. */
function grantOf({ text, isOutdated }: Unsealed): FoundGrant {
  const lines = text.split('\n');
  const line = (index: number): string => lines[index] ?? '';
  return {
    clientId: line(0),
    expiresAt: Number(line(1)),
    keyThumbprint: line(2) || undefined,
    subject: line(3),
    scopes: line(4) === '' ? [] : line(4).split(' '),
    audience: line(5),
    authenticatedAt: Number(line(6)),
    sessionId: line(7),
    createdAt: Number(line(8)),
    clientIncarnation: line(9),
    ofDevice: line(10) === 'device',
    certificateThumbprint: line(11) || undefined, // no line of it in records from before there were any
    isOutdated,
  };
}

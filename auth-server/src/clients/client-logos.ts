import { describeImage } from '../images/describe-image.ts';
import type { AddressGuard } from '../outbound/address-guard.ts';
import { fetchGuardedBytes } from '../outbound/guarded-request.ts';
import type { ClientMetadata } from './client-metadata.ts';

/** A picture, as its bytes say it is. */
export interface ClientLogo {
  readonly bytes: Buffer;
  readonly type: string;
}

/** Logos of clients, which this server fetches, so that no browser sends a request to another host. */
export interface ClientLogos {
  /** @returns undefined for a client that has none, that no one has looked at, or whose logo can't be had */
  find(client: Pick<ClientMetadata, 'logo_uri' | 'unvetted'>): Promise<ClientLogo | undefined>;
  /** Aborts all fetches. */
  close(): void;
}

/** What {@link createClientLogos} works with. */
export interface ClientLogosDependencies {
  readonly guard: AddressGuard;
  /** Milliseconds since 1970. */
  readonly clock: () => number;
  /** Called after each fetch that brought no logo. */
  readonly onFailed: (uri: string, problem: string) => void;
}

/** Bytes of a logo: what a page may cost at most. */
const MAX_BYTES = 131_072;
/** Pixels of each side: few bytes can be many pixels. */
const MAX_PIXELS = 2_048;
/** Milliseconds for which a logo is used without a look at its address. */
const FRESH_MS = 86_400_000;
/** Milliseconds for which an address that brought no logo is not fetched again. */
const PAUSE_MS = 300_000;
/** Logos that are remembered: 16 MB at most. */
const MAX_LOGOS = 128;
/** Most fetches at a time; while they last, pages go without further logos. */
const MAX_FETCHES = 4;

interface Fetched {
  readonly logo: Promise<ClientLogo | undefined>;
  /** When to look again, milliseconds since 1970. */
  until: number;
}

/** Logos, remembered within bounds. Only addresses that are registered are fetched, each at most once in a while. */
export function createClientLogos({ guard, clock, onFailed }: ClientLogosDependencies): ClientLogos {
  const closing = new AbortController();
  const known = new Map<string, Fetched>();
  let fetches = 0;

  const fetchLogo = async (uri: string): Promise<ClientLogo | undefined> => {
    fetches += 1;
    try {
      return await fetchImage(uri, guard, closing.signal);
    } catch (error) {
      onFailed(uri, error instanceof Error ? error.message : String(error));
      return undefined;
    } finally {
      fetches -= 1;
    }
  };
  const begin = (uri: string): Fetched => {
    known.delete(uri);
    if (known.size >= MAX_LOGOS) known.delete(known.keys().next().value ?? '');
    const fetched: Fetched = { logo: fetchLogo(uri), until: clock() + FRESH_MS };
    known.set(uri, fetched);
    void fetched.logo.then((logo) => {
      if (logo === undefined) fetched.until = clock() + PAUSE_MS;
    });
    return fetched;
  };
  return {
    find: async ({ logo_uri: uri, unvetted }) => {
      if (uri === undefined || unvetted) return undefined;
      const remembered = known.get(uri);
      if (remembered && remembered.until > clock()) return remembered.logo;
      return fetches >= MAX_FETCHES ? remembered?.logo : begin(uri).logo;
    },
    close: () => closing.abort(),
  };
}

async function fetchImage(uri: string, guard: AddressGuard, signal: AbortSignal): Promise<ClientLogo> {
  const headers = { accept: 'image/webp, image/png, image/jpeg' };
  const request = { method: 'GET', url: new URL(uri), headers, maxBytes: MAX_BYTES, signal } as const;
  const { status, bytes } = await fetchGuardedBytes(request, guard);
  if (status !== 200) throw new Error(`The status is ${status}.`);
  const image = describeImage(bytes);
  if (!image) throw new Error('It is no PNG, JPEG or WebP.');
  if (Math.max(image.width, image.height) > MAX_PIXELS)
    throw new Error(`It is larger than ${MAX_PIXELS} pixels.`);
  return { bytes, type: image.type };
}

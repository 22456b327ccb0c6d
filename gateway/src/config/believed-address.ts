import { isLoopbackHost } from '@trellis/runtime';

/** Whether what is fetched at an address can be believed: by https, or on this machine. RFC 8414 §3, §6.1. */
export function isBelievedAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname));
}

import { isIPv4 } from 'node:net';

/** Whether a host is this machine alone: `localhost`, 127.0.0.0/8 or ::1, the last with or without brackets. RFC 6890 §2.2 */
export function isLoopbackHost(host: string): boolean {
  if (host === 'localhost' || host === '::1' || host === '[::1]') return true;
  return host.startsWith('127.') && isIPv4(host); // 127.999.1.1 is a name, of whatever machine DNS says
}

/** Whether a host is this machine alone: `localhost`, 127.0.0.0/8 or ::1, the last with or without brackets. RFC 6890 §2.2 */
export function isLoopbackHost(host: string): boolean {
  return host === 'localhost' || host === '::1' || host === '[::1]' || /^127(\.\d{1,3}){3}$/.test(host);
}

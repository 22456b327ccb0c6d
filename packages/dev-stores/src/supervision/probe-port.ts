import { createServer } from 'node:net';

/**
 * Whether a TCP port can be had at this moment on the loopback address.
 *
 * @returns the error code of the system, such as EADDRINUSE or EACCES; undefined when the port can be had
 */
export function probePort(port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(undefined)));
  });
}

import { join } from 'node:path';
import { createTemporaryDirectory, freePort } from '@trellis/testkit';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { addressesOf, choosePorts, startPlatform, type PlatformAddresses } from './platform-process.ts';
import { writeClientsFile } from './registered-clients.ts';

/** The platform that most tests talk to, started once. They may not end it, nor lock its accounts out. */
export interface SharedPlatform {
  readonly addresses: PlatformAddresses;
  /** What it was started with. */
  readonly environment: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly sharedPlatform: SharedPlatform;
  }
}

/** A resource that tokens can be asked for, and that is not the graph. */
export const otherAudience = 'https://billing.example.com/api';

/** Vitest's global setup of the project e2e. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = createTemporaryDirectory();
  const ports = await choosePorts();
  const recordingPort = await freePort();
  const platform = await startPlatform({
    dataDirectory: join(directory.path, 'data'),
    ports,
    isFromSource: true,
    environment: {
      CLIENTS_FILE: writeClientsFile(directory.path),
      SIGN_UP: 'true',
      MAIL_URL: 'log:',
      AUTH_GATEWAY_OPERATIONS_URLS: gatewaysOf(ports.OPERATIONS_PORT, recordingPort),
      AUDIENCES: `${addressesOf(ports).graph} ${otherAudience}`,
    },
  });
  process.stderr.write(`The shared platform was ready after ${platform.readyAfterMs} ms.\n`);
  project.provide('sharedPlatform', {
    addresses: platform.addresses,
    environment: platform.environment,
  });
  return async () => {
    await platform.stop();
    directory.remove();
  };
}

/** The platform's own, and one that records usage: a test may start it there. */
function gatewaysOf(own: string, recording: number): string {
  return `gateway=http://127.0.0.1:${own} recording=http://127.0.0.1:${recording}`;
}

/** In a test: the platform that {@link setup} started. */
export function sharedPlatform(): SharedPlatform {
  return inject('sharedPlatform');
}

import { join } from 'node:path';
import { createTemporaryDirectory } from '@trellis/testkit';
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
  const platform = await startPlatform({
    dataDirectory: join(directory.path, 'data'),
    ports,
    isFromSource: true,
    environment: {
      CLIENTS_FILE: writeClientsFile(directory.path),
      SIGN_UP: 'true',
      MAIL_URL: 'log:',
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

/** In a test: the platform that {@link setup} started. */
export function sharedPlatform(): SharedPlatform {
  return inject('sharedPlatform');
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRecordSigner, generateRecordKey, TrustedKeys } from '@trellis/registry';
import { vi } from 'vitest';
import { HERE } from './judged-changes.ts';
import type { RegistryServerOptions } from '../src/registry-server/registry-server.ts';
import { linkSchema, type UnlinkedSchema } from './federation-link.ts';
import { createRegistryTables, serverFor } from './registry-stage.ts';
import { trellis, type CommandRun } from './run-command.ts';

/** A change as a registry over HTTP was asked for it. */
export interface SentChange {
  /** The last part of its address. */
  readonly address: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A registry over HTTP that every command of the process takes for its own, with all that it was sent. */
export class RecordedRegistry {
  /** For files of a test. */
  readonly folder: string;
  readonly sent: SentChange[] = [];
  /** Addresses that it has not, as servers of before. */
  readonly missing = new Set<string>();
  readonly #close: () => Promise<void>;

  private constructor(folder: string, close: () => Promise<void>) {
    this.folder = folder;
    this.#close = close;
  }

  /** @param options of the server, given its folder */
  static async start(
    options: (folder: string) => Partial<RegistryServerOptions> = () => ({}),
  ): Promise<RecordedRegistry> {
    const tables = await createRegistryTables();
    const folder = mkdtempSync(join(tmpdir(), 'recorded-registry-'));
    const key = await generateRecordKey();
    const signer = await createRecordSigner(JSON.stringify(key));
    const server = await serverFor(tables.pool, ['graph:read', 'graph:publish:*', 'graph:promote:*'], {
      signer,
      trust: await TrustedKeys.from([signer.publicKey]),
      composers: 'apollo',
      judgementPlace: HERE,
      ...options(folder),
    });
    const registry = new RecordedRegistry(folder, async () => {
      vi.unstubAllEnvs();
      await server.close();
      await tables.close();
      rmSync(folder, { recursive: true });
    });
    server.addHook('preHandler', async (request, reply) => {
      const address = request.url.split('/').at(-1) ?? '';
      if (request.method !== 'POST') return;
      if (registry.missing.has(address)) {
        await reply.status(404).send({ error: { message: 'Not found.' } });
        return;
      }
      registry.sent.push({ address, body: request.body as SentChange['body'] }); // of our own commands
    });
    vi.stubEnv('TRELLIS_REGISTRY', await server.listen({ port: 0, host: '127.0.0.1' }));
    vi.stubEnv('TRELLIS_REGISTRY_TOKEN', 'token');
    vi.stubEnv('TRELLIS_REGISTRY_TRUST', JSON.stringify({ keys: [signer.publicKey] }));
    vi.stubEnv('TRELLIS_GRAPH', 'content@production');
    return registry;
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  publish(name: string, typeDefs: UnlinkedSchema, ...more: readonly string[]): Promise<CommandRun> {
    const schema = this.write(`${name}.graphql`, linkSchema(typeDefs));
    const place = ['--schema', schema, '--routing-url', 'http://127.0.0.1:1/'];
    return trellis('publish', '--subgraph', name, ...place, ...more);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

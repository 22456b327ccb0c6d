import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createTemporaryDirectory } from '@trellis/testkit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

let directory: ReturnType<typeof createTemporaryDirectory>;
let application: string;
beforeEach(() => {
  directory = createTemporaryDirectory();
  application = join(directory.path, 'app', 'src');
  mkdirSync(application, { recursive: true });
  writeFileSync(join(application, 'package.json'), '{"type":"module"}');
  for (const name of ['usage-database.ts', 'usage-queue.ts'])
    copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(application, name));
  const own = join(application, 'node_modules', '@trellis');
  mkdirSync(own, { recursive: true });
  symlinkSync(fileURLToPath(new URL('../../../packages/runtime', import.meta.url)), join(own, 'runtime'));
});
afterEach(() => directory.remove());

/** Opens the sink in a process that finds packages as an image does: in the folder of the gateway, and above it. */
async function open(): Promise<string> {
  const program = `
    const { UsageDatabase } = await import('./usage-database.ts');
    await new UsageDatabase('postgresql://nowhere', 'one', 1).open().then(
      () => console.log('opened'),
      ({ message }) => console.log(message),
    );`;
  const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
  const args = ['--conditions=trellis-source', '--import', loader, '--input-type=module', '--eval', program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: application, timeout: 60_000 });
  return stdout.trim();
}

describe('Recording to PostgreSQL', () => {
  it('says without the package pg which ways there are', async () => {
    const message = await open();
    expect(message).toContain('needs the package pg, which is not beside @trellis/gateway: npm install pg@8');
    expect(message).toContain('usage.directory and usage.collector need no package');
  });

  it('finds the package above the folder of the gateway, where an image has it', async () => {
    const packages = join(directory.path, 'node_modules', 'pg');
    mkdirSync(packages, { recursive: true });
    writeFileSync(join(packages, 'package.json'), '{"name":"pg","main":"index.js"}');
    writeFileSync(join(packages, 'index.js'), 'exports.Client = class {};');
    expect(await open()).toBe('opened');
  });
});

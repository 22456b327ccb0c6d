// Grafbase's gateway (Rust), as its development command hosts it: the router whose binary npm ships. Argument 1 is not used;
// 2: the port; 3: the subgraphs as JSON, name → URL.
import { spawn } from 'node:child_process';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';

const [, port, subgraphs] = process.argv.slice(2);
const home = mkdtempSync(join(tmpdir(), 'bench-grafbase-'));
const tables = Object.entries(JSON.parse(subgraphs)).map(
  ([name, url]) => `[subgraphs.${name}]\nurl = "${url}"\nintrospection_url = "${url}"\n`,
);
writeFileSync(
  join(home, 'grafbase.toml'),
  `[[headers]]\nrule = "forward"\nname = "authorization"\n\n${tables.join('\n')}`,
);
const manifest = createRequire(import.meta.url).resolve(
  '@grafbase/cli-x86_64-unknown-linux-musl/package.json',
);
const router = spawn(
  join(dirname(manifest), 'grafbase'),
  ['dev', '--listen-address', `127.0.0.1:${port}`, '--config', join(home, 'grafbase.toml')],
  {
    cwd: home,
    stdio: ['ignore', 'inherit', 'inherit'],
    env: { ...process.env, HOME: home },
  },
);
router.on('exit', (status) => process.exit(status ?? 1));
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => router.kill('SIGTERM'));

// As bench-gateway.mjs, and it records what is sent. Arguments as there.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const [supergraph, port, main] = process.argv.slice(2);
process.env.SUPERGRAPH = supergraph;
process.env.PORT = port;
process.env.OPERATIONS_PORT = '0';
process.env.FORWARD_HEADERS = 'authorization';
process.env.USAGE_DIRECTORY = mkdtempSync(join(tmpdir(), 'trellis-recorded-'));
process.env.CONFIG = fileURLToPath(new URL('recording.yaml', import.meta.url));
process.env.GUARDS = 'off';
process.env.LOG_LEVEL = 'error';
process.on('exit', () => rmSync(process.env.USAGE_DIRECTORY, { recursive: true, force: true }));
await import(main);

import { parseArgs } from 'node:util';
import { runDeployable } from '@trellis/runtime';
import { gateway } from '@trellis/gateway';
import { operationsPort } from '../operations-port.ts';

const USAGE = `npm run gateway -- --supergraph FILE|URL [--port N] [--host H] [--config gateway.yaml]
                   [--forward-header NAME]… [--workers N]

Serves a supergraph, with nothing else needed. SUPERGRAPH, PORT, HOST and CONFIG in the environment do the same.
`;
const EXIT_USAGE = 64;

type Flags = ReturnType<typeof readFlags>;

const flags = readFlags();
if (flags.help) {
  process.stdout.write(USAGE);
} else if (!flags.supergraph && !flags.config && !process.env['SUPERGRAPH'] && !process.env['CONFIG']) {
  fail('Say which supergraph: --supergraph FILE or --supergraph URL.');
} else {
  await runDeployable(gateway, {
    ...process.env,
    ...(await operationsPort('GATEWAY', process.env)),
    ...environmentOf(flags),
  });
}

function readFlags() {
  try {
    return parseArgs({
      options: {
        supergraph: { type: 'string' },
        port: { type: 'string' },
        host: { type: 'string' },
        config: { type: 'string' },
        'forward-header': { type: 'string', multiple: true },
        workers: { type: 'string' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    }).values;
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** With the prefix, so that a flag wins over every variable of the environment. */
function environmentOf(given: Flags): Record<string, string> {
  const variables: readonly (readonly [string, string | undefined])[] = [
    ['GATEWAY_SUPERGRAPH', given.supergraph],
    ['GATEWAY_PORT', given.port],
    ['GATEWAY_HOST', given.host],
    ['GATEWAY_CONFIG', given.config],
    ['GATEWAY_FORWARD_HEADERS', given['forward-header']?.join(' ')],
    ['GATEWAY_WORKERS', given.workers],
  ];
  return Object.fromEntries(variables.filter((entry): entry is [string, string] => entry[1] !== undefined));
}

function fail(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(EXIT_USAGE);
}

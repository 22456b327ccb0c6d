import { authServer, runAuthServerCommand } from '@trellis/auth-server';
import { ConfigError, EXIT_CONFIG } from '@trellis/config';
import { runDeployable } from '@trellis/deployable';
import { openAuthServerStores, type AuthServerStores } from '@trellis/platform';

const args = process.argv.slice(2);
const stores = await openStores();
if (args.length === 0) await serve(stores);
else process.exitCode = await runCommand(stores);

/** The stores are closed by the process's end: their guards see to that. */
async function serve({ environment }: AuthServerStores): Promise<void> {
  await runDeployable(authServer, { DEMO_DATA: isProduction() ? 'false' : 'true', ...environment });
}

async function runCommand({ environment, close }: AuthServerStores): Promise<number> {
  try {
    return await runAuthServerCommand(args, authServer.readConfig(environment), {
      stdin: process.stdin,
      stdout: process.stdout,
      stderr: process.stderr,
    });
  } finally {
    await close();
  }
}

async function openStores(): Promise<AuthServerStores> {
  try {
    return await openAuthServerStores(process.env, (line) => process.stderr.write(`${line}\n`));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    return process.exit(error instanceof ConfigError ? EXIT_CONFIG : 1);
  }
}

function isProduction(): boolean {
  return process.env['NODE_ENV'] === 'production';
}

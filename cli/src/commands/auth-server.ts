import { authServer, runAuthServerCommand } from '@trellis/auth-server';
import { ConfigError, EXIT_CONFIG, runDeployable } from '@trellis/runtime';
import { openAuthServerStores, type AuthServerStores } from '../platform/auth-server-stores.ts';
import { operationsPort } from '../operations-port.ts';
import { explainFailure } from '../explain-failure.ts';

const args = process.argv.slice(2);
try {
  const stores = await openAuthServerStores(process.env, (line) => process.stderr.write(`${line}\n`));
  if (args.length === 0) await serve(stores);
  else process.exitCode = await runCommand(stores);
} catch (error) {
  process.stderr.write(`${explainFailure(error)}\n`);
  process.exitCode = error instanceof ConfigError ? EXIT_CONFIG : 1;
}

/** The stores end after the server that uses them. */
async function serve({ environment, close }: AuthServerStores): Promise<void> {
  const program: typeof authServer = {
    ...authServer,
    start: async (config, resources) => {
      const server = await authServer.start(config, resources);
      return { url: server.url, close: () => server.close().finally(close) };
    },
  };
  await runDeployable(program, {
    ...environment,
    ...(await operationsPort('AUTH', environment)),
  });
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

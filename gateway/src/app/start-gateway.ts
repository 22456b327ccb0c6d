import type { Deployable, Resources } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import { openGateway } from './open-gateway.ts';
import { buildServer } from './server.ts';

/**
 * Starts a gateway in this process. Rejects when it can't serve.
 *
 * @param mayListen asked once all is ready; the port is opened when it resolves. At once by default.
 */
export async function startGateway(
  config: GatewayConfig,
  resources: Resources,
  mayListen: () => Promise<void> = () => Promise.resolve(),
): Promise<Deployable> {
  const gateway = await openGateway(config, resources);
  const server = buildServer(gateway.serving);
  await mayListen();
  const url = await server.listen({ port: config.PORT, host: config.HOST });
  let closing: Promise<void> | undefined;
  return {
    url,
    close: () => {
      gateway.stop();
      closing ??= server.close().then(() => gateway.close());
      return closing;
    },
  };
}

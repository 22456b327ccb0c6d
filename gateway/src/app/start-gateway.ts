import type { Deployable } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import type { RecordVerdict } from '../registry/record-verdicts.ts';
import type { GatewayMeans } from './resources.ts';
import { openGateway, type OpenGateway } from './open-gateway.ts';
import { buildServer } from './server.ts';

/** A gateway as operators meet it, in one process or several. */
export interface ServingGateway extends Deployable {
  /** The text of the supergraph that is served. */
  sdl(signal: AbortSignal): Promise<string>;
  /** The configuration in force. Absent where other processes serve: each applies changes by itself. */
  config?(): GatewayConfig;
  /** What was judged of a record of the registry. @returns undefined without a registry */
  verdict(sequence: number, signal: AbortSignal): Promise<RecordVerdict | undefined>;
}

/** A gateway that runs in this process. */
export interface RunningGateway extends ServingGateway, Pick<OpenGateway, 'configuration' | 'resources'> {}

/**
 * Starts a gateway in this process. Rejects when it can't serve.
 *
 * @param mayListen asked once all is ready; the port is opened when it resolves. At once by default.
 */
export async function startGateway(
  config: GatewayConfig,
  means: GatewayMeans,
  mayListen: () => Promise<void> = () => Promise.resolve(),
): Promise<RunningGateway> {
  const gateway = await openGateway(config, means);
  const server = buildServer(gateway.serving);
  await mayListen();
  const url = await server.listen({ port: config.PORT, host: config.HOST });
  let closing: Promise<void> | undefined;
  return {
    url,
    configuration: gateway.configuration,
    resources: gateway.resources,
    config: () => gateway.configuration.config,
    sdl: async () => gateway.configuration.services.supergraphs.current().sdl,
    verdict: async (sequence, signal) => gateway.resources.registry?.verdicts.find(sequence, signal),
    close: () => {
      gateway.stop();
      closing ??= server.close().then(() => gateway.close());
      return closing;
    },
  };
}

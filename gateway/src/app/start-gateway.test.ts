import { createLogger, createMetrics } from '@trellis/runtime';
import { expect, it } from 'vitest';
import { readGatewayConfig } from '../config/config.ts';
import { startGateway } from './start-gateway.ts';

it('a gateway without a supergraph can not start, and says which one it has looked for', async () => {
  const config = readGatewayConfig({ SUPERGRAPH: '/nowhere/supergraph.graphql', PORT: '0' });
  const resources = {
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    metrics: createMetrics('gateway'),
  };
  await expect(startGateway(config, resources)).rejects.toMatchObject({
    name: 'StartupError',
    message: expect.stringMatching(
      /^The supergraph at \/nowhere\/supergraph\.graphql can't be served\. There is no file or directory for \/nowhere\/supergraph\.graphql\.$/,
    ) as string,
  });
});

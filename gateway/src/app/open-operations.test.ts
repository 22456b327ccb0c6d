import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, createMetrics, startOperationsServer, type OperationsServer } from '@trellis/runtime';
import { createTemporaryDirectory } from '@trellis/testkit';
import { print } from 'graphql';
import { gql } from 'graphql-tag';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readGatewayConfig, type GatewayConfig } from '../config/config.ts';
import { openOperations } from './open-operations.ts';
import type { ServingGateway } from './start-gateway.ts';

const SCHEMA = gql`
  type Query {
    one: Int
  }
`;
const SECRET = 'uB3vYk0sQm9dWz7eXh2rTg5nLc8pJf1a';

let folder: ReturnType<typeof createTemporaryDirectory>;
let file: string;
let config: GatewayConfig;
let server: OperationsServer;
let serving: ServingGateway;

beforeEach(() => {
  folder = createTemporaryDirectory();
  file = join(folder.path, 'gateway.yaml');
  const directory = join(folder.path, 'usage');
  mkdirSync(directory);
  writeFileSync(file, JSON.stringify({ usage: { directory } }));
  config = readGatewayConfig({
    SUPERGRAPH: 'unused',
    CONFIG: file,
    WORKERS: '2',
    OPERATIONS_SECRET: SECRET,
  });
  serving = {
    url: '',
    sdl: async () => print(SCHEMA),
    verdict: async () => undefined,
    close: async () => undefined,
  };
});
afterEach(async () => {
  await server.close();
  folder.remove();
});

async function open(started: ServingGateway): Promise<void> {
  const logger = createLogger({ service: 'gateway', level: 'silent' });
  const routes = openOperations(config, { logger, metrics: createMetrics('gateway') }, () => started);
  server = await startOperationsServer({ port: 0, metrics: [], routes: [routes] });
}

/** 409 where nothing is recorded. */
async function askForUsers(): Promise<number> {
  const response = await fetch(`${server.url}/gateway/field-users`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` },
    body: JSON.stringify({ field: 'Query.one' }),
  });
  return response.status;
}

describe('The operations port', () => {
  it('has what is in force where its process serves, whatever the file says', async () => {
    await open({ ...serving, config: () => config });
    writeFileSync(file, '{}');
    expect(await askForUsers()).toBe(200);
  });

  it('follows the file where workers serve, as far as it is valid beside the environment', async () => {
    await open(serving);
    const callback = { publicUrl: 'http://gateway.test', listen: '127.0.0.1:4005' };
    writeFileSync(file, JSON.stringify({ subscriptions: { callback } })); // it needs one process
    expect(await askForUsers()).toBe(200);
    writeFileSync(file, '{}');
    expect(await askForUsers()).toBe(409);
  });
});

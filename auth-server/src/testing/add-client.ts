import { expect } from 'vitest';
import { runCommand } from './run-command.ts';
import { CLIENT_SECRET } from './test-clients.ts';
import type { TestAuthServer } from './test-auth-server.ts';

/** Registers a client with {@link CLIENT_SECRET}, or replaces it. @param metadata some of it */
export async function addClient(server: TestAuthServer, metadata: object): Promise<void> {
  const declaration = JSON.stringify({ client_secret: CLIENT_SECRET, ...metadata });
  const { status, err } = await runCommand(server, ['clients', 'add', '--metadata-stdin'], declaration);
  expect(status, err).toBe(0);
}

/** Runs a command that has to succeed. @returns what it printed */
export async function command(server: TestAuthServer, ...args: readonly string[]): Promise<string> {
  const { status, out, err } = await runCommand(server, args);
  expect(status, err).toBe(0);
  return out.trim();
}

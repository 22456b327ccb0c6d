import type { OperationClient } from './recorded-operation.ts';

/** One entry for each client, with all that several files say of it. */
export function mergeClients(clients: readonly OperationClient[]): readonly OperationClient[] {
  const merged = new Map<string, OperationClient>();
  for (const client of clients) {
    const key = JSON.stringify([client.name, client.version, client.oauthClient]);
    const known = merged.get(key);
    merged.set(key, known ? merge(known, client) : client);
  }
  return [...merged.values()];
}

function merge(left: OperationClient, right: OperationClient): OperationClient {
  const lastUsed = laterOf(left.lastUsed, right.lastUsed);
  const errors = sum(left.errors, right.errors);
  const latencyMs = sum(left.latencyMs, right.latencyMs);
  return {
    ...left,
    requests: left.requests + right.requests,
    ...(lastUsed !== undefined && { lastUsed }),
    ...(errors && { errors }),
    ...(latencyMs && { latencyMs }),
  };
}

function laterOf(left: string | undefined, right: string | undefined): string | undefined {
  if (left === undefined || right === undefined) return left ?? right;
  return Date.parse(left) >= Date.parse(right) ? left : right;
}

type Counts = Readonly<Record<string, number>> | undefined;

function sum(left: Counts, right: Counts): Counts {
  if (!left || !right) return left ?? right;
  const total = new Map(Object.entries(left));
  for (const [name, count] of Object.entries(right)) total.set(name, (total.get(name) ?? 0) + count);
  return Object.fromEntries(total);
}

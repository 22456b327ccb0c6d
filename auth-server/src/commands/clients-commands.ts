import {
  MAX_GRACE_S,
  removeClient,
  rotateSecret,
  saveClient,
  untilUndisturbed,
} from '../administration/clients.ts';
import { parseClient } from '../clients/parse-client.ts';
import type { Client } from '../clients/client-store.ts';
import type { Command, CommandContext } from './command.ts';
import { readOptions, requiredOption, UsageError } from './command-line.ts';

/** Lists clients, one JSON object a line. Marks those whose secret an older KEY_ENCRYPTION_SECRET is needed for. */
export const listClientsCommand: Command = {
  usage: 'clients list',
  run: async (args, { features, commandLine }) => {
    readOptions(args, []);
    for (const client of await features.clientStore.list()) {
      const outdated = features.clients.isOutdated(client) && { secret_outdated: true };
      commandLine.list({ ...client.metadata, source: client.source, ...outdated });
    }
  },
};

/** Registers a client, or replaces it, from RFC 7591 metadata on standard input. */
export const addClientCommand: Command = {
  usage: 'clients add --metadata-stdin',
  run: async (args, { features, commandLine }) => {
    requiredOption(readOptions(args, ['metadata-stdin']), 'metadata-stdin');
    const parsed = parseClient(parseJson(await commandLine.readStdin()), features.settings);
    if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
    const client = features.clients.toClient(parsed.client, 'command');
    await saveClient(features, client, 'command');
    const clientId = client.metadata.client_id;
    commandLine.report(`Registered ${clientId}. Running servers know it within seconds.`, {
      client_id: clientId,
    });
  },
};

/** Prints a new secret; the old one works on for a while, so that clients can be changed one after the other. */
export const rotateClientSecretCommand: Command = {
  usage: 'clients rotate-secret --client-id C [--grace SECONDS]',
  run: async (args, context) => {
    const options = readOptions(args, ['client-id', 'grace']);
    const clientId = requiredOption(options, 'client-id');
    const graceS = Number(options['grace'] ?? '0');
    if (!Number.isInteger(graceS) || graceS < 0 || graceS > MAX_GRACE_S) {
      throw new UsageError(`--grace: must be a whole number of seconds from 0 to ${MAX_GRACE_S}.`);
    }
    const outcome = await untilUndisturbed(async () =>
      rotateSecret(context.features, await findWithSecret(context, clientId), graceS, 'command'),
    );
    if (outcome.kind !== 'rotated') throw new Error(`${clientId} was changed or removed at the same time.`);
    context.commandLine.report(outcome.secret, { client_id: clientId, client_secret: outcome.secret });
  },
};

async function findWithSecret({ features }: CommandContext, clientId: string): Promise<Client> {
  const client = await features.clientStore.find(clientId);
  if (!client) throw new Error(`There is no client ${clientId}.`);
  if (client.source === 'file')
    throw new Error(`${clientId} is declared in the clients file; change it there.`);
  if (client.secretHash === undefined) throw new Error(`${clientId} has no secret.`);
  return client;
}

/** Removes a client and all that it was given. */
export const removeClientCommand: Command = {
  usage: 'clients remove --client-id C',
  run: async (args, context) => {
    const clientId = requiredOption(readOptions(args, ['client-id']), 'client-id');
    if (!(await removeClient(context.features, clientId, 'command')))
      throw new Error(`There is no client ${clientId}.`);
    context.commandLine.report(`Removed ${clientId}.`, { client_id: clientId });
  },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('Standard input is not JSON.', { cause: error });
  }
}

import { parseClient } from '../client-metadata.ts';
import type { Command } from './command.ts';
import { readOptions, required } from './command-line.ts';

/** Lists clients, one JSON object a line. */
export const listClients: Command = {
  usage: 'clients list',
  run: async (args, { clientStore, commandLine }) => {
    readOptions(args, []);
    for (const { metadata, source } of await clientStore.list()) {
      commandLine.print(JSON.stringify({ ...metadata, source }));
    }
  },
};

/** Registers a client, or replaces it, from RFC 7591 metadata on standard input. */
export const addClient: Command = {
  usage: 'clients add --metadata-stdin',
  run: async (args, { services, clientStore, commandLine }) => {
    required(readOptions(args, ['metadata-stdin']), 'metadata-stdin');
    const parsed = parseClient(parseJson(await commandLine.readStdin()), services.settings.scopes);
    if (parsed.kind === 'problems') throw new Error(parsed.problems.join('\n'));
    const client = services.clients.toClient(parsed.client, 'command');
    await clientStore.save(client);
    const clientId = client.metadata.client_id;
    services.audit.record({ event: 'client_changed', clientId, by: 'command' });
    commandLine.print(`Registered ${clientId}. Running servers know it within seconds.`);
  },
};

/** Removes a client; its refresh tokens are of no use from then on. */
export const removeClient: Command = {
  usage: 'clients remove --client-id C',
  run: async (args, { services, clientStore, commandLine }) => {
    const clientId = required(readOptions(args, ['client-id']), 'client-id');
    if (!(await clientStore.remove(clientId))) throw new Error(`There is no client ${clientId}.`);
    services.audit.record({ event: 'client_removed', clientId, by: 'command' });
    commandLine.print(`Removed ${clientId}.`);
  },
};

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error('Standard input is not JSON.', { cause: error });
  }
}

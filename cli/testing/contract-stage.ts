import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateRecordKey, openRegistry } from '@trellis/registry';
import type { OutputOptions } from '../src/publish/command-outcome.ts';
import { historyCommand } from '../src/publish/history-commands.ts';
import { publishCommand, type PublishOptions } from '../src/publish/publish-command.ts';
import { runRegistryAction, type RegistryAction } from '../src/publish/run-registry-action.ts';
import { contractCommand, type ContractCall } from '../src/supergraph/contract-command.ts';
import { linkSchema, TAG_LINK, type UnlinkedSchema } from './federation-link.ts';
import type { CommandRun } from './run-command.ts';

/** Commands of one who publishes contracts, one registry after the other. */
export class ContractStage {
  /** For files and registries of a test. */
  readonly folder: string;
  #env: Readonly<Record<string, string>>;

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.folder = folder;
    this.#env = env;
  }

  /** Makes a key; registries are made by {@link makeRegistry}. */
  static async create(): Promise<ContractStage> {
    const key = await generateRecordKey();
    return new ContractStage(mkdtempSync(join(tmpdir(), 'contracts-')), {
      PATH: process.env['PATH'] ?? '',
      TRELLIS_SIGNING_KEY: JSON.stringify(key),
      TRELLIS_REGISTRY_TRUST: JSON.stringify({ keys: [key] }),
      TRELLIS_GRAPH: 'content@production',
      TRELLIS_ACTOR: 'ada',
      TRELLIS_REGISTRY_TOKEN: 'graph:read graph:publish:* graph:promote:*',
    });
  }

  /** The private key, as commands have it. */
  get signingKey(): string {
    return this.#env['TRELLIS_SIGNING_KEY'] ?? '';
  }

  /** Sets variables for all commands from here on. */
  setVariables(variables: Readonly<Record<string, string>>): void {
    this.#env = { ...this.#env, ...variables };
  }

  /** Makes the registry that commands are about from here on. */
  async makeRegistry(place: string): Promise<void> {
    this.setVariables({ TRELLIS_REGISTRY: place });
    await openRegistry(place, { environment: this.#env }).initialize?.(AbortSignal.timeout(240_000));
  }

  /** @param more variables that differ */
  async run<Options extends object>(
    action: RegistryAction<Options>,
    options: NoInfer<Options> & OutputOptions,
    more: Readonly<Record<string, string>> = {},
  ): Promise<CommandRun> {
    let [out, error] = ['', ''];
    const output = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
    const status = await runRegistryAction(action, options, { ...this.#env, ...more }, output);
    return { status, out, error };
  }

  write(name: string, text: string): string {
    const file = join(this.folder, name);
    writeFileSync(file, text);
    return file;
  }

  /** Publishes a contract. */
  set(contract: string, options: PublishOptions): Promise<CommandRun> {
    return this.run(publishCommand, { contract, ...options });
  }

  /** Publishes the one subgraph. */
  publish(typeDefs: UnlinkedSchema, more: PublishOptions = {}): Promise<CommandRun> {
    const schema = this.write('users.graphql', linkSchema(typeDefs, TAG_LINK));
    return this.run(publishCommand, { subgraph: 'users', schema, routingUrl: 'http://users.test/', ...more });
  }

  /** Runs `trellis contract`. */
  async contract(name?: string, more: Partial<ContractCall> = {}): Promise<Omit<CommandRun, 'status'>> {
    let [out, error] = ['', ''];
    const call = { config: 'supergraph.yaml', graph: 'content@production', name, ...more };
    const output = { out: (text: string) => (out += text), error: (text: string) => (error += text) };
    await contractCommand(call, output, this.#env);
    return { out, error };
  }

  /** Of the records of an environment, the newest first. */
  async contractsOfRecords(graph = 'content@production'): Promise<unknown> {
    const { out } = await this.run(historyCommand, { graph, format: 'json' });
    const { records } = JSON.parse(out) as { readonly records: readonly { readonly contracts: unknown }[] };
    return records.map(({ contracts }) => contracts);
  }

  close(): void {
    rmSync(this.folder, { recursive: true });
  }
}

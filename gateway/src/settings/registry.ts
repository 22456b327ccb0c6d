import type { InForce } from './setting.ts';

/** The registry that the gateway follows. */
export const registry = {
  type: 'group',
  doc: 'The registry that is followed where SUPERGRAPH is registry. Paths are relative to this file.',
  members: {
    source: {
      type: 'text',
      form: 'name',
      reload: 'live',
      doc: 'Folder of the registry, or its address: https://… of a server; git+https://…, git+ssh://… with the branch behind #; s3+https://… of a bucket.',
    },
    graph: {
      type: 'text',
      form: 'graphAtEnvironment',
      reload: 'live',
      doc: 'Graph and environment: content@production.',
    },
    contract: {
      type: 'text',
      form: 'contractName',
      reload: 'live',
      doc: 'The contract of the graph that is served: what its tags show. Absent: the whole graph.',
    },
    trust: {
      type: 'text',
      form: 'name',
      reload: 'live',
      doc: 'File with the public keys whose records count, a JWK set. Keys that a trusted record names are trusted from the next record on.',
    },
    directory: {
      type: 'text',
      form: 'name',
      reload: 'live',
      doc: 'Folder for the last release that was good, which is served at a start while the registry is unavailable. Several processes may share it. Absent: a start needs the registry.',
    },
    pollMs: {
      type: 'int',
      min: 100,
      max: 3_600_000,
      default: 5_000,
      unit: 'milliseconds',
      reload: 'live',
      doc: 'The registry is looked at so often, 20 % more or less by chance. One that can wait for a record is waited for.',
    },
    previewKeys: {
      type: 'text',
      form: 'name',
      reload: 'live',
      doc: 'File with the public keys that may sign preview tokens, a JWK set. Absent: no token opens a variant.',
    },
    aborts: {
      type: 'flag',
      default: true,
      reload: 'live',
      doc: 'Whether a canary that its record allows to stop by itself is stopped here when it is worse than the main version.',
    },
    responseHeader: {
      type: 'flag',
      default: false,
      reload: 'live',
      doc: 'Whether responses name the version that served them: trellis-supergraph: production.42.',
    },
  },
} as const;

/** The settings of the registry. */
export type RegistrySettings = InForce<typeof registry.members>;

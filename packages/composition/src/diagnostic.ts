/** A place in a file that a team owns. */
export interface SourceLocation {
  /** The path as it stands in the configuration, or the URL that the schema came from. */
  readonly source: string;
  /** From 1; absent when only the file is known. */
  readonly line?: number;
  /** From 1; absent when only the file is known. */
  readonly column?: number;
}

/** Something that composition has to say about the subgraphs. */
export interface Diagnostic {
  /** The composer's code, for example `TYPE_KIND_MISMATCH`; own ones are those of the checks and {@link ownCodes}. */
  readonly code: string;
  readonly message: string;
  /** The places concerned, those of the definitions first; empty when there is none. */
  readonly locations: readonly SourceLocation[];
}

/** What a diagnostic of our own is about. */
interface OwnProblem {
  /** When it is given; docs/command-line-errors.md shows it. */
  readonly when: string;
  readonly action: string;
}

/** A code of {@link ownProblems}. */
export type OwnCode =
  | 'INVALID_CONFIG'
  | 'SCHEMA_NOT_READABLE'
  | 'INVALID_GRAPHQL'
  | 'OTHER_FEDERATION_VERSION'
  | 'COMPOSERS_DIFFER'
  | 'INVALID_CONTRACT'
  | 'UNKNOWN_TAG'
  | 'INVALID_OPERATIONS'
  | 'INVALID_APPROVAL'
  | 'NOT_ALL_PROVED';

/** Every diagnostic of our own by its code, beside those of checks, rules and changes. */
export const ownProblems: Readonly<Record<OwnCode, OwnProblem>> = {
  INVALID_CONFIG: {
    when: 'A supergraph.yaml is invalid.',
    action: 'Correct the line that is named.',
  },
  SCHEMA_NOT_READABLE: {
    when: 'A schema could not be read from its file or address.',
    action: 'Correct the path, or start the subgraph; its response must have at most 16 MiB.',
  },
  INVALID_GRAPHQL: {
    when: 'A type, field or enum value is defined twice in one subgraph, or the text is not GraphQL.',
    action: 'Correct the schema where the excerpt shows it.',
  },
  OTHER_FEDERATION_VERSION: {
    when: 'The configuration pins another version of federation than the one that composes here. A hint: it composes.',
    action: 'Set federation_version to this version, or leave it out.',
  },
  COMPOSERS_DIFFER: {
    when: 'Two composers make different supergraphs of the same subgraphs. A warning, and with --composers strict an error.',
    action: 'Look at both results, and write the schema so that both agree; then report the difference.',
  },
  INVALID_CONTRACT: {
    when: 'A contract does not compose.',
    action: 'Correct its tags, or what they leave of the graph.',
  },
  UNKNOWN_TAG: {
    when: 'No element of the graph has a tag that a contract names. A warning: an excluded one hides nothing.',
    action: 'Correct the tag in the contract or in the schema.',
  },
  INVALID_OPERATIONS: {
    when: 'A file of recorded operations is invalid. A warning where a folder has it: the rest of the folder counts, and what was recorded is incomplete.',
    action:
      'Record it again; what the line holds is in the message. Of a folder, delete the file where its loss does not matter.',
  },
  INVALID_APPROVAL: {
    when: 'The file of approvals is invalid, or an entry of it has no effect.',
    action: 'Correct the entry, or remove it.',
  },
  NOT_ALL_PROVED: {
    when: 'A change has more than 2,000 probes, or longer plans for more than 200 operations. A warning: the others were not looked at.',
    action: 'Publish the change in smaller steps, or look at the rest of it yourself.',
  },
};

/** Each of these codes under its own name. */
export const ownCodes: { readonly [Code in OwnCode]: Code } = Object.fromEntries(
  Object.keys(ownProblems).map((code) => [code, code]),
) as Record<OwnCode, never>; // one for each

/** `file:line:column`, as editors and CI systems link it. */
export function formatLocation({ source, line, column }: SourceLocation): string {
  return [source, line, column].filter((part) => part !== undefined).join(':');
}

/**
 * One diagnostic as text: `file:line:column: CODE: message`, further lines and further places indented below.
 *
 * @example
 * posts.graphql:3:6: TYPE_KIND_MISMATCH: Type "Tag" has mismatched kind: …
 *   also users.graphql:9:6
 */
export function formatDiagnostic({ code, message, locations }: Diagnostic): string {
  const [first, ...others] = locations.map(formatLocation);
  const head = [first, code, message.replaceAll('\n', '\n  ')]
    .filter((part) => part !== undefined)
    .join(': ');
  return [head, ...others.map((location) => `  also ${location}`)].join('\n');
}

import { z } from 'zod';

/** The file's content, in its own spelling. */
export interface ParsedSupergraphConfig {
  readonly federation_version?: 2 | string | undefined;
  readonly subgraphs: Readonly<Record<string, ParsedSubgraph>>;
  readonly contracts?: Readonly<Record<string, ParsedContract>> | undefined;
}

/** One entry of `contracts`. */
export interface ParsedContract {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

/** One entry of `subgraphs`. */
export interface ParsedSubgraph {
  readonly routing_url?: string | undefined;
  readonly schema: {
    readonly file?: string | undefined;
    readonly subgraph_url?: string | undefined;
    readonly introspection_headers?: Readonly<Record<string, string>> | undefined;
    readonly sdl?: string | undefined;
  };
}

const httpUrl = z.string().refine(isHttpUrl, { error: 'must be an absolute http or https URL' });

const filePath = z
  .string({ error: 'must be the path of a file' })
  .min(1, { error: 'must be the path of a file' });

const schemaSource = z
  .strictObject({
    file: filePath.optional(),
    subgraph_url: httpUrl.optional(),
    introspection_headers: z.record(z.string(), z.string()).optional(),
    sdl: z.string({ error: 'must be the text of a schema' }).optional(),
    graphref: z.unknown().optional(),
    subgraph: z.unknown().optional(),
  })
  .superRefine(({ file, subgraph_url, sdl, graphref, subgraph, introspection_headers }, context) => {
    const reject = (message: string): void => context.addIssue({ code: 'custom', message });
    if (graphref !== undefined || subgraph !== undefined)
      return reject(
        'graphref and subgraph name a schema in a registry, which is not supported: use file, subgraph_url or sdl',
      );
    if ([file, subgraph_url, sdl].filter((source) => source !== undefined).length !== 1)
      reject('needs exactly one of file, subgraph_url and sdl');
    if (introspection_headers && !subgraph_url) reject('introspection_headers go with subgraph_url');
  });

const subgraph = z
  .strictObject(
    { routing_url: httpUrl.optional(), schema: schemaSource },
    { error: objectError('must have routing_url and schema') },
  )
  .superRefine(({ routing_url, schema }, context) => {
    if (routing_url === undefined && schema.subgraph_url === undefined)
      context.addIssue({
        code: 'custom',
        message: 'routing_url is required, unless schema.subgraph_url is set',
      });
  });

const tags = z.array(z.string().min(1), { error: 'must be a list of tags' }).default([]);

/** The format of `rover supergraph compose`, less its references to a schema registry, and with contracts. */
const configSchema: z.ZodType<ParsedSupergraphConfig> = z.strictObject(
  {
    federation_version: z
      .union([z.literal(2), z.string().regex(/^(=?2(\.\d+){0,2}|latest-2)$/)], {
        error: 'must be 2, or an exact version such as =2.14.4',
      })
      .optional(),
    subgraphs: z
      .record(
        z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, {
          error: 'must be a letter, then at most 63 letters, digits, _ or -',
        }),
        subgraph,
        { error: 'must list the subgraphs by name' },
      )
      .refine((subgraphs) => Object.keys(subgraphs).length > 0, { error: 'must list at least one subgraph' }),
    contracts: z
      .record(
        z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, {
          error: 'must be a letter, then at most 63 letters, digits, _ or -',
        }),
        z.strictObject(
          { include: tags, exclude: tags },
          { error: objectError('must have include or exclude') },
        ),
        { error: 'must list the contracts by name' },
      )
      .optional(),
  },
  { error: objectError('must be a mapping with federation_version and subgraphs') },
);

/** Checks what the YAML holds against the format, every problem at once. */
export function parseSupergraphConfig(value: unknown): z.ZodSafeParseResult<ParsedSupergraphConfig> {
  return configSchema.safeParse(value, { reportInput: true });
}

/** Unknown keys keep zod's own words, which name them. */
function objectError(message: string): (issue: { readonly code?: string }) => string | undefined {
  return ({ code }) => (code === 'invalid_type' ? message : undefined);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

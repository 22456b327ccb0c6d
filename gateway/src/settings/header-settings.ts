import { USER_CONTEXT_HEADER } from '@trellis/subgraph-protocol';
import { z } from 'zod';

/** The header that tells a subgraph how many milliseconds the gateway will wait for its answer. */
export const TIMEOUT_HEADER = 'trellis-timeout-ms';

/** The header that names a request, towards clients and subgraphs. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** What a subgraph gets beside the signed context and the request id. Names in any case. */
export interface HeaderRules {
  /** Names of client headers that go on. All others stay here, cookies and tokens included. */
  readonly forward?: readonly string[] | undefined;
  /** Headers with fixed values, whatever the client sent. */
  readonly set?: Readonly<Record<string, string>> | undefined;
  /** Takes back what another rule says. */
  readonly remove?: readonly string[] | undefined;
}

/** Rules for all subgraphs, and those that come on top for some. */
export interface HeaderSettings extends HeaderRules {
  readonly fromPayload?: readonly string[] | undefined;
  readonly public?: readonly string[] | undefined;
  readonly subgraphs?: Readonly<Record<string, HeaderRules>> | undefined;
}

/**
 * Headers that can't be configured to be forwarded: those that make up the connection or the message, and those that
 * a subgraph may take for the gateway's own word.
 */
const NEVER_FORWARDED: ReadonlySet<string> = new Set([
  USER_CONTEXT_HEADER,
  REQUEST_ID_HEADER,
  TIMEOUT_HEADER,
  'accept',
  'accept-encoding',
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const HEADER_NAME = /^[a-z0-9!#$%&'*+.^_`|~-]+$/;

/** What services may believe, and what belongs to the handshake of a WebSocket. */
const NEVER_BELIEVED = /^(x[-_]user[-_]|sec-websocket-)/;

/**
 * Whether an operator may have a header forwarded. `x-user-*` never, as many services believe such headers.
 *
 * @param name in lower case
 */
export function mayBeForwarded(name: string): boolean {
  return HEADER_NAME.test(name) && !NEVER_FORWARDED.has(name) && !NEVER_BELIEVED.test(name);
}

const headerName = z.string().refine((name) => mayBeForwarded(name.toLowerCase()), {
  error: 'is no header that may be forwarded or set',
});
const headerRules = {
  forward: z.array(headerName).optional().describe('Client headers that go on to subgraphs.'),
  set: z
    .record(headerName, z.string().regex(/^[\t\x20-\x7e]*$/))
    .optional()
    .describe('Headers that subgraphs get with these values, whatever the client sent.'),
  remove: z.array(headerName).optional().describe('Headers that are not sent although another rule says so.'),
};

/** The part of `gateway.yaml` about headers to subgraphs. */
export const headerSettings: z.ZodType<HeaderSettings> = z
  .strictObject({
    ...headerRules,
    fromPayload: z
      .array(headerName)
      .optional()
      .describe(
        'Headers that WebSocket clients may give in the payload of connection_init, where the upgrade request has none of the name. They go on where forward names them. Default none.',
      ),
    public: z
      .array(headerName)
      .optional()
      .describe(
        'Forwarded headers that do not say who asks. A request with any other forwarded header is answered with Cache-Control: private. Default accept-language.',
      ),
    subgraphs: z
      .record(z.string(), z.strictObject(headerRules))
      .optional()
      .describe('On top of the rules for all, by the name of the subgraph.'),
  })
  .describe('What subgraphs get of a request beside the operation.');

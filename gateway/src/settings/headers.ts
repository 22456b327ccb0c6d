import type { Given, InForce } from './setting.ts';

/** What subgraphs get of a request beside the operation, the signed context and the request id. Names in any case. */
export const headers = {
  type: 'group',
  rule: 'responseCookies',
  doc: 'What subgraphs get of a request beside the operation, and which of their headers clients get.',
  members: {
    forward: {
      type: 'list',
      form: 'headerName',
      default: [],
      reload: 'live',
      doc: 'Client headers that go on to subgraphs. All others stay here, cookies and tokens included.',
    },
    set: {
      type: 'map',
      keys: 'headerName',
      values: { type: 'text', form: 'headerValue' },
      default: {},
      reload: 'live',
      doc: 'Headers that subgraphs get with these values, whatever the client sent.',
    },
    remove: {
      type: 'list',
      form: 'headerName',
      default: [],
      reload: 'live',
      doc: 'Headers that are not sent although another rule says so.',
    },
    fromPayload: {
      type: 'list',
      form: 'headerName',
      default: [],
      reload: 'live',
      doc: 'Headers that WebSocket clients may give in the payload of connection_init, where the upgrade request has none of the name. They go on where forward names them.',
    },
    public: {
      type: 'list',
      form: 'headerName',
      default: ['accept-language'],
      reload: 'live',
      doc: 'Forwarded headers that do not say who asks. The response to a request with any other forwarded header has Cache-Control: private.',
    },
    response: {
      type: 'map',
      keys: 'responseHeaderName',
      values: { type: 'text', form: 'headerMerge' },
      default: {},
      reload: 'live',
      doc: 'Headers of subgraphs that go on to clients, each with what holds where several come: first, last or append. set-cookie is always append. A response with any of them is for its client alone. At most 64 a response.',
    },
    responseBytes: {
      type: 'int',
      min: 1,
      default: 8_192,
      unit: 'bytes',
      reload: 'live',
      doc: 'Of all headers of subgraphs in one response. What is beyond it is left out and logged.',
    },
    subgraphs: {
      type: 'groups-by-name',
      reload: 'live',
      doc: 'On top of the rules for all, by the name of the subgraph.',
      members: {
        forward: {
          type: 'list',
          form: 'headerName',
          reload: 'live',
          doc: 'Further client headers that go on to it.',
        },
        set: {
          type: 'map',
          keys: 'headerName',
          values: { type: 'text', form: 'headerValue' },
          reload: 'live',
          doc: 'Further headers that it gets with these values.',
        },
        remove: {
          type: 'list',
          form: 'headerName',
          reload: 'live',
          doc: 'Headers that it does not get although another rule says so.',
        },
        response: {
          type: 'map',
          keys: 'responseHeaderName',
          values: { type: 'text', form: 'headerMerge' },
          reload: 'live',
          doc: 'Further headers of it that go on to clients, or another rule for one.',
        },
      },
    },
  },
} as const;

/** Rules for all subgraphs, and those that come on top for some. */
export type HeaderSettings = InForce<typeof headers.members>;

/** What holds where a header comes more than once, in one response or in those of several subgraphs. */
export type HeaderMerge = 'first' | 'last' | 'append';

/** What one subgraph gets. */
export type HeaderRules = Given<typeof headers.members.subgraphs.members>;

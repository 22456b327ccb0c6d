/** Files in requests. */
export const uploads = {
  type: 'group',
  optional: true,
  doc: 'Files in mutations, by multipart/form-data as the GraphQL multipart request specification says. Absent: off. A whole upload has to arrive within timeouts.requestMs, and to reach its subgraph within timeouts.subgraphMs.',
  members: {
    files: {
      type: 'int',
      min: 1,
      max: 100,
      default: 10,
      unit: 'files',
      exceeded: 'PAYLOAD_TOO_LARGE',
      reload: 'live',
      doc: 'Files of a request.',
    },
    fileBytes: {
      type: 'int',
      min: 1,
      default: 104_857_600,
      unit: 'bytes',
      exceeded: 'PAYLOAD_TOO_LARGE',
      reload: 'live',
      doc: 'Size of a file. It is passed on as it arrives: memory does not grow with it.',
    },
    partBytes: {
      type: 'int',
      min: 1,
      default: 262_144,
      unit: 'bytes',
      exceeded: 'PAYLOAD_TOO_LARGE',
      reload: 'live',
      doc: 'Size of the parts operations and map, each.',
    },
  },
} as const;

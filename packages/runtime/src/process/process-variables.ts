/** The variables that every deployable has, to be spread into its table. */
export const processVariables = {
  LOG_LEVEL: {
    type: 'choice',
    choices: ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'],
    default: 'info',
    doc: 'What is logged: silent, fatal, error, warn, info, debug or trace.',
  },
  OPERATIONS_PORT: { type: 'port', default: 9464, doc: 'Port of GET /metrics. Not public.' },
  OPERATIONS_HOST: { type: 'text', default: '127.0.0.1', doc: 'Address of the operations port.' },
} as const;

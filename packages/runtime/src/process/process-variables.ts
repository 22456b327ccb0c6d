import { port } from '../config/variable-types.ts';
import { z } from 'zod';

/** The variables that every deployable has, to be spread into its schema. */
export const processVariables: {
  readonly LOG_LEVEL: z.ZodType<string>;
  readonly OPERATIONS_PORT: z.ZodType<number>;
  readonly OPERATIONS_HOST: z.ZodType<string>;
} = {
  LOG_LEVEL: z
    .enum(['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace'])
    .default('info')
    .describe('What is logged: silent, fatal, error, warn, info, debug or trace.'),
  OPERATIONS_PORT: port(9464).describe('Port of GET /metrics. Not public.'),
  OPERATIONS_HOST: z.string().default('127.0.0.1').describe('Address of the operations port.'),
};

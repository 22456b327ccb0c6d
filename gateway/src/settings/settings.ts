import type { z } from 'zod';
import { groupSchema } from './setting-schema.ts';
import type { Given, InForce, SettingTable } from './setting.ts';
import * as tables from './tables.ts';

/** Every setting of gateway.yaml. */
export const settingTable: typeof tables = tables;

/** What an operator gives in `gateway.yaml`. */
export type GatewaySettings = Given<typeof tables>;

/** All settings with every default filled in. */
export type SettingsInForce = InForce<typeof tables>;

/** Those of the transports between clients and the gateway. */
export type TransportSettings = Pick<
  SettingsInForce,
  'limits' | 'timeouts' | 'http' | 'subscriptions' | 'authentication' | 'uploads' | 'pages'
>;

/** The schema of `gateway.yaml`. Unknown keys are rejected. */
export const settingsSchema: z.ZodType<GatewaySettings> = groupSchema({
  type: 'group',
  doc: 'The configuration of the gateway.',
  members: tables satisfies SettingTable,
}) as z.ZodType<GatewaySettings>; // made of the same tables

import type { Resources } from '@trellis/runtime';
import type { GatewayConfig } from '../config/config.ts';
import type { SettingsInUse } from '../config/settings-in-use.ts';
import type { UsageRecording } from '../pipeline/services.ts';
import type { FieldUsers } from '../usage/field-users.ts';
import type { IntervalRecorder } from '../usage/usage-recorder.ts';
import { createUsageOpener, usageTo, type UsageTo } from './open-usage.ts';
import { Replaceable, type Prepared } from './replaceable.ts';

/**
 * Records usage where the settings in force say. An operation is counted by the recorder that is in force when it ends, whichever was
 * when it began: so each is counted once, and one that was replaced has nothing to wait for.
 */
export class UsageInForce implements UsageRecording {
  readonly #recorders: Replaceable<UsageTo, IntervalRecorder>;
  readonly #openUsers: (usage: UsageRecording) => FieldUsers | undefined;
  /** By endpoint: one that no longer gets anything but its rest must not get the secret of another. */
  readonly #headers = new Map<string, Readonly<Record<string, string>>>();
  #bounds: string | undefined;
  /** Opened when something is recorded for the first time: they remember through all reloads. */
  #users: FieldUsers | undefined;

  /**
   * @param current the settings in force
   * @param openUsers remembers who has used a field; nothing outside of development
   */
  constructor(
    resources: Resources,
    current: () => SettingsInUse,
    openUsers: (usage: UsageRecording) => FieldUsers | undefined,
  ) {
    const headersFor = (endpoint: string): Readonly<Record<string, string>> =>
      this.#headers.get(endpoint) ?? {};
    this.#openUsers = openUsers;
    this.#recorders = new Replaceable({
      open: createUsageOpener(resources, { settings: current, headersFor }),
      drainMs: () => 0,
    });
  }

  /** Absent where nothing is recorded. */
  get current(): UsageRecording | undefined {
    return this.#recorders.current && (this.#users ?? this);
  }

  record(...counted: Parameters<UsageRecording['record']>): void {
    this.#recorders.current?.record(...counted);
  }

  /** @throws StartupError where it can't be opened */
  async prepare(config: GatewayConfig, inUse: SettingsInUse): Promise<Prepared<UsageRecording>> {
    const next = await this.#recorders.prepare(usageTo(config, inUse));
    if (next.value) this.#users ??= this.#openUsers(this);
    return {
      value: next.value && (this.#users ?? this),
      commit: () => {
        const { endpoint, headers } = inUse.usage.collector;
        if (endpoint !== undefined) this.#headers.set(endpoint, headers);
        this.#bounds ??= boundsOf(inUse);
        next.commit();
      },
      discard: () => next.discard(),
    };
  }

  /** To be called after each reload: other bounds hold for another interval. */
  change(inUse: SettingsInUse): void {
    const bounds = boundsOf(inUse);
    if (this.#bounds !== bounds) this.#recorders.current?.beginInterval();
    this.#bounds = bounds;
  }

  /** Writes the rest, that of recorders which were replaced too. */
  close(): Promise<void> {
    this.#users?.close();
    return this.#recorders.close();
  }
}

function boundsOf({ usage: { documents, rows } }: SettingsInUse): string {
  return `${documents} ${rows}`;
}

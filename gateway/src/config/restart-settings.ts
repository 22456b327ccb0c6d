import { isDeepStrictEqual } from 'node:util';
import { documentedSettings } from '../settings/describe-setting.ts';
import { settingTable, type SettingsInForce } from '../settings/settings.ts';
import { ownOf } from '../own-property.ts';

const KEYS = documentedSettings(settingTable)
  .filter(({ reload }) => reload === 'restart')
  .map(({ key }) => key);

/** The keys of what differs and holds only from the next start. */
export function settingsThatNeedRestart(atStart: SettingsInForce, now: SettingsInForce): readonly string[] {
  return KEYS.filter((key) => !isDeepStrictEqual(valueAt(atStart, key), valueAt(now, key)));
}

/** Of a group that is off, none. */
function valueAt(settings: object, key: string): unknown {
  return key.split('.').reduce<unknown>(ownOf, settings);
}

import { useTexts } from './texts-context.tsx';

const UNITS = [
  ['year', 31_536_000],
  ['month', 2_592_000],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

/** How long ago something was, with the exact time on demand. */
export function TimeAgo({ time }: { readonly time: string }) {
  const { language } = useTexts();
  const date = new Date(time);
  const exact = date.toLocaleString(language, { dateStyle: 'long', timeStyle: 'short' });
  return (
    <time dateTime={time} title={exact}>
      {formatAgo(date, language)}
    </time>
  );
}

function formatAgo(date: Date, language: string): string {
  const seconds = (date.getTime() - Date.now()) / 1000;
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' });
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? (['second', 1] as const);
  return unit === 'second' ? format.format(0, 'second') : format.format(Math.round(seconds / length), unit);
}

import { composersChoices } from '@trellis/composition';
import { Option } from 'commander';

/** `--composers`, for what composes. @param fallback who composes where it is not given */
export function composersOption(fallback = 'both'): Option {
  const description =
    `who composes; both: of a difference a warning, and Apollo's result counts; strict: of a difference an error; ` +
    `default: ${fallback}`;
  return new Option('--composers <WHO>', description).choices(composersChoices);
}

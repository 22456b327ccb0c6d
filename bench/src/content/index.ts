export type { ContentSize } from './content-rows.ts';
export { ContentExists, loadContent, type DatabaseUrls, type LoadOptions } from './load-content.ts';
export { isWithinBound, measureContent, type Measurement, type MeasureOptions } from './measure-content.ts';
